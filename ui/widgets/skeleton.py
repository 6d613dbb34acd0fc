"""What a screen shows before it knows anything: nothing for 300 ms, then bars where its cards will be; never a claim that it is empty.

Source: UX 5 "loading".
"""

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from ui.theme import color, font_px

SHOW_AFTER_MS = 300
_GAP_PX, _CARD_PX = 8, 60


class Skeleton(QWidget):
    """A page for a stack of pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("skeleton")
        self.setAccessibleName("Loading")
        self.is_drawn = False
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(SHOW_AFTER_MS)
        self._due.timeout.connect(self._on_due)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._due.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._due.stop()
        self.is_drawn = False

    def _on_due(self) -> None:
        self.is_drawn = True
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_drawn:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        height, bar = font_px(_CARD_PX), font_px()
        for top in range(0, self.height() - height, height + _GAP_PX):
            painter.setBrush(color("panel"))
            painter.drawRoundedRect(QRectF(0, top, self.width(), height), 10, 10)
            painter.setBrush(color("line"))
            painter.drawRoundedRect(QRectF(16, top + 0.25 * height - bar / 2, 0.45 * self.width(), bar), 4, 4)
            painter.drawRoundedRect(QRectF(16, top + 0.65 * height - bar / 2, 0.3 * self.width(), bar), 4, 4)
