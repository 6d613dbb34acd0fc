"""What was learned as rows: kind, title, a line below, how often it was seen; what is off stands pale. Knows no engine."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui.screens.learned.wording import KIND_WORDS, Entry, said_aloud
from ui.theme import META_FONT_PX, color, font
from ui.widgets.card_list import CardPointer, prepare_list
from ui.widgets.paint import (
    ACCENT_CHIP,
    QUIET_CHIP,
    ChipLook,
    chip_height,
    chip_width,
    draw_chip,
    draw_elided,
    draw_focus_ring,
)

ENTRY_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PADDING_PX, _GAP_PX = 9.0, 6
_ON_CHOSEN = ChipLook("accent", "panel")


class LearnedModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Replaces all rows; nothing happens where they are the same."""
        if tuple(entries) == self._entries:
            return
        self.beginResetModel()
        self._entries = tuple(entries)
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, key: tuple[bool, int] | None) -> int:
        """The row of an entry, -1 when it is not here."""
        return next((row for row, one in enumerate(self._entries) if one.key == key), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return said_aloud(entry)
        return entry if role == ENTRY_ROLE else None


class LearnedDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        base = QFontMetricsF(font()).height()
        return QSize(option.rect.width(), round(2 * max(base, chip_height()) + 2 * _PADDING_PX + 4) + _GAP_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, Entry):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(option.rect).adjusted(2, 0, -2, -_GAP_PX)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or index.row() == self.hovered_row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft" if is_selected else "raised"))
            painter.drawRoundedRect(card, 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, card)
        inner = card.adjusted(_PADDING_PX + 2, _PADDING_PX - 2, -_PADDING_PX - 2, -_PADDING_PX + 2)
        self._paint_entry(painter, inner, entry, is_selected=is_selected)
        painter.restore()

    @staticmethod
    def _paint_entry(painter: QPainter, inner: QRectF, entry: Entry, *, is_selected: bool) -> None:
        height = max(QFontMetricsF(font()).height(), chip_height())
        line = QRectF(inner.left(), inner.top(), inner.width(), height)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        count = entry.count if entry.is_on else f"off · {entry.count}"
        taken = draw_elided(painter, line.adjusted(inner.width() / 2, 0, 0, 0), count, is_right=True)
        look = _ON_CHOSEN if is_selected else ACCENT_CHIP if entry.is_on else QUIET_CHIP
        word = KIND_WORDS[entry.kind]
        width = chip_width(word)
        draw_chip(
            painter, QRectF(line.left(), line.top() + (height - chip_height()) / 2, width, chip_height()), word, look
        )
        painter.setFont(font(weight=QFont.Weight.Medium))
        painter.setPen(color("text" if entry.is_on else "sub"))
        draw_elided(painter, line.adjusted(width + 8, 0, -taken - 10, 0), entry.title)
        painter.setFont(font())
        painter.setPen(color("sub"))
        draw_elided(painter, line.translated(0, height + 2), entry.line)


class LearnedView(QListView):
    """`entry_chosen` when another row is the current one."""

    entry_chosen = Signal()
    edit_wanted = Signal()

    def __init__(self, model: LearnedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self.setObjectName("learned.list")
        self.setAccessibleName("Learned")
        self.setModel(model)
        delegate = LearnedDelegate(self)
        self.setItemDelegate(delegate)
        prepare_list(self)
        self._pointer = CardPointer(self, delegate)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_opened)

    @property
    def current(self) -> Entry | None:
        return self._rows.entry(self.currentIndex().row())

    def step(self, rows: int) -> None:
        """Moves the cursor by that many rows."""
        self.choose_row(min(max(self.currentIndex().row() + rows, 0), self._rows.rowCount() - 1))

    def choose_row(self, row: int) -> None:
        index = self._rows.index(row)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_wanted.emit()
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self.entry_chosen.emit()

    def _on_opened(self, _index: QModelIndex) -> None:
        self.edit_wanted.emit()
