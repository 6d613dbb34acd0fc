"""The queue on the screen: one column of cards, 20 slots and what went before.

Owns row heights, hover, the short tint of new arrivals, drag and drop, and that nothing jumps: the first visible row
and the current row are kept by id when the model changes. Knows QueueModel; no engine. Source: UX 3.6, 4.2.
"""

import time

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.values import Conversation
from ui.theme import motion_ms
from ui.widgets.card_list import CardPointer, asks_for_menu, prepare_table
from ui.widgets.conversations.queue_delegate import QueueDelegate, row_height_px
from ui.widgets.conversations.queue_model import QueueModel, RowKind, dragged_thing
from ui.widgets.popups.drag_label import start_drag

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

    @property
    def is_tinting(self) -> bool:
        """True while new arrivals still stand out."""
        return bool(self._delegate.tints)

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
        width = self.columnWidth(0)
        earlier_px = row_height_px(RowKind.EARLIER, width)
        header.setDefaultSectionSize(earlier_px)
        for n in range(self._queue.rowCount()):
            row = self._queue.row_at(n)
            if row is None or (row.kind is RowKind.EARLIER and self.rowHeight(n) == earlier_px):
                continue
            header.resizeSection(n, row_height_px(row.kind, width))

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
