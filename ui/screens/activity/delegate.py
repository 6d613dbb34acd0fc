"""Paints one operation of the journal: hour, icon, label, where it came from, its minute, Undo; a heading where a day begins."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.values.changes import Operation, Origin
from ui.icons import icon_px, pixmap
from ui.screens.activity.model import DAY_ROLE, HOUR_ROLE, OPERATION_ROLE, ORIGIN_WORDS
from ui.theme import META_FONT_PX, color, font, font_px, tokens
from ui.widgets.labels import plain_tooltip

_Index = QModelIndex | QPersistentModelIndex
ORIGIN_ICONS = {
    Origin.PERSON: ("user", "accent"),
    Origin.CAPTURE: ("message", "sub"),
    Origin.IMPORT: ("import", "sub"),
    Origin.ENGINE: ("settings", "sub"),
    Origin.API: ("apps", "sub"),
}
HOUR_PX, UNDO = 54, "Undo"


def undo_tip(operation: Operation) -> str:
    """What Undo of this entry would do, or why there is none."""
    return "Take this change back (U)" if operation.is_undoable else operation.why_not


class ActivityDelegate(QStyledItemDelegate):
    """`undo_wanted` carries the number of the operation whose Undo was pressed."""

    undo_wanted = Signal(int)

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, self._row_px() + (self._day_px() if index.data(DAY_ROLE) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        operation = index.data(OPERATION_ROLE)
        if not isinstance(operation, Operation):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        day = str(index.data(DAY_ROLE) or "")
        if day:
            painter.setFont(font(13, QFont.Weight.DemiBold))
            painter.setPen(color("text"))
            head = QRect(area.left() + 6, area.top(), area.width(), self._day_px() - 4)
            painter.drawText(head, int(Qt.AlignmentFlag.AlignBottom), day)
            area.setTop(area.top() + self._day_px())
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_selected or is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft" if is_selected else "raised"))
            painter.drawRoundedRect(area.adjusted(HOUR_PX - 4, 1, -4, -1), 7, 7)
        if is_selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(HOUR_PX - 4, 1, -4, -1), 7, 7)
        self._paint_line(painter, area, operation, str(index.data(HOUR_ROLE) or ""))
        painter.restore()

    def _paint_line(self, painter: QPainter, area: QRect, operation: Operation, hour: str) -> None:
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        painter.drawText(QRect(area.left() + 6, area.top(), HOUR_PX, area.height()), middle, hour)
        name, role = ORIGIN_ICONS[operation.origin]
        ratio = painter.device().devicePixelRatio()
        left = area.left() + HOUR_PX + 6
        size = icon_px(16)
        painter.drawPixmap(left, area.center().y() - size // 2 + 1, pixmap(name, getattr(tokens(), role), size, ratio))
        undo = self._undo_rect(area)
        painter.setPen(color("accent" if operation.is_undoable else "faint"))
        painter.drawText(undo, middle | int(Qt.AlignmentFlag.AlignHCenter), UNDO)
        painter.setPen(color("sub"))
        area = area.adjusted(0, 0, -undo.width(), 0)
        meta = f"{ORIGIN_WORDS[operation.origin]} · {operation.at.astimezone():%H:%M}"
        if operation.is_undone:
            meta = f"undone · {meta}"
        width = painter.fontMetrics().horizontalAdvance(meta) + 4
        painter.drawText(QRect(area.right() - width - 12, area.top(), width, area.height()), middle, meta)
        line = font()
        line.setStrikeOut(operation.is_undone)
        painter.setFont(line)
        painter.setPen(color("sub" if operation.is_undone else "text"))
        space = QRect(left + size + 10, area.top(), area.right() - width - left - size - 34, area.height())
        label = " ".join(operation.label.split())
        shown = painter.fontMetrics().elidedText(label, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, middle, shown)

    @staticmethod
    def _undo_rect(area: QRect) -> QRect:
        """Where Undo stands in the line of an entry."""
        width = QFontMetrics(font(META_FONT_PX)).horizontalAdvance(UNDO) + 20
        return QRect(area.right() - width - 4, area.top(), width, area.height())

    def undo_rect(self, rect: QRect, index: _Index) -> QRect:
        """The same, in the whole row with the heading of its day."""
        return self._undo_rect(rect.adjusted(0, self._day_px() if index.data(DAY_ROLE) else 0, 0, 0))

    def editorEvent(
        self, event: QEvent, _model: QAbstractItemModel, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        operation = index.data(OPERATION_ROLE)
        # On the press: it would choose the entry, what it changed would open beside it, and Undo would not stay under the pointer.
        if not isinstance(event, QMouseEvent) or event.type() is not QEvent.Type.MouseButtonPress:
            return False
        if not isinstance(operation, Operation) or not operation.is_undoable:
            return False
        if not self.undo_rect(QRect(option.rect), index).contains(event.position().toPoint()):
            return False
        self.undo_wanted.emit(operation.id)
        return True

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        operation = index.data(OPERATION_ROLE)
        if isinstance(operation, Operation) and self.undo_rect(QRect(option.rect), index).contains(event.pos()):
            QToolTip.showText(event.globalPos(), plain_tooltip(undo_tip(operation)), view)
            return True
        return super().helpEvent(event, view, option, index)

    @staticmethod
    def _row_px() -> int:
        return font_px(13) + 21

    @staticmethod
    def _day_px() -> int:
        return font_px(13) + 23
