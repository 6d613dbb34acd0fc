"""The transcript on the screen: a virtual list of message rows whose references, intents and markers can be pressed.

Owns the walk of the keyboard, hover, flash, and the count of what arrived below while one reads. Says what is
wanted by signals; knows no engine.

Paints the rows of a transcript where `Layouter` placed them: text, underlines, chips, markers, links.

Source: UX 3.6, 4.3; UX 4.3.
"""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from app.values import Clarification, MemoryCard, Message, Speaker
from ui.icons import pixmap
from ui.screens.conversations.message_text import SpanKind, references_in_order
from ui.screens.conversations.transcript_layout import (
    Layouter,
    RowLayout,
    Target,
    TargetKind,
    gutter_px,
    learned_tip,
    marker_lines,
)
from ui.screens.conversations.transcript_model import ROW_ROLE, RowKind, TranscriptModel, TranscriptRow
from ui.screens.conversations.virtual_table import VirtualTable
from ui.theme import META_FONT_PX, color, font, motion_ms, tokens
from ui.widgets.card_list import asks_for_menu
from ui.widgets.labels import plain_tooltip
from ui.widgets.paint import draw_chip, draw_elided, draw_focus_ring, mixed
from ui.widgets.popups.drag_label import start_drag
from ui.wording.values import clock_time

Index = QModelIndex | QPersistentModelIndex
_UNDERLINES = {
    SpanKind.RESOLVED: ("accent", Qt.PenStyle.SolidLine, 1.2),
    SpanKind.CORRECTED: ("good", Qt.PenStyle.SolidLine, 1.6),
    SpanKind.AMBIGUOUS: ("warn", Qt.PenStyle.DotLine, 2.0),
    SpanKind.UNRESOLVED: ("edge", Qt.PenStyle.DotLine, 1.0),
}


class TranscriptDelegate(QStyledItemDelegate):
    """`flashes`: message id to strength 1..0; `focused_reference`: where the keyboard stands; `hovered`: the pointer."""

    def __init__(self, layouter: Layouter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layouter = layouter
        self.flashes: dict[int, float] = {}
        self.current_message = 0
        self.focused_reference = 0
        self.hovered: Target | None = None
        self.has_focus = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        height = self._layouter.layout(row, option.rect.width()).height if isinstance(row, TranscriptRow) else 0
        return QSize(option.rect.width(), round(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, TranscriptRow):
            return
        rect = QRectF(option.rect)
        layout = self._layouter.layout(row, rect.width())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.topLeft())
        self._paint_ground(painter, QRectF(0, 0, rect.width(), rect.height()), row, option)
        match row.kind:
            case RowKind.TEXT:
                self._paint_message(painter, layout)
            case RowKind.MARKER:
                self._paint_marker(painter, layout, rect.width())
            case RowKind.MORE | RowKind.NEIGHBOUR:
                self._paint_link(painter, layout)
            case RowKind.ASK:
                pass  # a card with real buttons lies over it
        painter.restore()

    # -- grounds ---------------------------------------------------------------------------------
    def _paint_ground(self, painter: QPainter, rect: QRectF, row: TranscriptRow, option: QStyleOptionViewItem) -> None:
        if row.kind is not RowKind.TEXT or row.message is None:
            if row.kind is not RowKind.ASK and option.state & QStyle.StateFlag.State_HasFocus:
                draw_focus_ring(painter, rect.adjusted(2, 1, -2, -1))
            return
        flash = self.flashes.get(row.message.id, 0.0)
        is_current = row.message.id == self.current_message
        if not is_current and flash <= 0.0:
            return
        ground = color("bg") if is_current else color("panel")
        if flash > 0.0:
            ground = mixed(ground, mixed(color("accent"), color("panel"), 0.7), flash)
        painter.fillRect(rect, ground)
        if is_current:
            painter.fillRect(QRectF(0, 2, 3, rect.height() - 4), color("accent" if self.has_focus else "edge"))

    # -- rows ------------------------------------------------------------------------------------
    def _paint_message(self, painter: QPainter, layout: RowLayout) -> None:
        message = layout.row.message
        assert message is not None
        if layout.row.is_first:
            _paint_time(painter, message, layout.text_at.y())
        is_current = message.id == self.current_message
        painter.setPen(Qt.PenStyle.NoPen)
        for rect, name in layout.grounds:
            painter.setBrush(color("line" if is_current and name == "raised" else name))
            painter.drawRoundedRect(rect, 3, 3)
        painter.setPen(color("text"))
        if layout.text is not None:
            layout.text.draw(painter, layout.text_at)
        self._paint_references(painter, layout)
        for rect, text, look in layout.chips:
            draw_chip(painter, rect, text, look)
            if self.hovered is not None and rect in self.hovered.rects and message.id == self.hovered.thing_id:
                draw_focus_ring(painter, rect.adjusted(-1, -1, 1, 1), rect.height() / 2)
        for target in layout.targets:
            if target.kind is TargetKind.MEMORIES:
                self._paint_learned(painter, target)
        if layout.read is not None:
            painter.setPen(color("sub"))
            layout.read.draw(painter, layout.read_at)

    def _paint_learned(self, painter: QPainter, target: Target) -> None:
        """The mark in the margin of a message that taught something."""
        rect = target.rects[0]
        if target == self.hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft"))
            painter.drawRoundedRect(rect, 6, 6)
        image = pixmap("memories", tokens().accent, 16, painter.device().devicePixelRatioF())
        painter.drawPixmap(rect.center() - QPointF(8, 8), image)

    def _paint_references(self, painter: QPainter, layout: RowLayout) -> None:
        for rect, kind, number in layout.underlines:
            if kind is SpanKind.BADGE:
                _paint_badge(painter, rect)
                continue
            token, style, width = _UNDERLINES[kind]
            painter.setPen(QPen(color(token), width, style))
            painter.drawLine(QPointF(rect.left(), rect.bottom() - 0.5), QPointF(rect.right(), rect.bottom() - 0.5))
            is_hovered = self.hovered is not None and self.hovered.kind is TargetKind.REFERENCE
            if number == self.focused_reference:
                draw_focus_ring(painter, rect.adjusted(-3, -2, 3, 3), 4)
            elif is_hovered and self.hovered is not None and self.hovered.thing_id == number:
                painter.setPen(Qt.PenStyle.NoPen)
                ground = color("accent")
                ground.setAlpha(36)
                painter.setBrush(ground)
                painter.drawRoundedRect(rect.adjusted(-2, -1, 2, 2), 3, 3)

    def _paint_marker(self, painter: QPainter, layout: RowLayout, width: float) -> None:
        row = layout.row
        assert row.message is not None
        meta = font(META_FONT_PX)
        painter.setFont(meta)
        metrics = QFontMetricsF(meta)
        arrow = "▾" if row.is_open else "▸"
        room = width - 60
        said, _, sure = row.text.rpartition(" · ")  # how sure it is stays in sight
        tail = f" · {sure}  {arrow}"
        text = metrics.elidedText(said, Qt.TextElideMode.ElideRight, room - metrics.horizontalAdvance(tail)) + tail
        text_width = metrics.horizontalAdvance(text)
        middle = 9 + metrics.height() / 2
        left = (width - text_width) / 2
        painter.setPen(QPen(color("line"), 1))
        painter.drawLine(QPointF(12, middle), QPointF(left - 10, middle))
        painter.drawLine(QPointF(left + text_width + 10, middle), QPointF(width - 12, middle))
        is_hovered = self.hovered is not None and self.hovered.kind is TargetKind.MARKER
        is_mine = is_hovered and self.hovered is not None and self.hovered.thing_id == row.message.id
        painter.setPen(color("accent" if is_mine else "sub"))
        painter.drawText(QRectF(left, 9, text_width + 2, metrics.height()), Qt.AlignmentFlag.AlignLeft, text)
        y = metrics.height() + 16
        painter.setPen(color("sub"))
        for line in marker_lines(row):
            draw_elided(painter, QRectF(gutter_px(), y, width - gutter_px() - 12, metrics.height()), f"· {line}")
            y += metrics.height() + 4

    def _paint_link(self, painter: QPainter, layout: RowLayout) -> None:
        chosen = font(weight=QFont.Weight.Medium)
        is_hovered = self.hovered is not None and self.hovered in layout.targets
        chosen.setUnderline(is_hovered)
        painter.setFont(chosen)
        painter.setPen(color("accent"))
        draw_elided(painter, layout.targets[0].rects[0], layout.row.text)


def _paint_time(painter: QPainter, message: Message, top: float) -> None:
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    base = QFontMetricsF(font()).ascent() - QFontMetricsF(painter.font()).ascent()
    height = QFontMetricsF(painter.font()).height()
    painter.drawText(QRectF(14, top + base, gutter_px(), height), Qt.AlignmentFlag.AlignLeft, clock_time(message.at))
    if message.speaker is Speaker.ASSISTANT:
        draw_elided(painter, QRectF(14, top + base + height, gutter_px() - 16, height), "reply")


def _paint_badge(painter: QPainter, rect: QRectF) -> None:
    size = min(rect.width(), rect.height()) - 1
    circle = QRectF(rect.left() + 2, rect.center().y() - size / 2, size, size)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color("warn_soft"))
    painter.drawEllipse(circle)
    painter.setFont(font(META_FONT_PX, QFont.Weight.Bold))
    painter.setPen(color("warn"))
    painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, "?")


FLASH_MS = 1200
_FRAME_MS = 40


class TranscriptView(VirtualTable):
    """A list of messages. Points in signals are global; ids are the engine's."""

    reference_wanted = Signal(int, int, object)  # message id, reference id, QRect (global) of the mention
    intents_wanted = Signal(int, object)  # message id, QRect (global)
    message_chosen = Signal(int)
    neighbour_wanted = Signal(int)
    menu_wanted = Signal(int, object)  # message id, QPoint
    news_below_changed = Signal(int)
    memories_wanted = Signal(int)  # message id
    left = Signal()  # Esc with nothing to let go of: one step out

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._transcript = model
        self.layouter = Layouter()
        self._delegate = TranscriptDelegate(self.layouter, self)
        self._flashed_at: dict[int, float] = {}
        self._news_below = 0
        self._was_at_end = True
        self._cards: dict[tuple[str, int, int], Clarification | None] = {}
        self._card_maker: Callable[[TranscriptRow], QWidget] | None = None
        self._flash_timer = QTimer(self)
        self._flash_timer.setInterval(_FRAME_MS)
        self._flash_timer.timeout.connect(self._on_flash_frame)
        self.setItemDelegate(self._delegate)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setModel(model)
        for about in (model.rowsAboutToBeInserted, model.rowsAboutToBeRemoved):
            about.connect(self._on_about_to_change)
        model.dataChanged.connect(self._on_data_changed)
        model.refreshed.connect(self._on_refreshed)
        model.rebuilt.connect(self._on_rebuilt)
        model.grew.connect(self._on_grew)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def set_card_maker(self, make: Callable[[TranscriptRow], QWidget]) -> None:
        """`make` builds the card with real buttons for an open question."""
        self._card_maker = make

    # -- where we are ------------------------------------------------------------------------------
    def current_message_id(self) -> int | None:
        """The message that has the cursor."""
        row = self._transcript.row_at(self.currentIndex().row())
        return row.message.id if row is not None and row.message is not None else None

    @property
    def focused_reference(self) -> int:
        """The reference that the keyboard is on, 0 for none."""
        return self._delegate.focused_reference

    def show_message(self, message_id: int, *, offset: int = 0, is_flashed: bool = True) -> bool:
        """Moves the cursor to a message and brings it into view; False when it is not here."""
        row = self._transcript.row_for(message_id, offset)
        if row is None:
            return False
        self._delegate.focused_reference = 0
        self.setCurrentIndex(self._transcript.index(row))
        self.settle()
        self.scrollTo(self._transcript.index(row), QAbstractItemView.ScrollHint.EnsureVisible)
        if is_flashed:
            self.flash(message_id)
        return True

    def flash(self, message_id: int) -> None:
        """Tints a message for a moment; not at all with reduced motion, the cursor says enough then."""
        if motion_ms(FLASH_MS) == 0:
            return
        self._flashed_at[message_id] = time.monotonic()
        self._flash_timer.start()
        self._on_flash_frame()

    def step_message(self, step: int) -> None:
        """Moves the cursor to the next or previous message."""
        order = self._transcript.message_ids()
        if not order:
            return
        here = self.current_message_id()
        at = order.index(here) + step if here in order else 0
        self.show_message(order[min(max(at, 0), len(order) - 1)], is_flashed=False)

    def step_reference(self, step: int) -> None:
        """Moves to the next or previous reference, on into the next message that has one, round the ends."""
        ids = self._transcript.message_ids()
        if not ids:
            return
        here = self.current_message_id()
        at = ids.index(here) if here in ids else 0
        inside = self._references_of(ids[at])
        focused = self._delegate.focused_reference
        place = inside.index(focused) + step if focused in inside else (0 if step > 0 else -1)
        if 0 <= place < len(inside):
            self.focus_reference(ids[at], inside[place])
            return
        for distance in range(1, len(ids) + 1):
            message_id = ids[(at + step * distance) % len(ids)]
            references = self._references_of(message_id)
            if references:
                self.focus_reference(message_id, references[0 if step > 0 else -1])
                return

    def focus_reference(self, message_id: int, reference_id: int) -> None:
        """Puts the keyboard on one reference."""
        message = self._transcript.message(message_id)
        reference = dict(message.references).get(reference_id) if message is not None else None
        if reference is None:
            return
        self.show_message(message_id, offset=max(0, reference.end - 1), is_flashed=False)
        self._delegate.focused_reference = reference_id
        self.viewport().update()

    def open_focused(self) -> None:
        """What Enter does: the reference under the keyboard, else whatever the row offers."""
        row = self._transcript.row_at(self.currentIndex().row())
        if row is None:
            return
        number = self._delegate.focused_reference
        if number and row.message is not None:
            self.reference_wanted.emit(row.message.id, number, self.reference_rect(number))
            return
        if row.kind is RowKind.TEXT and row.message is not None:
            self._transcript.toggle_expanded(row.message.id)
        else:
            self._press(next(iter(self.layouter.layout(row, self.column_px()).targets), None), QRect())

    def ask_intents(self) -> None:
        """Asks for the intents of the current message to be corrected."""
        message_id = self.current_message_id()
        if message_id is not None:
            self.intents_wanted.emit(message_id, self._global(self.visualRect(self.currentIndex())))

    def reference_rect(self, reference_id: int) -> QRect:
        """Where a reference of the current message is on the screen."""
        message_id = self.current_message_id()
        for n in self._transcript.message_rows(message_id) if message_id is not None else []:
            row = self._transcript.row_at(n)
            assert row is not None
            rects = self.layouter.layout(row, self.column_px()).reference_rects(reference_id)
            if rects:
                at = self.visualRect(self._transcript.index(n)).topLeft()
                return self._global(rects[0].toAlignedRect().translated(at))
        return self._global(self.visualRect(self.currentIndex()))

    def _references_of(self, message_id: int) -> tuple[int, ...]:
        message = self._transcript.message(message_id)
        return references_in_order(message) if message is not None else ()

    def set_found(self, found: dict[int, tuple[tuple[int, int], ...]]) -> None:
        """Marks hits of the find bar, by message."""
        if found != self.layouter.found:
            self.layouter.found = found
            self.layouter.clear()
            self.viewport().update()

    def set_learned(self, learned: Mapping[int, Sequence[MemoryCard]]) -> None:
        """Which messages taught something: they get a mark in the margin."""
        tips = {number: learned_tip(cards) for number, cards in learned.items()}
        if tips != self.layouter.learned:
            self.layouter.learned = tips
            self._transcript.learned = tips
            self.relayout()

    # -- heights -----------------------------------------------------------------------------------
    def row_key(self, n: int) -> Hashable | None:
        row = self._transcript.row_at(n)
        return row.key if row is not None else None

    def estimate_row_px(self, n: int) -> float:
        row = self._transcript.row_at(n)
        return self.layouter.estimate(row, self.column_px()) if row is not None else 0.0

    def measure_row_px(self, n: int) -> float:
        row = self._transcript.row_at(n)
        if row is None:
            return 0.0
        return self._card_px(n, row) if row.kind is RowKind.ASK else self.layouter.layout(row, self.column_px()).height

    def relayout(self) -> None:
        self.layouter.clear()
        super().relayout()

    def _card_px(self, n: int, row: TranscriptRow) -> float:
        index = self._transcript.index(n)
        card = cast(QWidget | None, self.indexWidget(index))  # the stubs forget None
        if self._card_maker is not None and (card is None or self._cards.get(row.key) != row.clarification):
            card = self._card_maker(row)
            self._cards[row.key] = row.clarification
            self.setIndexWidget(index, card)
        if card is None:
            return 4.0
        width = round(self.column_px())
        return float(card.heightForWidth(width) if card.hasHeightForWidth() else card.sizeHint().height())

    # -- what the model says -----------------------------------------------------------------------
    def _on_about_to_change(self) -> None:
        self._was_at_end = self.is_at_end()

    def _on_data_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        for n in range(first.row(), last.row() + 1):
            self.forget_row(n)

    def _on_refreshed(self, is_other: bool) -> None:
        if is_other:
            self._delegate.focused_reference = 0
            self._delegate.hovered = None
            self._set_news(0)
            self.relayout()
            self.scrollToTop()
        self._on_rebuilt()

    def _on_rebuilt(self) -> None:
        self.settle()
        self.viewport().update()

    def _on_grew(self, count: int) -> None:
        if self._was_at_end:
            self.scroll_to_end()
        else:
            self._set_news(self._news_below + count)
        for message_id in list(self._transcript.message_ids())[-count:]:
            self.flash(message_id)

    def scroll_to_end(self) -> None:
        super().scroll_to_end()
        self._set_news(0)

    def _set_news(self, count: int) -> None:
        if count != self._news_below:
            self._news_below = count
            self.news_below_changed.emit(count)

    def _on_scrolled(self) -> None:
        super()._on_scrolled()
        if self._news_below and self.is_at_end():
            self._set_news(0)

    def _on_flash_frame(self) -> None:
        now = time.monotonic()
        left = {i: 1.0 - (now - at) * 1000 / FLASH_MS for i, at in self._flashed_at.items()}
        self._delegate.flashes = {i: ratio for i, ratio in left.items() if ratio > 0.0}
        if not self._delegate.flashes:
            self._flashed_at.clear()
            self._flash_timer.stop()
        self.viewport().update()

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self._transcript.row_at(current.row())
        message_id = row.message.id if row is not None and row.message is not None else 0
        if message_id != self._delegate.current_message:
            self._delegate.focused_reference = 0
        self._delegate.current_message = message_id
        self.viewport().update()
        if message_id:
            self.message_chosen.emit(message_id)

    # -- Qt events ---------------------------------------------------------------------------------
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._delegate.has_focus = True

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._delegate.has_focus = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_focused()
        elif key == Qt.Key.Key_Escape and self._delegate.focused_reference:
            self._delegate.focused_reference = 0
            self.viewport().update()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_End:
            self.scroll_to_end()
            self.setCurrentIndex(self._transcript.index(self._transcript.rowCount() - 1))
        elif asks_for_menu(event) and self.current_message_id() is not None:
            where = self.visualRect(self.currentIndex()).center()
            self.menu_wanted.emit(self.current_message_id(), self.viewport().mapToGlobal(where))
        elif event.text() and event.text().isprintable():
            event.ignore()  # single letters belong to the screen's actions
        else:
            super().keyPressEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        message = self._transcript.message(self.current_message_id() or 0)
        mime = self._transcript.mimeData([self.currentIndex()])
        if message is not None and mime.formats():
            start_drag(self, mime, message.text[:120])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._target_at(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            where = event.position().toPoint()
            target = self._target_at(where)
            self._press(target, self._rect_of(target, where))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = self._transcript.row_at(self.indexAt(event.pos()).row())
        if row is not None and row.message is not None:
            self.setCurrentIndex(self.indexAt(event.pos()))
            self.menu_wanted.emit(row.message.id, event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            target = self._target_at(event.pos())
            QToolTip.showText(event.globalPos(), plain_tooltip(target.tip) if target is not None else "", self)
            return True
        return super().viewportEvent(event)

    # -- pointing ----------------------------------------------------------------------------------
    def _target_at(self, where: QPoint) -> Target | None:
        index = self.indexAt(where)
        row = self._transcript.row_at(index.row())
        if row is None:
            return None
        inside = QPointF(where - self.visualRect(index).topLeft())
        return self.layouter.layout(row, self.column_px()).target_at(inside)

    def _rect_of(self, target: Target | None, where: QPoint) -> QRect:
        index = self.indexAt(where)
        if target is None:
            return QRect()
        return self._global(target.rects[0].toAlignedRect().translated(self.visualRect(index).topLeft()))

    def _global(self, rect: QRect) -> QRect:
        return QRect(self.viewport().mapToGlobal(rect.topLeft()), rect.size())

    def _hover(self, target: Target | None) -> None:
        if target is self._delegate.hovered:
            return
        self._delegate.hovered = target
        is_pressable = target is not None and target.kind is not TargetKind.ENTITY
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_pressable else Qt.CursorShape.ArrowCursor)
        self.viewport().update()

    def _press(self, target: Target | None, rect: QRect) -> None:
        if target is None:
            return
        match target.kind:
            case TargetKind.REFERENCE:
                self._delegate.focused_reference = target.thing_id
                self.reference_wanted.emit(self.current_message_id() or 0, target.thing_id, rect)
            case TargetKind.INTENTS:
                self.intents_wanted.emit(target.thing_id, rect)
            case TargetKind.READ:
                self._transcript.toggle_expanded(target.thing_id)
            case TargetKind.MARKER:
                self._transcript.toggle_marker(target.thing_id)
            case TargetKind.MORE:
                self._transcript.show_more(target.thing_id)
            case TargetKind.NEIGHBOUR:
                self.neighbour_wanted.emit(target.thing_id)
            case TargetKind.MEMORIES:
                self.memories_wanted.emit(target.thing_id)
            case TargetKind.ENTITY:
                return
        self.settle()
        self.viewport().update()
