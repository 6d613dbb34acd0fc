"""Lists of memories: which ones fit a filter, how many, in what order, and the facets beside them.

`memory_filters` says what a filter means; here the same is asked of columns in memory, and what was found is remembered until
something changes. A small store is read when first asked, a large one in a thread: until that is done the database answers,
slower and always right (a test holds both against each other). Source: UX 4.4, S3 filters, QUALITY P9.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select

from app.errors import RemanenceError
from app.services import memory_filters as filters
from app.services.memory_queries import as_believed, disputed_ids, load_cards
from app.store.journal import table_of
from app.store.memory_columns import SORTS, MemoryColumns
from app.store.memory_tables import MemoryRow
from app.store.store import Store
from app.store.types import to_microseconds
from app.values import (
    Changes,
    DataKind,
    Facets,
    FacetValue,
    FactType,
    MemoryFilter,
    MemoryKind,
    MemoryPage,
    MemorySort,
    MemoryStatus,
    Trust,
)

if TYPE_CHECKING:
    from app.store.memory_columns import Mask

_log = logging.getLogger(__name__)
_memory = table_of(MemoryRow)
READ_AT_ONCE = 2_000  # memories that are read while the first asker waits: some hundredths of a second
_FIRST_ANSWER_S = 0.2  # whoever asked first is answered before the thread takes its share of the interpreter
_KEPT = 16  # lists that are remembered
_FACET_TAGS = 200
_SPANS = (("today", "Today", 1), ("week", "Last 7 days", 7), ("month", "Last 30 days", 30))
_OWN_FIELDS: dict[str, dict[str, Any]] = {  # a facet counts as if its own choice were not made
    "kind": {"kinds": ()},
    "type": {"types": ()},
    "status": {"statuses": tuple(MemoryStatus)},
    "trust": {"min_trust": None},
    "project": {"projects": ()},
    "app": {"apps": ()},
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


class MemoryLists:
    """Thread-safe. Hears what changes; `close` stops its thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._columns: MemoryColumns | None = None
        self._changed: set[int] = set()
        self._changed_lock = threading.Lock()
        self._is_stale = False  # another store, or all of it changed
        self._closing = threading.Event()
        self._reader: threading.Thread | None = None
        self._masks: OrderedDict[_Key, Any] = OrderedDict()
        self._found: OrderedDict[tuple[_Key, str], Any] = OrderedDict()
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

    def page(self, where: MemoryFilter, sort: MemorySort, start: int, limit: int) -> MemoryPage:
        """A stretch of the sorted list. Any start costs the same."""
        now = self._store.clock.now()
        with self._store.read() as connection:
            with self._lock:
                columns = self._ready(connection)
                if columns is not None:
                    found = self._places(connection, columns, where, sort, now)
                    total, some = len(found), columns.ids_at(found[start : start + limit])
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
            return int(self._mask(connection, columns, where, now).sum())

    def ids(self, where: MemoryFilter, sort: MemorySort = MemorySort.UPDATED) -> tuple[int, ...]:
        """All that fit, sorted: what "select all" selects."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is not None:
                return tuple(columns.ids_at(self._places(connection, columns, where, sort, now)))
            return tuple(self._by_sql(connection, where, sort, start=0, limit=-1, now=now)[1])

    def facets(self, where: MemoryFilter) -> Facets:
        """Counts beside each choice, largest first; empty while a large store is still being read."""
        now = self._store.clock.now()
        with self._store.read() as connection, self._lock:
            columns = self._ready(connection)
            if columns is None:
                return dict.fromkeys(_OWN_FIELDS, ())
            return {
                name: self._facet(
                    connection, columns, name, self._mask(connection, columns, replace(where, **own), now)
                )
                for name, own in _OWN_FIELDS.items()
            }

    def _facet(self, connection: Connection, columns: MemoryColumns, name: str, mask: "Mask") -> tuple[FacetValue, ...]:
        if name == "time":
            return self._times(columns, mask)
        counted = columns.counts(name, mask)
        if name in {"project", "app"}:
            named = filters.titled(connection, name)
            values = [FacetValue(*named[key], count) for key, count in counted.items() if key in named]
        elif name == "trust":
            values = [FacetValue(str(key), _TRUSTS[Trust(int(key))], count) for key, count in counted.items()]
        else:
            titles = _TITLES.get(name, {})
            values = [FacetValue(str(key), titles.get(str(key), str(key)), count) for key, count in counted.items()]
        return tuple(sorted(values, key=lambda one: (-one.count, one.value))[:_FACET_TAGS])

    def _times(self, columns: MemoryColumns, mask: "Mask") -> tuple[FacetValue, ...]:
        now = self._store.clock.now()
        edges = [to_microseconds(now - timedelta(days=days)) for _, _, days in reversed(_SPANS)]
        older, *rest = columns.count_since("recorded_at", mask, [0, *edges])
        found, total = [], 0
        for (value, title, _), count in zip(_SPANS, reversed(rest), strict=True):
            total += count
            found.append(FacetValue(value, title, total))
        return (*found, FacetValue("older", "Older", older))

    # finding -----------------------------------------------------------------------------------------

    def _places(
        self, connection: Connection, columns: MemoryColumns, where: MemoryFilter, sort: MemorySort, now: datetime
    ) -> Any:
        name = filters.sort_name(sort)
        key = (_key(where, now), name)
        if key not in self._found:
            mask = self._mask(connection, columns, where, now)
            _keep(self._found, key, columns.sorted_places(mask, name))
        return self._found[key]

    def _mask(self, connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> "Mask":
        key = _key(where, now)
        if key not in self._masks:
            mask = columns.everything()
            for part in _parts(connection, columns, where, now):
                mask &= part
            _keep(self._masks, key, mask)
        return self._masks[key]  # type: ignore[no-any-return]

    @staticmethod
    def _by_sql(
        connection: Connection, where: MemoryFilter, sort: MemorySort, *, start: int, limit: int, now: datetime
    ) -> tuple[int, list[int]]:
        conditions = filters.clauses(connection, where, now)
        statement = select(_memory.c.id).where(*conditions).order_by(*filters.order_of(sort))
        found = connection.execute(statement.limit(limit).offset(start)).scalars().all()
        return filters.count_by_sql(connection, where, now), list(found)

    # reading -----------------------------------------------------------------------------------------

    def _on_changes(self, changes: Changes) -> None:
        if not {DataKind.MEMORIES, DataKind.CONTRADICTIONS} & changes.kinds:
            return
        with self._changed_lock:
            touched = changes.ids.get(DataKind.MEMORIES, ())
            self._changed.update(touched)
            self._is_stale = self._is_stale or not touched

    def _ready(self, connection: Connection) -> MemoryColumns | None:
        """The columns, in step with the store; None while a large store is still being read."""
        with self._changed_lock:
            changed, self._changed = self._changed, set()
            is_stale, self._is_stale = self._is_stale, False
        if is_stale:
            self._columns = None
        if changed or is_stale:
            self._masks.clear()
            self._found.clear()
        if self._columns is None:
            return self._read(connection, changed)
        if changed:
            self._columns.refresh(self._store.database.cursor_of(connection), sorted(changed))
        return self._columns

    def _read(self, connection: Connection, changed: set[int]) -> MemoryColumns | None:
        if self._reader is not None and self._reader.is_alive():
            with self._changed_lock:  # the thread may have read them as they were
                self._changed |= changed
            return None
        if int(connection.execute(select(func.max(_memory.c.id))).scalar() or 0) <= READ_AT_ONCE:
            self._columns = MemoryColumns()
            self._columns.load(self._store.database.cursor_of(connection))
            return self._columns
        if not self._closing.is_set():
            self._reader = threading.Thread(target=self._read_all, name="remanence-lists")
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
        except RemanenceError as error:  # closed or damaged meanwhile; the database goes on answering
            _log.warning("lists of memories were not read: %s", error)
            return
        with self._lock:
            self._columns = None if self._closing.is_set() else columns
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.INDEX})))  # facets can be asked from now on


def _parts(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    """One mask for each thing that the filter asks."""
    yield from _statuses(connection, columns, where)
    for name, chosen in (("kind", where.kinds), ("type", where.types), ("category", where.categories)):
        if chosen:
            yield columns.among(name, [str(one) for one in chosen])
    if not where.includes_episodes:
        yield ~columns.among("kind", [MemoryKind.EPISODE.value])
    if where.projects:
        yield columns.among("project", filters.ids_of_projects(connection, where.projects))
    if where.apps:
        yield columns.among("app", filters.ids_of_apps(connection, where.apps))
    yield from _numbers(columns, where)
    yield from _times(columns, where, now)
    for tag in where.tags:
        yield columns.tagged(tag)
    yield from _kept_elsewhere(connection, columns, where)


def _kept_elsewhere(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    """What no column holds and the database is asked for."""
    if where.file:
        yield columns.these(filters.ids_of_file(connection, where.file))
    if where.conversation_id is not None:
        yield columns.these(filters.ids_of_conversation(connection, where.conversation_id))
    if where.is_shared is not None:
        mask = columns.these(filters.ids_of_shared(connection))
        yield mask if where.is_shared else ~mask
    if where.has_contradiction is not None:
        mask = columns.these(disputed_ids(connection))
        yield mask if where.has_contradiction else ~mask


def _statuses(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    statuses = filters.statuses_of(where)
    if not statuses:
        return
    mask = columns.among("status", [one.value for one in statuses])
    then = filters.ids_by_status_then(connection, where)
    yield mask if then is None else columns.these(then[0]) | (mask & ~columns.these(then[1]))


def _numbers(columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    if where.min_importance is not None:
        yield columns.between("importance", where.min_importance, None)
    if where.min_confidence is not None or where.max_confidence is not None:
        yield columns.between("confidence", where.min_confidence, where.max_confidence)
    if where.min_trust is not None:
        yield columns.between("trust", int(where.min_trust), None)
    if where.is_pinned is not None:
        yield columns.among("is_pinned", [int(where.is_pinned)])
    if where.is_used is not None:
        yield columns.between("retrieved", 1, None) if where.is_used else columns.between("retrieved", None, 1)


def _times(columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    if where.from_at is not None or where.to_at is not None:
        low, high = (None if at is None else to_microseconds(at) for at in (where.from_at, where.to_at))
        yield columns.between("recorded_at", low, high)
    if where.valid_at is not None:
        yield _holding(columns, "valid_from", "valid_to", where.valid_at)
    if where.believed_at is not None:
        yield _holding(columns, "recorded_at", "retired_at", where.believed_at)
    if where.is_live is not None:
        is_live = columns.among("status", [MemoryStatus.ACTIVE.value]) & _holding(
            columns, "valid_from", "valid_to", now
        )
        yield is_live if where.is_live else ~is_live


def _holding(columns: MemoryColumns, since: str, until: str, at: datetime) -> "Mask":
    """Rows with since <= at < until."""
    instant = to_microseconds(at)
    return columns.between(since, None, instant + 1) & columns.between(until, instant + 1, None)


def _key(where: MemoryFilter, now: datetime) -> _Key:
    """What was found holds until a change, and where it asks what is live for this minute."""
    return where, 0 if where.is_live is None else int(now.timestamp() // 60)


def _keep(kept: "OrderedDict[Any, Any]", key: object, value: object) -> None:
    kept[key] = value
    while len(kept) > _KEPT:
        kept.popitem(last=False)
