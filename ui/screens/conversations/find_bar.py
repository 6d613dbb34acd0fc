"""Find in the transcript: a field, the count of hits, next and previous. Enter goes on, Shift+Enter back, Esc closes.

Owns which hit is the current one. What the hits are it is told; where to go it says by a signal.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.screens.conversations.message_text import FIND_LIMIT, Found
from ui.widgets.buttons import IconButton
from ui.widgets.labels import PlainLabel
from ui.widgets.search_field import SearchField

_TYPING_MS = 120  # a transcript of 5,000 messages is searched once a pause, not once a letter


class _FindField(SearchField):
    """Esc closes the bar at once, whatever is typed."""

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """`query_changed` after a pause in typing; `found_wanted` carries a Found; `closed` on Esc."""

    query_changed = Signal(str)
    found_wanted = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: tuple[Found, ...] = ()
        self._at = -1
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.field = _FindField("Find in this conversation…", "find.field", self)
        self.count = PlainLabel("", "meta")
        self.count.setObjectName("find.count")
        before = IconButton("chevron-up", "find.previous", "Previous hit (Shift+Enter)", self)
        after = IconButton("chevron-down", "find.next", "Next hit (Enter)", self)
        close = IconButton("close", "find.close", "Close (Esc)", self)
        for widget, stretch in ((self.field, 1), (self.count, 0), (before, 0), (after, 0), (close, 0)):
            row.addWidget(widget, stretch)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_TYPING_MS)
        self._pause.timeout.connect(self._on_pause)
        self.field.searched.connect(self._on_typed)
        self.field.escaped.connect(self.close_bar)
        before.clicked.connect(self._on_previous)
        after.clicked.connect(self._on_next)
        close.clicked.connect(self.close_bar)

    def open(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def look_for(self, query: str) -> None:
        """Shows the bar with what to find; the focus stays where it is."""
        self.field.setText(query)
        self.show()
        self._pause.stop()
        self._on_pause()

    def close_bar(self) -> None:
        """Hides it and takes the marks away."""
        self.hide()
        self.field.clear()
        self._on_pause()
        self.closed.emit()

    def set_found(self, found: Sequence[Found], *, is_new_query: bool) -> None:
        """Other hits; a new query starts at the first, else the place is kept."""
        self._found = tuple(found)
        if is_new_query:
            self._at = -1
            self.go(1)
        else:
            self._at = min(max(self._at, 0), len(self._found) - 1)  # the first, where there was none before
            self._tell()

    def go(self, step: int) -> None:
        """To the next or previous hit, round the ends."""
        if self._found:
            self._at = (self._at + step) % len(self._found)
            self.found_wanted.emit(self._found[self._at])
        self._tell()

    def _tell(self) -> None:
        if not self.field.text():
            self.count.setText("")
        elif not self._found:
            self.count.setText("not found")
        else:
            more = "+" if len(self._found) >= FIND_LIMIT else ""
            self.count.setText(f"{self._at + 1} of {len(self._found)}{more}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish_typing()
            self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def _finish_typing(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._on_pause()

    def _on_typed(self) -> None:
        self._pause.start()

    def _on_pause(self) -> None:
        self._pause.stop()
        self.query_changed.emit(self.field.text())

    def _on_previous(self) -> None:
        self.go(-1)

    def _on_next(self) -> None:
        self.go(1)
