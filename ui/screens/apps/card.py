"""The card of one app: its state in one line, the exact change before it is written, pause, answers, token, revoke.

Asks the panel for previews and tokens, because their answers come by job; sends plain writes itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.values.admin import AssistantCard, FileEdit
from app.values.capture import AppCard, Scope
from ui.screens.base import PanelContext
from ui.screens.notes.box import NotesBox, NotesView
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.controls import CheckBox
from ui.widgets.diff_view import DiffView
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.tab_order import follow_reading_order
from ui.wording.figures import short_path
from ui.wording.values import ago, clock_time, counted

if TYPE_CHECKING:
    from app.api import Engine


@dataclass(frozen=True, slots=True)
class AppView:
    """An assistant we know, its app, or both."""

    name: str
    title: str
    assistant: AssistantCard | None
    app: AppCard | None

    projects: tuple[tuple[str, str], ...] = ()  # name and folder of those it can be bound to
    notes: NotesView | None = None

    @property
    def is_connected(self) -> bool:
        return self.assistant.is_connected if self.assistant is not None else self.app is not None

    @property
    def is_found(self) -> bool:
        return self.assistant is None or self.assistant.is_found

    @property
    def message_count(self) -> int:
        return max(self.assistant.message_count if self.assistant else 0, self.app.message_count if self.app else 0)

    @property
    def last_seen_at(self) -> datetime | None:
        seen = [card.last_seen_at for card in (self.assistant, self.app) if card is not None and card.last_seen_at]
        return max(seen) if seen else None

    @property
    def is_paused(self) -> bool:
        return self.app.is_paused if self.app is not None else bool(self.assistant and self.assistant.is_paused)


def describe_app(view: AppView, now: datetime) -> tuple[str, str]:
    """Role and text of the state line."""
    assistant = view.assistant
    if assistant is not None and assistant.problem and not assistant.is_connected:
        return "danger", assistant.problem
    kept = f" {counted(view.message_count, 'message')} kept." if view.message_count else ""
    if not view.is_found:
        return "sub", f"Not found on this computer. Once it is installed, you can connect it here.{kept}"
    if not view.is_connected:
        return "sub", f"Installed, not connected.{kept}"
    if view.is_paused:
        until = view.app.paused_until if view.app is not None else None
        return "warn", f"Paused until {clock_time(until)}." if until else "Paused: nothing is captured from it."
    if assistant is not None and (to_do := assistant.problem or assistant.waiting):
        role = "danger" if assistant.is_unheard else "warn"
        return (
            role,
            f"Nothing was captured for an hour. {to_do}" if assistant.is_unheard else f"Connected, but silent. {to_do}",
        )
    if assistant is not None and assistant.is_unheard:
        return (
            "danger",
            f"Nothing was captured for an hour although a session of {view.title} is open. Restart that session.",
        )
    if view.app is not None and Scope.CAPTURE not in view.app.scopes:  # it asks, nothing is captured from it
        asked = f" It last asked {ago(view.last_seen_at, now)}." if view.last_seen_at else " It has not asked yet."
        return "sub", f"May read what is remembered; it sends nothing.{asked}"
    if view.last_seen_at is None:
        return "warn", "Connected. Type something to it: this turns green with the first message."
    return "good", f"Receiving. Last captured {ago(view.last_seen_at, now)}, {counted(view.message_count, 'message')}."


def describe_reach(app: AppCard, projects: Sequence[tuple[str, str]]) -> str:
    """What the app's token may read.

    >>> from types import SimpleNamespace
    >>> describe_reach(SimpleNamespace(projects=("/w/shop",)), [("shop", "/w/shop")])
    'Reads and changes only shop, beside what is shared.'
    """
    if not app.projects:
        return "It may read the memories of every project."
    names = {folder: name for name, folder in projects}
    listed = ", ".join(names.get(folder, folder) for folder in app.projects)
    return f"It may read and change only {listed}, and what is shared between projects."


@dataclass(frozen=True, slots=True)
class ConnectPreview:
    """What connecting or disconnecting would write, read before anything is written."""

    name: str
    is_connecting: bool
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()  # what the person has to do afterwards


def describe_edits(edits: Sequence[FileEdit]) -> str:
    """What would happen to each file, in one line above the button."""
    return "\n".join(f"{short_path(str(edit.path))}: {_describe_edit(edit)}" for edit in edits)


def _describe_edit(edit: FileEdit) -> str:
    if edit.before is None or edit.after is None:
        return "will be created" if edit.before is None else "will be deleted (Remanence created it)"
    lines = edit.diff.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    parts = [f"{counted(added, 'line')} added"] * bool(added) + [f"{counted(removed, 'line')} removed"] * bool(removed)
    return ", ".join(parts) or "nothing changes"


def read_preview(engine: "Engine", name: str, *, is_connecting: bool) -> ConnectPreview:
    """The preview of one assistant. Raises UserError for a configuration that cannot be read."""
    apps = engine.apps
    if is_connecting:
        return ConnectPreview(name, is_connecting, apps.preview_connect(name), apps.connect_notes(name))
    return ConnectPreview(name, is_connecting, apps.preview_disconnect(name))


class AppPanelCard(Card):
    """`preview_asked` carries (name, connecting), `token_asked` the name."""

    preview_asked = Signal(str, bool)
    token_asked = Signal(str)

    def __init__(self, name: str, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(name, parent=parent)
        self.setObjectName(f"app.{name}")
        self._name = name
        self._context = context
        self._view: AppView | None = None
        self._is_connecting = True
        self._purges: CheckBox | None = None
        self._can_connect = False
        self._is_pressed = False  # connecting or disconnecting is on its way
        self._can_escape = (
            False  # something is asked that Esc may leave; a token that is shown this once is not lost by it
        )
        self._is_asking = False  # what connecting would write is shown: its own button is there
        self._dot = PlainLabel("●", "sub")
        self._state = PlainLabel("", "sub", wraps=True)
        self._paths = ElidedLabel("", "meta")
        self._reach = PlainLabel("", "meta", wraps=True)
        self._reach.setObjectName(f"app.{name}.reach")
        state = QHBoxLayout()
        state.setSpacing(8)
        state.addWidget(self._dot)
        state.addWidget(self._state, 1)
        self.body.addLayout(state)
        self.body.addWidget(self._paths)
        self.body.addWidget(self._reach)
        self._make_buttons()
        self._more = QVBoxLayout()
        self.body.addLayout(self._more)
        self.notes = NotesBox(name, context)
        self.body.addWidget(self.notes)

    def _make_buttons(self) -> None:
        name = self._name
        self._connect = Button("Connect…", f"app.{name}.connect", kind="primary", icon_name="apps")
        self._connect.clicked.connect(self._on_connect)
        self._disconnect = Button("Disconnect…", f"app.{name}.disconnect", icon_name="close")
        self._disconnect.clicked.connect(self._on_disconnect)
        self._pause = Button("Pause", f"app.{name}.pause", icon_name="pause")
        self._pause.clicked.connect(self._on_pause)
        self._token = Button("New token…", f"app.{name}.token", kind="quiet", icon_name="key")
        self._token.clicked.connect(self._on_ask_token)
        self._bind = Button("Projects…", f"app.{name}.projects", kind="quiet", icon_name="folder")
        self._bind.clicked.connect(self._on_ask_projects)
        self._boxes: list[tuple[str, CheckBox]] = []
        self._revoke = Button("Revoke…", f"app.{name}.revoke", kind="quiet", icon_name="trash")
        self._revoke.clicked.connect(self._on_ask_revoke)
        self._answers = CheckBox("Keep its answers")
        self._answers.setObjectName(f"app.{name}.answers")
        self._answers.setAccessibleName(f"Keep the answers of {name}")
        self._answers.setToolTip("Off: only what you type is kept.")
        self._answers.clicked.connect(self._on_answers)
        buttons = (self._connect, self._disconnect, self._pause, self._answers, self._bind, self._token, self._revoke)
        line = FlowLayout()  # beside the first steps there is little room
        for button in buttons:
            line.addWidget(button)
        self.body.addLayout(line)

    def focus_connect(self) -> bool:
        """Puts the focus on Connect; False where it is connected already, or cannot be."""
        if self._can_connect and not self._is_asking:
            self._connect.setFocus()
            return True
        return False

    def show_values(self, view: AppView, now: datetime) -> None:
        """Shows what is so now; an open preview or token stays."""
        self._view = view
        self.set_title(view.title)
        role, text = describe_app(view, now)
        self._dot.set_role(role)
        self._state.setText(text)
        self._state.set_role("danger" if role == "danger" else "body")
        assistant, app = view.assistant, view.app
        paths = ", ".join(short_path(str(path)) for path in assistant.config_paths) if assistant is not None else ""
        self._paths.setText(paths)
        self._paths.setVisible(bool(paths) and view.is_found)
        had_focus = self._connect.hasFocus() or self._disconnect.hasFocus()
        can_connect = assistant is not None and assistant.is_found and not assistant.is_connected
        self._connect.setVisible(can_connect and not self._is_asking)
        self._can_connect = can_connect and not (assistant and assistant.problem)
        self._connect.setEnabled(self._can_connect)
        self._disconnect.setVisible(assistant is not None and assistant.is_connected)
        if self._is_pressed and can_connect is not self._is_connecting:  # what was pressed is done
            had_focus = had_focus or QApplication.focusWidget() is None
            self._is_pressed = False
        if had_focus and not self._is_asking:  # the pressed button gave way to its opposite
            (self._connect if can_connect else self._disconnect).setFocus()
        is_talking = app is not None and view.is_connected
        for widget in (self._pause, self._answers):
            widget.setVisible(is_talking)
        has_token = app is not None and view.is_connected
        self._bind.setVisible(has_token)
        self._reach.setVisible(has_token)
        self._reach.setText(describe_reach(app, view.projects) if app is not None else "")
        for widget in (self._token, self._revoke):  # connecting and disconnecting do it for assistants we know
            widget.setVisible(app is not None and assistant is None)
        self._pause.set_text("Resume" if view.is_paused else "Pause")
        self._pause.set_icon_name("play" if view.is_paused else "pause")
        self._answers.setChecked(bool(app and app.keeps_answers))
        self.notes.setVisible(view.notes is not None)
        if view.notes is not None:
            self.notes.show_values(view.notes, now)

    # -- previews

    def show_preview(self, preview: ConnectPreview) -> None:
        """The exact change of each file, what is left to the person, and the button that writes it."""
        clear_layout(self._more)
        edits, is_connecting = preview.edits, preview.is_connecting
        self._is_connecting = is_connecting
        self._is_asking = self._can_escape = True
        self._connect.hide()
        if not edits:
            self._more.addWidget(PlainLabel("Nothing has to change.", "sub"))
        text = "Connect" if is_connecting else "Disconnect"
        look = ("primary", "check") if is_connecting else ("danger", "close")
        go = Button(text, f"app.{self._name}.apply", kind=look[0], icon_name=look[1])
        go.clicked.connect(self._on_apply)
        self._purges = self._make_purge_box() if not is_connecting else None
        if edits:
            self._more.addWidget(PlainLabel(describe_edits(edits), "sub", wraps=True))
        if self._purges is not None:
            self._more.addWidget(self._purges)
        show = Button("Show the exact lines", f"app.{self._name}.lines", kind="link")
        if not edits:
            show.hide()
        leave = self._cancel_button("Cancel")
        self._more.addLayout(row(go, leave, show, 1))  # above the lines: they may be many
        self._lines = QWidget(self)
        self._lines.hide()
        show.clicked.connect(self._on_lines)
        lines = QVBoxLayout(self._lines)
        lines.setContentsMargins(0, 0, 0, 0)
        for index, edit in enumerate(edits):
            verb = (
                "will be created" if edit.before is None else "will be removed" if edit.after is None else "will change"
            )
            lines.addWidget(PlainLabel(f"{short_path(str(edit.path))} {verb}:", "meta", wraps=True))
            diff = DiffView(f"app.{self._name}.diff{index}", f"Change of {edit.path.name}")
            diff.show_diff(edit.diff)
            lines.addWidget(diff)
        self._more.addWidget(self._lines)
        for note in preview.notes:
            self._more.addWidget(PlainLabel(note, "warn", wraps=True))
        follow_reading_order(self)
        (go if is_connecting else leave).setFocus()  # Return alone takes nothing away

    def _on_lines(self) -> None:
        """Opens or folds the exact lines."""
        is_open = not self._lines.isVisibleTo(self)
        self._lines.setVisible(is_open)
        button = self.sender()
        if isinstance(button, Button):
            button.set_text("Hide the lines" if is_open else "Show the exact lines")
        follow_reading_order(self)

    def _make_purge_box(self) -> CheckBox | None:
        """Whether its notes go too; None where it has none."""
        notes = self._view.notes.notes if self._view is not None and self._view.notes is not None else ()
        if not notes:
            return None
        box = CheckBox(f"Also delete its {counted(len(notes), 'note')}")
        box.setObjectName(f"app.{self._name}.purge")
        return box

    def show_token(self, token: str) -> None:
        """A new token, shown this once."""
        clear_layout(self._more)
        self._can_escape = False
        self._more.addWidget(
            PlainLabel("The new token, shown only now. The old one no longer works.", "warn", wraps=True)
        )
        self._more.addWidget(TokenField(token, f"app.{self._name}.tokenText"))
        self._more.addLayout(row(self._cancel_button("Done"), 1))

    def _cancel_button(self, text: str) -> Button:
        button = Button(text, f"app.{self._name}.cancel", kind="quiet")
        button.clicked.connect(self._on_cancel)
        return button

    def _ask(self, text: str, verb: str, object_name: str) -> Button:
        clear_layout(self._more)
        self._can_escape = True
        self._more.addWidget(PlainLabel(text, "warn", wraps=True))
        yes = Button(verb, f"app.{self._name}.{object_name}", kind="danger")
        self._more.addLayout(row(yes, self._cancel_button("Cancel"), 1))
        return yes

    # -- what the person presses

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Closes the question that is open on the card; bound to Esc."""
        if event.key() == Qt.Key.Key_Escape and self._can_escape:
            self._on_cancel()
        else:
            super().keyPressEvent(event)

    def _on_connect(self) -> None:
        self.preview_asked.emit(self._name, True)

    def _on_disconnect(self) -> None:
        self.preview_asked.emit(self._name, False)

    def _on_apply(self) -> None:
        purges = self._purges is not None and self._purges.isChecked()
        self._purges = None
        self._close_more()
        name, is_connecting = self._name, self._is_connecting
        self._is_pressed = True
        verb = "connect" if is_connecting else "disconnect"
        self._context.bridge.do(
            f"apps.{verb}", lambda engine: engine.apps.connect(name) if is_connecting else engine.apps.disconnect(name)
        )
        if purges:
            self._context.bridge.do("notes.purge", lambda engine: engine.notes.purge(name))

    def _on_cancel(self) -> None:
        self._close_more()

    def _close_more(self) -> None:
        """Takes the preview away; the focus goes back to where it was asked for."""
        self._is_asking = self._can_escape = False
        self._connect.setVisible(self._can_connect)
        buttons = (self._connect, self._disconnect, self._pause)
        asked = next((one for one in buttons if one.isVisible() and one.isEnabled()), None)
        if asked is not None:
            asked.setFocus()
        clear_layout(self._more)

    def _on_pause(self) -> None:
        name, is_paused = self._name, self._view is not None and self._view.is_paused
        self._context.bridge.do(
            "apps.pause", lambda engine: engine.apps.resume(name) if is_paused else engine.apps.pause(name)
        )

    def _on_answers(self) -> None:
        name, keeps = self._name, self._answers.isChecked()
        self._context.bridge.do("apps.answers", lambda engine: engine.apps.set_keeps_answers(name, keeps=keeps))

    def _on_ask_projects(self) -> None:
        """Every project that is known, with those ticked that the token is bound to; none ticked: all of them."""
        clear_layout(self._more)
        view = self._view
        chosen = view.app.projects if view is not None and view.app is not None else ()
        known = dict.fromkeys([folder for _, folder in (view.projects if view is not None else ())] + list(chosen))
        names = {folder: name for name, folder in (view.projects if view is not None else ())}
        self._more.addWidget(
            PlainLabel("Tick the projects it may read and change. None ticked: all.", "sub", wraps=True)
        )
        self._boxes = []
        for number, folder in enumerate(known):
            box = CheckBox(names.get(folder, folder))
            box.setObjectName(f"app.{self._name}.project{number}")
            box.setAccessibleName(f"Let {self._name} read {folder}")
            box.setToolTip(folder)
            box.setChecked(folder in chosen)
            self._more.addWidget(box)
            self._boxes.append((folder, box))
        save = Button("Save", f"app.{self._name}.projects.save", kind="primary", icon_name="check")
        save.clicked.connect(self._on_bind)
        self._more.addLayout(row(save, self._cancel_button("Cancel"), 1))
        follow_reading_order(self)

    def _on_bind(self) -> None:
        name, folders = self._name, [folder for folder, box in self._boxes if box.isChecked()]
        self._boxes = []
        self._close_more()
        self._context.bridge.do("apps.bind", lambda engine: engine.apps.bind(name, folders))

    def _on_ask_token(self) -> None:
        yes = self._ask("The current token stops working at once, everywhere it is used.", "Make a new token", "renew")
        yes.clicked.connect(self._on_token)

    def _on_token(self) -> None:
        clear_layout(self._more)
        self.token_asked.emit(self._name)

    def _on_ask_revoke(self) -> None:
        text = "Its token stops working for good and the app leaves this list. Its messages stay."
        self._ask(text, "Revoke", "revokeNow").clicked.connect(self._on_revoke)

    def _on_revoke(self) -> None:
        clear_layout(self._more)
        name = self._name
        self._context.bridge.do("apps.revoke", lambda engine: engine.apps.revoke(name))


class TokenField(QWidget):
    """A token that can be copied; gone with its card."""

    def __init__(self, token: str, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._token = token
        field = QLineEdit(token)
        field.setObjectName(object_name)
        field.setAccessibleName("Token")
        field.setReadOnly(True)
        copy = Button("Copy", f"{object_name}.copy", icon_name="copy")
        copy.clicked.connect(self._on_copy)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(field, 1)
        line.addWidget(copy)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._token)
