"""The time line: a line with a mark per episode, its day, title, project, what it came to, and what hangs on it; a heading per month."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.values import Episode
from ui.icons import pixmap
from ui.screens.episodes.model import EPISODE_ROLE, MONTH_ROLE, EpisodesModel
from ui.screens.episodes.wording import NO_LOOK, TYPE_LOOKS, TYPE_WORDS, chip_texts
from ui.theme import META_FONT_PX, color, font, font_px, tokens
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

_Index = QModelIndex | QPersistentModelIndex
_DAY_PX, _PADDING_PX, _GAP_PX = 58, 9.0, 6
_MARK_PX = 16
_ON_CHOSEN = ChipLook("accent", "panel")  # on the ground of what is selected


class EpisodeDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        base = QFontMetricsF(font()).height()
        row = round(2 * base + chip_height() + 2 * _PADDING_PX + 10) + _GAP_PX
        return QSize(option.rect.width(), row + (self._month_px() if index.data(MONTH_ROLE) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        episode = index.data(EPISODE_ROLE)
        if not isinstance(episode, Episode):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        self._paint_line(painter, area)
        month = str(index.data(MONTH_ROLE) or "")
        if month:
            self._paint_month(painter, area, month)
            area.setTop(area.top() + self._month_px())
        card = QRectF(area).adjusted(_DAY_PX + _MARK_PX + 6, 0, -2, -_GAP_PX)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or index.row() == self.hovered_row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent_soft" if is_selected else "raised"))
            painter.drawRoundedRect(card, 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, card)
        self._paint_mark(painter, area, episode)
        inner = card.adjusted(_PADDING_PX, _PADDING_PX - 2, -_PADDING_PX, -_PADDING_PX)
        self._paint_card(painter, inner, episode, is_selected=is_selected)
        painter.restore()

    @staticmethod
    def _paint_line(painter: QPainter, area: QRect) -> None:
        painter.setPen(QPen(color("line"), 2.0))
        x = area.left() + _DAY_PX + _MARK_PX / 2
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() + 1))

    def _paint_month(self, painter: QPainter, area: QRect, month: str) -> None:
        head = QRectF(area.left(), area.top(), area.width(), self._month_px() - 4)
        painter.fillRect(head.adjusted(0, 0, 0, 4), color("panel"))
        painter.setFont(font(13, QFont.Weight.DemiBold))
        painter.setPen(color("text"))
        painter.drawText(head.adjusted(6, 0, 0, 0), int(Qt.AlignmentFlag.AlignBottom), month)

    @staticmethod
    def _paint_mark(painter: QPainter, area: QRect, episode: Episode) -> None:
        began = episode.began_at.astimezone()
        base = QFontMetricsF(font()).height()
        top = area.top() + _PADDING_PX - 2
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        day = QRectF(area.left() + 6, top, _DAY_PX - 12, base)
        painter.drawText(
            day, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), f"{began.day} {began:%b}"
        )
        name, role = TYPE_LOOKS[episode.type] if episode.type is not None else NO_LOOK
        mark = QRectF(area.left() + _DAY_PX - 3, top + base / 2 - _MARK_PX / 2 - 3, _MARK_PX + 6, _MARK_PX + 6)
        painter.setPen(QPen(color("line"), 1.5))
        painter.setBrush(color("panel"))
        painter.drawEllipse(mark)
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(QPointF(mark.left() + 5, mark.top() + 5), pixmap(name, getattr(tokens(), role), 12, ratio))

    @staticmethod
    def _paint_card(painter: QPainter, inner: QRectF, episode: Episode, *, is_selected: bool) -> None:
        base = QFontMetricsF(font()).height()
        line = QRectF(inner.left(), inner.top(), inner.width(), base)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        taken = draw_elided(painter, line.adjusted(inner.width() / 2, 0, 0, 0), episode.project, is_right=True)
        painter.setFont(font(weight=QFont.Weight.Medium))
        painter.setPen(color("text"))
        draw_elided(painter, line.adjusted(0, 0, -taken - 10, 0), episode.title)
        painter.setFont(font())
        painter.setPen(color("sub"))
        line.translate(0, base + 3)
        draw_elided(painter, line, episode.summary)
        left, top = inner.left(), line.bottom() + 5
        kind, other = (_ON_CHOSEN, _ON_CHOSEN) if is_selected else (ACCENT_CHIP, QUIET_CHIP)
        chips = [(TYPE_WORDS[episode.type], kind)] if episode.type is not None else []
        chips += [(text, other) for text in chip_texts(episode)]
        for text, look in chips:
            width = chip_width(text)
            if left + width > inner.right():
                break
            draw_chip(painter, QRectF(left, top, width, chip_height()), text, look)
            left += width + 5

    @staticmethod
    def _month_px() -> int:
        return font_px(13) + 22


class EpisodesView(QListView):
    """`episode_chosen` carries the number of the current one; `episode_opened` of one that was double-clicked or entered."""

    episode_chosen = Signal(int)
    episode_opened = Signal(int)

    def __init__(self, model: EpisodesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._episodes = model
        self.setObjectName("episodes.list")
        self.setAccessibleName("Episodes")
        self.setModel(model)
        delegate = EpisodeDelegate(self)
        self.setItemDelegate(delegate)
        prepare_list(self)
        self._pointer = CardPointer(self, delegate)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_opened)

    def step(self, rows: int) -> None:
        """Moves the cursor by that many rows."""
        row = min(max(self.currentIndex().row() + rows, 0), self._episodes.rowCount() - 1)
        self.choose_row(row)

    def choose_row(self, row: int) -> None:
        index = self._episodes.index(row)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_opened(self.currentIndex())
        elif event.text() and event.text().isprintable():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        episode = self._episodes.episode(current.row())
        if episode is not None:
            self.episode_chosen.emit(episode.id)

    def _on_opened(self, index: QModelIndex) -> None:
        episode = self._episodes.episode(index.row())
        if episode is not None:
            self.episode_opened.emit(episode.id)
