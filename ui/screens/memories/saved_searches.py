"""Saved searches at the head of the filter pane: a click goes there, F2 renames, Del removes; and the sheet that asks for a name.

Shows what it is given and says by signals what is wanted; removing is undone like all else. Source: UX 3.1, 4.4.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.values import SavedSearch
from ui.screens.memories.listing.drop import DropTarget
from ui.widgets.buttons import Button, FitButton, IconButton
from ui.widgets.card import row
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import line_field
from ui.widgets.popups.popover import Popover

NAME_WIDTH_PX = 320
SHOWN_SEARCHES = 8


class SavedList(QWidget):
    """`chosen`, `rename_wanted`, `removed` carry the number of a search; `save_wanted` that there shall be one more."""

    chosen = Signal(int)
    rename_wanted = Signal(int)
    removed = Signal(int)
    save_wanted = Signal()
    dropped = Signal(int, object)  # number of a search, numbers of memories that were let go over it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memories.saved")
        self.setAccessibleName("Saved searches")
        self._searches: tuple[SavedSearch, ...] = ()
        self._current_id = 0
        self._is_open = False
        self._rows: dict[int, QWidget] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(0)
        self.heading = PlainLabel("Saved searches", "meta", parent=self)
        self.heading.setContentsMargins(8, 2, 0, 2)
        column.addWidget(self.heading)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        column.addLayout(self._column)
        self.more = Button("", "memories.saved.more", kind="link", parent=self)
        self.more.hide()
        self.more.clicked.connect(self._on_more)
        self.save = Button(
            "Save this search…", "memories.saved.save", kind="link", tip="Keep words and filters under a name (Ctrl+S)",
            parent=self,
        )  # fmt: skip
        self.save.clicked.connect(self.save_wanted)
        for button in (self.more, self.save):
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._show()

    def set_searches(self, searches: Sequence[SavedSearch]) -> None:
        if tuple(searches) != self._searches:
            self._searches = tuple(searches)
            self._fill()
        self._show()

    def show_current(self, search_id: int, *, can_save: bool) -> None:
        """Which of them the list shows now, and whether what it shows could be kept."""
        self._current_id = search_id
        for number in self._rows:
            button = self.findChild(FitButton, f"memories.saved.{number}")
            if button is not None:
                button.setChecked(number == search_id)
        self.save.setVisible(can_save)
        self._show()

    def _fill(self) -> None:
        focus = self.window().focusWidget()
        had = focus.objectName() if focus is not None and self.isAncestorOf(focus) else ""
        for line in self._rows.values():
            line.hide()
            line.deleteLater()
        self._rows = {}
        shown = self._searches if self._is_open else self._searches[:SHOWN_SEARCHES]
        for search in shown:
            self._rows[search.id] = self._line(search)
            self._column.addWidget(self._rows[search.id])
        hidden = len(self._searches) - len(shown)
        self.more.set_text("Fewer" if self._is_open else f"{hidden} more")
        self.more.setVisible(hidden > 0 or (self._is_open and len(self._searches) > SHOWN_SEARCHES))
        again = self.findChild(QWidget, had) if had else None
        if again is not None:
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _line(self, search: SavedSearch) -> QWidget:
        line = QWidget(self)
        inner = QHBoxLayout(line)
        inner.setContentsMargins(0, 0, 4, 0)
        inner.setSpacing(0)
        button = FitButton(
            search.name, f"memories.saved.{search.id}", kind="entry", tip="F2 renames, Del removes", parent=line
        )
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setCheckable(True)
        button.setChecked(search.id == self._current_id)
        button.setProperty("search", search.id)
        button.clicked.connect(self._on_chosen)
        button.installEventFilter(self)
        DropTarget(button).dropped.connect(self._on_dropped)
        remove = IconButton(
            "close", f"memories.saved.{search.id}.remove", f"Remove the saved search {search.name}", line
        )
        remove.setProperty("search", search.id)
        remove.clicked.connect(self._on_removed)
        inner.addWidget(button, 1)
        inner.addWidget(remove)
        line.show()
        return line

    def _show(self) -> None:
        self.heading.setVisible(bool(self._searches))
        self.setVisible(bool(self._searches) or self.save.isVisibleTo(self))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """F2 and Del on a search; both mean other things in the list."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OWN_KEYS:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _OWN_KEYS:
            number = int(watched.property("search"))
            (self.rename_wanted if event.key() == Qt.Key.Key_F2 else self.removed).emit(number)
            return True
        return super().eventFilter(watched, event)

    def _on_chosen(self) -> None:
        number = int(self.sender().property("search"))
        self.show_current(self._current_id, can_save=self.save.isVisibleTo(self))  # the press itself changes no mark
        self.chosen.emit(number)

    def _on_dropped(self, ids: object) -> None:
        button = self.sender().parent()
        if isinstance(button, FitButton):
            self.dropped.emit(int(button.property("search")), ids)

    def _on_removed(self) -> None:
        self.removed.emit(int(self.sender().property("search")))

    def _on_more(self) -> None:
        self._is_open = not self._is_open
        self._fill()


_OWN_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Delete)


class NamePopup(Popover):
    """Asks for the name of a search. `named` carries it."""

    named = Signal(str)

    def __init__(self, window: QWidget, title: str, name: str, taken: Sequence[str] = ()) -> None:
        super().__init__(window, "memories.saved.name", title)
        self._taken = {one.casefold() for one in taken}
        self.field = line_field("memories.saved.name.field", "Name of the search", "a word or two")
        self.field.setText(name)
        self.field.selectAll()
        self.save = Button("Save", "memories.saved.name.save", kind="primary")
        self.note = PlainLabel("", "meta", wraps=True)
        self.body.addWidget(PlainLabel(title, "heading"))
        self.body.addLayout(row(self.field, self.save))
        self.body.addWidget(self.note)
        self.field.textChanged.connect(self._report)
        self.field.returnPressed.connect(self._on_save)
        self.save.clicked.connect(self._on_save)
        self._report()

    def first_focus(self) -> QWidget:
        return self.field

    def _report(self) -> None:
        name = " ".join(self.field.text().split())
        self.save.setEnabled(bool(name))
        is_taken = name.casefold() in self._taken
        self.note.setText(
            f"Takes the place of “{name}”."
            if is_taken
            else "It searches again each time, so it includes what is learned later."
        )

    def _on_save(self) -> None:
        name = " ".join(self.field.text().split())
        if name:
            self.dismiss()
            self.named.emit(name)
