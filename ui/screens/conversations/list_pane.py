"""The left part of Conversations: the queue with what went before it, or the hits of a search in its place.

Owns which of the two is shown and what is current in it. Says by signals what is wanted; asks nobody.

The list of search hits: conversation, date, and the words around the hit with the found ones marked.

Hits of a search over all conversations as a list model. Knows no engine and no painting.

Source: UX 4.3.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QFrame,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values import SearchHit
from ui.screens.conversations.message_text import Utf16Map, shown
from ui.screens.conversations.reading import QueueReading, SearchReading
from ui.screens.conversations.transcript_layout import text_layout
from ui.theme import META_FONT_PX, color, font
from ui.widgets.card_list import CardList
from ui.widgets.conversations.queue_model import QueueModel, queue_rows, slot_line
from ui.widgets.conversations.queue_view import QueueView
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.wording.values import clock_time, counted, day

Index = QModelIndex | QPersistentModelIndex

HIT_ROLE = Qt.ItemDataRole.UserRole + 1


class HitsModel(QAbstractListModel):
    """One row a hit, in the engine's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: tuple[SearchHit, ...] = ()

    def set_hits(self, hits: Sequence[SearchHit]) -> None:
        self.beginResetModel()
        self._hits = tuple(hits)
        self.endResetModel()

    def hit_at(self, row: int) -> SearchHit | None:
        return self._hits[row] if 0 <= row < len(self._hits) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        hit = self.hit_at(index.row()) if index.isValid() else None
        if hit is None:
            return None
        if role == HIT_ROLE:
            return hit
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.snippet
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{hit.conversation_title}, {day(hit.at, hit.at)}: {hit.snippet}"
        return None


SNIPPET_LINES = 2
SNIPPET_CHARS = 300
_PADDING_PX = 9.0


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


class HitsView(CardList):
    """`hit_wanted` carries conversation and message on click or Enter."""

    hit_wanted = Signal(int, int)

    def __init__(self, model: HitsModel) -> None:
        super().__init__(model, _HitDelegate())
        self._hits = model
        self.clicked.connect(self._on_clicked)
        self.opened.connect(self._on_opened)

    def step(self, rows: int) -> None:
        """Moves the cursor by that many hits and shows where they are."""
        super().step(rows)
        self._on_clicked(self.currentIndex())

    def _on_opened(self) -> None:
        self.step(0)

    def _on_clicked(self, index: QModelIndex) -> None:
        hit = self._hits.hit_at(index.row())
        if hit is not None:
            self.hit_wanted.emit(hit.conversation_id, hit.message_id)


class ConversationList(QFrame):
    """`hit_wanted` carries conversation and message; the rest is QueueView's and QueueModel's."""

    hit_wanted = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.model = QueueModel(self)
        self.hits = HitsModel(self)
        self.slot_line = ElidedLabel("", "sub")
        self.slot_line.setObjectName("conversations.slotLine")
        self.queue = QueueView(self.model)
        self.queue.setObjectName("conversations.queue")
        self.queue.setAccessibleName("Conversations")
        self.results = HitsView(self.hits)
        self.results.setObjectName("conversations.results")
        self.results.setAccessibleName("Search results")
        self.results.hit_wanted.connect(self.hit_wanted)
        self.no_hits = PlainLabel("", "sub", wraps=True)
        self.no_hits.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        for widget in (self.queue, self.results, self.no_hits):
            self.lists.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(6)
        column.addWidget(self.slot_line)
        column.addWidget(self.lists, 1)

    @property
    def is_searching(self) -> bool:
        return self.lists.currentWidget() is not self.queue

    def set_reading(self, reading: QueueReading) -> None:
        """Another reading of the queue; cursor and scroll stay by id."""
        rows = queue_rows(
            reading.conversations,
            reading.queue_size,
            with_free=True,
            with_earlier=True,
            is_archive_on=reading.is_archive_on,
        )
        self.model.set_rows(rows, reading.now)
        if not self.is_searching:
            self.slot_line.setText(slot_line(reading.kept, reading.queue_size))
        self.queue.setAccessibleName(f"Conversations, {len(reading.kept)} of {reading.queue_size}")

    def set_hits(self, reading: SearchReading) -> None:
        """Shows the hits in place of the queue."""
        self.hits.set_hits(reading.hits)
        said = f"{counted(len(reading.hits), 'hit')} for “{reading.query}”"
        self.slot_line.setText(said)
        self.no_hits.setText(f"No message says “{reading.query}”.")
        self.results.setAccessibleName(f"Search results, {said}")
        self.lists.setCurrentWidget(self.results if reading.hits else self.no_hits)
        # where the list had the focus Qt has passed it on and chosen the first hit, which nobody was shown
        self.results.setCurrentIndex(QModelIndex())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def show_queue(self, reading: QueueReading | None) -> None:
        """The search is over."""
        self.lists.setCurrentWidget(self.queue)
        if reading is not None:
            self.slot_line.setText(slot_line(reading.kept, reading.queue_size))

    def set_now(self, now: datetime) -> None:
        """Lets the ages move on."""
        self.model.set_now(now)

    def step(self, step: int) -> None:
        """The next or previous conversation, or hit."""
        if self.lists.currentWidget() is self.results:
            self.results.step(step)
        else:
            self.queue.step(step)

    def take_focus(self) -> None:
        """The keyboard goes into the list that is shown."""
        if self.lists.currentWidget() is self.results:
            if self.results.currentIndex().row() < 0:  # before the focus makes Qt choose one
                self.results.step(0)
            self.results.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.queue.setFocus(Qt.FocusReason.OtherFocusReason)
