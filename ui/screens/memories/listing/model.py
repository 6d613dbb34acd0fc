"""Memories as a windowed list model: as many rows as there are memories, of which only pages near the eye are here.

Owns pages of 128 rows (the last 64 are kept), which rows are marked, and that a new reading keeps cursor and marks by id.
Rows that are not here yet are asked for by `pages_wanted`, all that one paint missed in one question. Knows no engine and
no painting.

Rows of a list in groups: where headings are between the cards, which are folded, and which card each row is.

Source: STACK-UI section 3.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from app.values import FacetValue, MemoryCard, MemoryStatus, RecallHit
from ui.wording.memories import spoken_card, spoken_group


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A heading in the list."""

    value: str
    title: str
    count: int
    is_folded: bool = False


class RowPlan:
    """Without groups every row is a card.

    >>> plan = RowPlan(5, (FacetValue("a", "A", 2), FacetValue("b", "B", 3)), frozenset({"a"}))
    >>> plan.row_count, [plan.card_of(row) for row in range(plan.row_count)], plan.row_of(1), plan.row_of(4)
    (5, [None, None, 2, 3, 4], None, 4)
    """

    def __init__(
        self, card_count: int, groups: Sequence[FacetValue] = (), folded: frozenset[str] = frozenset()
    ) -> None:
        self.card_count = card_count
        self.groups = tuple(groups)
        self.folded = folded
        shown = [0 if one.value in folded else one.count for one in self.groups]
        self._cards = [0, *accumulate(one.count for one in self.groups)]  # first card of each group, and the end
        self._rows = [0, *accumulate(count + 1 for count in shown)]  # row of each heading, and the end

    @property
    def row_count(self) -> int:
        return self._rows[-1] if self.groups else self.card_count

    @property
    def heading_rows(self) -> tuple[int, ...]:
        return tuple(self._rows[:-1]) if self.groups else ()

    def heading_at(self, row: int) -> GroupRow | None:
        """The heading in a row, None for a card."""
        n = self._group_at(row)
        if n is None or self._rows[n] != row:
            return None
        one = self.groups[n]
        return GroupRow(one.value, one.title, one.count, one.value in self.folded)

    def heading_row_of(self, row: int) -> int | None:
        """Where the heading of the group is in which a row lies."""
        n = self._group_at(row)
        return None if n is None else self._rows[n]

    def card_of(self, row: int) -> int | None:
        """The number of the card in a row."""
        if not self.groups:
            return row if 0 <= row < self.card_count else None
        n = self._group_at(row)
        if n is None or self._rows[n] == row:
            return None
        return self._cards[n] + row - self._rows[n] - 1

    def row_of(self, card: int) -> int | None:
        """The row of a card; None while its group is folded."""
        if not self.groups:
            return card
        n = bisect_right(self._cards, card) - 1
        if not 0 <= n < len(self.groups) or self.groups[n].value in self.folded:
            return None
        return self._rows[n] + 1 + card - self._cards[n]

    def cards_between(self, first: int, last: int) -> tuple[int, int] | None:
        """The first and the last card in the rows first .. last, both included."""
        cards = [self.card_of(row) for row in (first, last)]
        if self.groups:
            low, high = self._group_at(first), self._group_at(last)
            if low is None or high is None:
                return None
            start = cards[0] if cards[0] is not None else self._cards[low]
            end = cards[1] if cards[1] is not None else self._cards[high] - 1
            return (start, end) if start <= end else None
        return (cards[0], cards[1]) if cards[0] is not None and cards[1] is not None else None

    def _group_at(self, row: int) -> int | None:
        if not self.groups or not 0 <= row < self.row_count:
            return None
        return bisect_right(self._rows, row) - 1


PAGE_ROWS = 128
KEPT_PAGES = 64
ROW_ROLE = Qt.ItemDataRole.UserRole + 1

Index = QModelIndex | QPersistentModelIndex
Pages = Mapping[int, Sequence[MemoryCard]]


@dataclass(frozen=True, slots=True)
class ListedMemory:
    """One line of the list; `hit` when it was found by a search."""

    card: MemoryCard
    hit: RecallHit | None = None
    is_marked: bool = False


class MemoryModel(QAbstractListModel):
    """Rows of memories. `marks_changed` when other rows are marked for a bulk act."""

    folded = Signal()  # a group was folded or unfolded: rows moved
    pages_wanted = Signal(object)  # tuple[int, ...] page numbers
    marks_changed = Signal()
    reread = Signal(bool)  # another list (True), or the same one read again

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = RowPlan(0)
        self._pages: OrderedDict[int, tuple[MemoryCard, ...]] = OrderedDict()
        self._hits: dict[int, RecallHit] = {}
        self._marked: dict[int, MemoryCard | None] = {}
        self._missed: set[int] = set()
        self._asked: frozenset[int] = frozenset()
        self._now: datetime | None = None
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.setInterval(0)
        self._ask.timeout.connect(self._on_ask)

    # -- reading -------------------------------------------------------------------------------
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else self._plan.row_count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < self._plan.row_count:
            return None
        if role not in (ROW_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        heading = self._plan.heading_at(index.row())
        if heading is not None:
            return heading if role == ROW_ROLE else spoken_group(heading.title, heading.count, heading.is_folded)
        row = self.row_at(index.row())
        if row is None:
            self._miss(index.row())
            return None if role == ROW_ROLE else "…"
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.card.title
        reason = row.hit.reason if row.hit is not None else ""
        return spoken_card(row.card, self._now, is_marked=row.is_marked, reason=reason)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        able = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return able | Qt.ItemFlag.ItemIsDragEnabled

    @property
    def now(self) -> datetime | None:
        return self._now

    def row_at(self, n: int) -> ListedMemory | None:
        """The row if it is here; never asks."""
        card = self.card_at(n)
        return None if card is None else ListedMemory(card, self._hits.get(card.id), card.id in self._marked)

    def card_at(self, n: int) -> MemoryCard | None:
        """The card in a row; None for a heading, and while it is not here yet."""
        number = self._plan.card_of(n)
        if number is None:
            return None
        page, inside = self._pages.get(number // PAGE_ROWS), number % PAGE_ROWS
        return page[inside] if page is not None and inside < len(page) else None

    @property
    def plan(self) -> RowPlan:
        """Which rows are headings, and which cards the others are."""
        return self._plan

    def page_of(self, n: int) -> int:
        """The page in which the card of a row lies; of a heading, that of its first card."""
        for row in (n, n + 1):
            if (number := self._plan.card_of(row)) is not None:
                return number // PAGE_ROWS
        return 0

    def toggle_fold(self, n: int) -> None:
        """Folds the group in which a row lies, or unfolds it."""
        heading_row = self._plan.heading_row_of(n)
        heading = None if heading_row is None else self._plan.heading_at(heading_row)
        if heading is None:
            return
        self.beginResetModel()
        self._plan = RowPlan(self._plan.card_count, self._plan.groups, self._plan.folded ^ {heading.value})
        self.endResetModel()
        self.folded.emit()

    def row_of(self, memory_id: int) -> int | None:
        """Where a memory stands, among the rows that are here."""
        for number, page in self._pages.items():
            for inside, card in enumerate(page):
                if card.id == memory_id:
                    return self._plan.row_of(number * PAGE_ROWS + inside)
        return None

    def hit_of(self, memory_id: int) -> RecallHit | None:
        """The hit of the last search on this memory."""
        return self._hits.get(memory_id)

    # -- another reading -------------------------------------------------------------------------
    def set_list(
        self, total: int, pages: Pages, now: datetime, *, is_other: bool, groups: Sequence[FacetValue] = ()
    ) -> None:
        """Takes a list of `total` cards over, of which `pages` are here; `is_other` when filter or sort changed."""
        self._take(RowPlan(total, groups, self._folded(groups)), pages, {}, now, is_other=is_other)

    def set_hits(
        self, hits: Sequence[RecallHit], now: datetime, *, is_other: bool, groups: Sequence[FacetValue] = ()
    ) -> None:
        """Takes the hits of a search over, in their order."""
        cards = [hit.card for hit in hits]
        pages = {n: cards[n * PAGE_ROWS : (n + 1) * PAGE_ROWS] for n in range(-(-len(cards) // PAGE_ROWS))}
        plan = RowPlan(len(cards), groups, self._folded(groups))
        self._take(plan, pages, {hit.card.id: hit for hit in hits}, now, is_other=is_other)

    def _folded(self, groups: Sequence[FacetValue]) -> frozenset[str]:
        """What was folded and is there still."""
        return self._plan.folded & {one.value for one in groups}

    def _take(self, plan: RowPlan, pages: Pages, hits: dict[int, RecallHit], now: datetime, *, is_other: bool) -> None:
        was, total = self._plan, plan.row_count
        is_same_size = (was.card_count, was.groups) == (plan.card_count, plan.groups) and not is_other
        if not is_same_size:
            self.beginResetModel()
        self._plan, self._now, self._hits = plan, now, hits
        self._pages = OrderedDict((number, tuple(cards)) for number, cards in pages.items())
        self._missed.clear()
        self._asked = frozenset()
        if is_other:
            self._marked.clear()
        if not is_same_size:
            self.endResetModel()
        elif total:
            self.dataChanged.emit(self.index(0), self.index(total - 1))
        self.reread.emit(is_other)
        self.marks_changed.emit()

    def add_pages(self, pages: Pages) -> None:
        """More pages of the same list."""
        for number, cards in pages.items():
            self._pages[number] = tuple(cards)
            self._pages.move_to_end(number)
            first = number * PAGE_ROWS
            if first < self._plan.card_count:
                last = min(first + PAGE_ROWS, self._plan.card_count) - 1
                rows = [self._plan.row_of(one) for one in (first, last)]
                is_known = None not in rows and not self._plan.folded
                ends = rows if is_known else [0, self._plan.row_count - 1]
                self.dataChanged.emit(self.index(ends[0] or 0), self.index(ends[1] or 0))
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        self._asked = frozenset()

    def _show_all(self) -> None:
        if self._plan.row_count:
            self.dataChanged.emit(self.index(0), self.index(self._plan.row_count - 1))

    # -- pages -----------------------------------------------------------------------------------
    def _miss(self, n: int) -> None:
        self._missed.add(self.page_of(n))
        if not self._ask.isActive():
            self._ask.start()

    def _on_ask(self) -> None:
        missed, self._missed = frozenset(self._missed), set()
        wanted = frozenset(number for number in missed if number not in self._pages)
        if wanted and not wanted <= self._asked:  # the newest question wins: it names all that the eye needs now
            self._asked = wanted
            self.pages_wanted.emit(tuple(sorted(wanted)))

    # -- marks -----------------------------------------------------------------------------------
    @property
    def marked_ids(self) -> tuple[int, ...]:
        """In the order in which they were marked."""
        return tuple(self._marked)

    def marked_cards(self) -> tuple[MemoryCard, ...]:
        """The cards of those that were here when they were marked."""
        return tuple(card for card in self._marked.values() if card is not None)

    def dragged_from(self, n: int) -> dict[int, MemoryCard | None]:
        """What a drag from a row carries: all that are marked if it is one of them, else its own; a card where it is here."""
        card = self.card_at(n)
        if card is None or card.id <= 0:
            return {}
        return dict(self._marked) if card.id in self._marked else {card.id: card}

    def marked_waiting_ids(self) -> tuple[int, ...]:
        """Those of the marked that may wait for the person: all but the ones known not to."""
        waiting = (MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)
        return tuple(number for number, card in self._marked.items() if card is None or card.status in waiting)

    def toggle_mark(self, n: int) -> None:
        card = self.card_at(n)
        if card is not None:
            self.set_marks(
                [one for one in self._marked if one != card.id] if card.id in self._marked else [*self._marked, card.id]
            )

    def mark_rows(self, rows: Iterable[int]) -> None:
        """Marks these rows as well, as far as they are here."""
        cards = [card for card in (self.card_at(n) for n in rows) if card is not None]
        self.set_marks([*self._marked, *(card.id for card in cards)])

    def set_marks(self, memory_ids: Iterable[int]) -> None:
        """These and no others; parts of conversations, numbered below zero, are never among them."""
        memory_ids = [one for one in memory_ids if one > 0]
        here = {card.id: card for page in self._pages.values() for card in page}
        before = self._marked
        self._marked = {one: here.get(one, before.get(one)) for one in memory_ids}
        if set(before) != set(self._marked):
            self._show_all()
            self.marks_changed.emit()
