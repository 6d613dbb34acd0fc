"""The one table of actions: id, text, shortcut, icon, when it is enabled, status tip, what it does.

Menu, toolbar, palette, shortcut sheet and a test come from it. What has no `run` belongs to the screen that is shown:
the registry hands it to that panel (`Panel.run`). Rows of single screens are in ui/actions/rows.py.
"""

from collections.abc import Iterator
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ui.actions.rows import SCREEN_ACTIONS
from ui.actions.spec import ActionSpec, RowsOf, Situation, always, is_open
from ui.icons import icon
from ui.theme import tokens


class Shell(Protocol):
    """What actions may ask of the window."""

    def go(self, screen_id: str) -> None: ...
    def open_help(self) -> None: ...
    def go_back(self) -> None: ...
    def go_forward(self) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def open_palette(self, prefix: str = "") -> None: ...
    def show_shortcuts(self) -> None: ...
    def focus_search(self) -> None: ...
    def cycle_focus(self, step: int) -> None: ...
    def import_files(self) -> None: ...
    def open_first_start(self) -> None: ...
    def open_example(self) -> None: ...
    def pause_capture(self, minutes: int) -> None: ...
    def resume_capture(self) -> None: ...
    def set_theme(self, name: str) -> None: ...
    def copy_link(self) -> None: ...
    def copy_diagnostics(self) -> None: ...
    def create_backup(self) -> None: ...
    def cancel_job(self) -> None: ...
    def new_memory(self) -> None: ...
    def review_memories(self) -> None: ...
    def toggle_tray(self) -> None: ...
    def open_reading(self) -> None: ...
    def read_along(self) -> None: ...
    def stop_reading(self) -> None: ...
    def pause_reading(self, *, is_paused: bool) -> None: ...
    def consolidate(self) -> None: ...
    def preview_consolidation(self) -> None: ...
    def stop_consolidation(self) -> None: ...
    def pause_consolidation(self, *, is_paused: bool) -> None: ...
    def quit(self) -> None: ...


_file, _edit, _go = RowsOf("File"), RowsOf("Edit"), RowsOf("Go")
_capture, _view, _help = RowsOf("Capture"), RowsOf("View"), RowsOf("Help")
_SCREENS = (  # id, title, icon, tip
    ("now", "Now", "now", "Show the conversation queue and what needs you"),
    ("conversations", "Conversations", "conversations", "Show what you said, message by message"),
    ("episodes", "Episodes", "episode", "Show what each conversation led to, by project and month"),
    ("memories", "Memories", "memories", "Show what was learned, and what waits for you"),
    ("graph", "Graph", "graph", "Show what is linked with what"),
    ("contradictions", "Contradictions", "split", "Choose which of two memories is true"),
    ("context", "Context", "context", "Show exactly what your assistants are given, and why"),
    ("activity", "Activity", "activity", "Show everything that was captured and changed"),
    ("apps", "Apps", "apps", "Connect assistants, pause them, renew their tokens"),
    ("settings", "Settings", "settings", "Show all settings, backups and folders"),
    ("help", "Help", "help", "Show the help pages"),
)


def _screen_actions() -> Iterator[ActionSpec]:
    for number, (screen, title, screen_icon, tip) in enumerate(_SCREENS, start=1):
        keys = {"settings": "Ctrl+,", "help": "F1"}.get(screen, f"Ctrl+{number}")

        def exists(situation: Situation, screen: str = screen) -> bool:
            return screen in situation.screens

        def open_it(shell: Shell, screen: str = screen) -> None:
            shell.open_help() if screen == "help" else shell.go(screen)

        yield _go(f"go.{screen}", f"Go to {title}", keys, screen_icon, tip, exists, open_it)


def _can_undo(situation: Situation) -> bool:
    return bool(situation.undo_label)


def _can_redo(situation: Situation) -> bool:
    return bool(situation.redo_label)


SHELL_ACTIONS: tuple[ActionSpec, ...] = (
    _file("file.import", "Import files…", "Ctrl+O", "import",
        "Read histories of assistants, or files of Remanence, from this disk", is_open, lambda shell: shell.import_files()),
    _file("file.backup", "Back up now", "", "database",
        "Make a copy of everything that is kept, and check it", is_open, lambda shell: shell.create_backup()),
    _file("file.quit", "Quit", "Ctrl+Q", "power",
        "Close the window and stop capturing", always, lambda shell: shell.quit()),
    _edit("edit.undo", "Undo", "Ctrl+Z", "undo", "Undo the last change", _can_undo, lambda shell: shell.undo()),
    _edit("edit.redo", "Redo", "Ctrl+Shift+Z Ctrl+Y", "redo",
        "Redo what was undone", _can_redo, lambda shell: shell.redo()),
    _edit("edit.search", "Search in this screen", "Ctrl+F /", "search",
        "Put the cursor into the search field of this screen", always, lambda shell: shell.focus_search()),
    _edit("edit.copyLink", "Copy link to this", "Ctrl+Shift+C", "link",
        "Copy a remanence:// link to what is shown", always, lambda shell: shell.copy_link()),
    _go("go.palette", "Find anything…", "Ctrl+K", "command",
        "Open the palette: screens, conversations, actions, settings", always, lambda shell: shell.open_palette()),
    *_screen_actions(),
    _go("go.back", "Back", "Alt+Left", "back",
        "Go to where you were before", lambda situation: situation.can_go_back, lambda shell: shell.go_back()),
    _go("go.forward", "Forward", "Alt+Right", "forward",
        "Go forward again", lambda situation: situation.can_go_forward, lambda shell: shell.go_forward()),
    _go("go.nextPart", "Next part of the window", "F6", "chevron-right",
        "Move the focus from sidebar to screen to notices", always, lambda shell: shell.cycle_focus(1)),
    _go("go.previousPart", "Previous part of the window", "Shift+F6", "chevron-left",
        "Move the focus from notices to screen to sidebar", always, lambda shell: shell.cycle_focus(-1)),
    _capture("capture.pause15", "Pause capture for 15 minutes", "", "pause", "Nothing is captured for 15 minutes",
        lambda situation: situation.is_capturing, lambda shell: shell.pause_capture(15)),
    _capture("capture.pause60", "Pause capture for an hour", "", "pause",
        "Nothing is captured for an hour", lambda situation: situation.is_capturing, lambda shell: shell.pause_capture(60)),
    _capture("capture.pause", "Pause capture until I resume", "", "pause", "Nothing is captured until you resume it",
        lambda situation: situation.is_capturing, lambda shell: shell.pause_capture(0)),
    _capture("capture.resume", "Resume capture", "", "play",
        "Capture prompts again", lambda situation: situation.is_paused, lambda shell: shell.resume_capture()),
    _capture("job.stop", "Stop what is running", "", "stop",
        "Stop the import after the current message", lambda situation: situation.is_busy, lambda shell: shell.cancel_job()),
    _view("view.themeSystem", "Theme: as the system", "", "monitor",
        "Light or dark, like your system", is_open, lambda shell: shell.set_theme("system")),
    _view("view.themeLight", "Theme: light", "", "sun",
        "Always the light theme", is_open, lambda shell: shell.set_theme("light")),
    _view("view.themeDark", "Theme: dark", "", "moon",
        "Always the dark theme", is_open, lambda shell: shell.set_theme("dark")),
    _help("help.shortcuts", "Keyboard shortcuts", "?", "keyboard",
        "Show all shortcuts of this screen", always, lambda shell: shell.show_shortcuts()),
    _help("help.firstStart", "First steps again", "", "flag",
        "Show the steps of the first start once more", is_open, lambda shell: shell.open_first_start()),
    _help("help.example", "Look at an example", "", "conversations",
        "Open a second window on invented data; nothing of yours is read or changed",
        always, lambda shell: shell.open_example()),
    _help("help.diagnostics", "Copy diagnostics", "", "copy",
        "Copy versions and states, without any text of yours", always, lambda shell: shell.copy_diagnostics()),
)  # fmt: skip

ACTIONS: tuple[ActionSpec, ...] = SHELL_ACTIONS + SCREEN_ACTIONS
MAX_LABEL_CHARS = 60
MENUS = (
    "File", "Edit", "Go", "Conversation", "Episodes", "Memory", "Graph", "Review", "Contradiction", "Reading", "Context",
    "Consolidation", "Learned", "Sharing", "Capture", "View", "Help",
)  # fmt: skip


class ActionRegistry(QObject):
    """One QAction per row, on the window. `requested` carries the id of an action that the shown panel runs."""

    requested = Signal(str)

    def __init__(self, window: QWidget, shell: Shell) -> None:
        super().__init__(window)
        self._shell = shell
        self._specs = {spec.id: spec for spec in ACTIONS}
        self._actions = {spec.id: self._make(spec, window) for spec in ACTIONS}
        self._icons_for = ""
        self._situation: Situation | None = None

    @property
    def specs(self) -> tuple[ActionSpec, ...]:
        return ACTIONS

    def spec(self, action_id: str) -> ActionSpec:
        return self._specs[action_id]

    def action(self, action_id: str) -> QAction:
        """The QAction of a row; KeyError names a wrong id."""
        return self._actions[action_id]

    def run(self, action_id: str) -> None:
        """Does what the row says, if it is enabled."""
        if self._actions[action_id].isEnabled():
            self._run(action_id)

    def update(self, situation: Situation) -> None:
        """Enables and disables all actions; undo and redo say what they would take back."""
        if situation == self._situation:  # each letter typed asks five times
            return
        self._situation = situation
        for spec in ACTIONS:
            self._actions[spec.id].setEnabled(spec.is_enabled(situation))
        for action_id, label in (("edit.undo", situation.undo_label), ("edit.redo", situation.redo_label)):
            text = self._specs[action_id].text
            told = " ".join(label.split())[:MAX_LABEL_CHARS].replace("&", "&&")  # one & would underline a letter
            self._actions[action_id].setText(f"{text}: {told}" if label else text)

    def hint(self, action_id: str) -> str:
        """Shortcut of an action as a person reads it, "" when it has none."""
        return self._actions[action_id].shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def show_icons(self) -> None:
        """Gives the actions their icons in the present theme: before a menu opens, not at start (35 ms)."""
        if self._icons_for != tokens().name:
            self._icons_for = tokens().name
            for spec in ACTIONS:
                self._actions[spec.id].setIcon(icon(spec.icon, "sub"))

    def _make(self, spec: ActionSpec, window: QWidget) -> QAction:
        action = QAction(spec.text, window)
        action.setObjectName(spec.id)
        action.setStatusTip(spec.tip)
        action.setToolTip(f"{spec.tip} ({spec.shortcuts[0]})" if spec.shortcuts else spec.tip)
        action.setShortcuts([QKeySequence(keys) for keys in spec.shortcuts])
        action.setMenuRole(QAction.MenuRole.QuitRole if spec.id == "file.quit" else QAction.MenuRole.NoRole)
        action.triggered.connect(self._on_triggered)
        window.addAction(action)
        return action

    def _on_triggered(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._run(sender.objectName())

    def _run(self, action_id: str) -> None:
        run = self._specs[action_id].run
        if run is not None:
            run(self._shell)
        else:
            self.requested.emit(action_id)
