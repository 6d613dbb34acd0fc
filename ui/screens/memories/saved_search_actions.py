"""Saved searches on the Memories screen: read, gone to, saved under a name, renamed, removed.

Owns which of them there are and what of a question is kept. The question itself is the screen's. Source: UX 4.4.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QRect, Signal
from PySide6.QtWidgets import QWidget

from app.values import MemoryGroup, MemorySort, SavedSearch
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.filter import FilterState, chip_text
from ui.screens.memories.filter_pane import FilterPane
from ui.screens.memories.reading import ListQuery
from ui.screens.memories.saved_searches import NAME_WIDTH_PX, NamePopup

NAME_CHARS = 40


class MemorySaving(QObject):
    """`wanted` carries the SavedSearch to show; `question` tells what the list is asked for at present."""

    wanted = Signal(object)
    changed = Signal()  # whether the present question could be saved

    def __init__(
        self, context: PanelContext, pane: FilterPane, question: Callable[[], ListQuery], panel: QWidget
    ) -> None:
        super().__init__(panel)
        self._context = context
        self._pane = pane
        self._question = question
        self._panel = panel
        self._searches: tuple[SavedSearch, ...] = ()
        self._wanted_id = 0
        self._renamed_id = 0
        pane.saved.chosen.connect(self.go)
        pane.saved.removed.connect(self._on_removed)
        pane.saved.rename_wanted.connect(self._on_rename_wanted)
        pane.saved.save_wanted.connect(self.ask_name)

    @property
    def can_save(self) -> bool:
        """Whether there is anything to keep that is not kept already."""
        query = self._question()
        is_tray = query.state.tray is not None  # what is there is found by no search
        asked = query.text.strip() or query.state.choices or query.group
        return bool(asked) and not is_tray and not self._current()

    @property
    def searches(self) -> tuple[SavedSearch, ...]:
        return self._searches

    def read(self) -> None:
        if self._context.bridge.is_open:
            self._context.bridge.ask("memories.saved", lambda engine: engine.saved_searches.list(), self._on_read)

    def _on_read(self, searches: tuple[SavedSearch, ...]) -> None:
        self._searches = searches
        self._pane.saved.set_searches(searches)
        self.show_values()
        wanted, self._wanted_id = self._wanted_id, 0
        if wanted and not self._show(wanted):
            self._context.notify(Notice("This saved search is not there any more.", NoticeKind.WARN))

    def show_values(self) -> None:
        """The question is another one now."""
        self._pane.saved.show_current(self._current(), can_save=self.can_save)
        self.changed.emit()

    def go(self, search_id: int) -> None:
        """Shows a search; one that is not known yet as soon as it was read."""
        if not self._show(search_id):
            self._wanted_id = search_id
            self.read()

    def _show(self, search_id: int) -> bool:
        found = next((one for one in self._searches if one.id == search_id), None)
        if found is not None:
            self.wanted.emit(found)
        return found is not None

    def _current(self) -> int:
        asked = search_of(self._question())
        return next((one.id for one in self._searches if same(one, asked)), 0)

    # -- acts
    def ask_name(self) -> None:
        """The sheet that asks how this search shall be called."""
        if not self.can_save:
            return
        names = [one.name for one in self._searches]
        sheet = NamePopup(self._panel.window(), "Save this search", name_for(self._question(), self._pane), names)
        sheet.named.connect(self._on_named)
        sheet.open_at(self._place(), NAME_WIDTH_PX)

    def _on_named(self, name: str) -> None:
        search = search_of(self._question(), name)
        self._context.bridge.do("memory.saveSearch", lambda engine: engine.saved_searches.save(search))

    def _on_rename_wanted(self, search_id: int) -> None:
        found = next((one for one in self._searches if one.id == search_id), None)
        if found is not None:
            self._renamed_id = search_id
            sheet = NamePopup(self._panel.window(), "Rename this search", found.name)
            sheet.named.connect(self._on_renamed)
            sheet.open_at(self._place(), NAME_WIDTH_PX)

    def _on_renamed(self, name: str) -> None:
        number = self._renamed_id
        self._context.bridge.do("memory.renameSearch", lambda engine: engine.saved_searches.rename(number, name))

    def _on_removed(self, search_id: int) -> None:
        self._context.bridge.do("memory.removeSearch", lambda engine: engine.saved_searches.remove(search_id))

    def _place(self) -> QRect:
        saved = self._pane.saved
        beside = saved if saved.isVisible() else self._panel
        return QRect(beside.mapToGlobal(QPoint(8, 28)), beside.size()).adjusted(0, 0, 0, -beside.height() + 8)


def search_of(query: ListQuery, name: str = "") -> SavedSearch:
    """What of a question is kept: neither the scope beside the title nor the conversation at hand."""
    is_plain = not query.text.strip()
    sort = query.sort if query.sort is not (MemorySort.UPDATED if is_plain else MemorySort.RELEVANCE) else None
    return SavedSearch(
        0,
        name,
        query.text.strip(),
        query.state.choices,
        sort.value if sort is not None else "",
        query.group.value if query.group is not None else "",
        query.state.is_inbox,
    )


def same(one: SavedSearch, other: SavedSearch) -> bool:
    """Whether two find and show the same, however they are called."""
    return (one.text, set(one.choices), one.sort, one.group, one.is_inbox) == (
        other.text, set(other.choices), other.sort, other.group, other.is_inbox,
    )  # fmt: skip


def state_of(search: SavedSearch) -> FilterState:
    return FilterState(search.choices, search.is_inbox)


def sort_of(search: SavedSearch) -> MemorySort:
    if search.sort in set(MemorySort):
        return MemorySort(search.sort)
    return MemorySort.RELEVANCE if search.text else MemorySort.UPDATED


def group_of(search: SavedSearch) -> MemoryGroup | None:
    return MemoryGroup(search.group) if search.group in set(MemoryGroup) else None


def name_for(query: ListQuery, pane: FilterPane) -> str:
    """A name to begin with: the words, then what was clicked."""
    titles = pane.titles()
    words = [query.text.strip(), *(chip_text(choice, titles) for choice in query.state.choices)]
    return ", ".join(filter(None, words))[:NAME_CHARS]
