"""Activity: everything that was captured and changed, newest first, each with before and after and Undo.

Six pages: the timeline from the journal, a year's statistics, what was read along, events that failed, the energy
of background work, and health. Knows the journal by its values only.

Events that could not be understood: kept, shown with their error, tried again or discarded. Nothing blocks behind one.
"""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.values.capture import EventState, InboxEvent
from app.values.changes import DataKind
from ui.navigation import Place
from ui.screens.activity.health import HealthPage
from ui.screens.activity.timeline import TimelinePage
from ui.screens.base import Panel, PanelContext
from ui.screens.energy.page import EnergyPage
from ui.screens.reading.page import ReadingPage
from ui.screens.statistics.page import StatisticsPage
from ui.shell.state import ShellState, read_shell_state
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tabs import Tabs
from ui.wording.figures import describe_moment
from ui.wording.values import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine


SHOWN = 50


class FailedPage(QWidget):
    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._page = ScrollColumn("activity.failed", width_px=820)
        self._empty = EmptyState(
            "check",
            "Nothing has failed",
            "An event that cannot be understood is kept here with its reason, until you retry or discard it.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._page)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    def refresh(self) -> None:
        self._context.bridge.ask("activity.failed", _read_failed, self._on_events)

    def _on_events(self, events: tuple[InboxEvent, ...]) -> None:
        clear_layout(self._page.column)
        for event in events:
            self._page.add(self._card(event))
        self._page.add_stretch()
        self._stack.setCurrentWidget(self._page if events else self._empty)

    def _card(self, event: InboxEvent) -> Card:
        card = Card(f"{app_title(event.app)} · {event.kind.value.replace('_', ' ')}", kind="warn")
        card.body.addWidget(PlainLabel(event.error or "No reason was given.", "warn", wraps=True))
        if event.preview:
            card.body.addWidget(ElidedLabel(event.preview, "body"))
        meta = f"{describe_moment(event.received_at)} · tried {counted(event.attempt_count, 'time')}"
        retry = self._button("Retry", "retry", event, "Try to understand it once more")
        discard = self._button("Discard", "discard", event, "Put it away; can be undone")
        line = row(PlainLabel(meta, "meta"), 1, retry, discard)
        card.body.addLayout(line)
        return card

    def _button(self, text: str, verb: str, event: InboxEvent, tip: str) -> Button:
        button = Button(text, f"failed.{verb}.{event.id}", icon_name="refresh" if verb == "retry" else "trash", tip=tip)
        button.setAccessibleName(f"{text} the event from {app_title(event.app)}")
        button.setProperty("event_id", event.id)
        button.clicked.connect(self._on_retry if verb == "retry" else self._on_discard)
        return button

    def _on_retry(self) -> None:
        event_id = int(self.sender().property("event_id"))
        self._context.bridge.do("failed.retry", lambda engine: engine.events.retry(event_id))

    def _on_discard(self) -> None:
        event_id = int(self.sender().property("event_id"))
        self._context.bridge.do("failed.discard", lambda engine: engine.events.discard(event_id))


def _read_failed(engine: "Engine") -> tuple[InboxEvent, ...]:
    return engine.events.inbox(state=EventState.FAILED, limit=SHOWN)


FAILED_LIMIT = 100


class ActivityPanel(Panel):
    screen_id: ClassVar[str] = "activity"
    title: ClassVar[str] = "Activity"
    search_hint: ClassVar[str] = "Search the timeline…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {
            DataKind.JOURNAL,
            DataKind.EVENTS,
            DataKind.STATE,
            DataKind.MESSAGES,
            DataKind.READINGS,
            DataKind.ENERGY,
            DataKind.NOTES,
            DataKind.SETTINGS,
            DataKind.MEMORIES,
            DataKind.CONVERSATIONS,
            DataKind.INDEX,
        }
    )
    has_actions: ClassVar[bool] = True

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._tabs = Tabs("activity.tabs", self)
        self.timeline = TimelinePage(context)
        self.statistics = StatisticsPage(context)
        self.reading = ReadingPage(context)
        self.failed = FailedPage(context)
        self.energy = EnergyPage(context)
        self.health = HealthPage(context)
        self._tabs.add("timeline", "Timeline", self.timeline)
        self._tabs.add("statistics", "Statistics", self.statistics)
        self._tabs.add("reading", "Reading along", self.reading)
        self._tabs.add("failed", "Failed", self.failed)
        self._tabs.add("energy", "Energy", self.energy)
        self._tabs.add("health", "Health", self.health)
        self.body.addWidget(self._tabs, 1)
        self._tabs.changed.connect(self._on_tab)
        self.reading.abilities_changed.connect(self.abilities_changed)
        self.timeline.current_changed.connect(self.abilities_changed)
        self.health.abilities_changed.connect(self.abilities_changed)

    def refresh(self) -> None:
        self.timeline.refresh()
        if self._tabs.current == "statistics":
            self.statistics.refresh()
        self.reading.refresh()
        self.failed.refresh()
        self.energy.refresh()
        self.health.refresh()
        self.context.bridge.ask("activity.state", read_shell_state, self._on_state)

    def visit(self, place: Place) -> None:
        if place.query in ("timeline", "statistics", "reading", "failed", "energy", "health"):
            self._tabs.show_page(place.query)
        elif place.kind == "operation" and place.object_id is not None:
            self._tabs.show_page("timeline")
            self.timeline.select(place.object_id)
        else:
            self.header.set_query(place.query)

    def search(self, text: str) -> None:
        self._tabs.show_page("timeline")
        self.timeline.search(text)

    def abilities(self) -> frozenset[str]:
        able = self.health.abilities()
        if self._tabs.current == "reading":
            return able | self.reading.abilities()
        if self._tabs.current == "timeline" and self.timeline.model.rowCount():
            current = self.timeline.current()
            able |= {"reading.next", "reading.previous"}
            able |= {"reading.undo"} if current is not None and current.is_undoable else set()
        return able

    def run(self, action_id: str) -> None:
        """What the keys say: to what the shown tab lists."""
        current = self.timeline.current()
        if action_id.startswith("meaning."):
            self.health.run(action_id)
        elif self._tabs.current != "timeline":
            self.reading.run(action_id)
        elif action_id == "reading.undo" and current is not None:
            self.timeline.undo(current.id)
        elif action_id in ("reading.next", "reading.previous"):
            self.timeline.step(1 if action_id == "reading.next" else -1)

    def _on_tab(self, page_id: str) -> None:
        if page_id == "statistics":  # a year is counted when somebody looks
            self.statistics.refresh()
        self.abilities_changed.emit()

    def _on_state(self, state: ShellState) -> None:
        stats = state.stats
        today = stats.captured_today_count
        parts = [f"{counted(today, 'message')} today" if today else "No message today"]
        if stats.event_pending_count:
            parts.append(f"{counted(stats.event_pending_count, 'event')} waiting to be understood")
        if stats.event_failed_count:
            parts.append(f"{stats.event_failed_count} failed")
        self.set_status(" · ".join(parts))
        failed = stats.event_failed_count
        self._tabs.set_title("failed", f"Failed ({failed})" if failed else "Failed")
        self.health.tell(state)
