"""Draws one memory as a card: type by colour and icon, title, what it says, where from; found words are on a ground.

All cards have one height, so that a million of them need no measuring. Knows rows of MemoryModel and theme tokens; no
engine. Source: UX 4.4, STACK-UI section 3.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPaintDevice, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.values import MemoryCard, MemoryStatus
from ui.icons import icon_px, pixmap, unpainted
from ui.screens.memories.listing.look import Widths
from ui.screens.memories.listing.model import ROW_ROLE, GroupRow, ListedMemory, MemoryModel
from ui.screens.memories.listing.table import paint_line
from ui.screens.memories.listing.text import Span, continued, flat, snippet, spans_of_words
from ui.theme import META_FONT_PX, color, font, font_px, metrics, tokens
from ui.widgets.paint import (
    QUIET_CHIP,
    WARN_CHIP,
    ChipLook,
    chip_height,
    chip_width,
    draw_chip,
    draw_dot,
    draw_elided,
    draw_focus_ring,
    elided,
    mixed,
)
from ui.wording.memories import TIER_COLORS, TIER_WORDS, given_line, icon_of, states_of, token_of, where_line
from ui.wording.values import counted, percent

GAP_PX = 2
PADDING_PX = 8.0
LEFT_PX = 40.0  # where texts begin
BOX_PX = 16.0
KEPT_BYTES, LEAST_KEPT = 12_000_000, 16  # of painted cards: two screens of them, and no fewer than one holds
KEPT_GROUNDS = 8
AGE_STEP_S = 30
LOW_PX = 44  # lower rows are lines of the table
LINE_GAP_PX = 0
GIVEN_ROOM_EM = 26  # of a narrower card the tier is told only
FIGURES_ROOM_EM = 36.0
_SELECTED = QStyle.StateFlag.State_Selected

Index = QModelIndex | QPersistentModelIndex


def group_height_px() -> int:
    """Height of the heading of a group."""
    return round(metrics(weight=QFont.Weight.DemiBold).height()) + 16


def card_height_px() -> int:
    """Height of every row at the present text size, with the gap below it."""
    base, meta = metrics().height(), metrics(META_FONT_PX).height()
    return round(base + meta + max(meta, chip_height()) + 2 * PADDING_PX + 5) + GAP_PX


def box_rect(rect: QRectF) -> QRectF:
    """Where the mark of a card is, bigger than it is drawn: 24 px at least to press. In the middle, however many lines it has."""
    return QRectF(rect.left() + 8, rect.center().y() - 14, 28, 28)


class MemoryDelegate(QStyledItemDelegate):
    """`is_marking`: some rows are marked, so every card shows its box."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1
        self.is_marking = False
        self.columns: tuple[str, ...] | None = None  # of the dense table; None: cards
        self.widths_em: Widths = ()  # of those columns that are not as wide as shipped
        self._kept: OrderedDict[object, QPixmap] = OrderedDict()
        self._kept_bytes = 0
        self._grounds: dict[object, QPixmap] = {}

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), card_height_px())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, row = index.model(), index.data(ROW_ROLE)
        rect = QRectF(option.rect).adjusted(0, 0, 0, -self._gap_px)
        if isinstance(row, GroupRow):
            _paint_group(painter, QRectF(option.rect), row, is_current=bool(option.state & _SELECTED))
            return
        if not isinstance(row, ListedMemory) or not isinstance(model, MemoryModel):
            _paint_coming(painter, rect)
            return
        look = CardLook(
            is_selected=bool(option.state & _SELECTED),
            is_focused=bool(option.state & QStyle.StateFlag.State_HasFocus),
            is_hovered=index.row() == self.hovered_row,
            has_box=self.is_marking or index.row() == self.hovered_row,
        )
        painter.drawPixmap(rect.topLeft(), self.card(row, look, option.rect.size(), model.now, painter.device()))

    @property
    def _gap_px(self) -> int:
        return GAP_PX if self.columns is None else LINE_GAP_PX

    def card(
        self, row: ListedMemory, look: "CardLook", size: QSize, now: datetime | None, device: QPaintDevice
    ) -> QPixmap:
        """The painted card; the last ones are kept, so that scrolling copies what was drawn before."""
        ratio = device.devicePixelRatioF()
        minute = int(now.timestamp() // AGE_STEP_S) if now is not None else 0
        key = (
            _drawn_of(row),
            look,
            self.columns,
            self.widths_em,
            size.width(),
            size.height(),
            minute,
            tokens().name,
            font().pixelSize(),
            ratio,
        )
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        rect = QRectF(0, 0, size.width(), size.height() - self._gap_px)
        made = QPixmap(self._ground(rect.toRect().size(), look, ratio, is_marked=row.is_marked))
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_sign(painter, rect, row, has_box=look.has_box)
        if self.columns is None:
            _paint_lines(painter, rect, row, now)
        else:
            matched = row.hit.matched if row.hit is not None else ()
            faded = is_faded(row.card)
            widths = self.widths_em
            paint_line(painter, rect, row.card, matched, now, columns=self.columns, widths_em=widths, is_faded=faded)
        if look.is_focused:
            draw_focus_ring(painter, rect)
        painter.end()
        made = unpainted(made)
        self._kept[key] = made
        self._kept_bytes += _bytes_of(made)
        while self._kept_bytes > KEPT_BYTES and len(self._kept) > LEAST_KEPT:
            self._kept_bytes -= _bytes_of(self._kept.popitem(last=False)[1])
        return made

    def _ground(self, size: QSize, look: "CardLook", ratio: float, *, is_marked: bool) -> QPixmap:
        """Frame and colour of a card: most share one, and it is a sixth of the work."""
        is_line = self.columns is not None
        key = (size.width(), size.height(), look, is_marked, is_line, tokens().name, ratio)
        kept = self._grounds.get(key)
        if kept is not None:
            return kept
        made = QPixmap(round(size.width() * ratio), round(size.height() * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(color("panel"))
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_ground(painter, QRectF(0, 0, size.width(), size.height()), look, is_marked=is_marked, is_line=is_line)
        painter.end()
        made = unpainted(made)
        if len(self._grounds) >= KEPT_GROUNDS:  # another width with each pixel of a dragged border
            self._grounds.clear()
        self._grounds[key] = made
        return made


def _bytes_of(picture: QPixmap) -> int:
    return picture.width() * picture.height() * 4


@dataclass(frozen=True, slots=True)
class CardLook:
    """What changes how a card is drawn without another reading."""

    is_selected: bool = False
    is_focused: bool = False
    is_hovered: bool = False
    has_box: bool = False


def _drawn_of(row: ListedMemory) -> object:
    """What of a row is seen: the next letter changes the scores of all hits, and what most cards show of them stays."""
    hit = row.hit
    found = (hit.text, hit.spans, hit.matched, hit.reason) if hit is not None else None
    return row.card, row.is_marked, found


def _paint_sign(painter: QPainter, rect: QRectF, row: ListedMemory, *, has_box: bool) -> None:
    """The icon of its type, or the box to mark it."""
    card = row.card
    token = "edge" if is_faded(card) else token_of(card.kind, card.type)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(token))
    inset = 8 if rect.height() >= LOW_PX else 5
    painter.drawRoundedRect(QRectF(rect.left() + 4, rect.top() + inset, 3, rect.height() - 2 * inset), 1.5, 1.5)
    middle = box_rect(rect).center()
    if not has_box:
        name = "shield" if card.status is MemoryStatus.QUARANTINED else icon_of(card.kind, card.type)
        size = min(icon_px(), round(box_rect(rect).width()))
        image = pixmap(name, getattr(tokens(), token), size, painter.device().devicePixelRatioF())
        painter.drawPixmap(QPointF(middle.x() - size / 2, middle.y() - size / 2), image)
        return
    box = QRectF(middle.x() - BOX_PX / 2, middle.y() - BOX_PX / 2, BOX_PX, BOX_PX)
    painter.setPen(QPen(color("accent" if row.is_marked else "edge"), 1.2))
    painter.setBrush(color("accent" if row.is_marked else "panel"))
    painter.drawRoundedRect(box, 4, 4)
    if row.is_marked:
        painter.drawPixmap(box.topLeft() + QPointF(1, 1), pixmap("check", tokens().on_accent, 14, 2.0))


def is_faded(card: MemoryCard) -> bool:
    """Whether it is drawn as something of the past: closed or put away."""
    return not card.is_live and card.status in (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)


def _paint_coming(painter: QPainter, rect: QRectF) -> None:
    """A card that is not here yet: its shape only."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color("raised"))
    if rect.height() < LOW_PX:
        painter.drawRoundedRect(QRectF(rect.left() + LEFT_PX, rect.center().y() - 4, rect.width() * 0.4, 8), 4, 4)
    else:
        painter.drawRoundedRect(QRectF(rect.left() + LEFT_PX, rect.top() + 12, rect.width() * 0.4, 9), 4, 4)
        painter.drawRoundedRect(QRectF(rect.left() + LEFT_PX, rect.top() + 32, rect.width() * 0.6, 7), 3, 3)
    painter.restore()


def _paint_group(painter: QPainter, rect: QRectF, group: GroupRow, *, is_current: bool) -> None:
    """The heading of a group: folded or not, its name, how many."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if is_current:
        painter.setPen(QPen(color("accent"), 1.0))
        painter.setBrush(color("accent_soft"))
        painter.drawRoundedRect(rect.adjusted(0.5, 2.5, -0.5, -2.5), 8, 8)
    image = pixmap("chevron-right" if group.is_folded else "chevron-down", tokens().sub, 14, 2.0)
    painter.drawPixmap(QPointF(rect.left() + 8, rect.center().y() - 7), image)
    painter.setFont(font(weight=QFont.Weight.DemiBold))
    painter.setPen(color("text"))
    count_px = metrics(META_FONT_PX).horizontalAdvance(f"{group.count:,}") + 12
    room = QRectF(rect.left() + 28, rect.top(), rect.width() - 40 - count_px, rect.height())
    taken = draw_elided(painter, room, group.title)
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    draw_elided(painter, QRectF(room.left() + taken + 8, rect.top(), count_px, rect.height()), f"{group.count:,}")
    painter.restore()


def _paint_ground(painter: QPainter, rect: QRectF, look: CardLook, *, is_marked: bool, is_line: bool) -> None:
    ground = color("raised") if look.is_hovered else color("panel")
    if is_marked:
        ground = mixed(color("panel"), color("accent_soft"), 0.6)
    if look.is_selected:
        ground = color("accent_soft")
    painter.fillRect(QRectF(rect.left() + 4, rect.bottom() - 1, rect.width() - 8, 1), color("line"))
    painter.setBrush(ground)
    painter.setPen(Qt.PenStyle.NoPen)
    radius = 5 if is_line else 8
    painter.drawRoundedRect(rect.adjusted(0, 0, 0, -2), radius, radius)


def _paint_lines(painter: QPainter, rect: QRectF, row: ListedMemory, now: datetime | None) -> None:
    card, hit = row.card, row.hit
    base, meta = metrics().height(), metrics(META_FONT_PX).height()
    inner = rect.adjusted(LEFT_PX, PADDING_PX, -PADDING_PX - 4, -PADDING_PX)
    matched = hit.matched if hit is not None else ()
    title = flat(card.title)
    where = where_line(card, now) if now is not None else ""
    room_px = (
        inner.width() - metrics(META_FONT_PX).horizontalAdvance(_figures(card)) - 10 - (20 if card.is_pinned else 0)
    )
    fitting = elided(metrics(weight=QFont.Weight.Medium), title, room_px)
    is_low = not lines_below(row, fitting, title, where)[2] and not (chips_of(card) and card.tier)
    if is_low:  # two lines are in the middle, the chips beside the second
        inner.translate(0, (inner.height() - base - meta - 2) / 2)
    first = QRectF(inner.left(), inner.top(), inner.width(), base)
    second = QRectF(inner.left(), first.bottom() + 2, inner.width(), meta)
    third = QRectF(inner.left(), second.bottom() + 3, inner.width(), inner.bottom() - second.bottom() - 3)
    right = _paint_figures(painter, first, card)
    painter.setFont(font(weight=QFont.Weight.Medium))
    room = QRectF(first.left(), first.top(), right - first.left() - 10, first.height())
    shown = draw_marked(painter, room, title, spans_of_words(title, matched), "sub" if is_faded(card) else "text")
    painter.setFont(font(META_FONT_PX))
    said, spans, line = lines_below(row, shown, title, where)
    second.setRight(
        (_paint_chips(painter, second, card) if is_low and chips_of(card) else _paint_given(painter, second, card, now))
        - 10
    )
    painter.setFont(font(META_FONT_PX))
    draw_marked(painter, second, said, spans, "text" if spans else "sub")
    if is_low:
        return
    right = _paint_chips(painter, third, card)
    painter.setPen(color("sub"))
    painter.setFont(font(META_FONT_PX))
    draw_elided(painter, QRectF(third.left(), third.top(), right - third.left() - 6, third.height()), line)


def lines_below(row: ListedMemory, shown: str, title: str, where: str) -> tuple[str, Sequence[Span], str]:
    """The second line with its found words, and the third: never what the title, as it is drawn, says already."""
    card, hit = row.card, row.hit
    said, spans = snippet(hit.text, hit.spans) if hit is not None else (flat(card.text or card.summary), ())
    line = hit.reason if hit is not None else where
    if shown == title and says_the_same(title, said):
        return (line, (), where if hit is not None else "")
    said, spans = continued(shown, said, spans)
    return (said, spans, line) if said else (line, (), where if hit is not None else "")


def says_the_same(title: str, text: str) -> bool:
    """Whether the second line would only repeat the first.

    >>> says_the_same("Logs go to syslog", "Logs go to syslog."), says_the_same("Logs", "Logs go to syslog.")
    (True, False)
    """
    return title.rstrip(" .").casefold() == text.rstrip(" .").casefold()


def _figures(card: MemoryCard) -> str:
    return f"{percent(card.confidence)} sure · {counted(card.token_count, 'token')}"


def _paint_figures(painter: QPainter, rect: QRectF, card: MemoryCard) -> float:
    """How sure, how long where there is room, and the pin, at the right; returns where they begin."""
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    said = _figures(card) if rect.width() >= FIGURES_ROOM_EM * font_px() else f"{percent(card.confidence)} sure"
    right = rect.right() - draw_elided(painter, rect, said, is_right=True)
    if card.is_pinned:
        right -= 20
        image = pixmap("pin", tokens().accent, 15, painter.device().devicePixelRatioF())
        painter.drawPixmap(QPointF(right, rect.center().y() - 7.5), image)
    return right


def _paint_given(painter: QPainter, rect: QRectF, card: MemoryCard, now: datetime | None) -> float:
    """The tier it is told in and when it was last, at the right; returns where they begin."""
    tier = TIER_WORDS[card.tier] if card.tier is not None else ""
    line = given_line(card, now)
    if rect.width() < GIVEN_ROOM_EM * font_px():
        line = "" if tier else line
    said = " · ".join(filter(None, (tier, line)))
    if not said:
        return rect.right() + 10
    painter.setPen(color("sub"))
    left = rect.right() - draw_elided(painter, rect, said, is_right=True)
    if card.tier is None:
        return left
    draw_dot(painter, QPointF(left - 9, rect.center().y() + 0.5), TIER_COLORS[card.tier], 3.0)
    return left - 14


def chips_of(card: MemoryCard) -> list[tuple[str, ChipLook]]:
    """What is out of the ordinary, then tags."""
    chips: list[tuple[str, ChipLook]] = [(text, WARN_CHIP) for text in states_of(card)]
    return chips + [(f"#{tag[:24]}", QUIET_CHIP) for tag in card.tags[:3]]


def _paint_chips(painter: QPainter, rect: QRectF, card: MemoryCard) -> float:
    """What is out of the ordinary, then tags, at the right; returns where they begin."""
    right = rect.right()
    for text, look in chips_of(card):
        width = chip_width(text)
        if right - width < rect.left() + rect.width() * 0.45:
            break
        right -= width
        draw_chip(painter, QRectF(right, rect.center().y() - chip_height() / 2, width, chip_height()), text, look)
        right -= 4
    return right


def draw_marked(painter: QPainter, rect: QRectF, text: str, spans: Sequence[Span], token: str) -> str:
    """One elided line, which comes back; the spans are on the ground of found words."""
    measured = QFontMetricsF(painter.font())
    line = elided(measured, text, rect.width())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color("mark"))
    for start, end in spans:
        if start >= len(line):
            break
        left = measured.horizontalAdvance(line[:start])
        width = measured.horizontalAdvance(line[: min(end, len(line))]) - left
        painter.drawRoundedRect(QRectF(rect.left() + left - 1, rect.top(), width + 2, rect.height()), 3, 3)
    painter.setPen(color(token))
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
    return line
