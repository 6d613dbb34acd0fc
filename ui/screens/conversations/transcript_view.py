"""The transcript on the screen: a virtual list of message rows whose references, intents and markers can be pressed.

Owns the walk of the keyboard, hover, flash, and the count of what arrived below while one reads. Says what is wanted by signals; knows no engine. Source: UX 3.6, 4.3.
"""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QToolTip, QWidget

from app.values import Clarification, MemoryCard
from ui.screens.conversations.message_text import references_in_order
from ui.screens.conversations.transcript_delegate import TranscriptDelegate
from ui.screens.conversations.transcript_layout import Layouter, Target, TargetKind, learned_tip
from ui.screens.conversations.transcript_model import RowKind, TranscriptModel, TranscriptRow
from ui.screens.conversations.virtual_table import VirtualTable
from ui.theme import motion_ms
from ui.widgets.card_list import asks_for_menu
from ui.widgets.labels import plain_tooltip
from ui.widgets.popups.drag_label import start_drag

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
        """The reference that the keyboard stands on, 0 for none."""
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
        """Where a reference of the current message lies on the screen."""
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
