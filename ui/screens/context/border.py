"""The border between two tiers of the bar: a grip in the gap, dragged in steps.

Says how many steps it went; who listens moves it by giving the tiers other widths. Knows no tiers. Source: UX 4.6.
"""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.theme import color

GRIP_WIDTH_PX, GRIP_HEIGHT_PX = 3.0, 14.0


class BorderGrip(QWidget):
    """`moved` carries the steps that it was dragged to the right since it last said so; `let_go` ends the drag."""

    moved = Signal(int)
    let_go = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._step_px = 1.0
        self._dragged_from: float | None = None  # on the screen: the grip itself moves along
        self.setObjectName(name)
        self.setAccessibleName("Border between two tiers")
        self.setToolTip("Drag to give one tier more room and the other less (Ctrl+→ and Ctrl+← on a tier)")
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def set_step(self, step_px: float) -> None:
        """How wide one step is."""
        self._step_px = max(1.0, step_px)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("accent" if self.underMouse() or self._dragged_from is not None else "edge"))
        left, top = (self.width() - GRIP_WIDTH_PX) / 2, (self.height() - GRIP_HEIGHT_PX) / 2
        painter.drawRoundedRect(QRectF(left, top, GRIP_WIDTH_PX, GRIP_HEIGHT_PX), 1.5, 1.5)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged_from = event.globalPosition().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged_from is None:
            return
        steps = round((event.globalPosition().x() - self._dragged_from) / self._step_px)
        if steps:
            self._dragged_from += steps * self._step_px
            self.moved.emit(steps)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._dragged_from is not None:
            self._dragged_from = None
            self.let_go.emit()
        self.update()
