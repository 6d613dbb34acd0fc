"""The picture: nodes and links painted by hand, moved by mouse and keys. Knows values and places, no engine.

Tens to some hundreds of nodes, so plain painting is within a frame; texts are placed largest first where there is room.
Source: UX 4.5, STACK-UI section 2 (an own canvas beats a scene of items).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeLook, Relation
from ui.screens.graph.hover_card import HoverCard
from ui.screens.graph.look import LOOK_TOKENS, RELATION_WORDS, facts_of, name_of, radius_of
from ui.screens.graph.shapes import draw_shape
from ui.theme import META_FONT_PX, color, font, metrics
from ui.widgets.paint import draw_focus_ring, draw_haloed, draw_sheet, mixed

LENGTH_PX = 92.0  # of a usual link at 1:1
_MARGIN_PX = 56.0
_LEAST_SCALE, _MOST_SCALE = 0.15, 3.0
_STRETCH_MOST = 1.8
_LABEL_CHARS = 34
_LABELS_FROM_SCALE = 0.3  # further away only what is selected has its name,
_LARGE_UP_TO = 40  # things that are drawn large in any window
_LABELS_ALWAYS = 80  # but in a picture of so few things
_DRAG_FROM_PX = 4.0
_HIT_PX = 6.0
_CONE = pi / 3  # half of the angle in which an arrow key looks for a neighbour
STRONG = 0.5  # links from here on are strong


@dataclass(frozen=True, slots=True)
class Moment:
    """The instant that is looked at, None for now; `is_known`: what was known then, else what was true then."""

    at: datetime | None = None
    is_known: bool = False

    def shows(self, node: GraphNode) -> bool:
        begins = node.known_at if self.is_known else node.from_at
        return self.at is None or begins is None or begins <= self.at

    def is_closed(self, node: GraphNode) -> bool:
        """Whether it no longer held then."""
        if self.at is None or node.until_at is None:
            return node.is_closed
        return node.until_at <= self.at


class GraphCanvas(QWidget):
    """`chosen`: the selected node or None · `opened`: to be the new centre · `placed`: dragged to a place · `joined`: dragged onto another."""

    chosen = Signal(object)
    opened = Signal(object)
    placed = Signal(object)
    joined = Signal(object, object)
    menu_wanted = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph.canvas")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)
        self.view = GraphView()
        self._places: dict[NodeId, QPointF] = {}
        self._shown: dict[NodeId, GraphNode] = {}
        self._off: frozenset[NodeLook] = frozenset()
        self._only_holding = self._only_strong = False
        self._path: frozenset[tuple[NodeId, NodeId]] = frozenset()
        self._pins: frozenset[NodeId] = frozenset()
        self.moment = Moment()
        self.selected: NodeId | None = None
        self.second: NodeId | None = None  # added with Ctrl: the other end of a way
        self._hovered: NodeId | None = None
        self._scale, self._shift = 1.0, QPointF()
        self._stretch = (1.0, 1.0)  # wider or higher than it was laid out, so that it fills the window
        self._is_fitted = True  # until somebody moves the picture, it follows the size of the window
        self._pressed: QPointF | None = None
        self._grabbed: NodeId | None = None
        self._grabbed_at: QPointF | None = None  # where it stood before it was dragged
        self._is_dragging = False
        self._target: NodeId | None = None
        self._is_drawing = False  # a link, with Alt: the node stays where it is
        self._drawn_to: QPointF | None = None
        self.card = HoverCard(self)
        self._name()

    def sizeHint(self) -> QSize:
        return QSize(720, 520)

    # -- what is shown
    def set_view(self, view: GraphView, places: Mapping[NodeId, tuple[float, float]], *, keeps_sight: bool) -> None:
        """`places` in lengths of a link. `keeps_sight`: the part that is looked at stays."""
        self.view = view
        self._places = {node: QPointF(x * LENGTH_PX, y * LENGTH_PX) for node, (x, y) in places.items()}
        self._path = frozenset()
        known = {node.id for node in view.nodes}
        self.selected = self.selected if self.selected in known else view.centre
        self.second = self.second if self.second in known else None
        self._filter()
        if not keeps_sight:
            self._is_fitted = True
        if self._is_fitted:
            self.fit()

    def set_pins(self, nodes: frozenset[NodeId]) -> None:
        """Which of them the person put where they are."""
        self._pins = nodes
        self.update()

    def set_off(self, looks: frozenset[NodeLook]) -> None:
        self._off = looks
        self._filter()

    def set_only(self, *, holds: bool, is_strong: bool) -> None:
        """Only what holds still; only links of at least half the strength, with what they join."""
        self._only_holding, self._only_strong = holds, is_strong
        self._filter()

    def set_moment(self, moment: Moment) -> None:
        self.moment = moment
        self._filter()

    def set_path(self, nodes: tuple[NodeId, ...]) -> None:
        """Marks the way between two nodes."""
        self._path = frozenset((a, b) for a, b in pairwise(nodes))
        self.update()

    def _filter(self) -> None:
        self._shown = {
            node.id: node
            for node in self.view.nodes
            if node.id in self._places
            and node.look not in self._off
            and self.moment.shows(node)
            and not (self._only_holding and self.moment.is_closed(node))
        }
        if self._only_strong:
            joined = {end for link in self.shown_links() for end in (link.a, link.b)}
            self._shown = {
                node: value for node, value in self._shown.items() if node in joined or node == self.view.centre
            }
        if self.moment.at is not None:
            self._drop_unlinked()
        self._name()
        self.update()

    def _drop_unlinked(self) -> None:
        """A name or a file has no date of its own: it is there as soon as something that has one speaks of it."""
        dated = {node for node, value in self._shown.items() if value.known_at is not None}
        spoken_of = {end for link in self.shown_links() for end in (link.a, link.b) if {link.a, link.b} & dated}
        self._shown = {node: value for node, value in self._shown.items() if node in dated or node in spoken_of}

    @property
    def shown_nodes(self) -> tuple[GraphNode, ...]:
        return tuple(self._shown.values())

    def shown_links(self) -> tuple[GraphLink, ...]:
        return tuple(
            link
            for link in self.view.links
            if link.a in self._shown and link.b in self._shown and not (self._only_strong and link.strength < STRONG)
        )

    def places(self) -> dict[NodeId, tuple[float, float]]:
        """Where they stand, in lengths of a link."""
        return {node: (place.x() / LENGTH_PX, place.y() / LENGTH_PX) for node, place in self._places.items()}

    def _name(self) -> None:
        node = self._shown.get(self.selected) if self.selected is not None else None
        self.setAccessibleName(f"Knowledge graph, {len(self._shown)} shown")
        self.setAccessibleDescription(f"{name_of(node)}, {facts_of(node)}" if node is not None else "Nothing selected")

    # -- where things are
    def map_from_scene(self, place: QPointF) -> QPointF:
        return QPointF(place.x() * self._stretch[0], place.y() * self._stretch[1]) * self._scale + self._shift

    def place_of(self, node: NodeId) -> QPointF:
        """Where a node is painted, in the widget."""
        return self.map_from_scene(self._places[node])

    def node_at(self, at: QPointF) -> NodeId | None:
        best: tuple[float, NodeId] | None = None
        for node_id, node in self._shown.items():
            place = self.place_of(node_id)
            apart = hypot(place.x() - at.x(), place.y() - at.y()) - self._radius(node)
            if apart <= _HIT_PX and (best is None or apart < best[0]):
                best = (apart, node_id)
        return None if best is None else best[1]

    def _radius(self, node: GraphNode) -> float:
        least = 0.95 if len(self._shown) <= _LARGE_UP_TO else 0.55
        return radius_of(node) * max(least, min(1.3, self._scale))

    def fit(self) -> None:
        """The whole picture in the window."""
        places = [self._places[node] for node in self._shown]
        self._is_fitted = True
        if places and self.width() > 1:
            left, right = min(p.x() for p in places), max(p.x() for p in places)
            top, bottom = min(p.y() for p in places), max(p.y() for p in places)
            wide = max(1.0, right - left)
            high = max(1.0, bottom - top)
            room = ((self.width() - 2 * _MARGIN_PX) / wide, (self.height() - 2 * _MARGIN_PX) / high)
            self._scale = max(_LEAST_SCALE, min(1.35, *room))
            across, down = (max(1.0, min(_STRETCH_MOST, one / self._scale)) for one in room)
            self._stretch = (across, down)
            self._shift = QPointF()
            middle = self.map_from_scene(QPointF((left + right) / 2, (top + bottom) / 2))
            self._shift = QPointF(self.width() / 2, self.height() / 2) - middle
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Around a point of the widget, its middle when none is given."""
        at = at or QPointF(self.width() / 2, self.height() / 2)
        scale = max(_LEAST_SCALE, min(_MOST_SCALE, self._scale * factor))
        self._shift = at - (at - self._shift) * (scale / self._scale)
        self._scale = scale
        self._is_fitted = False
        self.update()

    def choose(self, node: NodeId | None) -> None:
        """Selects it and, where it stands outside, brings it into sight."""
        if node != self.selected:
            self.selected = node
            self.chosen.emit(node)
        if node in self._places and node is not None:
            inside = QRectF(self.rect()).adjusted(24, 24, -24, -24)
            place = self.place_of(node)
            if not inside.contains(place):
                self._shift += QPointF(self.width() / 2, self.height() / 2) - place
                self._is_fitted = False
        self._name()
        self.update()

    # -- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_sheet(painter, QRectF(self.rect()))
        self.render_to(painter)
        if self.hasFocus():
            draw_focus_ring(painter, QRectF(self.rect()), 10)

    def render_to(self, painter: QPainter) -> None:
        """The picture without ground and ring, as it is exported too."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        near = self._near()
        for link in self.shown_links():
            self._paint_link(painter, link, is_dim=bool(near) and not {link.a, link.b} <= near)
        for node in self._shown.values():
            self._paint_node(painter, node, is_dim=bool(near) and node.id not in near)
        self._paint_labels(painter, near)
        if self._drawn_to is not None and self._grabbed is not None:
            painter.setPen(QPen(color("accent"), 2.2, Qt.PenStyle.DashLine))
            end = self.place_of(self._target) if self._target is not None else self._drawn_to
            painter.drawLine(self.place_of(self._grabbed), end)

    def _near(self) -> frozenset[NodeId]:
        """What stays bright while the mouse rests on a node: it and its neighbours."""
        node = self._hovered
        if node is None or self._is_dragging:
            return frozenset()
        return frozenset({node}).union(*({link.a, link.b} for link in self.shown_links() if node in (link.a, link.b)))

    def _paint_link(self, painter: QPainter, link: GraphLink, *, is_dim: bool) -> None:
        a, b = self.place_of(link.a), self.place_of(link.b)
        is_way = (link.a, link.b) in self._path or (link.b, link.a) in self._path
        is_selected = self.selected in (link.a, link.b)
        ratio = 0.85 if is_dim else (0.2 if is_selected else 0.75 - 0.3 * link.strength)
        pen = QPen(mixed(self._link_tint(link), color("panel"), ratio), 0.9 + 1.3 * link.strength)
        if link.relation is Relation.CONTRADICTS:
            pen = QPen(color("danger"), 1.6)
        elif is_way:
            pen = QPen(color("accent"), 2.6)
        elif link.relation in (Relation.SUPERSEDES, Relation.MERGED_FROM):
            pen.setStyle(Qt.PenStyle.DashLine)
        if link.relation is Relation.CONTRADICTS and link.is_open and not is_dim:
            for width, mix in ((13.0, 0.9), (7.0, 0.78)):  # nobody has decided it: it glows
                painter.setPen(
                    QPen(
                        mixed(color("danger"), color("panel"), mix),
                        width,
                        Qt.PenStyle.SolidLine,
                        Qt.PenCapStyle.RoundCap,
                    )
                )
                painter.drawLine(a, b)
        painter.setPen(pen)
        if link.relation is Relation.CONTRADICTS:
            turn = atan2(b.y() - a.y(), b.x() - a.x()) + pi / 2
            aside = QPointF(cos(turn), sin(turn)) * 1.8
            painter.drawLine(a + aside, b + aside)
            painter.drawLine(a - aside, b - aside)
        else:
            painter.drawLine(a, b)
        if not is_dim and self._hovered in (link.a, link.b) and self._hovered is not None:
            self._paint_relation(painter, link, (a + b) / 2)

    def _link_tint(self, link: GraphLink) -> QColor:
        """Between the colours of its two ends, so that one sees where a line leads before it is followed."""
        a, b = (color(LOOK_TOKENS[self._shown[end].look]) for end in (link.a, link.b))
        return mixed(mixed(a, b, 0.5), color("edge"), 0.35)

    def _paint_relation(self, painter: QPainter, link: GraphLink, middle: QPointF) -> None:
        words = RELATION_WORDS[link.relation][0 if link.a == self._hovered else 1]
        measured = metrics(META_FONT_PX)
        rect = QRectF(0, 0, measured.horizontalAdvance(words) + 8, measured.height() + 2)
        rect.moveCenter(middle)
        painter.fillRect(rect, color("panel"))
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_node(self, painter: QPainter, node: GraphNode, *, is_dim: bool) -> None:
        place, radius = self.place_of(node.id), self._radius(node)
        tint = color(LOOK_TOKENS[node.look])
        is_closed = self.moment.is_closed(node)
        fill = mixed(tint, color("panel"), 0.8 if is_closed else 0.12)
        if is_dim:
            fill, tint = mixed(fill, color("panel"), 0.7), mixed(tint, color("panel"), 0.7)
        if not is_dim and not is_closed:  # a glow in its colour
            painter.setPen(Qt.PenStyle.NoPen)
            glow = QColor(tint)
            glow.setAlphaF(0.13)
            painter.setBrush(glow)
            painter.drawEllipse(place, radius * 1.75, radius * 1.75)
        pen = QPen(tint, 1.4)
        if is_closed:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(fill)
        draw_shape(painter, node.look, place, radius)
        if node.id in self._pins:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("panel"))
            painter.drawEllipse(place, radius * 0.28, radius * 0.28)
        if node.id in (self.selected, self.second, self._target):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("good" if node.id == self._target else "text"), 2.0))
            painter.drawEllipse(place, radius + 5, radius + 5)
        hidden = self.view.hidden.get(node.id, 0)
        is_asked = node.id in (self.selected, self._hovered, self.view.centre)
        if hidden and is_asked and self._scale > _LABELS_FROM_SCALE:
            self._paint_hidden(painter, place + QPointF(radius * 0.8, -radius * 0.8), hidden, tint)

    def _paint_hidden(self, painter: QPainter, at: QPointF, count: int, tint: QColor) -> None:
        """How many neighbours are not in the picture, as a small number at the node."""
        text = f"+{count}" if count < 100 else "+99"
        measured = metrics(META_FONT_PX - 2)
        rect = QRectF(
            at.x() - 2, at.y() - measured.height() / 2, measured.horizontalAdvance(text) + 7, measured.height()
        )
        painter.setPen(QPen(mixed(tint, color("panel"), 0.4), 1))
        painter.setBrush(color("panel"))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setFont(font(META_FONT_PX - 2))
        painter.setPen(color("sub"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_labels(self, painter: QPainter, near: frozenset[NodeId]) -> None:
        """Names, the selected first, then the largest: below, above or beside their thing, where nothing lies; else left out."""
        taken: list[QRectF] = []
        shapes = {node_id: self._reach(node) for node_id, node in self._shown.items()}
        first = {self.selected, self.second, self._hovered}
        is_far = self._scale < _LABELS_FROM_SCALE and len(self._shown) > _LABELS_ALWAYS
        order = sorted(self._shown.values(), key=lambda node: (node.id not in first, -radius_of(node), node.id))
        for node in order:
            is_first = node.id in first
            if (near and node.id not in near) or (is_far and not is_first):
                continue
            weight = QFont.Weight.DemiBold if is_first else QFont.Weight.Normal
            name = name_of(node)
            text = name if len(name) <= _LABEL_CHARS else name[: _LABEL_CHARS - 1].rstrip() + "…"
            others = [*taken, *(reach for other, reach in shapes.items() if other != node.id)]
            places = self._label_places(node, metrics(META_FONT_PX, weight).horizontalAdvance(text) + 6)
            rect = next((one for one in places if not any(one.intersects(other) for other in others)), None)
            if rect is None and is_first and places:
                rect = places[0]
            if rect is None:
                continue
            taken.append(rect)
            tint = color("sub" if self.moment.is_closed(node) else "text")
            base = rect.center() + QPointF(0, metrics(META_FONT_PX).ascent() / 2 - 1)
            draw_haloed(painter, text, base, META_FONT_PX, tint, bold=is_first)

    def _reach(self, node: GraphNode) -> QRectF:
        place, radius = self.place_of(node.id), self._radius(node)
        return QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius)

    def _label_places(self, node: GraphNode, width: float) -> list[QRectF]:
        """Below, above, right, left; none that would be cut at the edge of the picture."""
        place, radius, high = self.place_of(node.id), self._radius(node), metrics(META_FONT_PX).height()
        middles = (
            QPointF(0, radius + high / 2 + 3), QPointF(0, -radius - high / 2 - 3), QPointF(radius + width / 2 + 3, 0), QPointF(-radius - width / 2 - 3, 0),
        )  # fmt: skip
        found = []
        inside = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        for middle in middles:
            rect = QRectF(0, 0, width, high)
            rect.moveCenter(place + middle)
            if inside.contains(place) and abs(middle.x()) < 1:
                rect.moveLeft(max(inside.left(), min(rect.left(), inside.right() - rect.width())))
            if inside.contains(rect):
                found.append(rect)
        return found

    # -- mouse
    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(1.0015 ** event.angleDelta().y(), event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position()
        self._grabbed = self.node_at(event.position()) if event.button() is Qt.MouseButton.LeftButton else None
        self._grabbed_at = QPointF(self._places[self._grabbed]) if self._grabbed is not None else None
        self._is_dragging = False
        self._is_drawing = self._grabbed is not None and bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        self._drawn_to = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._hover(self.node_at(event.position()))
            return
        moved = event.position() - self._pressed
        if not self._is_dragging and hypot(moved.x(), moved.y()) < _DRAG_FROM_PX:
            return
        self._is_dragging = True
        self.card.leave()
        self._pressed = event.position()
        if self._grabbed is None:
            self._shift += moved
            self._is_fitted = False
        else:
            if self._is_drawing:
                self._drawn_to = event.position()
            else:
                across, down = self._stretch
                self._places[self._grabbed] += QPointF(moved.x() / across, moved.y() / down) / self._scale
            self._target = self._target_at(event.position())
        self.update()

    def _target_at(self, at: QPointF) -> NodeId | None:
        """The other node that a dragged node, or the end of a new link, lies on."""
        for node_id, node in self._shown.items():
            place = self.place_of(node_id)
            if node_id != self._grabbed and hypot(place.x() - at.x(), place.y() - at.y()) <= self._radius(node):
                return node_id
        return None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        grabbed, target, was_dragging = self._grabbed, self._target, self._is_dragging
        self._pressed = self._grabbed = self._target = None
        self._is_dragging = False
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        was_drawing, self._is_drawing, self._drawn_to = self._is_drawing, False, None
        if was_dragging and grabbed is not None:
            if target is not None:  # dropped on another: it was not moved, and goes back
                if self._grabbed_at is not None:
                    self._places[grabbed] = self._grabbed_at
                self.joined.emit(grabbed, target)
            elif not was_drawing:
                self.placed.emit(grabbed)
        elif not was_dragging:
            node = self.node_at(event.position())
            if node is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.second = None if node == self.selected else node
                self.chosen.emit(self.selected)
            else:
                self.choose(node)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node is not None:
            self.opened.emit(node)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        node = self.node_at(QPointF(event.pos())) if event.reason() is QContextMenuEvent.Reason.Mouse else self.selected
        if node is not None:
            self.choose(node)
            at = self.place_of(node).toPoint() if event.reason() is not QContextMenuEvent.Reason.Mouse else event.pos()
            self.menu_wanted.emit(node, self.mapToGlobal(at))

    def leaveEvent(self, _event: object) -> None:
        self._hover(None)

    def _hover(self, node: NodeId | None) -> None:
        if node != self._hovered:
            self._hovered = node
            shown = self._shown.get(node) if node is not None else None
            if shown is None or node is None:
                self.card.leave()
            else:
                self.card.show_node(shown, self.place_of(node).toPoint())
            self.setCursor(Qt.CursorShape.PointingHandCursor if node is not None else Qt.CursorShape.ArrowCursor)
            self.update()

    # -- keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        directions = {Qt.Key.Key_Left: pi, Qt.Key.Key_Right: 0.0, Qt.Key.Key_Up: -pi / 2, Qt.Key.Key_Down: pi / 2}
        if event.key() in directions and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self.walk(directions[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)

    def walk(self, direction: float) -> None:
        """To the neighbour that lies that way, else to the nearest node there."""
        if self.selected not in self._shown or self.selected is None:
            if self._shown:
                self.choose(next(iter(self._shown)))
            return
        here = self._places[self.selected]
        beside = {
            link.b if link.a == self.selected else link.a
            for link in self.shown_links()
            if self.selected in (link.a, link.b)
        }
        for nodes in (beside, set(self._shown)):
            ahead = []
            for node in nodes - {self.selected}:
                way = self._places[node] - here
                turn = abs((atan2(way.y(), way.x()) - direction + pi) % (2 * pi) - pi)
                if turn <= _CONE:
                    ahead.append((hypot(way.x(), way.y()) * (1 + turn), node))
            if ahead:
                self.choose(min(ahead)[1])
                return

    def focusInEvent(self, event: object) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self.update()

    def focusOutEvent(self, event: object) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_fitted:
            self.fit()
