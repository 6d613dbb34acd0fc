"""Episodes: the time line of what conversations came to, by project and month, and the selected one beside it.

Reads again when something concerned it; cursor and scroll stay by id. Source: issue 17 "Episodes", S3, S4.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QButtonGroup, QFrame, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.values import DataKind, Episode, EpisodeDetail, EpisodeFilter, EpisodeType
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.episodes.detail import EpisodeView
from ui.screens.episodes.model import EpisodesModel
from ui.screens.episodes.view import EpisodesView
from ui.screens.episodes.wording import TYPE_WORDS
from ui.selection import ScopeFilter
from ui.widgets.buttons import Button, ChipButton
from ui.widgets.empty_state import EmptyState
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.skeleton import Skeleton
from ui.wording.values import counted, empty_texts

if TYPE_CHECKING:
    from app.api import Engine

PAGE_ROWS, ROWS_MOST = 100, 5_000
EMPTY_TEXTS = (
    "No episode yet",
    "When a conversation ends, its result appears here: what was done, what was decided, what is next.",
)
_CHIPS: tuple[tuple[str, str], ...] = (
    ("all", "Everything"),
    ("key", "Key moments"),
    *((one.value, TYPE_WORDS[one]) for one in EpisodeType),
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
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.pages)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        left = QFrame(self.splitter)
        left.setProperty("role", "card")
        column = QVBoxLayout(left)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(8)
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
        self.none = PlainLabel("", "sub", wraps=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        self.lists.addWidget(self.list)
        self.lists.addWidget(self.none)
        column.addWidget(holder)
        column.addWidget(self.lists, 1)
        self.detail = EpisodeView(self.splitter)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.detail)
        self.splitter.setStretchFactor(0, 5)
        self.splitter.setStretchFactor(1, 4)
        self.splitter.setSizes([560, 450])
        connect = Button("Connect an assistant", "episodes.connect", kind="primary", icon_name="apps")
        connect.clicked.connect(self._on_connect)
        self.empty = EmptyState("episode", *EMPTY_TEXTS, (connect,))
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.splitter)
        self.pages.addWidget(self.empty)

    def _connect(self) -> None:
        self._chips.idClicked.connect(self._on_chip)
        self.list.episode_chosen.connect(self._on_chosen)
        self.list.episode_opened.connect(self._on_opened_episode)
        self.list.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.detail.conversation_wanted.connect(self._on_conversation)
        self.detail.memory_wanted.connect(self._on_memory)
        self.detail.artifact_wanted.connect(self._on_artifact)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.take_focus)
            self.header.search.returnPressed.connect(self.take_focus)

    # -- reading
    @property
    def wish(self) -> Wish:
        return Wish(self._text, self._kind, self.context.selection.scope)

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
        if self._wanted_id is None and (current := self._current()) is not None:
            self._wanted_id = current.id
        at = self.list.verticalScrollBar().value()
        self._is_whole = len(episodes) < count
        self.model.set_episodes(episodes)
        is_asking = wish != Wish(scope=wish.scope)
        self.empty.set_texts(*empty_texts("" if wish.scope == ScopeFilter() else wish.scope.describe(), EMPTY_TEXTS))
        self.pages.setCurrentWidget(self.splitter if episodes or is_asking else self.empty)
        self.none.setText(_nothing_text(wish))
        self.lists.setCurrentWidget(self.list if episodes else self.none)
        more = "" if self._is_whole else " or more"
        self.set_status(f"{counted(len(episodes), 'episode')}{more}" if episodes else "")
        self.list.verticalScrollBar().setValue(at)
        self._select_wanted()
        self.abilities_changed.emit()

    def _select_wanted(self) -> None:
        row = self.model.row_of(self._wanted_id) if self._wanted_id is not None else -1
        if row < 0 and self._wanted_id is not None and self.pages.currentWidget() is self.splitter:
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
        if self.model.rowCount() and self.pages.currentWidget() is self.splitter:
            able |= {"episode.next", "episode.previous"}
        detail = self.detail.detail
        if detail is not None:
            able.add("episode.memory")
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
                self._on_memory(detail.episode.id)
            case "episode.conversation" if detail is not None and detail.episode.conversations:
                self._on_conversation(detail.episode.conversations[-1].conversation_id)

    def _current(self) -> Episode | None:
        return self.model.episode(self.list.currentIndex().row())

    def _on_chip(self, place: int) -> None:
        self._kind = _CHIPS[place][0]
        self.refresh()

    def _on_opened_episode(self, _episode_id: int) -> None:
        self.run("episode.conversation")

    def _on_conversation(self, conversation_id: int) -> None:
        self.context.navigate(Place("conversations", "conversation", conversation_id))

    def _on_memory(self, memory_id: int) -> None:
        self.context.navigate(Place("memories", "memory", memory_id))

    def _on_artifact(self, reference: str) -> None:
        quoted = f'"{reference}"' if " " in reference else reference
        self.context.navigate(Place("memories", query=f"artifact:{quoted}"))

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))


def _nothing_text(wish: Wish) -> str:
    if wish.text:
        return f"No episode fits “{wish.text}”. Try a month (“in March”), a word of its title, or Everything."
    return "No episode of this kind. Choose Everything to see the others."
