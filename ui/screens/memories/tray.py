"""The tray on the Memories screen: put in, taken out, shown as a list of its own where all of it is selected.

Owns the tray and the way back to the list that was shown before. What is done to what is in it is `MemoryActs`'.

The tray: memories that were put aside while searching, to do something with all of them. Kept while the window lives.

Source: UX 4.4; UX 4.4 "Bulk".
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from app.values import MemoryFilter, MemorySort, MemoryStatus
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.filter import FilterState
from ui.screens.memories.listing.pane import MemoryList
from ui.screens.memories.loading import MemoryAsking
from ui.screens.memories.reading import ListQuery
from ui.widgets.header import PanelHeader
from ui.wording.values import counted

Ids = tuple[int, ...]


class MemoryTray(QObject):
    """`changed` when other memories are in it."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: Ids = ()

    @property
    def ids(self) -> Ids:
        return self._ids

    def put(self, ids: Iterable[int]) -> Ids:
        """Adds these; returns those that were not there yet. Parts of conversations have numbers below zero: they cannot be here."""
        new = tuple(one for one in dict.fromkeys(ids) if one > 0 and one not in self._ids)
        self._take((*self._ids, *new))
        return new

    def take_out(self, ids: Iterable[int]) -> Ids:
        """Removes these; returns those that were there."""
        gone = tuple(one for one in dict.fromkeys(ids) if one in self._ids)
        self._take(tuple(one for one in self._ids if one not in gone))
        return gone

    def keep(self, ids: Iterable[int]) -> None:
        """Removes all others: what was erased is nowhere."""
        known = frozenset(ids)
        self._take(tuple(one for one in self._ids if one in known))

    def _take(self, ids: Ids) -> None:
        if ids != self._ids:
            self._ids = ids
            self.changed.emit()


class MemoryTraying(QObject):
    """`chosen` tells which memories an act is about: the selected ones, else the current one."""

    def __init__(
        self,
        context: PanelContext,
        asking: MemoryAsking,
        listed: MemoryList,
        header: PanelHeader,
        chosen: Callable[[], Sequence[int]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.tray = MemoryTray(self)
        self._context = context
        self._asking = asking
        self._list = listed
        self._header = header
        self._chosen = chosen
        self._before = ListQuery()
        self._is_marking_due = False
        self.tray.changed.connect(self._on_changed)
        listed.tray_chosen.connect(self.show)
        listed.model.reread.connect(self._on_reread)

    @property
    def is_shown(self) -> bool:
        return self._asking.query.state.tray is not None

    def abilities(self) -> frozenset[str]:
        """Ids of the actions of the tray that fit now."""
        if not self.is_shown:
            return frozenset({"memory.toTray"}) if any(one > 0 for one in self._chosen()) else frozenset()
        able = {"memory.emptyTray"} if self.tray.ids else set()
        return frozenset(able | ({"memory.fromTray"} if self._list.view.current_id > 0 else set()))

    # -- what the person does
    def toggle(self) -> None:
        """To the tray, or back to where one was."""
        self.leave() if self.is_shown else self.show()

    def show(self) -> None:
        """The list of what is in it, all of it selected: what is done next is done to all."""
        if self.is_shown:
            return
        self._before, self._is_marking_due = self._asking.query, True
        self._ask(FilterState(tray=self.tray.ids), "", MemorySort.UPDATED)

    def leave(self) -> None:
        """Back to the list that was shown before."""
        before = self._before
        self._ask(before.state, before.text, before.sort)

    def put(self) -> None:
        new = self.tray.put(self._chosen())
        self._list.model.set_marks(())
        total = counted(len(self.tray.ids), "memory", "memories")
        said = f"Put into the tray: {total} there now" if new else f"Already in the tray, with {total} in all"
        self._report(said, "Show", self.show)

    def take_out(self) -> None:
        """The one under the cursor only: all the others are selected, too."""
        self.tray.take_out((self._list.view.current_id,))

    def empty(self) -> None:
        gone = self.tray.take_out(self.tray.ids)
        self._report(
            f"Took {counted(len(gone), 'memory', 'memories')} out of the tray", "Put back", lambda: self._put_back(gone)
        )

    def reread(self) -> None:
        """Something changed: what was erased is in the tray no more."""
        ids = self.tray.ids
        if ids:
            every = MemoryFilter(ids=ids, statuses=tuple(MemoryStatus))
            self._context.bridge.ask("memories.tray", lambda engine: engine.memories.ids(every), self.tray.keep)

    # -- what follows
    def _put_back(self, ids: Ids) -> None:
        self.tray.put(ids)

    def _ask(self, state: FilterState, text: str, sort: MemorySort) -> None:
        if self._header.search is not None:
            with QSignalBlocker(self._header.search):  # asked once, with all the rest
                self._header.set_query(text)
        self._asking.change(state=state, text=text, sort=sort)

    def _on_changed(self) -> None:
        self._list.show_tray_count(len(self.tray.ids))
        state = self._asking.query.state
        if state.tray is not None:
            marked = [one for one in self._list.model.marked_ids if one in self.tray.ids]
            self._list.model.set_marks(marked)
            self._asking.change(state=replace(state, tray=self.tray.ids))

    def _on_reread(self, _is_other: bool) -> None:
        if (
            self._is_marking_due
            and self._asking.reading is not None
            and self._asking.reading.query.state.tray is not None
        ):
            self._is_marking_due = False
            self._list.model.set_marks(self.tray.ids)

    def _report(self, said: str, word: str, then: Callable[[], None]) -> None:
        self._context.notify(Notice(said, NoticeKind.GOOD, word, then, about="tray"))
