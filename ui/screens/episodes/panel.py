"""Episodes: the time line of what conversations came to, by project and month, and the selected one beside it.

A row shows an episode's day, title, project and outcome, newest first, a heading before each month; older pages are appended
as the list is scrolled. Beside it stands the whole episode: its story in thirds with the key moments marked, what was made,
what was learned, and links to all of them. Changes are read again without moving cursor or scroll.

Source: issue 17 "Episodes", S3, S4; S3 "Narrative Arc Tracking".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values import (
    ArtifactKind,
    ConversationRef,
    DataKind,
    Episode,
    EpisodeDetail,
    EpisodeFilter,
    EpisodeType,
    MemoryCard,
    Moment,
)
from ui.icons import pixmap
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.episodes.wording import (
    CHIP_WORDS,
    NO_LOOK,
    TYPE_LOOKS,
    TYPE_WORDS,
    accessible_text,
    artifact_words,
    chip_texts,
    meta_line,
    moment_line,
    month_title,
    story_of,
)
from ui.selection import ScopeFilter
from ui.theme import META_FONT_PX, color, font, font_px, tokens
from ui.widgets.buttons import Button, ChipButton, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.card_list import CardList, CardPointer, ListBesideDetail
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import Hairline, PlainLabel
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
from ui.widgets.scroll import ScrollColumn
from ui.wording.memories import learned_words
from ui.wording.values import counted, empty_texts

if TYPE_CHECKING:
    from app.api import Engine

_Index = QModelIndex | QPersistentModelIndex
EPISODE_ROLE = Qt.ItemDataRole.UserRole
MONTH_ROLE = Qt.ItemDataRole.UserRole + 1


class EpisodesModel(QAbstractListModel):
    """MONTH_ROLE is "" where a row continues the month above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._episodes: tuple[Episode, ...] = ()

    @property
    def episodes(self) -> tuple[Episode, ...]:
        return self._episodes

    def set_episodes(self, episodes: Sequence[Episode]) -> None:
        """Replaces all rows; nothing happens where they are the same."""
        if tuple(episodes) == self._episodes:
            return
        self.beginResetModel()
        self._episodes = tuple(episodes)
        self.endResetModel()

    def append(self, episodes: Sequence[Episode]) -> None:
        """Adds an older page."""
        known = {one.id for one in self._episodes}
        fresh = tuple(one for one in episodes if one.id not in known)
        if fresh:
            first = len(self._episodes)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._episodes += fresh
            self.endInsertRows()

    def episode(self, row: int) -> Episode | None:
        return self._episodes[row] if 0 <= row < len(self._episodes) else None

    def row_of(self, episode_id: int) -> int:
        """The row of an episode, -1 when it is not here."""
        return next((row for row, one in enumerate(self._episodes) if one.id == episode_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._episodes)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        episode = self.episode(index.row())
        if episode is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return episode.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return accessible_text(episode)
        if role == EPISODE_ROLE:
            return episode
        if role == MONTH_ROLE:
            return self._month(index.row())
        return None

    def _month(self, row: int) -> str:
        month = month_title(self._episodes[row].began_at.astimezone())
        above = self._episodes[row - 1].began_at.astimezone() if row else None
        return "" if above is not None and month_title(above) == month else month


NOTHING_TEXT = "Select an episode to see how it went."
_THIRDS = (("beginning", "In the beginning"), ("middle", "In the middle"), ("end", "In the end"))
_MEMORIES_SHOWN, _FILES_SHOWN = 12, 8


class EpisodeView(Card):
    """`conversation_wanted`, `memory_wanted`, `artifact_wanted` carry where to go."""

    conversation_wanted = Signal(int)
    memory_wanted = Signal(int)
    artifact_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("episodes.detail")
        self.setAccessibleName("The selected episode")
        self._detail: EpisodeDetail | None = None
        self.title = PlainLabel("", "section", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.nothing = PlainLabel(NOTHING_TEXT, "sub", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.scrolled = ScrollColumn("episodes.detail.scroll", parent=self)
        self.scrolled.column.setSpacing(6)
        self.body.addWidget(self.title)
        self.body.addWidget(self.meta)
        self.body.addWidget(self.nothing, 1)
        self.body.addWidget(self.scrolled, 1)
        self.clear()

    @property
    def detail(self) -> EpisodeDetail | None:
        return self._detail

    def clear(self) -> None:
        """Nothing is selected."""
        self._detail = None
        for widget in (self.title, self.meta, self.scrolled):
            widget.hide()
        self.nothing.show()

    def show_detail(self, detail: EpisodeDetail) -> None:
        """Shows it; the same episode read again keeps its scroll."""
        if detail == self._detail:
            return
        is_other = self._detail is None or self._detail.episode.id != detail.episode.id
        self._detail = detail
        episode = detail.episode
        self.title.setText(episode.title)
        self.meta.setText(meta_line(episode))
        clear_layout(self.scrolled.column)
        self.scrolled.add(PlainLabel(story_of(episode, detail.narrative), wraps=True))
        if episode.context:
            self.scrolled.add(PlainLabel(episode.context, "sub", wraps=True))
        self._add_ways(episode.conversations, episode.id)
        self._add_arc()
        self._add_made()
        self._add_learned(detail.memories)
        self.scrolled.add_stretch()
        self.nothing.hide()
        for widget in (self.title, self.meta, self.scrolled):
            widget.show()
        if is_other:
            self.scrolled.verticalScrollBar().setValue(0)

    def _add_ways(self, conversations: Sequence[ConversationRef], episode_id: int) -> None:
        holder = QWidget()
        holder.setProperty("role", "content")
        ways = FlowLayout(holder)
        for one in conversations:
            said = "Open the conversation" if one.is_kept else "What is left of the conversation"
            if len(conversations) > 1:
                said = one.title or said
            way = Button(said[:60], f"episodes.conversation.{one.conversation_id}", icon_name="conversations",
                         tip="Its messages and what was learned" if one.is_kept else "Its text is gone; what was learned stays")  # fmt: skip
            way.setAccessibleName(f"{said}: {one.title}")
            way.setProperty("number", one.conversation_id)
            way.clicked.connect(self._on_conversation)
            ways.addWidget(way)
        own = Button("Show in Memories", f"episodes.memory.{episode_id}", kind="quiet", icon_name="memories",
                     tip="Edit it, pin it, see its history")  # fmt: skip
        own.setProperty("number", episode_id)
        own.clicked.connect(self._on_memory)
        ways.addWidget(own)
        self.scrolled.add(holder)

    def _add_arc(self) -> None:
        if self._detail is None or all(one.text == self._detail.episode.title for one in self._detail.episode.moments):
            return  # nothing that the title does not say
        arc = self._detail.arc
        self._add_heading("How it went")
        for name, said in _THIRDS:
            moments: tuple[Moment, ...] = getattr(arc, name)
            if moments:
                self.scrolled.add(PlainLabel(said, "meta"))
            for one in moments:
                self._add_moment(one, is_key=one in arc.key_moments)

    def _add_moment(self, one: Moment, *, is_key: bool) -> None:
        row = QWidget()
        row.setProperty("role", "content")
        row.setAccessibleName(f"{'Key moment. ' if is_key else ''}{moment_line(one)}")
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        name, role = TYPE_LOOKS[one.type]
        sign = PlainLabel()
        sign.setPixmap(pixmap(name, getattr(tokens(), role), 16, self.devicePixelRatioF()))
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        key = " · key moment" if is_key else ""
        at = one.at.astimezone()
        is_of_many = self._detail is not None and len(self._detail.episode.conversations) > 1
        when = f"{at.day} {at:%b}" if is_of_many else f"message {one.turn}"
        texts.addWidget(PlainLabel(f"{TYPE_WORDS[one.type]} · {when}{key}", "accent" if is_key else "meta", wraps=True))
        texts.addWidget(PlainLabel(one.text, "heading" if is_key else "body", wraps=True))
        line.addLayout(texts, 1)
        if one.memory_id is not None:
            show = Button("Show", f"episodes.moment.{one.memory_id}", kind="link", tip="Open it in Memories")
            show.setAccessibleName(f"Show the memory: {one.text[:80]}")
            show.setProperty("number", one.memory_id)
            show.clicked.connect(self._on_memory)
            line.addWidget(show, 0, Qt.AlignmentFlag.AlignTop)
        self.scrolled.add(row)

    def _add_made(self) -> None:
        made = self._detail.episode.artifacts if self._detail is not None else ()
        if not made:
            return
        self._add_heading("What was made")
        files = [one for one in made if one.kind is ArtifactKind.FILE]
        holder = QWidget()
        holder.setProperty("role", "content")
        ways = FlowLayout(holder)
        for one in [one for one in made if one.kind is not ArtifactKind.FILE] + files[:_FILES_SHOWN]:
            way = FitButton(artifact_words(one), f"episodes.artifact.{one.id}", kind="chip", tip=one.reference)
            way.setAccessibleName(f"Show what names {artifact_words(one)}")
            way.setProperty("reference", one.reference)
            way.clicked.connect(self._on_artifact)
            ways.addWidget(way)
        self.scrolled.add(holder)
        if len(files) > _FILES_SHOWN:
            self.scrolled.add(PlainLabel(f"and {len(files) - _FILES_SHOWN} more files", "meta"))

    def _add_learned(self, memories: Sequence[MemoryCard]) -> None:
        if not memories:
            return
        self._add_heading(learned_words(memories))
        for card in memories[:_MEMORIES_SHOWN]:
            way = FitButton(
                card.text or card.title, f"episodes.learned.{card.id}", kind="link", tip="Open it in Memories"
            )
            way.setProperty("number", card.id)
            way.clicked.connect(self._on_memory)
            self.scrolled.column.addWidget(way, 0, Qt.AlignmentFlag.AlignLeft)
        if len(memories) > _MEMORIES_SHOWN:
            self.scrolled.add(PlainLabel(f"and {len(memories) - _MEMORIES_SHOWN} more", "meta"))

    def _add_heading(self, text: str) -> None:
        self.scrolled.add(Hairline())
        self.scrolled.add(PlainLabel(text, "heading"))

    def _on_conversation(self) -> None:
        self.conversation_wanted.emit(int(self.sender().property("number")))

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("number")))

    def _on_artifact(self) -> None:
        self.artifact_wanted.emit(str(self.sender().property("reference")))


_DAY_PX, _PADDING_PX, _GAP_PX = 58, 9.0, 6
_MARK_PX = 16
_ON_CHOSEN = ChipLook("accent", "panel")  # on the ground of what is selected


class EpisodeDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered_row = -1

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        base = QFontMetricsF(font()).height()
        episode = index.data(EPISODE_ROLE)
        has_chips = isinstance(episode, Episode) and bool(_chips_of(episode))
        row = round(2 * base + (chip_height() + 6 if has_chips else 0) + 2 * _PADDING_PX + 4) + _GAP_PX
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
        for text in _chips_of(episode):
            is_type = episode.type is not None and text == TYPE_WORDS[episode.type]
            look = _ON_CHOSEN if is_selected else ACCENT_CHIP if is_type else QUIET_CHIP
            width = chip_width(text)
            if left + width > inner.right():
                break
            draw_chip(painter, QRectF(left, top, width, chip_height()), text, look)
            left += width + 5

    @staticmethod
    def _month_px() -> int:
        return font_px(13) + 22


def _chips_of(episode: Episode) -> list[str]:
    return [*([TYPE_WORDS[episode.type]] if episode.type is not None else []), *chip_texts(episode)]


class EpisodesView(CardList):
    """`episode_chosen` carries the number of the current one; `opened` at Enter and a double click."""

    episode_chosen = Signal(int)

    def __init__(self, model: EpisodesModel) -> None:
        delegate = EpisodeDelegate()
        super().__init__(model, delegate)
        self._episodes = model
        self.setObjectName("episodes.list")
        self.setAccessibleName("Episodes")
        self._pointer = CardPointer(self, delegate)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_double)

    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        episode = self._episodes.episode(current.row())
        if episode is not None:
            self.episode_chosen.emit(episode.id)

    def _on_double(self, _index: QModelIndex) -> None:
        self.opened.emit()


PAGE_ROWS, ROWS_MOST = 100, 5_000
EMPTY_TEXTS = (
    "No episode yet",
    "When a conversation ends, its result appears here: what was done, what was decided, what is next.",
)
_CHIPS: tuple[tuple[str, str], ...] = (
    ("all", "All kinds"),
    ("key", "Key moments"),
    *((one.value, CHIP_WORDS[one]) for one in EpisodeType),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of the time line."""

    text: str = ""
    kind: str = "all"
    scope: ScopeFilter = field(default_factory=ScopeFilter)

    def to_filter(self) -> EpisodeFilter:
        is_type = self.kind not in {"all", "key"}
        return EpisodeFilter(
            project=self.scope.project_or_none,
            app=self.scope.app_or_none,
            text=self.text,
            type=EpisodeType(self.kind) if is_type else None,
            is_key=self.kind == "key",
        )


class EpisodesPanel(Panel):
    screen_id: ClassVar[str] = "episodes"
    title: ClassVar[str] = "Episodes"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    search_hint: ClassVar[str] = "In March, last week, a word, a file…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.MEMORIES, DataKind.CONVERSATIONS})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._text = ""
        self._kind = "all"
        self._wanted_id: int | None = None
        self._is_whole = False
        self._build()
        self._connect()

    # -- building
    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        self.page = QWidget(self.pages)
        whole = QVBoxLayout(self.page)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        holder = QWidget()
        holder.setProperty("role", "content")
        chips = FlowLayout(holder)
        self._chips = QButtonGroup(self)
        for place, (name, text) in enumerate(_CHIPS):
            chip = ChipButton(text, f"episodes.chip.{name}", is_on=place == 0)
            self._chips.addButton(chip, place)
            chips.addWidget(chip)
        self.model = EpisodesModel(self)
        self.list = EpisodesView(self.model)
        self.detail = EpisodeView()
        self.halves = ListBesideDetail(self.list, self.detail, sizes_px=(560, 450), stretch=(5, 4))
        connect = Button("Connect an assistant", "episodes.connect", kind="primary", icon_name="apps")
        connect.clicked.connect(self._on_connect)
        self.empty = EmptyState("episode", *EMPTY_TEXTS, (connect,))
        self.pages.addWidget(Skeleton())
        whole.addWidget(holder)
        whole.addWidget(self.halves, 1)
        self.pages.addWidget(self.page)
        self.pages.addWidget(self.empty)

    def _connect(self) -> None:
        self._chips.idClicked.connect(self._on_chip)
        self.list.episode_chosen.connect(self._on_chosen)
        self.list.opened.connect(self._on_row_opened)
        self.list.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.detail.conversation_wanted.connect(self.open_conversation)
        self.detail.memory_wanted.connect(self.open_memory)
        self.detail.artifact_wanted.connect(self._on_artifact)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.take_focus)
            self.header.search.returnPressed.connect(self.take_focus)

    # -- reading
    @property
    def wish(self) -> Wish:
        return Wish(self._text, self._kind, self.context.selection.scope)

    def parts(self) -> tuple[QWidget, ...]:
        return self.list, self.detail

    def refresh(self) -> None:
        """Reads as many rows as are shown, so that nothing jumps."""
        wish, count = self.wish, max(PAGE_ROWS, min(self.model.rowCount(), 500))
        self.context.bridge.ask(
            "episodes.list",
            lambda engine: (wish, engine.episodes.list(wish.to_filter(), limit=count), count),
            self._on_list,
        )

    def search(self, text: str) -> None:
        self._text = text.strip()
        self.refresh()

    def _on_list(self, found: tuple[Wish, tuple[Episode, ...], int]) -> None:
        wish, episodes, count = found
        kept = self._current() if self._wanted_id is None else None
        row_before = max(0, self.list.currentIndex().row())
        at = self.list.verticalScrollBar().value()
        self._is_whole = len(episodes) < count
        self.model.set_episodes(episodes)
        is_asking = wish != Wish(scope=wish.scope)
        self.empty.set_texts(*empty_texts("" if wish.scope == ScopeFilter() else wish.scope.describe(), EMPTY_TEXTS))
        self.pages.setCurrentWidget(self.page if episodes or is_asking else self.empty)
        self.halves.show_found(is_any=bool(episodes), nothing=_nothing_text(wish))
        more = "" if self._is_whole else " or more"
        self.set_status(f"{counted(len(episodes), 'episode')}{more}" if episodes else "")
        self.list.verticalScrollBar().setValue(at)
        if kept is not None and episodes:  # what a filter leaves out is not shown beside the list either
            row = self.model.row_of(kept.id)
            place = row if row >= 0 else min(row_before, len(episodes) - 1)
            self.list.choose_row(place)
            self._on_chosen(episodes[place].id)
        else:
            self._select_wanted()
        self.abilities_changed.emit()

    def _select_wanted(self) -> None:
        row = self.model.row_of(self._wanted_id) if self._wanted_id is not None else -1
        if row < 0 and self._wanted_id is not None and self.pages.currentWidget() is self.page:
            self._read_one(self._wanted_id)  # older than what is listed
        if row < 0 and self._wanted_id is None and self.model.rowCount():
            row = 0
        if row >= 0:
            self._wanted_id = None
            self.list.choose_row(row)
            self._on_chosen(self.model.episodes[row].id)
        elif not self.model.rowCount():
            self.detail.clear()

    def _on_chosen(self, episode_id: int) -> None:
        self._read_one(episode_id)
        self.place_changed.emit(Place("episodes", "episode", episode_id, self._text))

    def _read_one(self, episode_id: int) -> None:
        def read(engine: "Engine") -> EpisodeDetail:
            return engine.episodes.get(episode_id)

        self.context.bridge.ask("episodes.one", read, self._on_detail)

    def _on_detail(self, detail: EpisodeDetail) -> None:
        self.detail.show_detail(detail)
        self.abilities_changed.emit()

    def _on_scrolled(self, value: int) -> None:
        bar = self.list.verticalScrollBar()
        if self._is_whole or not self.model.rowCount() or value < bar.maximum() - bar.pageStep():
            return
        if self.model.rowCount() >= ROWS_MOST:
            return
        wish, last = self.wish, self.model.episodes[-1].id
        self.context.bridge.ask(
            "episodes.older",
            lambda engine: engine.episodes.list(wish.to_filter(), before=last, limit=PAGE_ROWS),
            self._on_older,
        )

    def _on_older(self, episodes: tuple[Episode, ...]) -> None:
        self._is_whole = len(episodes) < PAGE_ROWS
        self.model.append(episodes)

    # -- places and acts
    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.kind == "episode" and place.object_id is not None:
            self._wanted_id = place.object_id
            self._select_wanted()
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self.take_focus()

    def take_focus(self) -> None:
        """The keyboard goes into the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def abilities(self) -> frozenset[str]:
        able: set[str] = set()
        if self.model.rowCount() and self.pages.currentWidget() is self.page:
            able |= {"episode.next", "episode.previous"}
        detail = self.detail.detail
        if detail is not None:
            able |= {"episode.memory", "episode.graph"}
            able |= {"episode.conversation"} if detail.episode.conversations else set()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        detail = self.detail.detail
        match action_id:
            case "episode.next":
                self.list.step(1)
            case "episode.previous":
                self.list.step(-1)
            case "episode.memory" if detail is not None:
                self.open_memory(detail.episode.id)
            case "episode.graph" if detail is not None:
                self.context.navigate(Place("graph", query=f"memory:{detail.episode.id}"))
            case "episode.conversation" if detail is not None and detail.episode.conversations:
                self.open_conversation(detail.episode.conversations[-1].conversation_id)

    def _current(self) -> Episode | None:
        return self.model.episode(self.list.currentIndex().row())

    def _on_chip(self, place: int) -> None:
        self._kind = _CHIPS[place][0]
        self.refresh()

    def _on_row_opened(self) -> None:
        self.run("episode.conversation")

    def _on_artifact(self, reference: str) -> None:
        quoted = f'"{reference}"' if " " in reference else reference
        self.context.navigate(Place("memories", query=f"artifact:{quoted}"))

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))


def _nothing_text(wish: Wish) -> str:
    if wish.text:
        return f"No episode fits “{wish.text}”. Try a month (“in March”), a word of its title, or All kinds."
    return "No episode of this kind. Choose All kinds to see the others."
