"""The map: all of a project as discs of what belongs together, which open as one comes near. Knows columns and places,
no engine.

Far away a disc is one thing with a name and a count; nearer its members are points, then shapes with names. While the
hand moves, the picture of before is moved and scaled (2 ms at any size); it is painted anew when the hand rests. Only
what is in sight is painted, the strongest links first and not all of them.

Columns of numbers handed to the painter without a loop: lines and points straight from numpy memory.

Source: UX 4.5, STACK-UI section 2 (measured there: what makes a frame cheap).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.values.graph import GraphNode, NodeId, NodeKind, NodeLook
from app.values.graph_map import KINDS, LOOKS, GraphMap, MapGroup
from ui.screens.graph.canvas import STRONG, Moment
from ui.screens.graph.hover_card import HoverCard
from ui.screens.graph.look import LOOK_TOKENS, group_color, name_of
from ui.screens.graph.shapes import draw_shape
from ui.theme import META_FONT_PX, color, metrics
from ui.widgets.paint import draw_focus_ring, draw_haloed, draw_sheet, mixed
from ui.wording.values import counted


def draw_lines(painter: QPainter, ends: NDArray[np.float64]) -> None:
    """`ends`: (n, 4) x1 y1 x2 y2, in the painter's coordinates."""
    if len(ends):
        kept = np.ascontiguousarray(ends, dtype=np.float64)  # lives until the call is over
        first: QLineF = shiboken6.wrapInstance(kept.ctypes.data, QLineF)  # type: ignore[assignment]  # it is one
        painter.drawLines(first, len(kept))


def draw_points(painter: QPainter, places: NDArray[np.float64]) -> None:
    """`places`: (n, 2). The pen says how large."""
    if len(places):
        kept = np.ascontiguousarray(places, dtype=np.float64)
        first: QPointF = shiboken6.wrapInstance(kept.ctypes.data, QPointF)  # type: ignore[assignment]  # it is one
        painter.drawPoints(first, len(kept))


SPACE = 0.62  # between two members of a disc, in lengths of a link
OPEN_FROM_PX = 15.0  # a disc opens when its members are so far apart on the screen
SHAPES_FROM_PX = 34.0  # and they are shapes with names from here on
LINKS_MOST = 6_000  # painted at once, the strongest
NAMES_MOST = 60
FIRST_MEMBERS, MEMBERS_FACTOR = (
    40,
    3,
)  # what an open disc shows at first, the most linked, and how many times that the next step does
_SHAPED_MOST = 400  # members of a disc that are shapes from afar, too
_WIDE_PX = 180.0  # radius of an open disc in which these have room
REST_MS = 80
_LEAST_SCALE, _MOST_SCALE = 0.6, 140.0
_MARGIN_PX = 26.0
_SMOOTH_MOST = 1_500  # lines that are painted without steps
_ROUND_MOST = 400  # small points of one disc that are round
_TITLE_PX = (11, 17)
_TITLE_WIDE_PX, _TITLE_LEAST_PX = 104.0, 60.0
_CELL, _WIDE_CELL = (96, 18), (120, 26)  # of the grid in which names keep clear of each other; from far
_NAMES_FROM_PX = 9.0  # between two members: the most linked have a name
_CONE = pi / 3
_DRAG_FROM_PX = 4.0


@dataclass(frozen=True, slots=True)
class Sight:
    """Which part is looked at: pixels of a length of a link, and where the origin is painted."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        painted: NDArray[np.float64] = places * self.scale + np.array([self.x, self.y])
        return painted


class MapCanvas(QWidget):
    """`chosen`: a NodeId, a group's number, or None · `opened`: a node to go to · `names_wanted`: rows whose names would be painted ·
    `placed`: a node and where it was dragged to.
    """

    chosen = Signal(object)
    opened = Signal(object)
    names_wanted = Signal(object)
    placed = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph.map")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)
        self.map: GraphMap | None = None
        self.sight = Sight()
        self.selected: NodeId | None = None
        self.group: int | None = None
        self.moment = Moment()
        self._off: frozenset[NodeLook] = frozenset()
        self._only_holding = self._only_strong = False
        self._open_always: set[int] = set()
        self._folded: set[int] = set()
        self._names: dict[NodeId, GraphNode] = {}
        self._shown: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # of each disc, what is shown
        self._ranks: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # in its disc, the most linked first
        self._told: dict[
            int, int
        ] = {}  # of a disc, how many of its members stand out, where that is not the first step
        self._rows: dict[NodeId, int] = {}
        self._degrees: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._of_app: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)  # links that are seen when their end is selected
        self._picture: tuple[QPixmap, Sight] | None = None
        self._is_fitted = True
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._grabbed: int | None = None  # the row of what is dragged, and where it is over
        self._dragged_to: QPointF | None = None
        self._pinned: frozenset[int] = frozenset()  # rows
        self._hovered: int | None = None
        self.card = HoverCard(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.render_now)
        self._say()

    def sizeHint(self) -> QSize:
        return QSize(720, 520)

    # -- what is shown
    def set_map(self, made: GraphMap) -> None:
        """Another map, or the same made anew: what was looked at stays in sight."""
        is_other = self.map is None or self.map.count == 0
        self.map = made
        self._rows = {}
        self._degrees = np.bincount(made.whole.edges.ravel(), minlength=made.count)
        self._of_app = (made.whole.kinds[made.whole.edges] == KINDS.index(NodeKind.APP)).any(1)
        self._pinned = frozenset(row for node in made.pinned if (row := self._row(node)) is not None)
        known = {group.number for group in made.groups}
        self._open_always &= known
        self._folded &= known
        self._told = {number: count for number, count in self._told.items() if number in known}
        self.group = self.group if self.group in known else None
        self._filter()
        if is_other or self._is_fitted:
            self.fit()

    def set_off(self, looks: frozenset[NodeLook]) -> None:
        self._off = looks
        self._filter()

    def set_only(self, *, holds: bool, is_strong: bool) -> None:
        """Only what holds still; only links of at least half the strength."""
        self._only_holding, self._only_strong = holds, is_strong
        self._filter()

    def set_moment(self, moment: Moment) -> None:
        self.moment = moment
        self._filter()

    def set_names(self, names: Mapping[NodeId, GraphNode]) -> None:
        """What was asked for by `names_wanted`."""
        self._names.update(names)
        self.render_now()

    def _filter(self) -> None:
        made = self.map
        if made is None:
            return
        whole = made.whole
        shown = np.ones(made.count, dtype=np.bool_)
        for look in self._off:
            shown &= whole.looks != LOOKS.index(look)
        if self._only_holding:
            shown &= ~whole.is_closed
        if self.moment.at is not None:
            at = int(self.moment.at.timestamp() * 1_000_000)
            begins = whole.known_at if self.moment.is_known else whole.from_at
            shown &= self._spoken_of(begins <= at, begins > 0)
        self._shown = shown
        self._counts = np.bincount(made.group_of[shown], minlength=len(made.groups))
        order = np.lexsort((-self._degrees, ~shown, made.group_of))
        sizes = np.bincount(made.group_of, minlength=len(made.groups))
        self._ranks = np.empty(made.count, dtype=np.int64)
        self._ranks[order] = np.arange(made.count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._say()
        self.render_now()

    def _spoken_of(self, is_there: NDArray[np.bool_], is_dated: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A name or a file has no date of its own: it is there as soon as something that has one speaks of it."""
        assert self.map is not None
        edges = self.map.whole.edges
        heard = np.zeros(len(is_there), dtype=np.bool_)
        dated = is_there & is_dated
        heard[edges[dated[edges[:, 0]], 1]] = True
        heard[edges[dated[edges[:, 1]], 0]] = True
        return np.where(is_dated, is_there, heard)

    @property
    def shown_count(self) -> int:
        return int(self._shown.sum())

    def _say(self) -> None:
        made = self.map
        count = self.shown_count if made is not None else 0
        self.setAccessibleName(
            f"Map of the knowledge graph, {count:,} things in {len(made.groups) if made else 0} groups"
        )
        group = self.group_of(self.group)
        node = self._names.get(self.selected) if self.selected is not None else None
        chosen = (
            name_of(node)
            if node is not None
            else f"{group.title}, {self.count_words(group)}"
            if group
            else "Nothing selected"
        )
        self.setAccessibleDescription(chosen)

    def told_count(self, group: MapGroup) -> int:
        """How many members of an open disc stand out; the others are a texture until one asks for more or comes near."""
        return min(self._told.get(group.number, FIRST_MEMBERS), int(self._counts[group.number]))

    def count_words(self, group: MapGroup) -> str:
        """ "40 things and 1,960 more" where the disc is open, else how many there are."""
        count = int(self._counts[group.number])
        told = self.told_count(group) if self.is_open(group) and not self._is_near else count
        said = counted(told, "thing")
        return said if told == count else f"{said} and {count - told:,} more"

    def has_more(self, group: MapGroup) -> bool:
        return self.is_open(group) and self.told_count(group) < int(self._counts[group.number])

    def show_more(self, group: MapGroup) -> None:
        """The next step: three times as many members of the disc."""
        self._told[group.number] = self.told_count(group) * MEMBERS_FACTOR
        self._say()
        self.render_now()

    def members(self, group: MapGroup) -> list[GraphNode]:
        """Those that stand out and whose names are known, the most linked first; asks for the other names."""
        rows = self._told_rows(group)
        nodes = [self._node(row) for row in rows.tolist()]
        if wanted := tuple(one for one in nodes if one not in self._names):
            self.names_wanted.emit(wanted)
        return [self._names[one] for one in nodes if one in self._names]

    def _told_rows(self, group: MapGroup) -> NDArray[np.int64]:
        assert self.map is not None
        rows = np.flatnonzero(
            (self.map.group_of == group.number) & self._shown & (self._ranks < self.told_count(group))
        )
        return rows[np.argsort(self._ranks[rows])]

    @property
    def _is_near(self) -> bool:
        """So near that all in sight have their shape: it is few."""
        return self.sight.scale * SPACE >= SHAPES_FROM_PX

    def _has_room(self, group: MapGroup) -> bool:
        """For shapes and names: members far enough apart, or a disc that is so wide on the screen that the few have room."""
        return self.sight.scale * SPACE >= _NAMES_FROM_PX or group.radius * self.sight.scale >= _WIDE_PX

    def _stands_out(self, made: GraphMap) -> NDArray[np.bool_]:
        if self._is_near or not made.count:
            return np.ones(made.count, dtype=np.bool_)
        return self._ranks < np.array([self.told_count(group) for group in made.groups])[made.group_of]

    def group_of(self, number: int | None) -> MapGroup | None:
        if self.map is None or number is None or not 0 <= number < len(self.map.groups):
            return None
        return self.map.groups[number]

    # -- sight
    def fit(self, group: MapGroup | None = None) -> None:
        """All of it, or one disc, in the window."""
        made = self.map
        if made is None or not made.groups or self.width() < 2:
            return
        self._is_fitted = group is None
        some = [group] if group is not None else list(made.groups)
        low = np.min([[one.x - one.radius, one.y - one.radius] for one in some], 0)
        high = np.max([[one.x + one.radius, one.y + one.radius] for one in some], 0)
        room = np.array([self.width() - 2 * _MARGIN_PX, self.height() - 2 * _MARGIN_PX])
        scale = float(np.clip((room / np.maximum(high - low, 1e-6)).min(), _LEAST_SCALE, _MOST_SCALE / 2))
        middle = (low + high) / 2 * scale
        self.sight = Sight(scale, self.width() / 2 - middle[0], self.height() / 2 - middle[1])
        self.render_now()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Around a point of the widget, its middle when none is given."""
        at = at or QPointF(self.width() / 2, self.height() / 2)
        scale = max(_LEAST_SCALE, min(_MOST_SCALE, self.sight.scale * factor))
        ratio = scale / self.sight.scale
        self._look(Sight(scale, at.x() - (at.x() - self.sight.x) * ratio, at.y() - (at.y() - self.sight.y) * ratio))

    def pan(self, x: float, y: float) -> None:
        self._look(Sight(self.sight.scale, self.sight.x + x, self.sight.y + y))

    def _look(self, sight: Sight) -> None:
        self.sight = sight
        self._is_fitted = False
        self.card.leave()
        self._rest.start()
        self.update()

    def place_of(self, group: MapGroup) -> QPointF:
        return QPointF(group.x * self.sight.scale + self.sight.x, group.y * self.sight.scale + self.sight.y)

    def is_open(self, group: MapGroup) -> bool:
        """Whether its members are to be seen: by nearness, unless the person folded or opened it."""
        if group.number in self._folded:
            return False
        return group.number in self._open_always or self.sight.scale * SPACE >= OPEN_FROM_PX

    def is_entered(self, group: MapGroup) -> bool:
        """Whether the person opened it, by hand or by list."""
        return group.number in self._open_always

    def fold(self, group: MapGroup, *, is_open: bool) -> None:
        (self._open_always if is_open else self._folded).add(group.number)
        (self._folded if is_open else self._open_always).discard(group.number)
        self.render_now()

    def fold_all(self, *, is_open: bool) -> None:
        """All discs opened, or as nearness has it."""
        numbers = {group.number for group in self.map.groups} if self.map is not None and is_open else set()
        self._open_always, self._folded = numbers, set()
        self.render_now()

    @property
    def has_opened(self) -> bool:
        return bool(self._open_always)

    # -- painting
    def render_now(self) -> None:
        """Paints the picture anew and asks for names that it would have."""
        self._rest.stop()
        self._picture = None
        self.update()
        rows = self._named_rows()
        wanted = [node for row in rows if (node := self._node(row)) not in self._names]
        if wanted:
            self.names_wanted.emit(tuple(wanted))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_sheet(painter, QRectF(self.rect()))
        painter.setClipRect(self.rect().adjusted(3, 3, -3, -3))  # the corners of the sheet stay round
        if self._picture is None:
            self._picture = (self._painted(), self.sight)
        picture, before = self._picture
        if before == self.sight:
            painter.drawPixmap(0, 0, picture)
            self._paint_chosen(painter)
        else:
            ratio = self.sight.scale / before.scale
            painter.translate(self.sight.x - before.x * ratio, self.sight.y - before.y * ratio)
            painter.scale(ratio, ratio)
            painter.drawPixmap(0, 0, picture)
            painter.resetTransform()
        painter.setClipping(False)
        if self.hasFocus():
            draw_focus_ring(painter, QRectF(self.rect()), 10)

    def _painted(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(color("panel"))
        painter = QPainter(picture)
        self.render_to(painter)
        painter.end()
        return picture

    def render_to(self, painter: QPainter) -> None:
        """The picture without what is selected, as it is exported too."""
        made = self.map
        if made is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_between(painter, made)
        self._paint_grounds(painter, made)
        painted = self.sight.at(made.places)
        is_in_sight = (
            (painted[:, 0] > -20)
            & (painted[:, 0] < self.width() + 20)
            & (painted[:, 1] > -20)
            & (painted[:, 1] < self.height() + 20)
        )
        visible = self._shown & is_in_sight
        is_open = (
            np.array([self.is_open(group) for group in made.groups], dtype=np.bool_)[made.group_of]
            if made.count
            else visible
        )
        stands_out = self._stands_out(made)
        self._paint_links(painter, made, painted, visible & is_open & stands_out, is_open & stands_out)
        self._paint_members(painter, made, painted, visible, is_open & stands_out)
        self._paint_titles(painter, made)
        self._paint_names(painter, painted)

    def _paint_grounds(self, painter: QPainter, made: GraphMap) -> None:
        for group in made.groups:
            tint, radius = group_color(group.number), group.radius * self.sight.scale
            is_open = self.is_open(group)
            if self._counts[group.number]:
                painter.setPen(QPen(mixed(tint, color("panel"), 0.55 if is_open else 0.3), 1.2))
                painter.setBrush(mixed(tint, color("panel"), 0.94 if is_open else 0.84))
            else:  # nothing of it is there yet, or everything is switched off
                painter.setPen(QPen(mixed(tint, color("panel"), 0.85), 1.0, Qt.PenStyle.DotLine))
                painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.place_of(group), radius, radius)

    def _paint_between(self, painter: QPainter, made: GraphMap) -> None:
        """How much folded discs have to do with each other: one line, wider for more links."""
        table = self._between(made)
        most = max((count for _, _, count in table), default=1)
        for a, b, count in table:
            first, second = made.groups[a], made.groups[b]
            if self.is_open(first) and self.is_open(second):
                continue
            start, end = self.place_of(first), self.place_of(second)
            length = hypot(end.x() - start.x(), end.y() - start.y())
            if length < 1:
                continue
            way = (end - start) / length
            tint = mixed(group_color(a), group_color(b), 0.5)
            pen = QPen(mixed(tint, color("panel"), 0.55), 1.0 + 4.0 * (count / most) ** 0.5)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(
                start + way * first.radius * self.sight.scale, end - way * second.radius * self.sight.scale
            )

    def _between(self, made: GraphMap) -> list[tuple[int, int, int]]:
        """(disc, disc, links) of those that share some, at most three for each disc: more says less."""
        count, edges = len(made.groups), made.whole.edges
        if not len(edges) or count < 2:
            return []
        both = self._shown[edges[:, 0]] & self._shown[edges[:, 1]] & ~self._of_app
        a, b = np.sort(made.group_of[edges[both]].astype(np.int64), 1).T
        sums = np.bincount((a * count + b)[a != b], minlength=count * count)
        listed = sorted(
            ((int(sums[at]), at // count, at % count) for at in np.flatnonzero(sums).tolist()), reverse=True
        )
        used = [0] * count
        found = []
        for links, first, second in listed:
            if min(used[first], used[second]) < 3 and max(used[first], used[second]) < 7:
                used[first] += 1
                used[second] += 1
                found.append((first, second, links))
        return found

    def _paint_links(
        self,
        painter: QPainter,
        made: GraphMap,
        painted: NDArray[np.float64],
        visible: NDArray[np.bool_],
        is_open: NDArray[np.bool_],
    ) -> None:
        edges = made.whole.edges
        if not len(edges) or not is_open.any():
            return
        a, b = edges[:, 0], edges[:, 1]
        wanted = (visible[a] | visible[b]) & is_open[a] & is_open[b] & self._shown[a] & self._shown[b] & ~self._of_app
        if self._only_strong:
            wanted &= made.whole.weights >= STRONG
        if (
            wanted.sum() > _SMOOTH_MOST and self.sight.scale * SPACE >= OPEN_FROM_PX
        ):  # near, only what joins two in sight
            wanted &= visible[a] & visible[b]
        rows = np.flatnonzero(wanted)
        if len(rows) > LINKS_MOST:  # of each disc its share, or the large ones would take all
            rows = rows[np.linspace(0, len(rows) - 1, LINKS_MOST).astype(np.int64)]
        ends = np.hstack([painted[a[rows]], painted[b[rows]]])
        length = np.abs(ends[:, :2] - ends[:, 2:]).sum(1)
        is_long = length > 1.5
        rows, ends = rows[is_long], ends[is_long]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(ends) <= _SMOOTH_MOST)
        share = float(np.clip(0.5 - len(ends) / 4_000, 0.1, 0.42))
        is_across = made.group_of[a[rows]] != made.group_of[b[rows]]
        is_odd = made.whole.conflicts[rows]
        for some, tint in (
            (is_across & ~is_odd, mixed(color("edge"), color("panel"), 1 - share * 0.6)),
            (~is_across & ~is_odd, mixed(color("edge"), color("panel"), 1 - share)),
        ):
            painter.setPen(QPen(tint, 1.0))
            draw_lines(painter, ends[some])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color("danger"), 2.2))
        draw_lines(painter, ends[is_odd])

    def _paint_members(
        self,
        painter: QPainter,
        made: GraphMap,
        painted: NDArray[np.float64],
        visible: NDArray[np.bool_],
        is_open: NDArray[np.bool_],
    ) -> None:
        """Of open discs those that stand out; of the rest what is in it, as a texture."""
        space = self.sight.scale * SPACE
        if self._is_near:
            self._paint_shapes(painter, made, painted, visible & is_open)
            return
        closed = made.whole.is_closed
        for group in made.groups:
            rows = visible & (made.group_of == group.number)
            told = rows & is_open
            tint = group_color(group.number)
            _draw_dots(
                painter, painted[rows & ~told], max(1.0, min(space * 0.3, 3.0)), mixed(tint, color("panel"), 0.5)
            )
            if told.sum() <= _SHAPED_MOST and self._has_room(group):
                self._paint_shapes(painter, made, painted, told)
                continue
            size = max(2.0, min(space * 0.52, 13.0))
            for some, dot in ((told & closed, mixed(tint, color("panel"), 0.6)), (told & ~closed, tint)):
                _draw_dots(painter, painted[some], size, dot)

    def _paint_shapes(
        self, painter: QPainter, made: GraphMap, painted: NDArray[np.float64], visible: NDArray[np.bool_]
    ) -> None:
        radius = max(7.0, min(self.sight.scale * SPACE * 0.24, 15.0))
        for row in np.flatnonzero(visible).tolist():
            look = LOOKS[int(made.whole.looks[row])]
            tint = color(LOOK_TOKENS[look])  # as the legend has it; the group tints its disc
            is_closed = bool(made.whole.is_closed[row])
            painter.setPen(QPen(tint, 1.3, Qt.PenStyle.DashLine if is_closed else Qt.PenStyle.SolidLine))
            painter.setBrush(mixed(tint, color("panel"), 0.8 if is_closed else 0.15))
            at = QPointF(*painted[row].tolist())
            draw_shape(painter, look, at, radius)
            if row in self._pinned:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color("panel"))
                painter.drawEllipse(at, radius * 0.28, radius * 0.28)

    def _paint_titles(self, painter: QPainter, made: GraphMap) -> None:
        """The names of discs: the largest first, none on another. An open disc has its name at its upper edge."""
        taken: list[QRectF] = []
        for group in sorted(made.groups, key=lambda one: (one.number != self.group, -one.radius)):
            radius = group.radius * self.sight.scale
            if not self._counts[group.number] or radius < 18 or self.sight.scale * SPACE > 3 * SHAPES_FROM_PX:
                continue
            is_open = self.is_open(group)
            px = int(max(_TITLE_PX[0], min(_TITLE_PX[1], radius / 5)))
            high = metrics(px, QFont.Weight.DemiBold).height()
            placed = self._title_place(group, px, taken, is_beside=is_open and self._has_room(group))
            if placed is None:
                continue
            lines, rect = placed
            meta = metrics(META_FONT_PX)
            taken.append(rect)
            for index, line in enumerate(lines):
                draw_haloed(
                    painter,
                    line,
                    QPointF(rect.center().x(), rect.top() + high * (index + 0.8)),
                    px,
                    color("text"),
                    bold=True,
                )
            draw_haloed(
                painter,
                self.count_words(group),
                QPointF(rect.center().x(), rect.bottom() - meta.descent()),
                META_FONT_PX,
                color("sub"),
            )

    def _title_place(
        self, group: MapGroup, px: int, taken: Sequence[QRectF], *, is_beside: bool
    ) -> tuple[list[str], QRectF] | None:
        """The lines of a name and their room, shortened to the disc where the whole name would lie on another; None: no room."""
        bold, meta = metrics(px, QFont.Weight.DemiBold), metrics(META_FONT_PX)
        radius, middle = group.radius * self.sight.scale, self.place_of(group)
        for width in (max(_TITLE_WIDE_PX, radius * 1.8), max(_TITLE_LEAST_PX, radius * 1.7)):
            lines = _wrapped(group.title, px, width)
            wide = max(bold.horizontalAdvance(line) for line in lines)
            rect = QRectF(0, 0, wide + 8, bold.height() * len(lines) + meta.height())
            rect.moveCenter(middle)
            if is_beside:
                rect.moveBottom(middle.y() - radius - 2)
                rect.moveTop(max(4.0, rect.top()))
            is_cut = not QRectF(self.rect()).contains(rect) and group.number != self.group
            if not is_cut and not any(rect.intersects(other) for other in taken):
                return lines, rect
        return None

    def _named_rows(self) -> list[int]:
        """Rows that have a name at this distance: the most linked first, one for each cell of the window."""
        made = self.map
        space = self.sight.scale * SPACE
        if made is None or not made.count:
            return []
        is_open = np.array([self.is_open(group) and self._has_room(group) for group in made.groups], dtype=np.bool_)
        if not is_open.any():
            return []
        cell = _CELL if space >= 1.4 * OPEN_FROM_PX else _WIDE_CELL
        painted = self.sight.at(made.places)
        inside = (painted >= 0).all(1) & (painted[:, 0] < self.width()) & (painted[:, 1] < self.height()) & self._shown
        rows = np.flatnonzero(inside & is_open[made.group_of] & self._stands_out(made))
        taken: set[tuple[int, int]] = set()
        found = []
        for row in rows[np.argsort(-self._degrees[rows], kind="stable")].tolist():
            x, y = (int(painted[row, axis] // cell[axis]) for axis in (0, 1))
            if not {(x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)} & taken:
                taken.add((x, y))
                found.append(row)
                if len(found) == NAMES_MOST:
                    break
        return found

    def _paint_names(self, painter: QPainter, painted: NDArray[np.float64]) -> None:
        space = self.sight.scale * SPACE
        below = max(7.0, min(space * 0.24, 15.0)) if self._is_near else 6.5
        high = metrics(META_FONT_PX).ascent()
        for row in self._named_rows():
            node = self._names.get(self._node(row))
            if node is not None:
                name = name_of(node)
                text = name if len(name) <= 26 else name[:25].rstrip() + "…"
                draw_haloed(
                    painter, text, QPointF(painted[row, 0], painted[row, 1] + below + high), META_FONT_PX, color("text")
                )

    def _paint_chosen(self, painter: QPainter) -> None:
        made = self.map
        if made is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        row = self._row(self.selected) if self.selected is not None else None
        if row is not None:
            self._paint_neighbours(painter, made, row)
        group = self.group_of(self.group)
        if group is not None and row is None:
            painter.setPen(QPen(color("text"), 2.0))
            radius = group.radius * self.sight.scale + 3
            painter.drawEllipse(self.place_of(group), radius, radius)

    def _paint_neighbours(self, painter: QPainter, made: GraphMap, row: int) -> None:
        """The selected thing with its links, above everything."""
        edges = made.whole.edges
        own = edges[(edges == row).any(1)][:400]
        ends = self.sight.at(made.places)
        if self._dragged_to is not None and row == self._grabbed:
            ends[row] = self._dragged_to.x(), self._dragged_to.y()
        painter.setPen(QPen(color("accent"), 1.4))
        draw_lines(painter, np.hstack([ends[own[:, 0]], ends[own[:, 1]]]))
        at = QPointF(*ends[row].tolist())
        radius = max(6.0, min(self.sight.scale * SPACE * 0.4, 20.0))
        painter.setPen(QPen(color("text"), 2.0))
        painter.drawEllipse(at, radius, radius)

    # -- where things are
    def _node(self, row: int) -> NodeId:
        assert self.map is not None
        return self.map.whole.node(row)

    def _row(self, node: NodeId) -> int | None:
        made = self.map
        if made is None:
            return None
        if node not in self._rows:
            same = np.flatnonzero(made.whole.kinds == KINDS.index(node.kind))
            found = next((row for row in same.tolist() if made.whole.node(row) == node), -1)
            self._rows[node] = found
        row = self._rows[node]
        return row if row >= 0 else None

    def row_at(self, at: QPointF) -> int | None:
        """The member there, of open discs."""
        made = self.map
        if made is None or not made.count:
            return None
        painted = self.sight.at(made.places)
        apart = np.hypot(painted[:, 0] - at.x(), painted[:, 1] - at.y())
        apart[~self._shown] = np.inf
        row = int(apart.argmin())
        reach = max(6.0, min(self.sight.scale * SPACE * 0.4, 16.0))
        return row if apart[row] <= reach and self.is_open(made.groups[int(made.group_of[row])]) else None

    def group_at(self, at: QPointF) -> MapGroup | None:
        if self.map is None:
            return None
        for group in self.map.groups:
            place = self.place_of(group)
            if hypot(place.x() - at.x(), place.y() - at.y()) <= group.radius * self.sight.scale:
                return group
        return None

    def choose(self, chosen: NodeId | int | None) -> None:
        """A node, a disc by its number, or nothing; brought into sight where it stands outside."""
        self.selected = chosen if isinstance(chosen, NodeId) else None
        self.group = chosen if isinstance(chosen, int) else None
        group = self.group_of(self.group)
        if group is not None and not self.rect().contains(self.place_of(group).toPoint()):
            place = self.place_of(group)
            self.pan(self.width() / 2 - place.x(), self.height() / 2 - place.y())
        self._say()
        self.chosen.emit(chosen)
        self.update()

    # -- mouse
    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(1.0015 ** event.angleDelta().y(), event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position()
        self._is_dragging = False
        is_left = event.button() is Qt.MouseButton.LeftButton
        self._grabbed = self.row_at(event.position()) if is_left else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._hover(event.position())
            return
        moved = event.position() - self._pressed
        if self._is_dragging or hypot(moved.x(), moved.y()) >= _DRAG_FROM_PX:
            self._is_dragging = True
            if self._grabbed is not None:
                self.selected, self._dragged_to = self._node(self._grabbed), event.position()
                self.card.leave()
                self.update()
                return
            self._pressed = event.position()
            self.pan(moved.x(), moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragging, self._pressed, self._is_dragging = self._is_dragging, None, False
        grabbed, self._grabbed, self._dragged_to = self._grabbed, None, None
        if was_dragging and grabbed is not None:
            self._place(grabbed, event.position())
            return
        if was_dragging or event.button() is not Qt.MouseButton.LeftButton:
            return
        row = self.row_at(event.position())
        group = self.group_at(event.position())
        self.choose(self._node(row) if row is not None else group.number if group is not None else None)

    def _place(self, row: int, at: QPointF) -> None:
        """What was dragged stands there at once; whoever hears `placed` keeps it."""
        assert self.map is not None
        x, y = (at.x() - self.sight.x) / self.sight.scale, (at.y() - self.sight.y) / self.sight.scale
        self.map.places[row] = x, y
        self.render_now()
        self.choose(self._node(row))
        self.placed.emit(self._node(row), (x, y))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        group = self.group_at(event.position())
        if row is not None:
            self.opened.emit(self._node(row))
        elif group is not None:
            self.enter(group)

    def enter(self, group: MapGroup) -> None:
        """Goes so near that the disc opens."""
        self._folded.discard(group.number)
        self._open_always.add(group.number)
        self.choose(group.number)
        self.fit(group)

    def leaveEvent(self, _event: object) -> None:
        self._hovered = None
        self.card.leave()

    def _hover(self, at: QPointF) -> None:
        row = self.row_at(at)
        group = self.group_at(at) if row is None else None
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if row is not None or group is not None else Qt.CursorShape.ArrowCursor
        )
        if row is not None:
            node = self._names.get(self._node(row))
            if node is not None:
                self.card.show_node(node, at.toPoint())
            elif row != self._hovered:
                self.card.leave()
                self.names_wanted.emit((self._node(row),))
        elif group is not None and not self.is_open(group):
            self.card.show_words(group.title, f"{group.count:,} things. Double click opens it.", at.toPoint())
        else:
            self.card.leave()
        self._hovered = row

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
        """To the disc that lies that way."""
        if self.map is None or not self.map.groups:
            return
        here = self.group_of(self.group)
        if here is None:
            self.choose(self.map.groups[0].number)
            return
        ahead = []
        for group in self.map.groups:
            way = (group.x - here.x, group.y - here.y)
            turn = abs((atan2(way[1], way[0]) - direction + pi) % (2 * pi) - pi)
            if group.number != here.number and turn <= _CONE:
                ahead.append((hypot(*way) * (1 + turn), group.number))
        if ahead:
            self.choose(min(ahead)[1])

    def focusInEvent(self, event: object) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self.update()

    def focusOutEvent(self, event: object) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]  # Qt's own event
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture = None
        if self._is_fitted:
            self.fit()


def _draw_dots(painter: QPainter, places: NDArray[np.float64], size: float, tint: QColor) -> None:
    """Round where roundness shows: small ones are squares without smoothing, a fifth of the time."""
    is_small = size <= 3.0 and len(places) > _ROUND_MOST
    size = size if is_small else max(size, 3.6)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not is_small)
    cap = Qt.PenCapStyle.SquareCap if is_small else Qt.PenCapStyle.RoundCap
    painter.setPen(QPen(tint, round(size) if is_small else size, Qt.PenStyle.SolidLine, cap))
    draw_points(painter, places)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _wrapped(title: str, px: int, width: float) -> list[str]:
    """At most two lines: the parts of a title below each other where it is too wide; where one is a sentence, only the first."""
    measured = metrics(px, QFont.Weight.DemiBold)
    parts = [title] if measured.horizontalAdvance(title) <= width else title.split(" · ")[:2]
    if all(measured.horizontalAdvance(part) <= width for part in parts):
        return parts
    words = parts[0].split()
    upper = [word for n, word in enumerate(words) if measured.horizontalAdvance(" ".join(words[: n + 1])) <= width]
    upper = upper or words[:1]
    lines = [" ".join(upper), " ".join(words[len(upper) :])]
    return [measured.elidedText(line, Qt.TextElideMode.ElideRight, round(width)) for line in lines if line]
