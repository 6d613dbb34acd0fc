"""The drill-down: tiers, their items, the dashed line where the budget ends, and what was left out in grey beneath it.

Owns cursor and painting; a new reading keeps the cursor by key. Knows ContextRows; no engine. Source: UX 4.6.
"""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
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
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.values import Tier
from ui.icons import pixmap
from ui.screens.context.rows import NO_KEY, ROW_ROLE, ContextRow, ContextRows, Key, RowKind, dragged_memory
from ui.theme import META_FONT_PX, color, font, tokens
from ui.widgets.card_list import CardPointer, asks_for_menu, prepare_list
from ui.widgets.paint import (
    CHIP_PADDING_PX,
    GOOD_CHIP,
    QUIET_CHIP,
    WARN_CHIP,
    ChipLook,
    chip_font,
    chip_height,
    chip_width,
    draw_chip,
    draw_elided,
    draw_focus_ring,
)
from ui.widgets.popups.drag_label import start_drag
from ui.wording.contexts import out_figures, short_figures
from ui.wording.memories import TIER_COLORS

Index = QModelIndex | QPersistentModelIndex
PADDING_PX = 6.0
GAP_PX = 4
CHEVRON_PX = 10
_TALLEST_PX = 3_000  # no window shows more of it
LEVEL = ChipLook("sub", "panel", "line")
CHOSEN_LEVEL = ChipLook("accent", "panel", "accent")


def _line_px(base_px: int | None = None) -> float:
    return QFontMetricsF(font() if base_px is None else font(base_px)).height()


class ContextDelegate(QStyledItemDelegate):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1
        self.target: Tier | None = None  # over whose lines something is being carried
        self._heights_for = 0  # text size that the heights below are for: hundreds of rows ask at once
        self._heights = (0, 0)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        base_px = font().pixelSize()
        if base_px != self._heights_for:
            meta = max(_line_px(META_FONT_PX), chip_height())
            self._heights_for = base_px
            self._heights = (round(_line_px(META_FONT_PX) + 12), round(_line_px() + meta + 14) + GAP_PX)
        is_low = isinstance(row, ContextRow) and row.kind in (RowKind.HEADING, RowKind.LINE)
        return QSize(option.rect.width(), self._heights[0 if is_low else 1])

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, ContextRow):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        if row.kind is RowKind.HEADING:
            _paint_heading(painter, rect, row, is_target=row.tier is self.target)
        elif row.kind is RowKind.LINE:
            _paint_line(painter, rect, row)
        else:
            card = rect.adjusted(0, 0, 0, -GAP_PX)
            is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
            _paint_ground(painter, card, row, is_selected=is_selected, is_hovered=index.row() == self.hovered_row)
            _paint_texts(painter, card, row)
            if option.state & QStyle.StateFlag.State_HasFocus:
                draw_focus_ring(painter, card, 7)
        painter.restore()


def _paint_heading(painter: QPainter, rect: QRectF, row: ContextRow, *, is_target: bool) -> None:
    if is_target:
        painter.setPen(QPen(color("accent"), 1.5))
        painter.setBrush(color("accent_soft"))
        painter.drawRoundedRect(rect.adjusted(1, 3, -1, -2), 5, 5)
    painter.setFont(font(META_FONT_PX, QFont.Weight.DemiBold))
    painter.setPen(color(TIER_COLORS[row.tier]))
    draw_elided(painter, rect.adjusted(6 if is_target else 2, 4, -4, 0), row.text)


def _paint_line(painter: QPainter, rect: QRectF, row: ContextRow) -> None:
    """Dashes with the words in the middle: here the budget ends."""
    painter.setFont(font(META_FONT_PX, QFont.Weight.DemiBold))
    said = QFontMetricsF(painter.font()).horizontalAdvance(row.text)
    middle, y = rect.center().x(), rect.center().y()
    pen = QPen(color("sub"), 1.2, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([5, 4])
    painter.setPen(pen)
    painter.drawLine(QPointF(rect.left(), y), QPointF(middle - said / 2 - 8, y))
    painter.drawLine(QPointF(middle + said / 2 + 8, y), QPointF(rect.right() - 4, y))
    painter.setPen(color("sub"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, row.text)


def _paint_ground(painter: QPainter, rect: QRectF, row: ContextRow, *, is_selected: bool, is_hovered: bool) -> None:
    ground = "accent_soft" if is_selected else "raised" if is_hovered else "panel"
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(ground))
    painter.drawRoundedRect(rect, 7, 7)
    painter.setBrush(color("edge" if row.out is not None else TIER_COLORS[row.tier]))
    painter.drawRoundedRect(QRectF(rect.left() + 4, rect.top() + 7, 3, rect.height() - 14), 1.5, 1.5)


def _paint_texts(painter: QPainter, rect: QRectF, row: ContextRow) -> None:
    inner = rect.adjusted(14, PADDING_PX, -8, -PADDING_PX)
    first = QRectF(inner.left(), inner.top(), inner.width(), _line_px())
    second = QRectF(inner.left(), first.bottom() + 2, inner.width(), inner.bottom() - first.bottom() - 2)
    right = _paint_level(painter, rect, row)
    if row.item is not None and row.item.is_pinned:
        right -= 16
        painter.drawPixmap(QPointF(right, first.center().y() - 7), pixmap("pin", tokens().accent, 14, 2.0))
        right -= 4
    painter.setFont(font())
    painter.setPen(color("sub" if row.out is not None else "text"))
    draw_elided(painter, QRectF(first.left(), first.top(), right - first.left(), first.height()), row.text)
    right = _paint_chip(painter, second, row)
    painter.setFont(font(META_FONT_PX))
    painter.setPen(color("sub"))
    figures = short_figures(row.item) if row.item is not None else out_figures(row.out) if row.out is not None else ""
    reason = row.item.reason if row.item is not None else row.out.reason if row.out is not None else ""
    room = QRectF(second.left(), second.top(), right - second.left() - 6, second.height())
    room.setRight(room.right() - draw_elided(painter, room, figures, is_right=True) - 10)
    draw_elided(painter, room, reason)


def level_rect(card: QRectF, row: ContextRow) -> QRectF:
    """Where the switch of the level is on a row's card; null for what is no memory."""
    if not row.level_words:
        return QRectF()
    width, height = chip_width(row.level_words) + CHEVRON_PX + 2, chip_height()
    return QRectF(card.right() - 8 - width, card.top() + PADDING_PX + (_line_px() - height) / 2, width, height)


def _paint_level(painter: QPainter, card: QRectF, row: ContextRow) -> float:
    """The switch of the level, tinted when a person chose it; returns where it begins."""
    rect = level_rect(card, row)
    if rect.isNull():
        return card.right() - 8
    draw_chip(painter, rect, "", CHOSEN_LEVEL if row.is_level_chosen else LEVEL)
    painter.setFont(chip_font())
    painter.setPen(color("accent" if row.is_level_chosen else "sub"))
    words = rect.adjusted(CHIP_PADDING_PX, 0, -CHEVRON_PX - 2, 0)
    painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), row.level_words)
    where = QPointF(rect.right() - CHEVRON_PX - 5, rect.center().y() - CHEVRON_PX / 2)
    painter.drawPixmap(where, pixmap("chevron-down", tokens().accent if row.is_level_chosen else tokens().sub, 10, 2.0))
    return rect.left() - 4


def _paint_chip(painter: QPainter, rect: QRectF, row: ContextRow) -> float:
    """What came of it, or that it may be outdated; returns where it begins."""
    chip: tuple[str, ChipLook] | None = None
    if row.item is not None and row.item.is_stale:
        chip = ("outdated?", WARN_CHIP)
    elif row.usage == "cited":
        chip = ("used", GOOD_CHIP)
    elif row.usage == "ignored":
        chip = ("not used", QUIET_CHIP)
    if chip is None:
        return rect.right()
    width = chip_width(chip[0])
    left = rect.right() - width
    draw_chip(painter, QRectF(left, rect.center().y() - chip_height() / 2, width, chip_height()), *chip)
    return left


class ContextList(QListView):
    """`row_chosen` when the cursor is on another row; `memory_opened` on Enter or double click."""

    row_chosen = Signal()
    memory_opened = Signal(int)
    menu_wanted = Signal(object)  # QPoint, global
    level_wanted = Signal(object)  # QPoint, global: the switch of the current row was pressed
    memory_moved = Signal(int, object)  # memory, tier among whose lines it was let go

    def __init__(self, model: ContextRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self._delegate = ContextDelegate(self)
        self._key: Key = NO_KEY
        self._at = 0
        self._was_seen = True
        self._is_taking = False
        self._is_carried = False  # what the mouse was pressed on can be dragged
        self.setObjectName("context.list")
        self.setAccessibleName("What is given, and what is left out")
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        prepare_list(self)
        CardPointer(self, self._delegate)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDropIndicatorShown(False)  # the heading of the tier shows it
        self.verticalScrollBar().setSingleStep(24)
        model.modelAboutToBeReset.connect(self._on_about_to_reset)
        model.modelReset.connect(self._on_reset)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def doItemsLayout(self) -> None:
        super().doItemsLayout()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """No taller than its lines, so that what is said of the chosen one stands right below them."""
        wanted = 2 * self.frameWidth() + 2
        for n in range(self._rows.rowCount()):
            wanted += self.sizeHintForRow(n)
            if wanted > _TALLEST_PX:
                break
        if self.maximumHeight() != wanted:
            self.setMaximumHeight(wanted)

    @property
    def current(self) -> ContextRow | None:
        row = self._rows.row_at(self.currentIndex().row())
        return row if row is not None and row.kind in (RowKind.ITEM, RowKind.OUT) else None

    def choose_item(self, number: int) -> bool:
        """Puts the cursor on an item of the context, and says so."""
        row = self._rows.row_of_item(number)
        if row is None:
            return False
        self.setCurrentIndex(self._rows.index(row))
        self.scrollTo(self._rows.index(row), QAbstractItemView.ScrollHint.EnsureVisible)
        return True

    def show_current(self) -> None:
        """Scrolls to where the cursor is."""
        self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)

    def step(self, by: int) -> None:
        """The next row that can be chosen, up or down."""
        n = self.currentIndex().row() + by
        while (row := self._rows.row_at(n)) is not None:
            if row.kind in (RowKind.ITEM, RowKind.OUT):
                self.setCurrentIndex(self._rows.index(n))
                return
            n += by

    def _on_about_to_reset(self) -> None:
        self._is_taking = True
        self._at = self.verticalScrollBar().value()
        self._was_seen = self.visualRect(self.currentIndex()).intersects(self.viewport().rect())

    def _on_reset(self) -> None:
        found = self._rows.row_of(self._key)
        if found is None:
            kinds = [(n, self._rows.row_at(n)) for n in range(self._rows.rowCount())]
            found = next((n for n, row in kinds if row is not None and row.kind in (RowKind.ITEM, RowKind.OUT)), None)
        if found is not None:
            self.setCurrentIndex(self._rows.index(found))
        self.verticalScrollBar().setValue(self._at)
        if (
            self._was_seen and found is not None
        ):  # what one looks at stays in sight, what one does not look at never jumps in
            self.scrollTo(self._rows.index(found), QAbstractItemView.ScrollHint.EnsureVisible)
        self._is_taking = False
        self._note_current()
        self.row_chosen.emit()

    def _on_current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._is_taking:
            self._note_current()
            self.row_chosen.emit()

    def _note_current(self) -> None:
        current = self.current
        if current is not None:
            self._key = current.key

    # -- keys and mouse
    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if current is not None and current.memory_id:
                self.memory_opened.emit(current.memory_id)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.step(1 if event.key() == Qt.Key.Key_Down else -1)
        elif asks_for_menu(event):
            self.menu_wanted.emit(self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center()))
        elif event.key() == Qt.Key.Key_Escape or (event.text() and event.text().isprintable()):
            event.ignore()  # single letters belong to the screen's actions, not to type-ahead search
        else:
            super().keyPressEvent(event)

    def level_rect_of(self, index: Index) -> QRectF:
        """Where the switch of a row is in the viewport."""
        row = self._rows.row_at(index.row())
        card = QRectF(self.visualRect(self._rows.index(index.row()))).adjusted(0, 0, 0, -GAP_PX)
        return level_rect(card, row) if row is not None else QRectF()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        switch = self.level_rect_of(index) if index.isValid() else QRectF()
        self._is_carried = bool(index.flags() & Qt.ItemFlag.ItemIsDragEnabled) and not switch.contains(event.position())
        if event.button() is Qt.MouseButton.LeftButton and switch.contains(event.position()):
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.setCurrentIndex(index)
            self.level_wanted.emit(self.viewport().mapToGlobal(switch.bottomLeft().toPoint()))
            return
        if index.flags() & Qt.ItemFlag.ItemIsSelectable:
            super().mousePressEvent(event)
        else:  # a heading, or nothing: the chosen line stays chosen
            self.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_carried or event.buttons() == Qt.MouseButton.NoButton:
            super().mouseMoveEvent(event)  # else Qt would choose every line that the pointer passes

    def startDrag(self, _actions: Qt.DropAction) -> None:
        current = self.current
        if current is not None and current.memory_id:
            start_drag(self, self._rows.mimeData([self.currentIndex()]), current.text)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_memory(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # scrolls at the edges
        tier, memory_id = self._tier_at(event.position().toPoint()), dragged_memory(event.mimeData())
        self._set_target(None if tier is self._rows.tier_of(memory_id) else tier)
        if self._delegate.target is None:
            event.ignore()
        else:
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._set_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        memory_id, tier = dragged_memory(event.mimeData()), self._delegate.target
        self._set_target(None)
        if memory_id and tier is not None:
            event.acceptProposedAction()
            self.memory_moved.emit(memory_id, tier)

    def _tier_at(self, where: QPoint) -> Tier | None:
        """The tier whose heading or lines are there; none below the line where the budget ends."""
        row = self._rows.row_at(self.indexAt(where).row())
        return row.tier if row is not None and row.kind in (RowKind.HEADING, RowKind.ITEM) else None

    def _set_target(self, tier: Tier | None) -> None:
        if tier is not self._delegate.target:
            self._delegate.target = tier
            self.viewport().update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        current = self.current
        if current is not None and current.memory_id:
            self.memory_opened.emit(current.memory_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsSelectable:
            self.setCurrentIndex(index)
            self.menu_wanted.emit(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.scheduleDelayedItemsLayout()
