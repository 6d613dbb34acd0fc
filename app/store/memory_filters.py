"""What each field of a memory filter means, in SQL and of columns in memory, and the names behind the numbers of a facet.

The SQL is the reference for what lists find; of columns the same is asked by cells and by rows of those, and a test holds both against
each other. Source: S3 "Retrieval Query", UX 4.4, QUALITY P9.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, ColumnElement, Connection, and_, func, literal_column, or_, select

from app.deciders.memory.statements.statement_model import LIKELY_REASON
from app.store.journal import table_of
from app.store.memory_cards import load_tiers
from app.store.memory_columns import SORTS, MemoryColumns
from app.store.rows.memory import disputed_ids, ids_of_conversation, state_at
from app.store.rows.project import projects_called
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow, ProjectRow
from app.store.tables.memory import ArtifactRow, ContradictionRow, LinkRow, MemoryRow, MemorySourceRow, MemoryTagRow
from app.store.tables.types import to_microseconds
from app.store.visibility import VALID, clause
from app.store.visibility import where as where_told
from app.values import ArtifactKind, MemoryFilter, MemoryKind, MemorySort, MemoryStatus, Tier

if TYPE_CHECKING:
    from app.store.memory_columns import Mask

_memory, _tag, _source, _link, _artifact, _contradiction, _project, _app = (
    table_of(row)
    for row in (
        MemoryRow, MemoryTagRow, MemorySourceRow, LinkRow, ArtifactRow, ContradictionRow, ProjectRow, AppRow,
    )
)  # fmt: skip
_IS_SHARED: ColumnElement[bool] = literal_column(f"({where_told('shared')})", Boolean)
_ONLY_SOUNDS = {"status": MemoryStatus.PROPOSED.value, "reason": LIKELY_REASON}
LISTED = tuple(status for status in MemoryStatus if status is not MemoryStatus.ARCHIVED)
_HASH = re.compile(r"[0-9a-f]{4,40}", re.IGNORECASE)
_PATH_CHARS = 4_096  # the system knows no longer ones
_COLUMN_OF_SORT = {"retrieved": "retrieved_count", "tokens": "full_tokens"}


def ids_of_shared(connection: Connection) -> set[int]:
    """Memories that may be given everywhere: of no project, or marked so."""
    return set(connection.execute(select(_memory.c.id).where(_IS_SHARED)).scalars())


def ids_of_file(connection: Connection, file: str) -> set[int]:
    """Memories that are linked with a file, or have it attached, by its path or the end of it."""
    if len(file) > _PATH_CHARS:
        return set()
    ends = f"%/{_escaped(file)}"
    linked = select(_link.c.from_id).where(
        _link.c.from_kind == "memory",
        _link.c.to_kind == "file",
        or_(_link.c.to_name == file, _link.c.to_name.like(ends, escape="\\")),
    )
    attached = select(_artifact.c.memory_id).where(
        _artifact.c.kind == "file",
        or_(_artifact.c.reference == file, _artifact.c.reference.like(ends, escape="\\")),
    )
    return {int(one) for part in (linked, attached) for one in connection.execute(part).scalars()}


def ids_of_artifact(connection: Connection, wanted: str) -> set[int]:
    """Memories that something of this kind hangs on, or this: by what it is called, the end of its path, the beginning of its hash."""
    if len(wanted) > _PATH_CHARS:
        return set()
    found = select(_artifact.c.memory_id)
    if wanted.lower() in set(ArtifactKind):
        return set(connection.execute(found.where(_artifact.c.kind == wanted.lower())).scalars())
    is_it = [
        func.lower(_artifact.c.reference) == wanted.lower(),
        _artifact.c.reference.ilike(f"%/{_escaped(wanted)}", escape="\\"),
    ]
    if _HASH.fullmatch(wanted):
        is_it.append((_artifact.c.kind == ArtifactKind.COMMIT.value) & _artifact.c.reference.ilike(f"{wanted}%"))
    return set(connection.execute(found.where(or_(*is_it))).scalars())


def ids_of_less_likely(connection: Connection) -> set[int]:
    """Proposals that were made only because of how they are worded."""
    return set(ids_with(connection, MemoryRow, **_ONLY_SOUNDS))


def ids_of_tiers(connection: Connection, tiers: Iterable[Tier]) -> set[int]:
    wanted = {one.value for one in tiers}
    return {one for one, tier in load_tiers(connection).items() if tier in wanted}


def statuses_of(where: MemoryFilter) -> tuple[MemoryStatus, ...]:
    """The statuses that the filter selects: all but archived ones, unless it looks back at what was believed then."""
    if where.statuses or where.believed_at is not None:
        return where.statuses
    return LISTED


def ids_by_status_then(connection: Connection, where: MemoryFilter) -> tuple[set[int], set[int]] | None:
    """Of the memories that changed since, those that had one of the filter's statuses then, and those that had not.

    None when the filter does not ask what was believed, or asks for no status.
    """
    if where.believed_at is None or not where.statuses:
        return None
    then = state_at(connection, None, where.believed_at)
    had = {one for one, state in then.items() if state["status"] in where.statuses}
    return had, set(then) - had


def ids_by_validity_then(connection: Connection, where: MemoryFilter) -> tuple[set[int], set[int]] | None:
    """Of the memories that changed since, those that were believed then to be true at the filter's `valid_at`, and the others.

    None when the filter does not ask for both: what was believed, and what was true.
    """
    if where.believed_at is None or where.valid_at is None:
        return None
    at, then = to_microseconds(where.valid_at), state_at(connection, None, where.believed_at)
    was_valid = {
        one
        for one, state in then.items()
        if state["valid_from"] <= at and (state["valid_to"] is None or state["valid_to"] > at)
    }
    return was_valid, set(then) - was_valid


def clauses(connection: Connection, where: MemoryFilter, now: datetime) -> list[ColumnElement[bool]]:
    """The conditions of a filter over the table `memory`."""
    found: list[ColumnElement[bool]] = [
        *_words(connection, where),
        *_numbers(where),
        *_times(connection, where, now),
        *(_memory.c.id.in_(select(_tag.c.memory_id).where(_tag.c.tag == tag)) for tag in where.tags),
    ]
    if where.is_shared is not None:
        found.append(_IS_SHARED if where.is_shared else ~_IS_SHARED)
    if where.file:
        found.append(_memory.c.id.in_(ids_of_file(connection, where.file)))
    if where.artifact:
        found.append(_memory.c.id.in_(ids_of_artifact(connection, where.artifact)))
    if where.visibilities:
        found.append(_memory.c.visibility.in_([one.value for one in where.visibilities]))
    if where.tiers:
        found.append(_among(ids_of_tiers(connection, where.tiers)))
    if where.ids is not None:
        found.append(_among(where.ids))
    if where.hidden_ids:
        found.append(~_among(where.hidden_ids))
    if where.conversation_id is not None:
        said_ids = select(_source.c.memory_id).where(_source.c.conversation_id == where.conversation_id)
        found.append(_memory.c.id.in_(said_ids))
    if where.has_contradiction is not None:
        a, b = (select(column).where(_contradiction.c.state == "open") for column in
                (_contradiction.c.memory_a_id, _contradiction.c.memory_b_id))  # fmt: skip
        is_disputed = or_(_memory.c.id.in_(a), _memory.c.id.in_(b))
        found.append(is_disputed if where.has_contradiction else ~is_disputed)
    return found


def _among(ids: Iterable[int]) -> ColumnElement[bool]:
    """One of these: told as one value, a statement takes no more than some thousands."""
    return _memory.c.id.in_(select(func.json_each(json.dumps(sorted(ids))).table_valued("value").c.value))


def _words(connection: Connection, where: MemoryFilter) -> Iterable[ColumnElement[bool]]:
    then = ids_by_status_then(connection, where)
    is_status: ColumnElement[bool] = _memory.c.status.in_([one.value for one in statuses_of(where)])
    if where.includes_unconfirmed:
        is_status = or_(is_status, clause("unconfirmed"))
    if then is not None:
        yield or_(_memory.c.id.in_(then[0]), and_(is_status, _memory.c.id.not_in(then[1])))
    elif statuses_of(where):
        yield is_status
    if where.kinds:
        yield _memory.c.kind.in_([one.value for one in where.kinds])
    if not where.includes_episodes:
        yield _memory.c.kind != MemoryKind.EPISODE.value
    if where.types:
        yield _memory.c.type.in_([one.value for one in where.types])
    if where.categories:
        yield _memory.c.category.in_(list(where.categories))
    if where.projects:
        yield _memory.c.project_id.in_(projects_called(connection, where.projects))
    if where.apps:
        yield _memory.c.app_id.in_(ids_with(connection, AppRow, name=where.apps))


def _numbers(where: MemoryFilter) -> Iterable[ColumnElement[bool]]:
    if where.min_importance is not None:
        yield _memory.c.importance >= where.min_importance
    if where.min_confidence is not None:
        yield _memory.c.confidence >= where.min_confidence
    if where.max_confidence is not None:
        yield _memory.c.confidence < where.max_confidence
    if where.min_trust is not None:
        yield _memory.c.trust >= int(where.min_trust)
    if where.is_pinned is not None:
        yield _memory.c.is_pinned.is_(where.is_pinned)
    if where.is_used is not None:
        yield _memory.c.retrieved_count > 0 if where.is_used else _memory.c.retrieved_count == 0
    if where.is_likely is not None:
        only_sounds = and_(*(_memory.c[name] == value for name, value in _ONLY_SOUNDS.items()))
        yield ~only_sounds if where.is_likely else only_sounds


def _times(connection: Connection, where: MemoryFilter, now: datetime) -> Iterable[ColumnElement[bool]]:
    if where.from_at is not None:
        yield _memory.c.recorded_at >= where.from_at
    if where.to_at is not None:
        yield _memory.c.recorded_at < where.to_at
    if where.valid_at is not None:
        then = ids_by_validity_then(connection, where)
        is_valid = valid_then(where.valid_at)
        yield is_valid if then is None else or_(_memory.c.id.in_(then[0]), and_(is_valid, _memory.c.id.not_in(then[1])))
    if where.believed_at is not None:
        yield _memory.c.recorded_at <= where.believed_at
        yield or_(_memory.c.retired_at.is_(None), _memory.c.retired_at > where.believed_at)
    if where.is_live is not None:
        is_live = and_(_memory.c.status == MemoryStatus.ACTIVE.value, valid_then(now))
        yield is_live if where.is_live else ~is_live
    if where.is_over is not None:
        is_kept = or_(_memory.c.status == MemoryStatus.ARCHIVED.value, valid_then(now))
        yield ~is_kept if where.is_over else is_kept


def valid_then(at: datetime) -> Any:
    return clause(*VALID, now=to_microseconds(at))


def order_of(sort: MemorySort) -> list[Any]:
    """The columns of a sort; among equals the newest memory first, the oldest in "oldest"."""
    name, is_largest_first = SORTS[sort_name(sort)]
    column = _memory.c[_COLUMN_OF_SORT.get(name, name)]
    return [column.desc(), _memory.c.id.desc()] if is_largest_first else [column, _memory.c.id]


def sort_name(sort: MemorySort) -> str:
    """Without a query there is no relevance: newest first."""
    return "updated" if sort is MemorySort.RELEVANCE else sort.value


def is_let_through(connection: Connection, memory_id: int, where: MemoryFilter, now: datetime) -> bool:
    """Whether a memory fits a filter."""
    found = select(_memory.c.id).where(_memory.c.id == memory_id, *clauses(connection, where, now))
    return connection.execute(found).first() is not None


def find_by_sql(
    connection: Connection, where: MemoryFilter, sort: MemorySort, *, start: int, limit: int, now: datetime
) -> list[int]:
    """`limit` below zero: all of them."""
    found = select(_memory.c.id).where(*clauses(connection, where, now)).order_by(*order_of(sort))
    return list(connection.execute(found.limit(limit).offset(start)).scalars())


def count_by_sql(connection: Connection, where: MemoryFilter, now: datetime) -> int:
    if where == MemoryFilter():  # a whole table is counted without being walked, and few are archived
        everything = select(func.count()).select_from(_memory)
        archived = everything.where(_memory.c.status == MemoryStatus.ARCHIVED.value)
        return int(connection.execute(everything).scalar_one()) - int(connection.execute(archived).scalar_one())
    statement = select(func.count()).select_from(_memory).where(*clauses(connection, where, now))
    return int(connection.execute(statement).scalar_one())


def titled(connection: Connection, name: str) -> dict[int, tuple[str, str]]:
    """Value and title of the projects or apps behind the numbers of a facet."""
    if name == "project":
        return {row.id: (row.path, row.name) for row in rows_with(connection, ProjectRow)}
    return {row.id: (row.name, row.title) for row in rows_with(connection, AppRow, "id", "name", "title")}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def cells_of(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> "Mask":
    """The cells that kinds, types, statuses, trust, projects and apps of a filter let through."""
    mask = columns.every_cell()
    statuses = () if _asks_back(where) else statuses_of(where)
    for name, chosen in (("kind", where.kinds), ("type", where.types), ("status", statuses)):
        if chosen:
            mask &= columns.cells_among(name, [str(one) for one in chosen])
    if not where.includes_episodes:
        mask &= ~columns.cells_among("kind", [MemoryKind.EPISODE.value])
    if where.projects:
        mask &= columns.cells_among("project", projects_called(connection, where.projects))
    if where.apps:
        mask &= columns.cells_among("app", ids_with(connection, AppRow, name=where.apps))
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
    for part in _masks(connection, columns, where, now):
        found = part if found is None else found & part
    return found


def _asks_back(where: MemoryFilter) -> bool:
    """Whether statuses are meant as they were then."""
    return where.believed_at is not None and bool(where.statuses)


def _masks(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    """One mask for each thing that the filter asks of rows."""
    then = ids_by_status_then(connection, where)
    if then is not None:
        is_status = columns.among("status", [one.value for one in where.statuses])
        yield columns.these(then[0]) | (is_status & ~columns.these(then[1]))
    if where.categories:
        yield columns.among("category", where.categories)
    yield from _number_masks(columns, where)
    yield from _time_masks(connection, columns, where, now)
    for tag in where.tags:
        yield columns.tagged(tag)
    if where.is_likely is not None:
        mask = columns.these(ids_of_less_likely(connection))
        yield ~mask if where.is_likely else mask
    yield from _kept_elsewhere(connection, columns, where)


def _kept_elsewhere(connection: Connection, columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    """What no column holds and the database is asked for."""
    if where.file:
        yield columns.these(ids_of_file(connection, where.file))
    if where.artifact:
        yield columns.these(ids_of_artifact(connection, where.artifact))
    if where.visibilities:
        yield columns.these(set(ids_with(connection, MemoryRow, visibility=where.visibilities)))
    if where.tiers:
        yield columns.these(ids_of_tiers(connection, where.tiers))
    if where.ids is not None:
        yield columns.these(set(where.ids))
    if where.hidden_ids:
        yield ~columns.these(set(where.hidden_ids))
    if where.conversation_id is not None:
        yield columns.these(set(ids_of_conversation(connection, where.conversation_id)))
    if where.is_shared is not None:
        mask = columns.these(ids_of_shared(connection))
        yield mask if where.is_shared else ~mask
    if where.has_contradiction is not None:
        mask = columns.these(disputed_ids(connection))
        yield mask if where.has_contradiction else ~mask


def _number_masks(columns: MemoryColumns, where: MemoryFilter) -> Iterator["Mask"]:
    if where.min_importance is not None:
        yield columns.between("importance", where.min_importance, None)
    if where.min_confidence is not None or where.max_confidence is not None:
        yield columns.between("confidence", where.min_confidence, where.max_confidence)
    if where.is_pinned is not None:
        yield columns.among("is_pinned", [int(where.is_pinned)])
    if where.is_used is not None:
        yield columns.between("retrieved", 1, None) if where.is_used else columns.between("retrieved", None, 1)


def _time_masks(connection: Connection, columns: MemoryColumns, where: MemoryFilter, now: datetime) -> Iterator["Mask"]:
    if where.from_at is not None or where.to_at is not None:
        low, high = (None if at is None else to_microseconds(at) for at in (where.from_at, where.to_at))
        yield columns.between("recorded_at", low, high)
    if where.valid_at is not None:
        is_valid = _holding(columns, "valid_from", "valid_to", where.valid_at)
        then = ids_by_validity_then(connection, where)
        yield is_valid if then is None else columns.these(then[0]) | (is_valid & ~columns.these(then[1]))
    if where.believed_at is not None:
        yield _holding(columns, "recorded_at", "retired_at", where.believed_at)
    if where.is_live is not None:
        is_active = columns.among("status", [MemoryStatus.ACTIVE.value])
        is_live = is_active & _holding(columns, "valid_from", "valid_to", now)
        yield is_live if where.is_live else ~is_live
    if where.is_over is not None:
        is_archived = columns.among("status", [MemoryStatus.ARCHIVED.value])
        is_over = ~is_archived & ~_holding(columns, "valid_from", "valid_to", now)
        yield is_over if where.is_over else ~is_over


def _holding(columns: MemoryColumns, since: str, until: str, at: datetime) -> "Mask":
    """Rows with since <= at < until."""
    instant = to_microseconds(at)
    return columns.between(since, None, instant + 1) & columns.between(until, instant + 1, None)
