"""The window's frame: rail, screens, strips above them, notices over them; carries out what the actions ask of it.

Screens are built when first shown. The frame knows the engine through the bridge only, and no screen by class.

Builds the screens that nobody has visited yet, one at a time, while the window has nothing else to do.
"""

from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QSystemTrayIcon,
    QVBoxLayout,
    QWidget,
)

from app.places import Places
from app.values.changes import Changes, DataKind, Origin
from ui.actions.spec import Situation
from ui.actions.table import ACTIONS, MENUS, ActionRegistry
from ui.bridge import EngineBridge, Failure
from ui.navigation import Navigator, Place, parse_link
from ui.notices import Notice, NoticeKind, notice_of_act, notice_of_error
from ui.screens.base import BlankPage, Panel, PanelContext
from ui.screens.registry import SCREENS, ScreenSpec
from ui.selection import Selection
from ui.shell.commands import ShellCommands
from ui.shell.consolidation_flow import ConsolidationFlow
from ui.shell.import_flow import DropOverlay, ImportCard, ImportFlow
from ui.shell.notice_bar import CloseBar, NoticeBar, PauseBar
from ui.shell.rail import Rail
from ui.shell.recovery_page import RecoveryPage, find_backups
from ui.shell.state import ShellState, read_memories, read_shell_state
from ui.shell.tray import NO_TRAY, CloseAct, Tray, choose_close
from ui.theme import Theme, ThemeChoice
from ui.unsaved import UnsavedTexts
from ui.widgets.capture_light import light_of
from ui.widgets.progress_strip import ProgressStrip
from ui.wording.figures import counted, shortened, time_left

if TYPE_CHECKING:
    from app.api import SettingCard
    from app.values import Memory
    from ui.shell.sheets import Sheets

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject

PAUSE_MS = 250  # between two screens: whoever types meanwhile waits for one of them at most


class Preparing(QObject):
    """`build` makes what one name stands for; `is_idle` says whether now is a good moment."""

    def __init__(
        self, build: Callable[[str], object], is_idle: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._build = build
        self._is_idle = is_idle
        self._waiting: deque[str] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._on_time)

    def begin(self, names: Sequence[str]) -> None:
        """From now on, in this order."""
        self._waiting = deque(names)
        self._timer.start()

    def put_off(self) -> None:
        """The person does something: wait for the whole pause again."""
        if self._timer.isActive():
            self._timer.start()

    @property
    def is_done(self) -> bool:
        return not self._waiting

    def _on_time(self) -> None:
        if self._waiting and self._is_idle():
            self._build(self._waiting.popleft())
        if not self._waiting:
            self._timer.stop()


NARROW_BELOW_PX = 1_000
STATE_EVERY_MS = 30_000
SHEETS = "sheets"  # among the names of screens that are prepared
CONTRADICTION_CHARS = 60
TITLE_BAR_PX = 36  # what window managers put around us; before the first show nobody says how much


class MainWindow(QMainWindow):
    """`leaving` when the person closes it; `looks_changed` when the chosen look is another one."""

    leaving = Signal()
    looks_changed = Signal()
    state_shown = Signal()
    retry_asked = Signal()
    restore_asked = Signal(str)
    anew_asked = Signal()
    as_it_is_asked = Signal()
    autostart_changed = Signal(bool)

    def __init__(
        self,
        bridge: EngineBridge,
        theme: Theme,
        *,
        places: Places | None = None,
        screens: tuple[ScreenSpec, ...] | None = None,
    ) -> None:
        super().__init__()
        self._places = places
        self.setObjectName("window")
        self.setWindowTitle("Remanence")
        self.setMinimumSize(900, 600)
        self.resize(1280, 800)
        self.bridge = bridge
        self.theme = theme
        self.screens = SCREENS if screens is None else screens
        self.navigator = Navigator(self)
        self.selection = Selection(self)
        self.unsaved = UnsavedTexts(places.state_dir if places is not None else None, self)
        self.unsaved.dropped.connect(self._on_draft_dropped)
        self.commands = ShellCommands(self)
        self.actions_table = ActionRegistry(self, self.commands)
        self.state: ShellState | None = None
        self.setting_cards: tuple[SettingCard, ...] = ()
        self.last_report = ""
        self._shown_problem = ""
        self._shown_pairs: set[tuple[int, int]] = set()  # contradictions that were told of
        self.is_quitting = False
        self._panels: dict[str, Panel] = {}
        self._build()
        self.tray = Tray(self, QSystemTrayIcon.isSystemTrayAvailable)
        self.preparing = Preparing(self._prepare, lambda: not bridge.is_waiting, self)
        self.imports = ImportFlow(bridge, self.import_card, self.progress, self.notify, self)
        self.consolidation = ConsolidationFlow(
            bridge, self.progress, self.notify, lambda: self.go("consolidation"), self
        )
        self._context = PanelContext(
            bridge,
            self.actions_table,
            self.selection,
            theme,
            self.navigator.go,
            self.notify,
            self.imports.start,
            self.unsaved,
        )
        self._connect()
        self.update_actions()

    # -- building

    def _build(self) -> None:
        shown = [screen for screen in self.screens if not screen.is_hidden]
        self.rail = Rail(shown, self)
        self.menu = self._build_menu()
        self.rail.menu_button.setMenu(self.menu)
        self.light_menu = QMenu(self)
        self.light_menu.setObjectName("rail.light.menu")
        self._health = QAction("How capture is doing…", self)
        self.pause_bar = PauseBar(self)
        self.close_bar = CloseBar(self)
        self.progress = ProgressStrip(self)
        self.import_card = ImportCard(self)
        self.stack = QStackedWidget()
        self.recovery = RecoveryPage()
        strips = QVBoxLayout()
        strips.setContentsMargins(18, 10, 18, 0)
        strips.setSpacing(8)
        for strip in (self.close_bar, self.pause_bar, self.progress, self.import_card):
            strips.addWidget(strip)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(strips)
        right.addWidget(self.stack, 1)
        self.notices = NoticeBar(self)
        right.addWidget(self.notices.room)
        self.body = QWidget()
        self.body.setProperty("role", "page")
        line = QHBoxLayout(self.body)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(self.rail)
        line.addLayout(right, 1)
        self.setCentralWidget(self.body)
        self.stack.addWidget(self.recovery)
        self.blank = BlankPage()
        self.stack.addWidget(self.blank)
        self.stack.setCurrentWidget(self.blank)
        self._build_sheets()

    def _build_sheets(self) -> None:
        """What lies over the screens."""
        self.drop = DropOverlay(self)
        self.setAcceptDrops(True)
        self._state_timer = QTimer(self)
        self._state_timer.setInterval(STATE_EVERY_MS)

    def _build_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("menu")
        menu.aboutToShow.connect(self.actions_table.show_icons)
        for name in MENUS:
            part = menu.addMenu(name)
            part.setObjectName(f"menu.{name.lower()}")
            for spec in ACTIONS:
                if spec.menu == name:
                    part.addAction(self.actions_table.action(spec.id))
        return menu

    def _connect(self) -> None:
        self.rail.chosen.connect(self.go)
        self.rail.searches.chosen.connect(self._on_search_chosen)
        self.rail.light.clicked.connect(self._on_light)
        self._health.triggered.connect(self._open_health)
        self.rail.meter.clicked.connect(self.commands.open_reading)
        self.navigator.arrived.connect(self._on_arrived)
        self.actions_table.requested.connect(self._on_panel_action)
        self.bridge.opened.connect(self._on_opened)
        self.bridge.changed.connect(self._on_changes)
        self.bridge.failed.connect(self._on_failure)
        self.bridge.progressed.connect(self.progress.show_values)
        self.progress.stop_pressed.connect(self.bridge.cancel)
        self.bridge.settled.connect(self.progress.finish)
        self.pause_bar.resume_pressed.connect(self.commands.resume_capture)
        self.close_bar.chosen.connect(self._on_close_chosen)
        self.recovery.retry_pressed.connect(self.retry_asked)
        self.recovery.restore_pressed.connect(self.restore_asked)
        self.recovery.anew_pressed.connect(self.anew_asked)
        self.recovery.as_it_is_pressed.connect(self.as_it_is_asked)
        self.imports.busy_changed.connect(self.update_actions)
        self.consolidation.busy_changed.connect(self.update_actions)
        self.drop.dropped.connect(self.imports.offer)
        self._state_timer.timeout.connect(self.refresh_state)
        self.theme.changed.connect(self.notices.place)

    # -- screens

    def panel(self, screen_id: str) -> Panel | None:
        """The panel of a screen, built now if it was not; None for a screen that does not exist."""
        if screen_id in self._panels:
            return self._panels[screen_id]
        for screen in self.screens:
            if screen.id == screen_id:
                # a tree that changes its parent is styled again, all of it: so each part is made inside its own
                built = screen.factory(self._context, self.stack)
                built.abilities_changed.connect(self.update_actions)
                built.place_changed.connect(self.navigator.note)
                self._panels[screen_id] = built
                self.stack.addWidget(built)
                return built
        return None

    @property
    def current_panel(self) -> Panel | None:
        shown = self.stack.currentWidget()
        return shown if isinstance(shown, Panel) else None

    def go(self, screen_id: str) -> None:
        self.navigator.go(Place(screen_id))

    def mark_beginning(self, link: str) -> str:
        """Rail and title as they will be, for the first paint; the screen itself is built when the engine is there (`begin_at`)."""
        screen_id = self._beginning(link).screen
        self.rail.set_current(screen_id)
        self.rail.focus_current()
        self.blank.set_title(next(screen.title for screen in self.screens if screen.id == screen_id))
        return screen_id

    def begin_at(self, link: str) -> None:
        """Builds the screen to show first, unless the person has gone to one."""
        if self.navigator.place is None:
            self.navigator.go(self._beginning(link))

    def _beginning(self, link: str) -> Place:
        place = parse_link(link)
        known = {screen.id for screen in self.screens if not screen.is_hidden}
        return place if place is not None and place.screen in known else Place(self.screens[0].id)

    def open_link(self, text: str) -> bool:
        """Goes where a remanence:// link points; False for anything else."""
        place = parse_link(text)
        if place is None or place.screen not in {screen.id for screen in self.screens}:
            return False
        self.navigator.go(place)
        return True

    def prepare_screens(self) -> None:
        """Builds what was not visited yet when there is time: all is imported by now."""
        self.preparing.begin([SHEETS, *(screen.id for screen in self.screens if not screen.is_hidden)])

    def _prepare(self, name: str) -> object:
        return self.sheets if name == SHEETS else self.panel(name)

    @cached_property
    def sheets(self) -> "Sheets":
        """The palette and the list of shortcuts, built now if they were not."""
        from ui.shell.sheets import Sheets

        return Sheets(self)

    def _on_arrived(self, place: Place) -> None:
        self.preparing.put_off()
        panel = self.panel(place.screen)
        if panel is None:
            return
        if self.stack.currentWidget() is not self.recovery or self.bridge.is_open or place.screen == "help":
            self.stack.setCurrentWidget(panel)
        self.rail.set_current(place.screen)
        panel.visit(place)
        self._keep_focus()
        self.update_actions()

    def _keep_focus(self) -> None:
        """The focus is never on what is no longer shown, and in the rail it goes with the screen."""
        focus = QApplication.focusWidget()
        if focus is None or not focus.isVisible() or self.rail.isAncestorOf(focus):
            self.rail.focus_current()

    def _on_panel_action(self, action_id: str) -> None:
        panel = self.current_panel
        if panel is not None and action_id in panel.abilities():
            panel.run(action_id)
        self.update_actions()

    # -- engine

    def show_problem(self, error: BaseException) -> None:
        """The recovery page in place of the screens."""
        backups = find_backups(self._places.backups_dir) if self._places is not None else ()
        self.recovery.show_problem(error, backups)
        self.stack.setCurrentWidget(self.recovery)
        self.rail.light.set_problem("The memory did not open")

    def refresh_state(self) -> None:
        if self.bridge.is_open:
            before = self.state
            self.bridge.ask("shell.state", lambda engine: read_shell_state(engine, before), self._on_state)

    def _on_opened(self) -> None:
        self.refresh_state()
        self._state_timer.start()
        self.bridge.ask("shell.settings", lambda engine: engine.settings.list(), self._on_settings)
        self._ask_unsaved(self._show_unsaved)
        if self.stack.currentWidget() in (self.recovery, self.blank):
            place = self.navigator.place or Place(self.screens[0].id)
            self._on_arrived(place)
        self.update_actions()

    def _on_state(self, state: ShellState) -> None:
        before, is_first = self.state, self.state is None
        if (found := state.new_contradiction) is not None:
            pair = found.a.id, found.b.id
            if pair in self._shown_pairs:  # found again after an undo
                state = replace(state, new_contradiction=None)
            self._shown_pairs.add(pair)
        self.state = state
        self._show_contradiction(state)
        self._show_judge(state)
        self.tray.note(before, state)
        self.pause_bar.show_values(is_paused=state.health.is_paused, until=state.health.paused_until)
        self._show_badges(state)
        self._take_start_and_close(before, state)
        self._show_of_store(state.health.store_notice)
        self.rail.searches.set_searches(state.searches)
        self.rail.show_today(state.given_today_tokens, state.given_today_count)
        self.selection.set_scopes(state.stats.app_names, state.stats.project_names)
        choice = ThemeChoice(state.theme)
        self.theme.set(choice, state.font_percent, is_motion_reduced=state.is_motion_reduced)
        self.looks_changed.emit()
        self.update_actions()
        is_fresh = not state.is_first_start_done and not state.stats.message_count and not state.connected_count
        if is_first and is_fresh:
            self.go("first-start")
        self.state_shown.emit()

    def _take_start_and_close(self, before: ShellState | None, state: ShellState) -> None:
        """The tray as the setting says; at a change also the autostart file, and what this desktop cannot do."""
        self.tray.set_shown(state.closing != "quit" and self.tray.is_available())
        if before is None:
            return
        if state.starts_with_computer is not before.starts_with_computer:
            self.autostart_changed.emit(state.starts_with_computer)
        if state.closing == "tray" != before.closing and not self.tray.is_available():
            self.notify(Notice(NO_TRAY, NoticeKind.WARN, stays=True))

    def _show_contradiction(self, state: ShellState) -> None:
        """One that opened while the person was elsewhere."""
        panel, found = self.current_panel, state.new_contradiction
        if found is None or (panel is not None and panel.screen_id == "contradictions"):
            return
        a, b = (shortened(one.title, CONTRADICTION_CHARS) for one in (found.a, found.b))
        text = f"“{a}” and “{b}” cannot both be true: found while your memories were compared."
        place = Place("contradictions", "contradiction", found.id)
        self.notify(Notice(text, NoticeKind.WARN, "Decide", partial(self.navigator.go, place), about="contradiction"))

    def _ask_unsaved(self, then: "Callable[[Mapping[int, Memory | None]], None]") -> None:
        """The memories with unsaved text; None for one that was erased."""
        ids = self.unsaved.memory_ids
        if ids and self.bridge.is_open:
            self.bridge.ask("shell.unsaved", lambda engine: read_memories(engine, ids), then)

    def _show_unsaved(self, found: "Mapping[int, Memory | None]") -> None:
        """Tells once at the start which unsaved texts were kept."""
        self.unsaved.forget_gone(found)
        self.unsaved.forget_saved(found)
        waiting = [one for one in found.values() if one is not None and self.unsaved.of(one) is not None]
        if waiting:
            first = waiting[0]
            more = (
                f" and into {counted(len(waiting) - 1, 'other memory', 'other memories')}" if len(waiting) > 1 else ""
            )
            text = f"What you typed into “{first.title}”{more} is not saved yet. It is kept there until you save or discard it."
            back = partial(self.navigator.go, Place("memories", "memory", first.id))
            self.notify(Notice(text, NoticeKind.WARN, "Go there", back, stays=True, about="unsaved"))

    def _on_draft_dropped(self, memory_id: int) -> None:
        """Ends the reminder of a text that was saved or discarded, and shows it again for the others."""
        self.notices.withdraw(f"draft {memory_id}")
        if self.notices.withdraw("unsaved"):
            self._ask_unsaved(self._show_unsaved)

    def _show_of_store(self, text: str) -> None:
        """Once: its file was removed while it was open, and put back."""
        if text and text != self._shown_problem:
            self.notify(Notice(text, NoticeKind.WARN, stays=True))
        self._shown_problem = text

    def show_store_mended(self, text: str) -> None:
        """What a restore did."""
        self.notify(Notice(text, NoticeKind.GOOD, stays=True))

    def _show_judge(self, state: ShellState) -> None:
        """The light and the meter: what is local only, and who reads along."""
        from ui.screens.reading.wording import meter_line, privacy_line

        judge = state.judge
        light = light_of(state.health, privacy_line(judge), is_connected=bool(state.connected_count))
        self.rail.light.set_state(light)
        self.tray.set_state(light, state.needs.count)
        if judge is not None:
            self.rail.meter.show_values(meter_line(judge), is_warning=judge.state == "failed")

    def _show_badges(self, state: ShellState) -> None:
        stats = state.stats
        waiting = state.needs.count
        inbox, in_use = state.memories.to_review, state.memories.in_use
        for screen_id, text, is_urgent in (
            ("now", str(waiting) if waiting else "", bool(waiting)),
            ("conversations", str(stats.conversation_count) if stats.conversation_count else "", False),
            ("memories", f"{inbox or in_use:,}" if inbox or in_use else "", bool(inbox)),
            ("contradictions", str(state.needs.contradiction_count) if state.needs.contradiction_count else "", True),
            ("activity", str(stats.event_failed_count) if stats.event_failed_count else "", True),
        ):
            button = self.rail.button(screen_id)
            if button is not None:
                button.set_badge(text, is_urgent=is_urgent and bool(text))

    def _on_settings(self, cards: "tuple[SettingCard, ...]") -> None:
        self.setting_cards = cards

    def _on_changes(self, changes: Changes) -> None:
        self.refresh_state()
        if DataKind.MEMORIES in changes.kinds:
            self._ask_unsaved(self.unsaved.forget_gone)
        if DataKind.SETTINGS in changes.kinds:
            self.bridge.ask("shell.settings", lambda engine: engine.settings.list(), self._on_settings)
        is_announced = (
            self.current_panel is not None and self.current_panel.announces_own_actions and not changes.held_ids
        )
        if changes.origin is Origin.PERSON and changes.label and not is_announced:
            self.notify(notice_of_act(changes, self.commands.undo_operation, self.commands.allow_memories))

    def _on_failure(self, failure: Failure) -> None:
        from ui.crash import describe_error

        self.last_report = describe_error(failure.error)
        self.notify(notice_of_error(failure.error, self.copy_report))
        self.update_actions()

    def show_crash(self, report: str) -> None:
        """One notice for what nobody expected."""
        self.last_report = report
        text = "Something went wrong inside Remanence. Everything saved so far is safe; the log has the details."
        self.notify(Notice(text, NoticeKind.DANGER, "Copy details", self.copy_report, stays=True))

    def notify(self, notice: Notice) -> None:
        self.notices.post(notice)

    def copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self.last_report)

    # -- situation

    def update_actions(self) -> None:
        """Tells the table of actions what is possible now."""
        state, panel = self.state, self.current_panel
        is_open = self.bridge.is_open
        capturing = state is not None and state.health.is_capturing
        self.actions_table.update(
            Situation(
                screen=panel.screen_id if panel is not None else "",
                screens=frozenset(screen.id for screen in self.screens),
                is_open=is_open,
                is_capturing=is_open and capturing,
                is_paused=is_open and state is not None and state.health.is_paused,
                is_busy=self.imports.is_busy,
                is_consolidating=self.consolidation.is_running,
                is_run_paused=self.consolidation.is_paused,
                can_go_back=self.navigator.can_go_back,
                can_go_forward=self.navigator.can_go_forward,
                reading=state.reading if state is not None else "",
                undo_label=state.undo_label if state is not None and is_open else "",
                redo_label=state.redo_label if state is not None and is_open else "",
                panel_can=panel.abilities() if panel is not None and is_open else frozenset(),
            )
        )

    def _on_search_chosen(self, search_id: int) -> None:
        self.navigator.go(Place("memories", "search", search_id))

    def _on_light(self) -> None:
        """The menu of the capture light. A menu, so that a stray click changes nothing."""
        if self.state is None:
            return
        if self.rail.light.state.needs_fix:
            self._open_health()
            return
        self.light_menu.clear()
        until = self.state.health.paused_until
        if self.state.health.is_paused:
            left = f", {time_left(until, datetime.now(UTC))} left" if until is not None else ""
            self.light_menu.addAction(f"{self.rail.light.state.text}{left}").setEnabled(False)
            self.light_menu.addSeparator()
        for name in ("capture.resume", "capture.pause15", "capture.pause60", "capture.pause"):
            action = self.actions_table.action(name)
            if action.isEnabled():
                self.light_menu.addAction(action)
        self.light_menu.addSeparator()
        self.light_menu.addAction(self._health)
        light = self.rail.light
        self.light_menu.popup(
            light.mapToGlobal(light.rect().topLeft()) - QPoint(0, self.light_menu.sizeHint().height())
        )

    def _open_health(self) -> None:
        self.navigator.go(Place("activity", query="health"))

    # -- Qt

    def restore_place(self, geometry: bytes) -> None:
        """Where it was; the first time as large as it was made, but with its frame on the screen."""
        if geometry:
            self.restoreGeometry(QByteArray(geometry))
            return
        room = self.screen().availableSize()
        self.resize(self.size().boundedTo(QSize(room.width() - 2, room.height() - TITLE_BAR_PX)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.set_narrow(self.width() < NARROW_BELOW_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.BackButton:
            self.navigator.go_back()
        elif event.button() is Qt.MouseButton.ForwardButton:
            self.navigator.go_forward()
        else:
            super().mousePressEvent(event)

    def quit(self) -> None:
        """Closes the window and ends the process, whatever the setting says."""
        self.is_quitting = True
        self.close()

    def _on_close_chosen(self, wish: str) -> None:
        self.bridge.do("settings.closing", lambda engine: engine.settings.set("closing", wish))
        if wish == "tray":
            self.tray.hide_window()
        else:
            self.quit()

    def _is_held(self) -> bool:
        """Whether the window stays or hides instead of being closed."""
        act = CloseAct.QUIT
        if not self.is_quitting:
            act = choose_close(
                self.state.closing if self.state is not None else "ask",
                has_tray=self.tray.is_available(),
                is_open=self.bridge.is_open,
                is_asking=self.close_bar.isVisible(),
            )
        if act is CloseAct.ASK:
            self.close_bar.ask()
        elif act is CloseAct.HIDE:
            self.tray.hide_window()
        return act is not CloseAct.QUIT

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._is_held():
            event.ignore()
            return
        self.tray.close()
        self._state_timer.stop()
        self.leaving.emit()
        super().closeEvent(event)
