"""The entities of a conversation and where they were spoken of: a list whose rows carry a small track.

Enter or a click jumps to the first mention, again to the last. Painted, but a list of texts to screen readers.
Source: UX 4.3, S1 (entity timeline).
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.values import EntityKind, TimelineEntry
from ui.theme import META_FONT_PX, color, font
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.wording.values import ENTITY_WORDS, counted

MAX_ENTRIES = 300
_ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
_TRACK_ROLE = Qt.ItemDataRole.UserRole + 2

Index = QModelIndex | QPersistentModelIndex


def kind_words(kind: str) -> str:
    """An entity kind for people; an unknown one as it is."""
    return ENTITY_WORDS[EntityKind(kind)] if kind in EntityKind.__members__.values() else kind


class _TrackDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        base, meta = QFontMetricsF(font()).height(), QFontMetricsF(font(META_FONT_PX)).height()
        return QSize(option.rect.width(), round(base + meta + 20))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, track = index.data(_ENTRY_ROLE), index.data(_TRACK_ROLE)
        if not isinstance(entry, TimelineEntry):
            super().paint(painter, option, index)  # the line that says that there is nothing
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setBrush(color("accent_soft" if option.state & QStyle.StateFlag.State_Selected else "raised"))
            painter.drawRoundedRect(rect, 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, rect, 6)
        inner = rect.adjusted(8, 5, -8, -5)
        base = QFontMetricsF(font()).height()
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        head = QRectF(inner.left(), inner.top(), inner.width(), base)
        width = draw_elided(painter, head, f"{entry.mention_count}×", is_right=True)
        painter.setFont(font())
        painter.setPen(color("text"))
        draw_elided(painter, head.adjusted(0, 0, -width - 8, 0), entry.entity)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        meta = QFontMetricsF(painter.font()).height()
        draw_elided(painter, QRectF(inner.left(), head.bottom(), inner.width(), meta), kind_words(entry.kind))
        self._paint_track(painter, QRectF(inner.left(), inner.bottom() - 3, inner.width(), 3), track)
        painter.restore()

    def _paint_track(self, painter: QPainter, rect: QRectF, track: tuple[float, float]) -> None:
        first, last = track
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(rect, 1.5, 1.5)
        painter.setBrush(color("accent"))
        left = rect.left() + first * (rect.width() - 5)
        right = rect.left() + last * (rect.width() - 5) + 5
        painter.drawRoundedRect(QRectF(left, rect.top(), right - left, rect.height()), 1.5, 1.5)


class TimelineList(QListWidget):
    """`message_wanted` carries the message to jump to."""

    message_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversations.timeline")
        self.setAccessibleName("Timeline of what was spoken of")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setItemDelegate(_TrackDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._entries: tuple[TimelineEntry, ...] = ()
        self._last_jump: tuple[str, int] = ("", 0)
        self.itemClicked.connect(self._on_wanted)
        self.itemActivated.connect(self._on_wanted)

    def set_entries(self, entries: Sequence[TimelineEntry], message_ids: Sequence[int]) -> None:
        """Other entries; the track shows where between the first and the last message they lie."""
        if tuple(entries) == self._entries and self.count():
            return
        self._entries = tuple(entries)
        places = {message_id: n for n, message_id in enumerate(message_ids)}
        steps = max(1, len(places) - 1)
        row = self.currentRow()
        self.clear()
        for entry in self._entries[:MAX_ENTRIES]:
            item = QListWidgetItem(entry.entity)
            item.setData(_ENTRY_ROLE, entry)
            item.setData(
                _TRACK_ROLE,
                (places.get(entry.first_message_id, 0) / steps, places.get(entry.last_message_id, 0) / steps),
            )
            said = f"{entry.entity}, {kind_words(entry.kind)}, {counted(entry.mention_count, 'mention')}"
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            self.addItem(item)
        if not self._entries:
            nothing = QListWidgetItem("Nothing was named yet")
            nothing.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.addItem(nothing)
        self.setCurrentRow(min(row, self.count() - 1))

    def _on_wanted(self, item: QListWidgetItem) -> None:
        entry = item.data(_ENTRY_ROLE)
        if not isinstance(entry, TimelineEntry):
            return
        is_again = self._last_jump == (entry.entity, entry.first_message_id)
        message_id = entry.last_message_id if is_again else entry.first_message_id
        self._last_jump = (entry.entity, message_id)
        self.message_wanted.emit(message_id)
