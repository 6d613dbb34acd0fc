"""What each field of a memory filter means of columns in memory: which cells it lets through, and which rows of those.

`memory_filters` says the same in SQL, and a test holds both against each other. Owns no columns and remembers nothing. Source:
S3 "Retrieval Query", QUALITY P9.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from app.memories import filters
from app.memories.queries import disputed_ids
from app.store.memory_columns import MemoryColumns
from app.store.tables.types import to_microseconds
from app.values import MemoryFilter, MemoryKind, MemoryStatus

if TYPE_CHECKING:
    from app.store.memory_columns import Mask


def cells_of(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> "Mask":
    """The cells that kinds, types, statuses, trust, projects and apps of a filter let through."""
    mask = columns.every_cell()
    statuses = () if _asks_back(where) else filters.statuses_of(where)
    for name, chosen in (("kind", where.kinds), ("type", where.types), ("status", statuses)):
        if chosen:
            mask &= columns.cells_among(name, [str(one) for one in chosen])
    if not where.includes_episodes:
        mask &= ~columns.cells_among("kind", [MemoryKind.EPISODE.value])
    if where.projects:
        mask &= columns.cells_among("project", filters.ids_of_projects(connection, where.projects))
    if where.apps:
        mask &= columns.cells_among("app", filters.ids_of_apps(connection, where.apps))
    if where.min_trust is not None:
        mask &= columns.cells_from("trust", int(where.min_trust))
    return mask


def beyond_cells(where: MemoryFilter) -> MemoryFilter:
    """The filter without what `cells_of` answers: two that are equal here let the same rows of a cell through.

    >>> beyond_cells(MemoryFilter(kinds=(MemoryKind.FACT,), tags=("api",))) == beyond_cells(MemoryFilter(tags=("api",)))
    True
    """
    statuses = where.statuses if _asks_back(where) else ()
    return replace(
        where, kinds=(), types=(), statuses=statuses, includes_episodes=True, projects=(), apps=(), min_trust=None
    )


def rows_of(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> "Mask | None":
    """The rows that all the rest of a filter lets through; None when it asks nothing more."""
    found: Mask | None = None
    for part in _parts(connection, columns, where, now):
        found = part if found is None else found & part
    return found


def _asks_back(where: MemoryFilter) -> bool:
    """Whether statuses are meant as they were then."""
    return where.believed_at is not None and bool(where.statuses)


def _parts(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    """One mask for each thing that the filter asks of rows."""
    then = filters.ids_by_status_then(connection, where)
    if then is not None:
        is_status = columns.among("status", [one.value for one in where.statuses])
        yield columns.these(then[0]) | (is_status & ~columns.these(then[1]))
    if where.categories:
        yield columns.among("category", where.categories)
    yield from _numbers(columns, where)
    yield from _times(connection, columns, where, now)
    for tag in where.tags:
        yield columns.tagged(tag)
    yield from _kept_elsewhere(connection, columns, where)


def _kept_elsewhere(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    """What no column holds and the database is asked for."""
    if where.file:
        yield columns.these(filters.ids_of_file(connection, where.file))
    if where.artifact:
        yield columns.these(filters.ids_of_artifact(connection, where.artifact))
    if where.visibilities:
        yield columns.these(filters.ids_of_visibility(connection, where.visibilities))
    if where.tiers:
        yield columns.these(filters.ids_of_tiers(connection, where.tiers))
    if where.ids is not None:
        yield columns.these(set(where.ids))
    if where.hidden_ids:
        yield ~columns.these(set(where.hidden_ids))
    if where.conversation_id is not None:
        yield columns.these(filters.ids_of_conversation(connection, where.conversation_id))
    if where.is_shared is not None:
        mask = columns.these(filters.ids_of_shared(connection))
        yield mask if where.is_shared else ~mask
    if where.has_contradiction is not None:
        mask = columns.these(disputed_ids(connection))
        yield mask if where.has_contradiction else ~mask


def _numbers(columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    if where.min_importance is not None:
        yield columns.between("importance", where.min_importance, None)
    if where.min_confidence is not None or where.max_confidence is not None:
        yield columns.between("confidence", where.min_confidence, where.max_confidence)
    if where.is_pinned is not None:
        yield columns.among("is_pinned", [int(where.is_pinned)])
    if where.is_used is not None:
        yield columns.between("retrieved", 1, None) if where.is_used else columns.between("retrieved", None, 1)


def _times(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    if where.from_at is not None or where.to_at is not None:
        low, high = (None if at is None else to_microseconds(at) for at in (where.from_at, where.to_at))
        yield columns.between("recorded_at", low, high)
    if where.valid_at is not None:
        is_valid = _holding(columns, "valid_from", "valid_to", where.valid_at)
        then = filters.ids_by_validity_then(connection, where)
        yield is_valid if then is None else columns.these(then[0]) | (is_valid & ~columns.these(then[1]))
    if where.believed_at is not None:
        yield _holding(columns, "recorded_at", "retired_at", where.believed_at)
    if where.is_live is not None:
        is_active = columns.among("status", [MemoryStatus.ACTIVE.value])
        is_live = is_active & _holding(columns, "valid_from", "valid_to", now)
        yield is_live if where.is_live else ~is_live


def _holding(columns: MemoryColumns, since: str, until: str, at: datetime) -> "Mask":
    """Rows with since <= at < until."""
    instant = to_microseconds(at)
    return columns.between(since, None, instant + 1) & columns.between(until, instant + 1, None)
