"""Carries out the rows of the action table that belong to the window (ui.actions.Shell): nothing is decided here."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ui.actions.spec import ActionSpec
from ui.actions.table import ACTIONS, MENUS
from ui.navigation import Place
from ui.notices import Notice, NoticeKind
from ui.screens.base import Panel
from ui.screens.help.pages import page_of
from ui.widgets.tab_order import focus_first, focusables

if TYPE_CHECKING:
    from app.api import Engine
    from ui.shell.main_window import MainWindow

CONVERSATION_SCREENS = ("now", "conversations")


def _is_of(spec: ActionSpec, screen: str) -> bool:
    """Whether a screen carries a row out; those of whole conversations name none: two screens do."""
    return spec.screen == screen or (not spec.screen and screen in CONVERSATION_SCREENS)


def _can_focus(part: QWidget) -> bool:
    return any(one.isVisible() and one.isEnabled() for one in focusables(part))


def _focus_in(part: QWidget | None) -> bool:
    """The first thing of a part takes the keys, of a screen that below its header."""
    if isinstance(part, Panel):
        return part.focus_content() or focus_first(focusables(part))
    return part is not None and focus_first(focusables(part))


class ShellCommands:
    """One method per row that has a `run`."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window

    def go(self, screen_id: str) -> None:
        self._window.go(screen_id)

    def open_help(self) -> None:
        """The help page of the current screen; in Help itself the page that is open."""
        panel = self._window.current_panel
        page = page_of(panel.screen_id, panel.part_id) if panel is not None else ""
        self._window.navigator.go(Place("help", query=page))

    def go_back(self) -> None:
        self._window.navigator.go_back()

    def go_forward(self) -> None:
        self._window.navigator.go_forward()

    def undo(self) -> None:
        self._revert("edit.undo", "Undoing", lambda engine: engine.journal.undo())

    def redo(self) -> None:
        self._revert("edit.redo", "Redoing", lambda engine: engine.journal.redo())

    def undo_operation(self, operation_id: int) -> None:
        self._revert("edit.undo", "Undoing", lambda engine: engine.journal.undo(operation_id))

    def _revert(self, action_id: str, text: str, write: "Callable[[Engine], object]") -> None:
        """What takes long, as that of an import, shows that it is working."""
        if not self._window.progress.job_id:
            self._window.progress.begin(action_id, f"{text}…", stop="")
        self._window.bridge.do(action_id, write)

    def allow_memories(self, ids: tuple[int, ...]) -> None:
        """What was held back of the person's own act becomes active and trusted; one undo reverts it."""
        self._window.bridge.do("memory.accept", lambda engine: engine.memories.accept(ids))

    def open_palette(self, prefix: str = "") -> None:
        self._window.update_actions()
        self._window.sheets.open_palette(prefix)

    def show_shortcuts(self) -> None:
        panel = self._window.current_panel
        screen = panel.screen_id if panel is not None else ""
        has_own = panel is not None and panel.has_actions
        shown = [spec for spec in ACTIONS if spec.run is not None or (has_own and _is_of(spec, screen))]
        own = {spec.menu for spec in shown if spec.run is None}
        menus = sorted(MENUS, key=lambda menu: menu not in own)  # what this screen can do comes first
        groups = [(menu, tuple(spec for spec in shown if spec.menu == menu)) for menu in menus]
        self._window.sheets.shortcuts.fill(groups)
        self._window.sheets.shortcuts.open()

    def focus_search(self) -> None:
        panel = self._window.current_panel
        if panel is None or not panel.focus_search():
            self.open_palette()

    def cycle_focus(self, step: int) -> None:
        """Rail, the parts of the screen, notices, and round again; parts that have nothing to focus are skipped."""
        window, shown = self._window, self._window.stack.currentWidget()
        parts: list[QWidget | None] = (
            [one for one in shown.parts() if _can_focus(one)] if isinstance(shown, Panel) else []
        )
        stops: list[Callable[[], bool]] = [
            window.rail.focus_current,
            *(partial(_focus_in, one) for one in (parts or [shown])),
            window.notices.focus_newest,
        ]
        start = self._stop_of(QGuiApplication.focusObject(), parts, len(stops), step)
        for offset in range(1, len(stops) + 1):
            if stops[(start + step * offset) % len(stops)]():
                return

    def _stop_of(self, focus: object, parts: Sequence[QWidget | None], count: int, step: int) -> int:
        """The stop that the focus is in; what is in no part of its screen counts as the last one, the header as before the first."""
        window, shown = self._window, self._window.stack.currentWidget()
        if not isinstance(focus, QWidget):
            return -1 if step > 0 else 0
        if window.rail.isAncestorOf(focus):
            return 0
        if window.notices.isAncestorOf(focus):
            return count - 1
        if isinstance(shown, Panel) and shown.header.isAncestorOf(focus):
            return 0 if step > 0 else 1
        held = (n for n, one in enumerate(parts, 1) if one is not None and (one is focus or one.isAncestorOf(focus)))
        return next(held, count - 2 if shown is not None and shown.isAncestorOf(focus) else -1 if step > 0 else 0)

    def import_files(self) -> None:
        self._window.imports.choose_files(self._window)

    def open_first_start(self) -> None:
        self._window.go("first-start")

    def open_example(self) -> None:
        from ui.demo.example import open_example

        text, kind = ("The example opens in a window of its own.", NoticeKind.INFO)
        if not open_example():
            text, kind = ("The example cannot be opened from here: run “remanence gui --demo”.", NoticeKind.WARN)
        self._window.notify(Notice(text, kind))

    def pause_capture(self, minutes: int) -> None:
        until = datetime.now(UTC) + timedelta(minutes=minutes) if minutes else None
        self._window.bridge.do("capture.pause", lambda engine: engine.events.pause(until))

    def resume_capture(self) -> None:
        self._window.bridge.do("capture.resume", lambda engine: engine.events.resume())

    def set_theme(self, name: str) -> None:
        self._window.bridge.do("settings.theme", lambda engine: engine.settings.set("theme", name))

    def copy_link(self) -> None:
        place = self._window.navigator.place
        if place is not None:
            QGuiApplication.clipboard().setText(place.link)
            self._window.notify(Notice(f"Copied {place.link}", NoticeKind.GOOD))

    def copy_diagnostics(self) -> None:
        from ui.crash import describe_state

        QGuiApplication.clipboard().setText(describe_state(self._window.state, self._window.last_report))
        self._window.notify(Notice("Copied versions and states; no text of yours is in them.", NoticeKind.GOOD))

    def create_backup(self) -> None:
        self._window.imports.start_backup()

    def cancel_job(self) -> None:
        self._window.bridge.cancel(self._window.progress.job_id)

    def new_memory(self) -> None:
        from ui.screens.memories.panel import MemoriesPanel

        self._window.go("memories")
        panel = self._window.current_panel
        if isinstance(panel, MemoriesPanel):
            panel.open_new()

    def review_memories(self) -> None:
        self._window.go("review")

    def open_reading(self) -> None:
        self._window.navigator.go(Place("activity", query="reading"))

    def read_along(self) -> None:
        self._window.bridge.do("reading.now", lambda engine: engine.judge.read())

    def stop_reading(self) -> None:
        self._window.bridge.do("reading.cancel", lambda engine: engine.judge.cancel())

    def pause_reading(self, *, is_paused: bool) -> None:
        self._window.bridge.do("reading.pause", lambda engine: engine.settings.set("is_judge_paused", is_paused))

    def consolidate(self) -> None:
        self._window.consolidation.start()

    def preview_consolidation(self) -> None:
        self._window.consolidation.start(is_preview=True)
        self._window.go("consolidation")

    def stop_consolidation(self) -> None:
        self._window.consolidation.stop()

    def pause_consolidation(self, *, is_paused: bool) -> None:
        self._window.consolidation.pause() if is_paused else self._window.consolidation.go_on()

    def toggle_tray(self) -> None:
        from ui.screens.memories.panel import MemoriesPanel

        is_here = isinstance(self._window.current_panel, MemoriesPanel)
        self._window.go("memories")
        panel = self._window.current_panel
        if isinstance(panel, MemoriesPanel):
            panel.traying.toggle() if is_here else panel.traying.show()

    def quit(self) -> None:
        self._window.quit()
