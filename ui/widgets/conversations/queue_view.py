"""The queue on the screen: one column of cards, 20 slots and what went before.

Owns row heights, hover, the short tint of new arrivals, drag and drop, and that nothing jumps: the first visible
row and the current row are kept by id when the model changes. Knows QueueModel; no engine.

Draws one row of the queue: a card for a slot, a dashed line for a free one, a quiet line for what went.

Source: UX 3.6, 4.2; UX 4.2, STACK-UI section 3.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from app.values import Conversation, ConversationState, Outcome
from ui.theme import META_FONT_PX, color, font, font_px, motion_ms
from ui.widgets.card_list import CardPointer, asks_for_menu, prepare_table
from ui.widgets.conversations.queue_model import ROW_ROLE, QueueModel, QueueRow, RowKind, dragged_thing, farewell_text
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
from ui.widgets.popups.drag_label import start_drag
from ui.wording.values import OUTCOME_WORDS, STATE_WORDS, age, app_title, counted, day

GAP_PX = 5
PADDING_PX = 8.0
NUMBER_EM = 2.3
EXPORT_EM = 5.0  # room for "· export"
WIDE_EM = 36.0  # from here on a card has room for intents and topics beside each other

Index = QModelIndex | QPersistentModelIndex


def is_wide(width_px: float) -> bool:
    """True when a card of this width has room for topics, files and outcome; in a narrower one the inspector says them."""
    return width_px >= WIDE_EM * font_px()


def row_height_px(kind: RowKind) -> int:
    """Height of a row at the current text size, with the gap below it."""
    base, meta = QFontMetricsF(font()).height(), QFontMetricsF(font(META_FONT_PX)).height()
    match kind:
        case RowKind.SLOT:
            return round(base + max(meta, chip_height()) + 2 * PADDING_PX + 2) + GAP_PX
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


def place_text(conversation: Conversation) -> str:
    """Who and where, for a line with little room: "Claude Code · hearth"."""
    return " · ".join(filter(None, (app_title(conversation.app), conversation.project)))


def topic_text(conversation: Conversation) -> str:
    """What it is about; a topic that only repeats the title is left out."""
    return ", ".join(topic for topic in conversation.topics[:5] if topic != conversation.title)


_OPEN_OUTCOMES = (Outcome.PLANNED, Outcome.ABANDONED)


def chips_of(conversation: Conversation) -> list[tuple[str, ChipLook]]:
    """Files and outcome, from left to right. What a conversation asks for is said in its inspector."""
    chips: list[tuple[str, ChipLook]] = []
    if conversation.files:
        chips.append((counted(len(conversation.files), "file"), GUESS_CHIP))
    if conversation.outcome is not None:
        is_open = conversation.outcome in _OPEN_OUTCOMES
        chips.append((OUTCOME_WORDS[conversation.outcome], QUIET_CHIP if is_open else GOOD_CHIP))
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
        return QSize(option.rect.width(), row_height_px(kind))

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
        below.setRight(_paint_when(painter, below, conversation, now))
        _paint_meta_line(painter, below, " · ".join(filter(None, (row.text, place_text(conversation)))))

    def _paint_next_out(
        self, painter: QPainter, places: tuple[QRectF, QRectF], conversation: Conversation, now: datetime
    ) -> None:
        """The card that goes next: below its title what stays, what goes with it, and the way to keep it all the same."""
        title, below = places
        _paint_title(painter, title, _paint_when(painter, title, conversation, now) - 4, conversation)
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
        if is_slot:  # a hairline below instead of a frame
            painter.fillRect(QRectF(rect.left() + 4, rect.bottom() + 1, rect.width() - 8, 1), color("line"))
        painter.setBrush(ground)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect.adjusted(0, 0, 0, -1), 8, 8)
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


TINT_MS = 600
_FRAME_MS = 40


class QueueView(QTableView):
    """A list of conversations. Signals name conversations, never rows."""

    conversation_chosen = Signal(int)  # current changed by hand or by key
    conversation_opened = Signal(int)  # Enter or double click
    export_wanted = Signal(int)  # a click on "export" of the card that goes next
    menu_wanted = Signal(int, object)  # conversation id, QPoint (global)
    news_above_changed = Signal(int)  # arrivals above the visible part

    def __init__(self, model: QueueModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = model
        self._delegate = QueueDelegate(self)
        self._tinted_at: dict[int, float] = {}
        self._anchor: tuple[QPersistentModelIndex, int] | None = None
        self._news_above: set[int] = set()
        self._tint_timer = QTimer(self)
        self._tint_timer.setInterval(_FRAME_MS)
        self._tint_timer.timeout.connect(self._on_tint_frame)
        self._build()
        self.setModel(model)
        for about in (model.rowsAboutToBeInserted, model.rowsAboutToBeRemoved, model.modelAboutToBeReset):
            about.connect(self._remember_anchor)
        model.refreshed.connect(self._on_refreshed)
        model.arrived.connect(self._on_arrived)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _build(self) -> None:
        self.setItemDelegate(self._delegate)
        prepare_table(self)
        CardPointer(self, self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)

    # -- what is current -------------------------------------------------------------------------
    def current_id(self) -> int | None:
        """The conversation that has the cursor."""
        row = self._queue.row_at(self.currentIndex().row())
        return row.conversation.id if row is not None and row.conversation is not None else None

    def current_conversation(self) -> Conversation | None:
        row = self._queue.row_at(self.currentIndex().row())
        return row.conversation if row is not None else None

    def choose(self, conversation_id: int) -> bool:
        """Moves the cursor there without saying so; False when it is not in the list."""
        row = self._queue.row_of(conversation_id)
        if row is None:
            return False
        blocked = self.blockSignals(True)
        self.setCurrentIndex(self._queue.index(row))
        self.blockSignals(blocked)
        self.viewport().update()
        return True

    def step(self, rows: int) -> None:
        """Moves the cursor by that many conversations, over headings and free slots."""
        row = self.currentIndex().row()
        while True:
            row += 1 if rows > 0 else -1
            candidate = self._queue.row_at(row)
            if candidate is None:
                return
            if candidate.conversation is not None:
                self.setCurrentIndex(self._queue.index(row))
                return

    # -- heights, anchor, tint ---------------------------------------------------------------------
    def relayout(self) -> None:
        """Row heights from the current text size."""
        header = self.verticalHeader()
        earlier_px = row_height_px(RowKind.EARLIER)
        header.setDefaultSectionSize(earlier_px)
        for n in range(self._queue.rowCount()):
            row = self._queue.row_at(n)
            if row is None or (row.kind is RowKind.EARLIER and self.rowHeight(n) == earlier_px):
                continue
            header.resizeSection(n, row_height_px(row.kind))

    def _remember_anchor(self) -> None:
        if self._anchor is not None:
            return
        top = self.indexAt(self.viewport().rect().topLeft())
        if top.isValid() and self.verticalScrollBar().value() > 0:
            self._anchor = (QPersistentModelIndex(top), self.visualRect(top).top())

    def _on_refreshed(self) -> None:
        self.relayout()
        anchor, self._anchor = self._anchor, None
        if anchor is not None and anchor[0].isValid():
            moved = self.visualRect(self._queue.index(anchor[0].row())).top() - anchor[1]
            if moved:
                bar = self.verticalScrollBar()
                self.updateGeometries()
                bar.setValue(bar.value() + moved)

    def _on_arrived(self, conversation_ids: frozenset[int]) -> None:
        if self.verticalScrollBar().value() > 0:
            self._news_above |= {i for i in conversation_ids if self._is_above(i)}
            self.news_above_changed.emit(len(self._news_above))
        if motion_ms(TINT_MS) == 0 or not self.isVisible():
            return
        now = time.monotonic()
        self._tinted_at.update(dict.fromkeys(conversation_ids, now))
        self._tint_timer.start()
        self._on_tint_frame()

    def _is_above(self, conversation_id: int) -> bool:
        row = self._queue.row_of(conversation_id)
        return row is not None and self.visualRect(self._queue.index(row)).bottom() < 0

    def _on_tint_frame(self) -> None:
        now = time.monotonic()
        left = {i: 1.0 - (now - at) * 1000 / TINT_MS for i, at in self._tinted_at.items()}
        self._delegate.tints = {i: ratio for i, ratio in left.items() if ratio > 0.0}
        if not self._delegate.tints:
            self._tinted_at.clear()
            self._tint_timer.stop()
        self.viewport().update()

    def _on_scrolled(self, value: int) -> None:
        if self._news_above and (value == 0 or not any(self._is_above(i) for i in self._news_above)):
            self._news_above.clear()
            self.news_above_changed.emit(0)

    # -- Qt events ---------------------------------------------------------------------------------
    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self._queue.row_at(current.row())
        if row is not None and row.conversation is not None and not self._queue.is_applying:
            self.conversation_chosen.emit(row.conversation.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current_id() is not None:
            self.conversation_opened.emit(self.current_id())
        elif modifiers == Qt.KeyboardModifier.NoModifier and key in (Qt.Key.Key_J, Qt.Key.Key_Down):
            self.step(1)
        elif modifiers == Qt.KeyboardModifier.NoModifier and key in (Qt.Key.Key_K, Qt.Key.Key_Up):
            self.step(-1)
        elif key == Qt.Key.Key_Home:
            self.scrollToTop()
            self.setCurrentIndex(self._queue.index(0))
        elif asks_for_menu(event) and self.current_id() is not None:
            where = self.visualRect(self.currentIndex()).center()
            self.menu_wanted.emit(self.current_id(), self.viewport().mapToGlobal(where))
        elif event.text() and event.text().isprintable():
            event.ignore()  # single letters belong to the screen's actions, not to type-ahead search
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        row = self._queue.row_at(self.indexAt(event.position().toPoint()).row())
        conversation = row.conversation if row is not None else None
        place = self._delegate.export_places.get(conversation.id) if conversation is not None else None
        super().mouseReleaseEvent(event)
        if conversation is not None and place is not None and place.contains(event.position()):
            self.export_wanted.emit(conversation.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.current_id() is not None:
            self.conversation_opened.emit(self.current_id())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = self._queue.row_at(self.indexAt(event.pos()).row())
        if row is not None and row.conversation is not None:
            self.choose(row.conversation.id)
            self.conversation_chosen.emit(row.conversation.id)
            self.menu_wanted.emit(row.conversation.id, event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_queue"):
            self.relayout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.relayout()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.relayout()

    # -- drag and drop -----------------------------------------------------------------------------
    def startDrag(self, _actions: Qt.DropAction) -> None:
        conversation = self.current_conversation()
        mime = self._queue.mimeData([self.currentIndex()])
        if conversation is not None and mime.formats():
            start_drag(self, mime, conversation.title)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_fit = self._queue.canDropMimeData(event.mimeData(), event.dropAction(), -1, -1, index)
        self._set_drop_row(index.row() if is_fit else -1)
        if is_fit:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._set_drop_row(-1)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_drop_row(-1)
        index = self.indexAt(event.position().toPoint())
        if dragged_thing(event.mimeData()) is not None:
            self._queue.dropMimeData(event.mimeData(), event.dropAction(), -1, -1, index)
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def _set_drop_row(self, row: int) -> None:
        if row != self._delegate.drop_row:
            self._delegate.drop_row = row
            self.viewport().update()
