"""Activity: everything that was captured and changed, newest first, each with before and after and Undo.

Six pages: the timeline from the journal, a year's statistics, what was read along, events that failed, the energy of background work, and health. Knows the journal by its values only.
"""

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from app.values.changes import DataKind
from ui.navigation import Place
from ui.screens.activity.failed import FailedPage
from ui.screens.activity.health import HealthPage
from ui.screens.activity.timeline import TimelinePage
from ui.screens.base import Panel, PanelContext
from ui.screens.energy.page import EnergyPage
from ui.screens.reading.page import ReadingPage
from ui.screens.statistics.page import StatisticsPage
from ui.shell.state import ShellState, read_shell_state
from ui.widgets.tabs import Tabs
from ui.wording.values import counted

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
