"""The list of memories on the screen: one column of cards of one height, whatever their number.

Owns cursor, marks and scroll: a new reading moves neither, all three are kept by id; says by signals what is
wanted. Knows MemoryModel; no engine.

Draws one invented card where nobody sees it, so that the first real ones need not wait for glyphs and icons.

Source: UX 3.6, 4.4, STACK-UI section 3.
"""

from datetime import UTC, datetime

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.values import FactType, MemoryCard, MemoryKind, MemoryStatus, RecallHit, Tier, Trust
from ui.screens.memories.listing.delegate import CardLook, MemoryDelegate, box_rect, card_height_px, group_height_px
from ui.screens.memories.listing.look import Widths
from ui.screens.memories.listing.model import ListedMemory, MemoryModel
from ui.screens.memories.listing.table import line_height_px
from ui.widgets.card_list import CardPointer, asks_for_menu, prepare_table

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_TITLE = "The quick brown fox, 0123456789"
_TEXT = "Jumps over the lazy dog: (AZERTY) / #QUBIT-KLVWXM “…” · × %"


def warm_up(delegate: MemoryDelegate, width_px: int = 460) -> None:
    """Fills the caches that drawing a card fills; the delegate keeps nothing of it that it would show."""
    card = MemoryCard(
        id=-1, kind=MemoryKind.FACT, type=FactType.DECISION, title=_TITLE, summary=_TEXT, status=MemoryStatus.ACTIVE,
        trust=Trust.SPOKEN, confidence=0.5, importance=0.5, is_pinned=True, is_live=False, token_count=10,
        tags=("abcdefgh",), project="ijklmnop", app="claude-code", updated_at=_AT, last_accessed_at=_AT,
        retrieved_count=0, tier=Tier.RELEVANT,
    )  # fmt: skip
    hit = RecallHit(card, _TEXT, 0.5, (), ("quick",), ((0, 5),), "says “over” and “dog”; recorded today")
    size = QSize(width_px, card_height_px())
    delegate.card(ListedMemory(card, hit), CardLook(is_selected=True), size, _AT, QPixmap(size))


class MemoryView(QTableView):
    """Signals name memories, never rows."""

    memory_chosen = Signal(int)  # the cursor is on another one
    memory_opened = Signal(int)  # Enter
    memory_entered = Signal(int)  # double click
    peek_wanted = Signal()  # Space: a larger look at what the cursor is on
    menu_wanted = Signal(int, object)  # memory id, QPoint (global)
    drag_wanted = Signal()  # the pointer pulls at a card
    range_wanted = Signal(int, int)  # Shift+click: mark the rows from .. to, both included

    def __init__(self, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._memories = model
        self._delegate = MemoryDelegate(self)
        self._current_id = 0
        self._current_row = 0
        self._is_outside = False  # the current memory is in no row that is here
        self._fold_row = 0
        self._is_held = False  # a card, not its box nor a heading: it can be pulled
        self._heading_rows: tuple[int, ...] = ()
        self._is_taking = False
        self._anchor: tuple[int, int, int] | None = None  # id, row, pixel of the first visible card
        self._build()
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._on_about_to_reset)
        model.reread.connect(self._on_reread)
        model.folded.connect(self._on_folded)
        model.marks_changed.connect(self._on_marks_changed)
        model.dataChanged.connect(self._on_data_changed)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def _build(self) -> None:
        self.setItemDelegate(self._delegate)
        warm_up(self._delegate)
        prepare_table(self)
        CardPointer(self, self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self._size_rows()
        self.verticalScrollBar().setSingleStep(24)

    # -- look ------------------------------------------------------------------------------------
    def show_columns(self, columns: tuple[str, ...] | None, widths_em: Widths = ()) -> None:
        """Lines of a table with these columns beside the title; None: cards."""
        self._delegate.widths_em = widths_em
        self.viewport().update()
        if columns != self._delegate.columns:
            self._delegate.columns = columns
            self._size_rows()
            self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)
            self.viewport().update()

    def _size_rows(self) -> None:
        """All rows have one height, but for the headings of groups."""
        header = self.verticalHeader()
        header.setDefaultSectionSize(card_height_px() if self._delegate.columns is None else line_height_px())
        headings, were = self._memories.plan.heading_rows, self._heading_rows
        self._heading_rows = headings
        with QSignalBlocker(header):  # each would lay out the whole list again
            for row in set(were).difference(headings):  # Qt leaves rows that stay at the height they had
                header.resizeSection(row, header.defaultSectionSize())
            for row in headings:
                header.resizeSection(row, group_height_px())
        self.updateGeometries()

    # -- what is current -------------------------------------------------------------------------
    @property
    def current_id(self) -> int:
        """The memory that has the cursor, 0 for none."""
        return self._current_id

    @property
    def now(self) -> datetime | None:
        return self._memories.now

    def current_card(self) -> MemoryCard | None:
        return self._memories.card_at(self.currentIndex().row())

    def choose(self, memory_id: int) -> bool:
        """Puts the cursor on a memory without saying so; on no row, and False, when it is not among those that are here.

        It is the current one all the same: what is shown beside the list is what the keys act on.
        """
        self._current_id = memory_id
        row = self._memories.row_of(memory_id)
        self._is_outside = row is None
        if row is None:
            self._put_cursor(-1)
            return False
        self._put_cursor(row)
        self.scrollTo(self._memories.index(row), QAbstractItemView.ScrollHint.EnsureVisible)
        return True

    def show_current(self) -> None:
        """Scrolls to the memory under the cursor."""
        self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)

    def forget_current(self) -> None:
        """The next reading begins at its first row."""
        self._current_id = 0
        self._is_outside = False

    def choose_row(self, n: int) -> None:
        """Puts the cursor on a row, the last one where there are fewer, and says so."""
        count = self._memories.rowCount()
        if count:
            self.setCurrentIndex(self._memories.index(min(max(n, 0), count - 1)))

    def step(self, rows: int) -> None:
        """Continues by rows; over the heading of an open group, onto that of a folded one."""
        here = self.currentIndex()
        wanted = (here.row() if here.isValid() else self._current_row - (rows > 0)) + rows
        heading = self._memories.plan.heading_at(wanted)
        is_passed = heading is not None and not heading.is_folded
        further = wanted + (1 if rows > 0 else -1)
        self.choose_row(further if is_passed and 0 <= further < self._memories.rowCount() else wanted)

    def visible_pages(self) -> tuple[int, ...]:
        """Numbers of the pages that the eye sees, the first one where nothing is shown yet."""
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        last = last if last >= first else min(first + 40, max(0, self._memories.rowCount() - 1))
        pages = (self._memories.page_of(first), self._memories.page_of(last))
        return tuple(range(min(pages), max(pages) + 1))

    # -- what the model says -----------------------------------------------------------------------
    def _on_about_to_reset(self) -> None:
        top = self.rowAt(0)
        card = self._memories.card_at(top)
        self._anchor = (card.id, top, self.rowViewportPosition(top)) if card is not None else None
        self._is_taking = True

    def _on_reread(self, is_other: bool) -> None:
        self._is_taking = True
        self._size_rows()
        anchor, self._anchor = self._anchor, None
        if is_other:
            self.scrollToTop()
        elif anchor is not None:
            self.updateGeometries()
            row = self._memories.row_of(anchor[0])
            moved = self.rowViewportPosition(row if row is not None else anchor[1]) - anchor[2]
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)
        kept = self._memories.row_of(self._current_id) if self._current_id else None
        if kept is not None:
            self._put_cursor(kept)
        self._is_outside = self._is_outside and kept is None and not is_other
        if self._is_outside:
            self._put_cursor(-1)
        self._is_taking = False
        if self._is_outside:
            pass  # it is shown on: something that changed elsewhere is no reason to look at another one
        elif kept is None and self._memories.rowCount():
            self._current_id = 0
            first = 1 if self._memories.plan.groups else 0
            self.choose_row(first if is_other else self._current_row)  # what was here is gone: the next one slides in
        elif not self._memories.rowCount():
            self._current_id = 0
            self.memory_chosen.emit(0)
        self.viewport().update()

    def _on_folded(self) -> None:
        """Rows moved: the cursor stays with its memory, or is on the heading that hides it."""
        self._size_rows()
        anchor, self._anchor = self._anchor, None
        kept = self._memories.row_of(self._current_id) if self._current_id else None
        self._put_cursor(self._fold_row if kept is None else kept)
        self._is_taking = False
        if kept is None and self._current_id:
            self._show_current(self._fold_row)
        if anchor is not None and (row := self._memories.row_of(anchor[0])) is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.rowViewportPosition(row) - anchor[2])
        self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)
        self.viewport().update()

    def _fold(self, row: int) -> None:
        heading = self._memories.plan.heading_row_of(row)
        if heading is not None:
            self._fold_row = heading  # its place stays: all that moves is below it
            self._memories.toggle_fold(heading)

    def _put_cursor(self, row: int) -> None:
        was, self._is_taking = self._is_taking, True
        bar = self.verticalScrollBar()
        value = bar.value()
        self.setCurrentIndex(self._memories.index(row) if row >= 0 else QModelIndex())
        bar.setValue(value)
        self._current_row = row if row >= 0 else self._current_row
        self._is_taking = was

    def _on_data_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        """The card under the cursor has come: now it can be told."""
        row = self.currentIndex().row()
        if first.row() <= row <= last.row() and not self._is_taking and not self._current_id:
            self._show_current(row)

    def _on_marks_changed(self) -> None:
        self._delegate.is_marking = bool(self._memories.marked_ids)
        self.viewport().update()

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._is_taking:
            self._show_current(current.row())

    def _show_current(self, row: int) -> None:
        card = self._memories.card_at(row)
        self._current_row = max(0, row)
        self._is_outside = False
        self._current_id = card.id if card is not None else 0
        self.memory_chosen.emit(
            self._current_id
        )  # 0 also for a card that is still to come: no other is shown meanwhile

    # -- keys and mouse ------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, is_shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current_id:
            self.memory_opened.emit(self._current_id)
        elif self._folds(Qt.Key(key)):
            self._fold(self.currentIndex().row())
        elif self._walks(Qt.Key(key), is_shift=is_shift):
            pass
        elif key == Qt.Key.Key_Escape and self._memories.marked_ids:
            self._memories.set_marks(())
        elif asks_for_menu(event) and self._current_id:
            where = self.visualRect(self.currentIndex()).center()
            self.menu_wanted.emit(self._current_id, self.viewport().mapToGlobal(where))
        elif key == Qt.Key.Key_Space and not is_shift:
            self.peek_wanted.emit()
        elif event.text() and event.text().isprintable():
            event.ignore()  # single letters belong to the screen's actions, not to type-ahead search
        else:
            super().keyPressEvent(event)

    def _walks(self, key: Qt.Key, *, is_shift: bool) -> bool:
        """Moves the cursor; False for keys that do not, and for those that Qt moves by itself."""
        here = self.currentIndex().row()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and (is_shift or self._memories.plan.groups):
            self.step(1 if key == Qt.Key.Key_Down else -1)
            if is_shift:
                self._memories.mark_rows((here, self.currentIndex().row()))
            return True
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.choose_row(0 if key == Qt.Key.Key_Home else self._memories.rowCount() - 1)
            return True
        return False

    def _folds(self, key: Qt.Key) -> bool:
        """Left folds the group of the cursor, Right unfolds it; on its heading Enter and Space do both."""
        plan, row = self._memories.plan, self.currentIndex().row()
        heading_row = plan.heading_row_of(row)
        heading = None if heading_row is None else plan.heading_at(heading_row)
        if heading is None:
            return False
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            return heading.is_folded == (key == Qt.Key.Key_Right)
        return key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and heading_row == row

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        self._is_held = False
        if event.button() is Qt.MouseButton.LeftButton and self._memories.plan.heading_at(index.row()) is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.choose_row(index.row())
            self._fold(index.row())
            return
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                rows = sorted((max(0, self.currentIndex().row()), index.row()))
                self.range_wanted.emit(*rows)
                return
            is_ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if is_ctrl or self._is_on_box(index, event.position().toPoint()):
                self.setFocus(Qt.FocusReason.MouseFocusReason)
                self._memories.toggle_mark(index.row())
                return
            self._is_held = True
        super().mousePressEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        if self._is_held:
            self.drag_wanted.emit()

    def _is_on_box(self, index: QModelIndex, where: QPoint) -> bool:
        return box_rect(QRectF(self.visualRect(index))).contains(where)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and self._current_id:
            if self._is_on_box(index, event.position().toPoint()):
                self._memories.toggle_mark(index.row())
            else:
                self.memory_entered.emit(self._current_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if index.isValid():
            self.setCurrentIndex(index)
            if self._current_id:
                self.menu_wanted.emit(self._current_id, event.globalPos())

    # -- look ------------------------------------------------------------------------------------
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_memories"):
            self._size_rows()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._size_rows()
