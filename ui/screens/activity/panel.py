"""Activity: everything that was captured and changed, newest first, each with before and after and Undo.

Six pages: the timeline from the journal, a year's statistics, what was read along, events that failed, the energy of
background work, and health. Knows the journal by its values only.

Events that could not be understood: kept, shown with their error, tried again or discarded. Nothing blocks behind
one.

Health: capture socket, queue, rules, store file, archive, backups, last error, each with a light and what to do about it; and how far the
vectors are.
"""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from app.values.capture import EventState, InboxEvent
from app.values.changes import DataKind
from app.values.recall import EmbeddingState
from ui.navigation import Place
from ui.screens.activity.timeline import TimelinePage
from ui.screens.base import Panel, PanelContext
from ui.screens.energy.page import EnergyPage
from ui.screens.reading.page import ReadingPage
from ui.screens.reading.wording import privacy_line
from ui.screens.statistics.page import StatisticsPage
from ui.shell.state import ShellState, read_shell_state
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.capture_light import LightColor, light_of
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tabs import Tabs
from ui.wording.figures import describe_bytes, describe_moment
from ui.wording.values import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine


_WORDS = {"good": "well", "warn": "look at this", "danger": "broken", "sub": ""}


def say_meaning(state: EmbeddingState) -> str:
    """What answers, how far the one that takes its place is, what to do about a problem."""
    if not state.is_on:
        return "Off: search uses words only. You can choose a model in Settings, Advanced, Memory."
    serving, building = state.serving, state.building
    said = f"{serving.model} answers." if serving else "Search uses words only until the model has read all memories."
    if building is not None:
        done = f"{building.memory_count:,} of {counted(state.memory_count, 'memory', 'memories')}"
        said += f" {building.model}: {done}{', stopped' if state.is_stopped else ''}."
    return f"{said} Waiting: {state.problem}" if state.problem else said


class HealthPage(QWidget):
    abilities_changed = Signal()

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        page = ScrollColumn("activity.health", width_px=1080)
        card = Card("Health")
        actions = context.actions
        self._context = context
        self._meaning: EmbeddingState | None = None
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(2, 1)
        card.body.addLayout(self._grid)
        card.body.addSpacing(6)
        card.body.addLayout(
            row(
                ActionButton(actions.action("capture.resume"), "play", only_able=True, parent=card),
                ActionButton(actions.action("file.backup"), "database"),
                ActionButton(actions.action("help.diagnostics"), "copy"),
                ActionButton(actions.action("capture.pause60"), "pause", kind="quiet", only_able=True, parent=card),
                1,
            )
        )
        page.add(card)
        meaning = Card("Search by meaning")
        self._meaning_said = PlainLabel("", wraps=True)
        self._bar = QProgressBar()
        self._bar.setAccessibleName("Memories that the model has read")
        self._bar.setTextVisible(False)
        again = ActionButton(actions.action("meaning.again"), "refresh", only_able=True)
        stop = ActionButton(actions.action("meaning.stop"), "stop", only_able=True)
        meaning.body.addWidget(self._meaning_said)
        meaning.body.addWidget(self._bar)
        meaning.body.addLayout(row(again, stop, 1))
        page.add(meaning)
        page.add_stretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(page)
        self._lines: dict[str, tuple[PlainLabel, PlainLabel]] = {}
        self._bar.hide()

    def refresh(self) -> None:
        self._context.bridge.ask("health.meaning", lambda engine: engine.search.meaning(), self._on_meaning)

    def abilities(self) -> frozenset[str]:
        state = self._meaning
        if state is None or not state.is_on:
            return frozenset()
        is_going_on = state.building is not None and not state.is_stopped
        return frozenset({"meaning.stop" if is_going_on else "meaning.again"})

    def run(self, action_id: str) -> None:
        is_stop = action_id == "meaning.stop"
        self._context.bridge.do(
            action_id, lambda engine: engine.search.stop_reembedding() if is_stop else engine.search.reembed()
        )

    def _on_meaning(self, state: EmbeddingState) -> None:
        self._meaning = state
        self._meaning_said.setText(say_meaning(state))
        building = state.building
        self._bar.setVisible(building is not None)
        if building is not None:
            self._bar.setRange(0, max(1, state.memory_count))
            self._bar.setValue(building.memory_count)
        self.abilities_changed.emit()

    def show_values(self, state: ShellState) -> None:
        """One line per thing: light, name, what it is and what to do."""
        health, stats = state.health, state.stats
        light = light_of(health, privacy_line(state.judge), is_connected=bool(state.connected_count))
        capture = {LightColor.GOOD: "good", LightColor.PAUSED: "warn", LightColor.BROKEN: "danger"}
        self._line("Capture", capture.get(light.color, "sub"), f"{light.text}. {light.detail}")
        self._line("Disk", "danger" if health.disk_problem else "good", health.disk_problem or "Writable.")
        waiting = (
            f"{counted(stats.event_pending_count, 'message')} being understood. " if stats.event_pending_count else ""
        )
        failed = (
            f"{stats.event_failed_count} could not be understood: look under Failed."
            if stats.event_failed_count
            else ""
        )
        understood = f"{waiting}{failed}" or "Everything that was captured is understood."
        self._line("Understanding", "warn" if stats.event_failed_count else "good", understood)
        aside = f"{counted(health.aside_count, 'event')} of your assistants could not be captured and are kept. "
        aside += f"{health.aside_reason} Each start tries them again.".strip()
        self._line(
            "Not captured yet",
            "warn" if health.aside_count else "good",
            aside if health.aside_count else "Everything that your assistants sent was captured.",
        )
        queue = f"{stats.conversation_count} of {counted(stats.queue_size, 'conversation')}"
        messages = counted(stats.message_count, "message")
        self._line("Queue", "good", f"{queue}, {messages}, {describe_bytes(stats.queue_byte_count)}.")
        rules = f"{counted(stats.rule_count, 'learned rule')}, {describe_bytes(stats.rule_byte_count)}."
        self._line("Rules", "good", rules if stats.rule_count else "None learned yet.")
        size = f"{describe_bytes(health.store_bytes + health.wal_bytes)} on this computer"
        self._line("Memory file", "good", f"{size}, of which {describe_bytes(health.wal_bytes)} are recent changes.")
        kept = f"{counted(stats.archive_prompt_count, 'prompt')}, {describe_bytes(stats.archive_byte_count)}."
        is_left = stats.archive == "off" and stats.archive_prompt_count > 0
        left = " The archive is off: choose Deleted in Settings to delete them." if is_left else ""
        archive = f"{kept}{left}" if stats.archive_prompt_count or stats.archive != "off" else "Off."
        self._line("Prompt archive", "warn" if is_left else "good", archive)
        backup = describe_moment(health.last_backup_at)
        self._line("Last backup", "good" if health.last_backup_at else "sub", f"{backup[:1].upper()}{backup[1:]}.")
        self._line("Secrets", "good", f"{counted(stats.redacted_count, 'secret')} removed before anything was written.")
        self._line("Last error", "warn" if health.last_error else "good", health.last_error or "None.")

    def _line(self, name: str, role: str, text: str) -> None:
        if name not in self._lines:
            at = len(self._lines)
            dot, value = PlainLabel("●", role), PlainLabel("", wraps=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(dot, at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(PlainLabel(name, "heading"), at, 1, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, at, 2)
            self._lines[name] = (dot, value)
        dot, value = self._lines[name]
        dot.set_role(role)
        dot.setAccessibleName(_WORDS[role])
        dot.setToolTip(_WORDS[role])
        value.setText(text)


SHOWN = 50


class FailedPage(QWidget):
    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._page = ScrollColumn("activity.failed", width_px=1080)
        self._empty = EmptyState(
            "check",
            "Nothing has failed",
            "A message that cannot be understood is kept here with the reason, until you retry or discard it.",
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
        discard = self._button("Discard", "discard", event, "Remove it from this list; can be undone")
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


class ActivityPanel(Panel):
    screen_id: ClassVar[str] = "activity"
    title: ClassVar[str] = "Activity"
    search_hint: ClassVar[str] = "Search what happened…"
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
        self._tabs.add("timeline", "What happened", self.timeline)
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

    @property
    def part_id(self) -> str:
        return self._tabs.current

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
            able |= {"reading.open"} if self.timeline.is_on_burst else set()
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
        elif action_id == "reading.open":
            self.timeline.toggle_current()
        elif action_id in ("reading.next", "reading.previous"):
            self.timeline.step(1 if action_id == "reading.next" else -1)

    def _on_tab(self, page_id: str) -> None:
        if page_id == "statistics":  # a year is counted when somebody looks
            self.statistics.refresh()
        if self.header.search is not None:  # it searches this tab alone
            if page_id != "timeline" and self.header.search.hasFocus():
                self._tabs.take_focus()  # what hides would hand the keys to the first tab
            self.header.search.setVisible(page_id == "timeline")
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
        self.health.show_values(state)
