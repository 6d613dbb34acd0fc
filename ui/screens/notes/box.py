"""The notes of one app, under its card: shown, corrected in place, made a memory of, deleted; for how long they are kept.

Closed it is one button with their number. Rows are made again when something changed, but not while one is being written in.
Source: S5, UX 4 "Apps".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.values.notes import Note
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout, row
from ui.widgets.controls import Choice
from ui.widgets.labels import Hairline, PlainLabel
from ui.widgets.tab_order import follow_reading_order
from ui.widgets.text_area import TextArea
from ui.wording.values import ago, counted

_EXPIRY = ((0, "Keep notes until you delete them"), (30, "Keep notes for 30 days"), (90, "Keep notes for 90 days"),
           (365, "Keep notes for a year"))  # fmt: skip
_AREA_PX = 84


@dataclass(frozen=True, slots=True)
class NotesView:
    """An app's notes as they are now."""

    notes: tuple[Note, ...] = ()
    expiry_days: int = 0
    most_count: int = 10
    most_chars: int = 200


NOTES_HELP = (
    "Each conversation that ends leaves a short note here. This app is given it when you return to the same work."
)
IMPORTANT_FROM = 8  # of 10


def describe_note(note: Note, now: datetime) -> str:
    """One line below a note: when, where from, by whom, how important."""
    parts = [f"Changed {ago(note.updated_at, now)}"]
    if note.conversation_title:
        parts.append(f"from “{note.conversation_title}”")
    if note.project:
        parts.append(note.project)
    if note.worded_by == "person":
        parts.append("yours")
    elif note.worded_by != "rules":
        parts.append("worded by a model")
    parts.append("important" if note.importance >= IMPORTANT_FROM else "")
    return " · ".join(filter(None, parts))


class NotesBox(QWidget):
    """`focus_lost` is nobody's: rows take the focus back by number."""

    opened = Signal(bool)

    def __init__(self, name: str, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._context = context
        self._view = NotesView()
        self._now: datetime | None = None
        self._is_open = False
        self._area: TextArea | None = None
        self._edited_id: int | None = None  # 0: a new one
        self._days: list[int] = []  # as the choice of expiry lists them
        self._button = Button("Notes", f"app.{name}.notes", kind="quiet", icon_name="chevron-right")
        self._button.clicked.connect(self._on_toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row(self._button, 1))
        self._list = QVBoxLayout()
        self._list.setSpacing(6)
        column.addLayout(self._list)

    @property
    def is_writing(self) -> bool:
        return self._area is not None

    def show_values(self, view: NotesView, now: datetime) -> None:
        """Shows what is so now; a note that is being written stays as it is."""
        is_same = view == self._view and self._now is not None
        self._view, self._now = view, now
        self._button.set_text(f"Notes ({len(view.notes)})" if view.notes else "Notes")
        if self._is_open and not self.is_writing and not is_same:
            self._fill()

    def open(self) -> None:
        if not self._is_open:
            self._on_toggle()

    # -- building

    def _on_toggle(self) -> None:
        self._is_open = not self._is_open
        self._button.set_icon_name("chevron-down" if self._is_open else "chevron-right")
        self._stop_writing()
        self._fill()
        self.opened.emit(self._is_open)

    def _fill(self) -> None:
        focused = self.focusWidget()
        name = focused.objectName() if focused is not None and self.isAncestorOf(focused) else ""
        clear_layout(self._list)
        if self._is_open and self._now is not None:
            self._add_rows(self._now)
        follow_reading_order(self.window())
        again = self.findChild(QWidget, name) if name else None
        if again is not None:
            again.setFocus()

    def _add_rows(self, now: datetime) -> None:
        view = self._view
        if not view.notes and self._edited_id != 0:
            said = "No note yet. When a conversation with this app ends, it leaves one: two to four sentences for the next."
            self._list.addWidget(PlainLabel(said, "sub", wraps=True))
        if view.notes:
            self._list.addWidget(PlainLabel(NOTES_HELP, "meta", wraps=True))
        for note in view.notes:
            self._list.addWidget(Hairline())
            if note.id == self._edited_id:
                self._add_area(note.content)
            else:
                self._add_note(note, now)
        if self._edited_id == 0:
            self._list.addWidget(Hairline())
            self._add_area("")
        self._list.addLayout(self._foot(view))

    def _add_note(self, note: Note, now: datetime) -> None:
        one = NoteLine(self._name, note, now, self._context)
        one.edit_wanted.connect(self._on_edit)
        self._list.addWidget(one)

    def _add_area(self, text: str) -> None:
        area = TextArea(f"app.{self._name}.note.text", takes_escape=True)
        area.setAccessibleName("What the note says")
        area.setPlainText(text)
        area.setFixedHeight(_AREA_PX)
        area.kept.connect(self._on_save)
        area.escaped.connect(self._on_cancel)
        self._count = PlainLabel("", "meta")
        self._save = Button("Save", f"app.{self._name}.note.save", kind="primary", icon_name="check", tip="Ctrl+Enter")
        self._save.setAccessibleName("Save the note")
        self._save.clicked.connect(self._on_save)
        cancel = Button("Cancel", f"app.{self._name}.note.cancel", kind="quiet", tip="Esc")
        cancel.setAccessibleName("Cancel")
        cancel.clicked.connect(self._on_cancel)
        area.textChanged.connect(self._on_typed)
        self._list.addWidget(area)
        self._list.addLayout(row(self._save, cancel, self._count, 1))
        self._area = area
        self._on_typed()
        area.setFocus()

    def _foot(self, view: NotesView) -> "QVBoxLayout":
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(Hairline())
        add = Button("Add a note", f"app.{self._name}.note.add", kind="quiet", icon_name="plus")
        add.setEnabled(len(view.notes) < view.most_count)
        add.clicked.connect(self._on_add)
        purge = Button("Delete all", f"app.{self._name}.notes.purge", kind="quiet", icon_name="trash")
        purge.setEnabled(bool(view.notes))
        purge.setAccessibleName(f"Delete all {counted(len(view.notes), 'note')} of {self._name}")
        purge.clicked.connect(self._on_purge)
        keep = Choice()
        keep.setObjectName(f"app.{self._name}.notes.expiry")
        keep.setAccessibleName(f"For how long notes of {self._name} are kept")
        days = [one for one, _ in _EXPIRY]
        for _, words in _EXPIRY:
            keep.addItem(words)
        if view.expiry_days not in days:
            days.append(view.expiry_days)
            keep.addItem(f"Keep notes for {counted(view.expiry_days, 'day')}")
        keep.setCurrentIndex(days.index(view.expiry_days))
        self._days = days
        keep.activated.connect(self._on_expiry)
        column.addLayout(row(add, purge, keep, 1))
        return column

    # -- what the person does

    def _on_edit(self, note_id: int) -> None:
        self._stop_writing()
        self._edited_id = note_id
        self._fill()

    def _on_add(self) -> None:
        self._on_edit(0)

    def _on_purge(self) -> None:
        self._do("purge", lambda engine: engine.notes.purge(self._name))

    def _on_expiry(self, index: int) -> None:
        self._do("expiry", lambda engine: engine.notes.set_expiry(self._name, self._days[index]))

    def _on_typed(self) -> None:
        if self._area is None:
            return
        chars = len(" ".join(self._area.toPlainText().split()))
        most = self._view.most_chars
        self._count.setText(f"{chars} of {most} characters")
        self._count.set_role("danger" if chars > most else "meta")
        self._save.setEnabled(0 < chars <= most)

    def _on_save(self) -> None:
        if self._area is None or not self._save.isEnabled():
            return
        text, note_id, name = self._area.toPlainText(), self._edited_id, self._name
        self._stop_writing()
        if note_id:
            self._do("edit", lambda engine: engine.notes.edit(note_id, content=text))
        else:
            self._do("add", lambda engine: engine.notes.add(name, text))
        self._fill()
        self._button.setFocus()

    def _on_cancel(self) -> None:
        self._stop_writing()
        self._fill()
        self._button.setFocus()

    def _stop_writing(self) -> None:
        self._area = None
        self._edited_id = None

    def _do(self, act: str, write: "object") -> None:
        self._context.bridge.do(f"notes.{act}", write)  # type: ignore[arg-type]


class NoteLine(QWidget):
    """One note: its text, where it comes from, what can be done with it."""

    edit_wanted = Signal(int)

    def __init__(self, name: str, note: Note, now: datetime, context: PanelContext) -> None:
        super().__init__()
        self._note = note
        self._context = context
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        text = PlainLabel(note.content, wraps=True)
        text.setObjectName(f"app.{name}.note{note.id}")
        column.addWidget(text)
        column.addWidget(PlainLabel(describe_note(note, now), "meta", wraps=True))
        column.addLayout(row(*self._buttons(f"app.{name}.note{note.id}"), 1))

    def _buttons(self, name: str) -> Sequence[Button]:
        note = self._note
        edit = Button("Edit", f"{name}.edit", kind="quiet", icon_name="rename")
        edit.clicked.connect(self._on_edit)
        if note.memory_id is None:
            keep = Button("Make a memory", f"{name}.promote", kind="quiet", icon_name="arrow-up")
            keep.setToolTip("From then on every assistant of its project is given it.")
            keep.clicked.connect(self._on_promote)
        else:
            keep = Button("Open the memory", f"{name}.memory", kind="quiet", icon_name="memories")
            keep.clicked.connect(self._on_memory)
        buttons = [edit, keep]
        if note.conversation_id is not None and note.conversation_title:
            talk = Button("Open the conversation", f"{name}.conversation", kind="quiet", icon_name="conversations")
            talk.clicked.connect(self._on_conversation)
            buttons.append(talk)
        gone = Button("Delete", f"{name}.delete", kind="quiet", icon_name="trash")
        gone.clicked.connect(self._on_delete)
        buttons.append(gone)
        for button in buttons:
            button.setAccessibleName(f"{button.accessibleName()}: {note.content[:40]}")
        return buttons

    def _on_edit(self) -> None:
        self.edit_wanted.emit(self._note.id)

    def _on_promote(self) -> None:
        self._context.bridge.do("notes.promote", lambda engine: engine.notes.promote(self._note.id))

    def _on_delete(self) -> None:
        self._context.bridge.do("notes.delete", lambda engine: engine.notes.delete(self._note.id))

    def _on_memory(self) -> None:
        self._context.navigate(Place("memories", "memory", self._note.memory_id))

    def _on_conversation(self) -> None:
        self._context.navigate(Place("conversations", "conversation", self._note.conversation_id))
