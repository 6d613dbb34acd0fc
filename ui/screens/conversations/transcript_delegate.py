"""Paints the rows of a transcript where `Layouter` placed them: text, underlines, chips, markers, links.

What changes without a new layout (hover, focus, flash, current row) is set on the delegate by the view.
Knows no engine. Source: UX 4.3.
"""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.values import Message, Speaker
from ui.icons import pixmap
from ui.screens.conversations.message_text import SpanKind
from ui.screens.conversations.transcript_layout import Layouter, RowLayout, Target, TargetKind, gutter_px, marker_lines
from ui.screens.conversations.transcript_model import ROW_ROLE, RowKind, TranscriptRow
from ui.theme import META_FONT_PX, color, font, tokens
from ui.widgets.paint import draw_chip, draw_elided, draw_focus_ring, mixed
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
