"""Paints one operation of the journal: hour, icon, label, where it came from, its minute; a heading where a day begins."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.values.changes import Operation, Origin
from ui.icons import pixmap
from ui.screens.activity.model import DAY_ROLE, HOUR_ROLE, OPERATION_ROLE, ORIGIN_WORDS
from ui.theme import META_FONT_PX, color, font, font_px, tokens

_Index = QModelIndex | QPersistentModelIndex
ORIGIN_ICONS = {
    Origin.PERSON: ("user", "accent"),
    Origin.CAPTURE: ("message", "sub"),
    Origin.IMPORT: ("import", "sub"),
    Origin.ENGINE: ("settings", "sub"),
    Origin.API: ("apps", "sub"),
}
HOUR_PX = 54


class ActivityDelegate(QStyledItemDelegate):
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
        painter.drawPixmap(left, area.center().y() - 7, pixmap(name, getattr(tokens(), role), 16, ratio))
        meta = f"{ORIGIN_WORDS[operation.origin]} · {operation.at.astimezone():%H:%M}"
        if operation.is_undone:
            meta = f"undone · {meta}"
        width = painter.fontMetrics().horizontalAdvance(meta) + 4
        painter.drawText(QRect(area.right() - width - 12, area.top(), width, area.height()), middle, meta)
        line = font()
        line.setStrikeOut(operation.is_undone)
        painter.setFont(line)
        painter.setPen(color("sub" if operation.is_undone else "text"))
        space = QRect(left + 26, area.top(), area.right() - width - left - 50, area.height())
        label = " ".join(operation.label.split())
        shown = painter.fontMetrics().elidedText(label, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, middle, shown)

    @staticmethod
    def _row_px() -> int:
        return font_px(13) + 21

    @staticmethod
    def _day_px() -> int:
        return font_px(13) + 23
