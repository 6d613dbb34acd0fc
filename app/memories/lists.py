"""Lists of memories: which ones fit a filter, how many, in what order and groups, and the facets beside them.

`filters` says what a filter means; here it is asked of columns in memory, and what was found is remembered until something changes. A
large store is read in a thread: until that is done the database answers, slower and always right. Source: UX 4.4, S3 filters, QUALITY P9.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from app.errors import RemanenceError
from app.memories.queries import as_believed, load_cards
from app.store import memory_filters as filters
from app.store.memory_cards import load_tiers
from app.store.memory_columns import SORTS, MemoryColumns
from app.store.rows.statistics import LearnedCounts
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.memory import MemoryRow
from app.store.tables.types import to_microseconds
from app.values import (
    Changes,
    DataKind,
    Facets,
    FacetValue,
    FactType,
    MemoryFilter,
    MemoryGroup,
    MemoryKind,
    MemoryPage,
    MemorySort,
    MemoryStatus,
    Tier,
    Trust,
)

if TYPE_CHECKING:
    from app.store.memory_columns import Counts, Mask, Places

_log = logging.getLogger(__name__)
READ_AT_ONCE = 2_000  # memories that are read while the first asker waits: some hundredths of a second
_FIRST_ANSWER_S = 0.2  # whoever asked first is answered before the thread takes its share of the interpreter
_KEPT = 16  # lists that are remembered
_NEAR = 1_024  # rows that are found without sorting the whole list
_FACET_VALUES = 200
_SPANS = (("today", "Today", 1), ("week", "Last 7 days", 7), ("month", "Last 30 days", 30))
_OWN_FIELDS: dict[str, dict[str, Any]] = {  # a facet counts as if its own choice were not made
    "kind": {"kinds": (), "types": ()},  # one list to a person: a memory is a decision or an episode
    "type": {"types": (), "kinds": ()},
    "status": {"statuses": tuple(MemoryStatus)},
    "trust": {"min_trust": None},
    "project": {"projects": ()},
    "app": {"apps": ()},
    "tier": {"tiers": ()},
    "tag": {},
    "time": {"from_at": None, "to_at": None},
}
_TITLES: dict[str, dict[str, str]] = {
    "kind": {one.value: f"{one.value.title()}s" for one in MemoryKind},
    "type": {one.value: one.value.title() for one in FactType} | {"": "Other"},
    "status": {one.value: one.value.title() for one in MemoryStatus},
}
_TRUSTS = {
    Trust.AGENT: "Written by an assistant", Trust.IMPORTED: "Imported", Trust.SPOKEN: "Said by you",
    Trust.CONFIRMED: "Confirmed by you",
}  # fmt: skip
_Key = tuple[MemoryFilter, int]
GROUPS_MAX = 300  # the smallest of more than these are one group
OTHERS = "\x00others"
SPANS = (("today", "Today", 1), ("week", "Last 7 days", 7), ("month", "Last 30 days", 30), ("older", "Older", 0))
_COLUMN = {
    MemoryGroup.PROJECT: "project",
    MemoryGroup.APP: "app",
    MemoryGroup.STATUS: "status",
    MemoryGroup.TRUST: "trust",
    MemoryGroup.TOPIC: "category",
}
_FIXED: dict[MemoryGroup, tuple[str, ...]] = {  # groups whose order is not that of their size
    MemoryGroup.STATUS: tuple(one.value for one in MemoryStatus),
    MemoryGroup.TRUST: tuple(str(int(one)) for one in sorted(Trust, reverse=True)),
    MemoryGroup.TIME: tuple(value for value, _, _ in SPANS),
}
Names = Callable[[MemoryGroup], dict[int, tuple[str, str]]]


class MemoryLists:
    """Thread-safe. Hears what changes; `close` stops its thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._columns: MemoryColumns | None = None
        self._changed: set[int] = set()
        self._changed_lock = threading.Lock()
        self._is_stale = False  # another store, or all of it changed
        self._is_given = False  # a context was given: tiers may be others
        self._closing = threading.Event()
        self._reader: threading.Thread | None = None
        self._masks: OrderedDict[_Key, Mask] = OrderedDict()
        self._beyond: OrderedDict[_Key, Mask | None] = OrderedDict()
        self._counted: OrderedDict[_Key, Counts] = OrderedDict()
        self._found: OrderedDict[tuple[_Key, str], Places] = OrderedDict()
        self._grouped: OrderedDict[Any, tuple[Places, tuple[FacetValue, ...]]] = OrderedDict()
        self._tiers: dict[int, str] | None = None
        self._unsubscribe = store.subscribe(self._on_changes)

    def close(self) -> None:
        self._unsubscribe()
        self._closing.set()
        if self._reader is not None:
            self._reader.join()

    def wait_ready(self) -> None:
        """Returns when a large store's thread has read it; for tests and benchmarks."""
        with self._store.read() as connection:
            self._ready(connection)
        if self._reader is not None:
            self._reader.join()

    # asking ------------------------------------------------------------------------------------------

    def page(
        self, where: MemoryFilter, sort: MemorySort, start: int, limit: int, group: MemoryGroup | None = None
    ) -> MemoryPage:
        """A stretch of the sorted list. Any start costs the same, the first rows less."""
        now = self._store.clock.now()
        with self._store.read() as connection:
            with self._lock:
                columns = self._ready(connection)
                if columns is not None:
                    mask = self._mask(connection, columns, where, now)
                    if group is None:
                        places = self._stretch(columns, _key(where, now), mask, sort, start, limit)
                    else:
                        places = self._in_groups(connection, columns, where, sort, group, now)[0][start : start + limit]
                    total, some = columns.size(mask), columns.ids_at(places)
                else:
                    total, some = self._by_sql(connection, where, sort, start=start, limit=limit, now=now)
            cards = load_cards(connection, some, now)
            if where.believed_at is not None:
                cards = as_believed(connection, cards, where.believed_at)
        return MemoryPage(cards, start, total)

    def count(self, where: MemoryFilter) -> int:
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is None:
                return filters.count_by_sql(connection, where, now)
            return columns.size(self._mask(connection, columns, where, now))

    def groups(self, where: MemoryFilter, sort: MemorySort, group: MemoryGroup) -> tuple[FacetValue, ...]:
        """The groups of a list in their order, with how many rows each has; () while a large store is still being read."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            return () if columns is None else self._in_groups(connection, columns, where, sort, group, now)[1]

    def ids(
        self, where: MemoryFilter, sort: MemorySort = MemorySort.UPDATED, group: MemoryGroup | None = None
    ) -> tuple[int, ...]:
        """All that fit, sorted: what "select all" selects."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is not None:
                if group is not None:
                    return tuple(columns.ids_at(self._in_groups(connection, columns, where, sort, group, now)[0]))
                mask = self._mask(connection, columns, where, now)
                return tuple(columns.ids_at(self._places(columns, _key(where, now), mask, sort)))
            return tuple(self._by_sql(connection, where, sort, start=0, limit=-1, now=now)[1])

    def learned_in(self, where: MemoryFilter, days: Sequence[int], months: Sequence[int]) -> LearnedCounts | None:
        """When memories were recorded, in spans with these bounds in microseconds; None while a large store is still being read."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is None:
                return None
            mask = self._mask(connection, columns, where, now)
            by_day = columns.counts_by_span(mask, "recorded_at", days)
            by_month = columns.counts_by_span(mask, "recorded_at", months, ("kind", "type", "project"))
            return LearnedCounts(
                {day: count for day, _, count in by_day},
                [
                    (month, str(type_ or kind), int(project) or None, count)
                    for month, (kind, type_, project), count in by_month
                ],
            )

    def facets(self, where: MemoryFilter) -> Facets:
        """Counts beside each choice, largest first; empty while a large store is still being read."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is None:
                return dict.fromkeys(_OWN_FIELDS, ())
            return {
                name: self._facet(connection, columns, name, replace(where, **own), now)
                for name, own in _OWN_FIELDS.items()
            }

    def _facet(
        self, connection: Connection, columns: MemoryColumns, name: str, where: MemoryFilter, now: datetime
    ) -> tuple[FacetValue, ...]:
        if name == "time":
            return self._times(columns, self._mask(connection, columns, where, now), now)
        if name == "tier":
            return self._by_tier(connection, columns, self._mask(connection, columns, where, now))
        if name == "tag":
            counted = columns.tag_counts(self._mask(connection, columns, where, now))
        else:
            by_cell = self._by_cell(connection, columns, where, now) * filters.cells_of(connection, columns, where)
            counted = columns.counts(name, by_cell)
        if name in {"project", "app"}:
            named = filters.titled(connection, name)
            values = [FacetValue(*named[int(key)], count) for key, count in counted.items() if key in named]
        elif name == "trust":
            values = [FacetValue(str(key), _TRUSTS[Trust(int(key))], count) for key, count in counted.items()]
        else:
            titles = _TITLES.get(name, {})
            values = [FacetValue(str(key), titles.get(str(key), str(key)), count) for key, count in counted.items()]
        return tuple(sorted(values, key=lambda one: (-one.count, one.value))[:_FACET_VALUES])

    def _by_tier(self, connection: Connection, columns: MemoryColumns, mask: "Mask") -> tuple[FacetValue, ...]:
        """In the order of the tiers."""
        if self._tiers is None:
            self._tiers = load_tiers(connection)
        ids: dict[str, list[int]] = {one.value: [] for one in Tier}
        for memory_id, tier in self._tiers.items():
            ids[tier].append(memory_id)
        return tuple(
            FacetValue(tier, tier.title(), columns.size(mask & columns.these(some))) for tier, some in ids.items()
        )

    @staticmethod
    def _times(columns: MemoryColumns, mask: "Mask", now: datetime) -> tuple[FacetValue, ...]:
        found = []
        for value, title, days in _SPANS:
            count = columns.count_from("recorded_at", mask, to_microseconds(now - timedelta(days=days)))
            found.append(FacetValue(value, title, count))
        return (*found, FacetValue("older", "Older", columns.size(mask) - found[-1].count))

    # finding -----------------------------------------------------------------------------------------

    def _stretch(
        self, columns: MemoryColumns, key: _Key, mask: "Mask", sort: MemorySort, start: int, limit: int
    ) -> "Places":
        """The rows from `start` on; the whole list is only sorted for who looks further down."""
        if (key, filters.sort_name(sort)) in self._found or start + limit > _NEAR:
            return self._places(columns, key, mask, sort)[start : start + limit]
        return columns.first_places(mask, filters.sort_name(sort), start + limit)[start:]

    def _places(self, columns: MemoryColumns, key: _Key, mask: "Mask", sort: MemorySort) -> "Places":
        name = filters.sort_name(sort)
        if (key, name) not in self._found:
            _keep(self._found, (key, name), columns.sorted_places(mask, name))
        return self._found[key, name]

    def _in_groups(
        self,
        connection: Connection,
        columns: MemoryColumns,
        where: MemoryFilter,
        sort: MemorySort,
        group: MemoryGroup,
        now: datetime,
    ) -> "tuple[Places, tuple[FacetValue, ...]]":
        """All places of a list in order of its groups, and the groups."""
        minute = int(now.timestamp() // 60) if group is MemoryGroup.TIME else 0
        key = (_key(where, now), filters.sort_name(sort), group, minute)
        if key not in self._grouped:
            places = self._places(columns, _key(where, now), self._mask(connection, columns, where, now), sort)
            found = group_places(columns, places, group, now, lambda by: filters.titled(connection, by.value))
            _keep(self._grouped, key, found)
        return self._grouped[key]

    def _mask(self, connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> "Mask":
        key = _key(where, now)
        if key not in self._masks:
            rows = self._rows(connection, columns, where, now)
            mask = columns.in_cells(filters.cells_of(connection, columns, where))
            _keep(self._masks, key, mask if rows is None else mask & rows)
        return self._masks[key]

    def _rows(
        self, connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime
    ) -> "Mask | None":
        """What a filter asks beyond cells: the same for all choices of a facet."""
        beyond = filters.beyond_cells(where)
        key = _key(beyond, now)
        if key not in self._beyond:
            _keep(self._beyond, key, filters.rows_of(connection, columns, beyond, now))
        return self._beyond[key]

    def _by_cell(self, connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> "Counts":
        """How many rows are in each cell, of those that a filter lets through beyond cells."""
        key = _key(filters.beyond_cells(where), now)
        if key not in self._counted:
            _keep(self._counted, key, columns.count_by_cell(self._rows(connection, columns, where, now)))
        return self._counted[key]

    @staticmethod
    def _by_sql(
        connection: Connection, where: MemoryFilter, sort: MemorySort, *, start: int, limit: int, now: datetime
    ) -> tuple[int, list[int]]:
        found = filters.find_by_sql(connection, where, sort, start=start, limit=limit, now=now)
        return filters.count_by_sql(connection, where, now), found

    # reading -----------------------------------------------------------------------------------------

    def _on_changes(self, changes: Changes) -> None:
        with self._changed_lock:
            self._is_given = self._is_given or DataKind.RECEIPTS in changes.kinds
            if not {DataKind.MEMORIES, DataKind.CONTRADICTIONS} & changes.kinds:
                return
            touched = changes.ids.get(DataKind.MEMORIES, ())
            self._changed.update(touched)
            self._is_stale = self._is_stale or not touched

    def _ready(self, connection: Connection) -> MemoryColumns | None:
        """The columns, in step with the store; None while a large store is still being read."""
        with self._changed_lock:
            changed, self._changed = self._changed, set()
            is_stale, self._is_stale = self._is_stale, False
            is_given, self._is_given = self._is_given, False
        if is_stale:
            self._columns = None
        if changed or is_stale or is_given:
            self._tiers = None
        if changed or is_stale or (is_given and self._asks_tiers()):
            for kept in (self._masks, self._beyond, self._counted, self._found, self._grouped):
                kept.clear()
        if self._columns is None:
            return self._read(connection, changed)
        if changed:
            self._columns.refresh(self._store.database.cursor_of(connection), sorted(changed))
        return self._columns

    def _asks_tiers(self) -> bool:
        """Whether something is remembered that hangs on what was told."""
        return any(where.tiers for where, _ in self._beyond)

    def _read(self, connection: Connection, changed: set[int]) -> MemoryColumns | None:
        if self._reader is not None and self._reader.is_alive():
            with self._changed_lock:  # the thread may have read them as they were
                self._changed |= changed
            return None
        if newest_id(connection, MemoryRow) <= READ_AT_ONCE:
            self._columns = MemoryColumns()
            self._columns.load(self._store.database.cursor_of(connection))
            return self._columns
        if not self._closing.is_set():
            self._reader = threading.Thread(target=self._read_all, name="remanence-lists", daemon=True)
            self._reader.start()
        return None

    def _read_all(self) -> None:
        if self._closing.wait(_FIRST_ANSWER_S):
            return
        try:
            with self._store.read() as connection:
                columns = MemoryColumns()
                cursor = self._store.database.cursor_of(connection)
                columns.load(cursor, sorts=SORTS, is_cancelled=self._closing.is_set)
        except RemanenceError as error:  # closed or damaged meanwhile; the database keeps answering
            _log.warning("lists of memories were not read: %s", error)
            return
        with self._lock:
            self._columns = None if self._closing.is_set() else columns
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.INDEX})))  # facets can be asked from now on


def _key(where: MemoryFilter, now: datetime) -> _Key:
    """What was found holds until a change, and where it asks what is live for this minute."""
    return where, 0 if where.is_live is None and where.is_over is None else int(now.timestamp() // 60)


def _keep(kept: "OrderedDict[Any, Any]", key: object, value: object) -> None:
    kept[key] = value
    while len(kept) > _KEPT:
        kept.popitem(last=False)


def group_places(
    columns: MemoryColumns, places: "Places", by: MemoryGroup, now: datetime, names: Names
) -> tuple["Places", tuple[FacetValue, ...]]:
    """The places in order of their groups, and the groups in that order; those without one come last."""
    import numpy as np

    if not len(places):
        return places, ()
    keys, values = _keys(np, columns, places, by, now)
    counts = np.bincount(keys, minlength=len(values)).tolist()
    told = names(by) if by in (MemoryGroup.PROJECT, MemoryGroup.APP) else None
    known = [
        FacetValue(*((value, _title(by, value)) if told is None else told.get(int(value), ("", ""))), count)
        for value, count in zip(values, counts, strict=True)
    ]
    order = _order(by, [n for n, one in enumerate(known) if one.count], known)
    rank = np.full(len(values), min(len(order), GROUPS_MAX), np.int16)
    rank[order[:GROUPS_MAX]] = np.arange(min(len(order), GROUPS_MAX), dtype=np.int16)
    groups = [known[n] for n in order[:GROUPS_MAX]]
    rest = sum(known[n].count for n in order[GROUPS_MAX:])
    if rest:
        groups.append(FacetValue(OTHERS, "All others", rest))
    return places[np.argsort(rank[keys], kind="stable")], tuple(groups)  # of 16 bits: counted, not compared


def _keys(np: Any, columns: MemoryColumns, places: "Places", by: MemoryGroup, now: datetime) -> tuple[Any, list[str]]:
    """Of each place the number of its group, and what each number stands for."""
    if by is MemoryGroup.TIME:
        edges = [to_microseconds(now - timedelta(days=days)) for _, _, days in SPANS[:-1]]
        at = columns.values_at("recorded_at", places)
        return sum((at < edge).astype(np.int16) for edge in edges), [value for value, _, _ in SPANS]
    if by is MemoryGroup.TYPE:
        kinds, types = columns.words("kind"), columns.words("type")
        assert kinds is not None
        assert types is not None
        pairs = columns.values_at("kind", places) * len(types) + columns.values_at("type", places)
        type_words = [_type_word(kind, one) for kind in kinds for one in types]
        values = list(dict.fromkeys(type_words))
        return np.array([values.index(word) for word in type_words], np.int16)[pairs], values
    name = _COLUMN[by]
    numbers, words = columns.values_at(name, places), columns.words(name)
    return numbers, words if words is not None else [str(n) for n in range(int(numbers.max()) + 1)]


def _type_word(kind: str, type_: str) -> str:
    return type_ if kind == MemoryKind.FACT and type_ else kind


def _order(by: MemoryGroup, used: Sequence[int], known: Sequence[FacetValue]) -> list[int]:
    """Fixed orders as they are, all others largest first; without a value last."""
    fixed = _FIXED.get(by)
    if fixed is not None:
        return sorted(used, key=lambda n: fixed.index(known[n].value))
    return sorted(used, key=lambda n: (not known[n].value, -known[n].count, known[n].title))


def _title(by: MemoryGroup, value: str) -> str:
    if by is MemoryGroup.TIME:
        return {name: title for name, title, _ in SPANS}[value]
    if by is MemoryGroup.TYPE and value not in set(FactType):
        return f"{value.title()}s"
    return value.title() if by in (MemoryGroup.TYPE, MemoryGroup.STATUS) else value
