"""What the Memories screen asks for and when: the list, more of it, its facets, the selected memory.

What the eye waits for comes first: the first rows or hits, then the memory under the cursor, then the rest of the hits, then the
counts. Owns the question that is asked at present. Knows the bridge, no widget. Source: QUALITY P9, UX 4.4.
"""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.values import MemorySort
from ui.bridge import EngineBridge
from ui.screens.memories.reading import (
    FIRST_HITS,
    HITS_LIMIT,
    ListQuery,
    ListReading,
    facets_of,
    is_for_all,
    read_facets,
    read_ids,
    read_list,
    read_one,
    read_pages,
)
from ui.selection import Selection

FACETS_AFTER_MS = 60  # the list first
FACETS_AGAIN_MS = 700
EXPLAINED_AFTER_MS = 250  # what could be done when nothing fits: nobody reads it between two letters
REST_AFTER_MS = 400  # whoever types on needs the first hits only, and no longer question in the way


def _mode(query: ListQuery) -> tuple[object, ...]:
    """What of a question decides how many there are in all."""
    return query.state.is_inbox, query.state.tray, query.app, query.project


class MemoryAsking(QObject):
    """Answers come as signals, the newest question's only."""

    list_read = Signal(object, object)  # ListReading, and the one before or None
    pages_read = Signal(object)
    facets_read = Signal(object)
    one_read = Signal(object)
    marks_read = Signal(object)

    def __init__(
        self,
        bridge: EngineBridge,
        selection: Selection,
        shown_pages: Callable[[], tuple[int, ...]],
        wanted_id: Callable[[], int],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._selection = selection
        self._shown_pages = shown_pages
        self._wanted_id = wanted_id
        self._is_stale = True  # how many there are may be another number
        self.query = ListQuery()
        self.reading: ListReading | None = None
        self._facets_due = self._timer(FACETS_AFTER_MS, self.ask_facets)
        self._facets_again = self._timer(FACETS_AGAIN_MS, self.ask_facets)
        self._groups_again = self._timer(FACETS_AGAIN_MS, self.ask_list)
        self._rest_due = self._timer(REST_AFTER_MS, self._ask_rest)
        self._explained_due = self._timer(EXPLAINED_AFTER_MS, self._ask_rest)
        self._one_due = self._timer(0, self._ask_one)

    def _timer(self, interval_ms: int, run: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(run)
        return timer

    # -- the list
    def change(self, **changes: object) -> None:
        """Another question: filter, words, order. Asked at once when the engine is there."""
        self.query = replace(self.query, **changes)  # type: ignore[arg-type]  # names of ListQuery
        if self._bridge.is_open:
            self.ask_list()

    def ask_list(self, *, is_changed: bool = False) -> None:
        """Reads the list; how many there are in all only when that may be another number."""
        self._rest_due.stop()
        self._explained_due.stop()
        scope = self._selection.scope
        at_hand = (self._selection.conversation_id or 0) if self.query.is_around else 0
        self.query = replace(self.query, app=scope.app, project=scope.project, conversation_id=at_hand)
        before, query = self.reading, self.query
        is_same = before is not None and before.query == query
        self._is_stale = self._is_stale or is_changed
        is_whole = is_same or query.sort is not MemorySort.RELEVANCE
        is_typing = before is not None and before.query.text != query.text
        pages = self._shown_pages() if is_same else (0,)
        self._send(pages, HITS_LIMIT if is_whole else FIRST_HITS, is_explained=not is_typing)

    def _send(self, pages: tuple[int, ...], hits_limit: int, *, is_explained: bool) -> None:
        before, query = self.reading, self.query
        is_known = before is not None and not self._is_stale and _mode(before.query) == _mode(query)
        known = (before.everything, before.counts) if is_known and before is not None else None
        self._bridge.ask(
            "memories.list",
            lambda engine: read_list(
                engine, query, pages, known=known, hits_limit=hits_limit, is_explained=is_explained
            ),
            self._on_list,
        )

    def _on_list(self, reading: ListReading) -> None:
        before, self.reading, self._is_stale = self.reading, reading, False
        self.list_read.emit(reading, before)
        if reading.query.group is not None and reading.total and not reading.groups:
            self._groups_again.start()  # a large store is still being read
        if not reading.is_explained:
            self._explained_due.start()
        elif reading.has_more:
            self._rest_due.start()
        else:
            self._facets_due.start()

    def _ask_rest(self) -> None:
        if self._bridge.is_open:
            self._send((0,), HITS_LIMIT, is_explained=True)

    def ask_pages(self, pages: tuple[int, ...]) -> None:
        """More of a plain list."""
        query = self.query if self.reading is not None and self.reading.groups else replace(self.query, group=None)
        if self.reading is not None and self.reading.hits is None:
            self._bridge.ask("memories.pages", lambda engine: read_pages(engine, query, pages), self._on_pages)

    def _on_pages(self, pages: object) -> None:
        self.pages_read.emit(pages)

    def ask_marks(self, first: int, last: int) -> None:
        """The numbers of a stretch of the list."""
        if self.reading is not None and self.reading.hits is not None:
            cards = [hit.card for hit in self.reading.hits[first : last + 1]]
            self.marks_read.emit(tuple(card.id for card in cards if is_for_all(card, self.query.state)))
            return
        query = self.query if self.reading is not None and self.reading.groups else replace(self.query, group=None)
        self._bridge.ask("memories.marks", lambda engine: read_ids(engine, query, first, last), self._on_marks)

    def _on_marks(self, ids: object) -> None:
        self.marks_read.emit(ids)

    # -- its neighbours
    def ask_facets(self) -> None:
        """Of hits they are counted here, of a list by the engine; without a hit the values of the list stay in sight, without their counts."""
        query = self.query
        if self.reading is not None and self.reading.hits:
            self.facets_read.emit(facets_of([hit.card for hit in self.reading.hits if hit.card.id > 0]))
        elif self._bridge.is_open:
            self._bridge.ask("memories.facets", lambda engine: read_facets(engine, query), self._on_facets)

    def ask_facets_later(self) -> None:
        """A large store is still being read: its counts come by and by."""
        self._facets_again.start()

    def _on_facets(self, facets: object) -> None:
        self.facets_read.emit(facets)

    def ask_one(self) -> None:
        """The memory that is wanted then, once what is on the screen now has been painted."""
        self._one_due.start()

    def _ask_one(self) -> None:
        wanted = self._wanted_id()
        if wanted and self._bridge.is_open:
            self._bridge.ask("memories.one", lambda engine: read_one(engine, wanted), self._on_one)

    def _on_one(self, reading: object) -> None:
        self.one_read.emit(reading)
