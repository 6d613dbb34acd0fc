"""Draws one row of the queue: a card for a slot, a dashed line for a free one, a quiet line for what went.

Two lines a card: title and age, then assistant, counts, topics and, at the right, files, intents and outcome. A narrow
card gives the title a line of its own; topics and age stand below it.
Knows rows of QueueModel and theme tokens; no engine. Source: UX 4.2, STACK-UI section 3.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.values import Conversation, ConversationState, Intent
from ui.theme import META_FONT_PX, color, font, font_px
from ui.widgets.conversations.queue_model import ROW_ROLE, QueueModel, QueueRow, RowKind, farewell_text
from ui.widgets.paint import (
    ACCENT_CHIP,
    GOOD_CHIP,
    GUESS_CHIP,
    QUIET_CHIP,
    WARN_CHIP,
    ChipLook,
    chip_height,
    chip_width,
    draw_chip,
    draw_dot,
    draw_elided,
    draw_focus_ring,
    mixed,
)
from ui.wording.values import INTENT_WORDS, OUTCOME_WORDS, STATE_WORDS, age, app_title, counted, day

GAP_PX = 5
PADDING_PX = 8.0
NUMBER_EM = 2.3
EXPORT_EM = 5.0  # room for "· export"
WIDE_EM = 36.0  # from here on a card has room for intents and topics beside each other
NARROW_TEXT_RATIO = 0.55  # of a narrow line; "5 messages · Claude Code" is worth more than a second chip

Index = QModelIndex | QPersistentModelIndex


def is_wide(width_px: float) -> bool:
    """True when a card of this width says everything in two lines; a narrower one takes three."""
    return width_px >= WIDE_EM * font_px()


def row_height_px(kind: RowKind, width_px: float) -> int:
    """Height of a row at the current text size, with the gap below it."""
    base, meta = QFontMetricsF(font()).height(), QFontMetricsF(font(META_FONT_PX)).height()
    match kind:
        case RowKind.SLOT:
            third = 0.0 if is_wide(width_px) else meta + 3
            return round(base + max(meta, chip_height()) + third + 2 * PADDING_PX + 2) + GAP_PX
        case RowKind.FREE:
            return round(meta) + GAP_PX
        case RowKind.HEADING:
            return round(base + 18)
        case RowKind.EARLIER:
            return round(base + meta + 14)


def origin_text(conversation: Conversation) -> str:
    """How much and who: "4 messages · Claude Code · hearth"."""
    count = counted(conversation.message_count, "message")
    return " · ".join(filter(None, (count, app_title(conversation.app), conversation.project)))


def topic_text(conversation: Conversation) -> str:
    """What it is about; a topic that only repeats the title is left out."""
    return ", ".join(topic for topic in conversation.topics[:5] if topic != conversation.title)


def chips_of(conversation: Conversation) -> list[tuple[str, ChipLook]]:
    """Files, intents and outcome, from left to right."""
    chips: list[tuple[str, ChipLook]] = []
    if conversation.files:
        chips.append((counted(len(conversation.files), "file"), GUESS_CHIP))
    chips += [(INTENT_WORDS[Intent(intent)], QUIET_CHIP) for intent in conversation.intents[:3]]
    if conversation.outcome is not None:
        chips.append((OUTCOME_WORDS[conversation.outcome], GOOD_CHIP))
    return chips


class QueueDelegate(QStyledItemDelegate):
    """Paints rows. `tints` maps a conversation id to how strongly it is still tinted, 1..0."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tints: dict[int, float] = {}
        self.hovered_row = -1
        self.export_places: dict[int, QRectF] = {}  # by conversation: where "export" is drawn
        self.drop_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        kind = row.kind if isinstance(row, QueueRow) else RowKind.SLOT
        return QSize(option.rect.width(), row_height_px(kind, option.rect.width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, model = index.data(ROW_ROLE), index.model()
        if not isinstance(row, QueueRow) or not isinstance(model, QueueModel):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        match row.kind:
            case RowKind.FREE:
                self._paint_free(painter, rect, is_target=index.row() == self.drop_row)
            case RowKind.HEADING:
                self._paint_heading(painter, rect, row.text)
            case RowKind.EARLIER | RowKind.SLOT:
                self._paint_conversation(painter, option, index, row, model.now)
        painter.restore()

    # -- rows ----------------------------------------------------------------------------------
    def _paint_free(self, painter: QPainter, rect: QRectF, *, is_target: bool) -> None:
        line = rect.adjusted(1, 1, -1, -GAP_PX - 1)
        painter.setBrush(color("accent_soft") if is_target else Qt.BrushStyle.NoBrush)
        pen = QPen(color("accent" if is_target else "line"), 1.0, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(line, 6, 6)

    def _paint_heading(self, painter: QPainter, rect: QRectF, text: str) -> None:
        painter.setFont(font(META_FONT_PX, QFont.Weight.DemiBold))
        painter.setPen(color("sub"))
        draw_elided(painter, rect.adjusted(4, 10, -4, 0), text)

    def _paint_conversation(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, row: QueueRow, now: datetime | None
    ) -> None:
        conversation = row.conversation
        if conversation is None or now is None:
            return
        rect = QRectF(option.rect).adjusted(0, 0, 0, -GAP_PX if row.kind is RowKind.SLOT else -2)
        self._paint_ground(painter, option, index, row, rect)
        inner = rect.adjusted(PADDING_PX + 6, PADDING_PX, -PADDING_PX - 2, -PADDING_PX)
        if row.kind is RowKind.EARLIER:
            _paint_earlier(painter, inner.adjusted(0, -2, 0, 2), conversation, now)
            return
        number_width = NUMBER_EM * META_FONT_PX * font().pixelSize() / 13
        base_height = QFontMetricsF(font()).height()
        first = QRectF(inner.left(), inner.top(), inner.width(), base_height)
        below = QRectF(inner.left() + number_width, first.bottom() + 2, inner.width() - number_width, 0)
        below.setBottom(inner.bottom())
        _paint_number(painter, first, conversation)
        title = first.adjusted(number_width, 0, 0, 0)
        self.export_places.pop(conversation.id, None)
        if conversation.is_next_out and conversation.farewell is not None:
            self._paint_next_out(painter, (title, below), conversation, now)
            return
        if is_wide(rect.width()):
            _paint_title(painter, title, _paint_when(painter, title, conversation, now) - 4, conversation)
            said = " · ".join(filter(None, (origin_text(conversation), row.text, topic_text(conversation))))
            _paint_meta_line(painter, below, said, chips_of(conversation), 0.45)
            return
        _paint_title(painter, title, title.right(), conversation)
        meta = QFontMetricsF(font(META_FONT_PX)).height()
        about = " · ".join(filter(None, (row.text, topic_text(conversation))))
        lines = [*filter(None, (about, origin_text(conversation))), ""]
        second = QRectF(below.left(), below.top(), below.width(), meta)
        second.setRight(_paint_when(painter, second, conversation, now))
        _paint_meta_line(painter, second, lines[0])
        below.setTop(below.top() + meta + 3)
        _paint_meta_line(painter, below, lines[1], chips_of(conversation), NARROW_TEXT_RATIO if lines[1] else 0.0)

    def _paint_next_out(
        self, painter: QPainter, places: tuple[QRectF, QRectF], conversation: Conversation, now: datetime
    ) -> None:
        """The card that goes next: below its title what stays, what goes with it, and the way to keep it all the same."""
        title, below = places
        _paint_title(painter, title, _paint_when(painter, title, conversation, now) - 4, conversation)
        meta = QFontMetricsF(font(META_FONT_PX)).height()
        if not is_wide(below.width() + NUMBER_EM * font_px()):
            _paint_meta_line(painter, QRectF(below.left(), below.top(), below.width(), meta), origin_text(conversation))
            below = below.adjusted(0, meta + 3, 0, 0)
        said = farewell_text(conversation)
        _paint_meta_line(painter, below.adjusted(0, 0, -EXPORT_EM * font_px(), 0), said)
        painter.setFont(font(META_FONT_PX))
        width = QFontMetricsF(font(META_FONT_PX)).horizontalAdvance(said)
        left = min(below.left() + width + 6, below.right() - EXPORT_EM * font_px() + 6)
        place = QRectF(left, below.top(), EXPORT_EM * font_px(), below.height())
        self.export_places[conversation.id] = place
        painter.setPen(color("accent"))
        draw_elided(painter, place, "· export")

    def _paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, row: QueueRow, rect: QRectF
    ) -> None:
        assert row.conversation is not None
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_slot = row.kind is RowKind.SLOT
        ground = color("panel")
        if index.row() == self.hovered_row:
            ground = color("raised")
        if is_selected:
            ground = color("accent_soft")
        tint = self.tints.get(row.conversation.id, 0.0)
        if tint > 0.0:
            ground = mixed(ground, mixed(color("accent"), color("panel"), 0.6), tint)
        edge = "accent" if is_selected or index.row() == self.drop_row else "line"
        painter.setBrush(ground)
        painter.setPen(QPen(color(edge), 1.0) if is_slot or is_selected else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        if is_slot and row.conversation.state is ConversationState.ACTIVE:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent"))
            painter.drawRoundedRect(QRectF(rect.left() + 4, rect.top() + 8, 4, rect.height() - 16), 2, 2)
        is_focused = option.state & QStyle.StateFlag.State_HasFocus
        if is_focused or index.row() == self.drop_row:
            draw_focus_ring(painter, rect)


def _paint_number(painter: QPainter, rect: QRectF, conversation: Conversation) -> None:
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    number = "" if conversation.position is None else f"{conversation.position:02d}"
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, number)


def _paint_when(painter: QPainter, rect: QRectF, conversation: Conversation, now: datetime) -> float:
    """Paints age and state at the right; returns the x where they begin."""
    painter.setFont(font(META_FONT_PX))
    is_active = conversation.state is ConversationState.ACTIVE
    when = age(conversation.last_message_at, now)
    text = f"active · {when}" if is_active else when
    if conversation.state is ConversationState.PAUSED:
        text = f"{STATE_WORDS[conversation.state]} · {when}"
    painter.setPen(color("accent" if is_active else "sub"))
    right = rect.right() - draw_elided(painter, rect, text, is_right=True)
    if not is_active:
        return right - 6
    draw_dot(painter, QPointF(right - 8, rect.center().y()), "accent", 3.0)
    return right - 20


def _paint_title(painter: QPainter, rect: QRectF, right: float, conversation: Conversation) -> None:
    """The title up to `right`, before it what the conversation is marked with."""
    for label, shown, look in (
        ("next out", conversation.is_next_out, WARN_CHIP),
        ("needs you", conversation.has_clarification, ACCENT_CHIP),
    ):
        if shown and rect.width() > 220:
            width = chip_width(label)
            right -= width
            draw_chip(painter, QRectF(right, rect.center().y() - chip_height() / 2, width, chip_height()), label, look)
            right -= 6
    painter.setFont(font(weight=QFont.Weight.Medium))
    painter.setPen(color("text"))
    draw_elided(painter, QRectF(rect.left(), rect.top(), right - rect.left(), rect.height()), conversation.title)


def _paint_meta_line(
    painter: QPainter,
    rect: QRectF,
    text: str,
    chips: Sequence[tuple[str, ChipLook]] = (),
    kept_ratio: float = 1.0,
) -> None:
    """Quiet text at the left, chips at the right as far as `kept_ratio` of the line stays for the text."""
    right = rect.right()
    for label, look in reversed(chips):
        width = chip_width(label)
        if right - width - 4 < rect.left() + rect.width() * kept_ratio:
            break
        right -= width
        draw_chip(painter, QRectF(right, rect.center().y() - chip_height() / 2, width, chip_height()), label, look)
        right -= 4
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    draw_elided(painter, QRectF(rect.left(), rect.top(), right - rect.left() - 6, rect.height()), text)


def _paint_earlier(painter: QPainter, rect: QRectF, conversation: Conversation, now: datetime) -> None:
    base_height = QFontMetricsF(font()).height()
    first = QRectF(rect.left(), rect.top(), rect.width(), base_height)
    second = QRectF(rect.left(), first.bottom() + 1, rect.width(), rect.bottom() - first.bottom() - 1)
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    width = draw_elided(painter, first, day(conversation.last_message_at, now), is_right=True)
    about = ", ".join(conversation.topics[:3]) or app_title(conversation.app)
    draw_elided(painter, second, " · ".join(filter(None, (farewell_text(conversation), about))))
    painter.setFont(font())
    painter.setPen(color("sub"))
    draw_elided(painter, first.adjusted(0, 0, -width - 10, 0), conversation.title)
