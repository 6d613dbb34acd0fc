"""One bar as long as its share of a whole. Its number stands beside it as text."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.theme import color

HEIGHT_PX = 6
LEAST_PX = 4.0  # what is there is seen


class ShareBar(QWidget):
    def __init__(self, ratio: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ratio = max(0.0, min(1.0, ratio))
        self.setFixedHeight(HEIGHT_PX)

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(QRectF(0, 0, self.width(), HEIGHT_PX), 3, 3)
        if self._ratio:
            painter.setBrush(color("accent"))
            painter.drawRoundedRect(QRectF(0, 0, max(LEAST_PX, self.width() * self._ratio), HEIGHT_PX), 3, 3)
