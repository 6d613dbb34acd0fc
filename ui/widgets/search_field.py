"""A search field: magnifier, clear, Esc empties it first and then gives the focus back; down goes to the results."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from ui.icons import pixmap
from ui.theme import tokens

MAX_QUERY_CHARS = 500


class SearchField(QLineEdit):
    """`searched` on every change of the text; `left_down` when the arrow asks for the results."""

    searched = Signal(str)
    left_down = Signal()

    def __init__(self, hint: str, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(hint.rstrip("…"))
        self.setPlaceholderText(hint)
        self.setMaxLength(MAX_QUERY_CHARS)
        self.setMinimumHeight(32)
        self.setTextMargins(22, 0, 0, 0)
        self.textChanged.connect(self.searched)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
            event.ignore()
            return
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.drawPixmap(10, (self.height() - 16) // 2, pixmap("search", tokens().sub, 16, 2.0))
