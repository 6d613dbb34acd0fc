"""What hangs at the pointer while a conversation or message is dragged: one short line, so that the target stays in sight."""

from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt
from PySide6.QtGui import QDrag, QFontMetricsF, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from ui.theme import color, font
from ui.widgets.paint import draw_elided

MAX_WIDTH_PX = 240


def drag_pixmap(text: str, ratio: float) -> QPixmap:
    """The line as a picture, sharp at the given device ratio."""
    metrics = QFontMetricsF(font())
    width = min(MAX_WIDTH_PX, metrics.horizontalAdvance(" ".join(text.split())) + 26)
    height = metrics.height() + 12
    picture = QPixmap(round(width * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(color("panel"))
    painter.setPen(QPen(color("accent"), 1.2))
    painter.drawRoundedRect(QRectF(1, 1, width - 2, height - 2), 7, 7)
    painter.setFont(font())
    painter.setPen(color("text"))
    draw_elided(painter, QRectF(12, 0, width - 24, height), text)
    painter.end()
    return picture


def start_drag(source: QWidget, mime: QMimeData, text: str) -> None:
    """Drags `mime`; whoever takes it does what is to be done, the source changes nothing."""
    drag = QDrag(source)
    drag.setMimeData(mime)
    drag.setPixmap(drag_pixmap(text[:200], source.devicePixelRatioF()))
    drag.setHotSpot(QPoint(-12, -10))
    drag.exec(Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, Qt.DropAction.MoveAction)
