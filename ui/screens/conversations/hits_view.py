"""The list of search hits: conversation, date, and the words around the hit with the found ones marked.

Snippets are plain text; marks are drawn, never inserted. Says which hit is wanted by a signal. Source: UX 4.3.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.values import SearchHit
from ui.screens.conversations.hits_model import HIT_ROLE, HitsModel
from ui.screens.conversations.message_text import Utf16Map, shown
from ui.screens.conversations.transcript_layout import text_layout
from ui.theme import META_FONT_PX, color, font
from ui.widgets.card_list import prepare_list
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.wording.values import clock_time

SNIPPET_LINES = 2
SNIPPET_CHARS = 300
_PADDING_PX = 9.0

Index = QModelIndex | QPersistentModelIndex


def marked_formats(hit: SearchHit) -> list[QTextLayout.FormatRange]:
    """Formats that mark the found words in the snippet; marks outside of it are dropped."""
    units, length = Utf16Map(hit.snippet), len(hit.snippet)
    made: list[QTextLayout.FormatRange] = []
    for start, end in hit.marks:
        if not 0 <= start < end <= length:
            continue
        chosen = QTextCharFormat()
        chosen.setBackground(color("mark"))
        chosen.setForeground(color("text"))
        ranged = QTextLayout.FormatRange()
        ranged.start, ranged.length, ranged.format = units(start), units(end) - units(start), chosen
        made.append(ranged)
    return made


class _HitDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        base = QFontMetricsF(font()).height()
        return QSize(option.rect.width(), round(base + SNIPPET_LINES * (base + 3) + 2 * _PADDING_PX + 4))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        hit = index.data(HIT_ROLE)
        if not isinstance(hit, SearchHit):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(0, 0, 0, -4)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft"))
            painter.drawRoundedRect(rect, 8, 8)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("raised"))
            painter.drawRoundedRect(rect, 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, rect)
        inner = rect.adjusted(_PADDING_PX + 2, _PADDING_PX, -_PADDING_PX - 2, -_PADDING_PX)
        base = QFontMetricsF(font()).height()
        head = QRectF(inner.left(), inner.top(), inner.width(), base)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        local = hit.at.astimezone()
        width = draw_elided(painter, head, f"{local.day} {local:%b} {clock_time(hit.at)}", is_right=True)
        painter.setFont(font(weight=QFont.Weight.Medium))
        painter.setPen(color("text"))
        draw_elided(painter, head.adjusted(0, 0, -width - 10, 0), hit.conversation_title)
        painter.setClipRect(QRectF(inner.left(), head.bottom() + 3, inner.width(), SNIPPET_LINES * (base + 3)))
        painter.setPen(color("sub"))
        layout = text_layout(shown(hit.snippet)[:SNIPPET_CHARS], inner.width(), marked_formats(hit))
        layout.draw(painter, QPointF(inner.left(), head.bottom() + 3))
        painter.restore()


class HitsView(QListView):
    """`hit_wanted` carries conversation and message on click or Enter."""

    hit_wanted = Signal(int, int)

    def __init__(self, model: HitsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits = model
        self.setModel(model)
        self.setItemDelegate(_HitDelegate(self))
        prepare_list(self)
        self.clicked.connect(self._on_clicked)

    def step(self, rows: int) -> None:
        """Moves the cursor by that many hits and shows where they are."""
        row = min(max(self.currentIndex().row() + rows, 0), self._hits.rowCount() - 1)
        self.setCurrentIndex(self._hits.index(row))
        self._on_clicked(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_clicked(self.currentIndex())
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _on_clicked(self, index: QModelIndex) -> None:
        hit = self._hits.hit_at(index.row())
        if hit is not None:
            self.hit_wanted.emit(hit.conversation_id, hit.message_id)
