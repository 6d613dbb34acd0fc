"""The shape of each kind of thing: in the picture, on the map, in the legend and in the list. Source: UX 4.5 "never colour alone"."""

from functools import lru_cache
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from app.values.graph import NodeLook
from ui.icons import unpainted
from ui.screens.graph.look import LOOK_TOKENS
from ui.theme import color
from ui.widgets.paint import mixed

_ICON_PX, _ICON_SCALE = 16, 2
# corners, where the first one stands, how far out
_CORNERS = {
    NodeLook.PATTERN: (6, 0.0, 1.08),
    NodeLook.WORKFLOW: (3, -pi / 2, 1.3),
    NodeLook.NAME: (4, -pi / 2, 1.2),
    NodeLook.RULE: (5, -pi / 2, 1.12),
}


def draw_shape(painter: QPainter, look: NodeLook, place: QPointF, radius: float) -> None:
    """Circle a fact, circle in a ring an episode, hexagon a pattern, triangle a workflow, diamond a name, head and shoulders a
    person, rounded square a conversation, square with a corner cut a file, pentagon a rule, lying capsule an assistant.
    """
    match look:
        case NodeLook.PATTERN | NodeLook.WORKFLOW | NodeLook.NAME | NodeLook.RULE:
            count, turn, reach = _CORNERS[look]
            around = (turn + index * 2 * pi / count for index in range(count))
            painter.drawPolygon(QPolygonF([place + QPointF(cos(one), sin(one)) * radius * reach for one in around]))
        case NodeLook.EPISODE:
            painter.drawEllipse(place, radius * 0.72, radius * 0.72)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place, radius * 1.1, radius * 1.1)
        case NodeLook.MEMORY:
            painter.drawEllipse(place, radius, radius)
        case NodeLook.PERSON:
            painter.drawChord(
                QRectF(place.x() - radius, place.y() + radius * 0.05, 2 * radius, 1.9 * radius), 0, 180 * 16
            )
            painter.drawEllipse(place + QPointF(0, -radius * 0.5), radius * 0.52, radius * 0.52)
        case NodeLook.CONVERSATION:
            side = radius * 1.8
            painter.drawRoundedRect(QRectF(place.x() - side / 2, place.y() - side / 2, side, side), side / 4, side / 4)
        case NodeLook.APP:
            high = radius * 1.3
            painter.drawRoundedRect(
                QRectF(place.x() - radius * 1.2, place.y() - high / 2, radius * 2.4, high), high / 2, high / 2
            )
        case NodeLook.FILE:
            half = radius * 0.95
            cut = half * 0.7
            outline = (
                QPointF(-half, -half), QPointF(half - cut, -half), QPointF(half, -half + cut), QPointF(half, half), QPointF(-half, half),
            )  # fmt: skip
            painter.drawPolygon(QPolygonF([place + corner for corner in outline]))


def look_icon(look: NodeLook) -> QIcon:
    """The shape in its colour, as large as other icons; for the theme that is on."""
    return QIcon(_shape_picture(look, color(LOOK_TOKENS[look]).name(), color("panel").name()))


@lru_cache(maxsize=64)  # each in both themes; a new picture for each row filled Qt's own cache of scaled ones
def _shape_picture(look: NodeLook, tint_name: str, panel_name: str) -> QPixmap:
    picture = QPixmap(_ICON_PX * _ICON_SCALE, _ICON_PX * _ICON_SCALE)
    picture.setDevicePixelRatio(_ICON_SCALE)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    tint = QColor(tint_name)
    painter.setPen(QPen(tint, 1.2))
    painter.setBrush(mixed(tint, QColor(panel_name), 0.12))
    draw_shape(painter, look, QPointF(_ICON_PX / 2, _ICON_PX / 2), 5.2)
    painter.end()
    return unpainted(picture)
