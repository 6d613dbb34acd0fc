"""Whether a candidate's row is what a filter lets through: the whole filter at once, without a statement per look.

Recall asks it of a hundred rows a query that it has read anyway; building and running the conditions of `memory_filters`, which
stay the reference, would take longer than the search itself. Source: STACK section 3 "hot path", S3 "Retrieval Query".
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from app.store import memory_filters
from app.store.rows.memory import disputed_ids, ids_of_conversation
from app.store.search.memories import (
    LEAST_COLUMNS,
    RankRow,
    column_count,
    find_apps,
    find_projects,
)
from app.store.search.values import SHARED, Scope
from app.store.tables.types import to_microseconds
from app.store.visibility import is_shared, is_unconfirmed, is_valid
from app.values import MemoryFilter, MemoryKind, MemoryStatus

Check = Callable[[RankRow], bool]
_ANY = MemoryFilter()
_ACTIVE, _ARCHIVED = MemoryStatus.ACTIVE.value, MemoryStatus.ARCHIVED.value
_IN_USE = replace(_ANY, statuses=(MemoryStatus.ACTIVE,))
_ASKS_FOR = {  # field of a filter → column of a row, of those columns that are not always read
    "kinds": "kind", "includes_episodes": "kind", "types": "type", "categories": "category", "tags": "tags",
    "projects": "project_id", "apps": "app_id", "is_shared": "visibility", "visibilities": "visibility", "is_used": "retrieved_count",
    "min_confidence": "confidence", "max_confidence": "confidence", "believed_at": "retired_at",
}  # fmt: skip


class RowFilter:
    """One filter, read once: what the index can see to (`scope`), and the check of rows that holds in any case."""

    def __init__(self, connection: Connection, filters: MemoryFilter, now: datetime) -> None:
        self._connection = connection
        self.is_plain = filters == _ANY
        self._filters = _IN_USE if self.is_plain else _with_status(filters)
        self.is_wide = self.is_plain or (  # nearly all is let through
            MemoryStatus.ACTIVE in self._filters.statuses
            and replace(filters, statuses=(), includes_unconfirmed=False) == _ANY
        )
        self._projects = find_projects(connection, filters.projects) if filters.projects else frozenset()
        self._apps = find_apps(connection, filters.apps) if filters.apps else frozenset()
        self._checks = () if self.is_plain else tuple(self._make_checks(to_microseconds(now)))
        self.columns = LEAST_COLUMNS if self.is_plain else _count_columns(filters)  # of a row that must be read

    def choose(self, rows: Sequence[RankRow]) -> list[RankRow]:
        """Those that it lets through: active ones only, unless the filter says otherwise."""
        if self.is_plain:
            return [row for row in rows if row.status == _ACTIVE]
        return [row for row in rows if all([check(row) for check in self._checks])]  # noqa: C419 (few; a generator costs more than they do)

    @property
    def scope(self) -> Scope:
        """What of the filter the index can see to; rows are held against the whole of it anyway."""
        filters, groups = self._filters, []
        if filters.believed_at is None:
            statuses = dict.fromkeys(one.value for one in filters.statuses)
            if filters.includes_unconfirmed:
                statuses[MemoryStatus.PROPOSED.value] = None
            groups.append(tuple(f"status:{one}" for one in statuses))
        kinds = filters.kinds or tuple(MemoryKind)
        if not filters.includes_episodes:
            kinds = tuple(kind for kind in kinds if kind is not MemoryKind.EPISODE)
        if kinds != tuple(MemoryKind):
            groups.append(tuple(f"kind:{kind.value}" for kind in kinds) or ("kind:none",))
        if filters.types:
            groups.append(tuple(f"type:{one.value}" for one in filters.types))
        if filters.projects:
            groups.append(tuple(f"project:{one}" for one in sorted(self._projects)) or ("project:none",))
        if filters.apps:
            groups.append(tuple(f"app:{one}" for one in sorted(self._apps)) or ("app:none",))
        if filters.is_shared:
            groups.append((SHARED,))
        from_at = to_microseconds(filters.from_at) if filters.from_at else None
        to_at = to_microseconds(filters.to_at) if filters.to_at else None
        return Scope(tuple(groups), from_at, to_at)

    def _make_checks(self, now: int) -> Iterator[Check]:
        yield self._check_status()
        yield from self._check_words()
        yield from self._check_numbers()
        yield from self._check_times(now)
        yield from self._check_others()

    def _check_status(self) -> Check:
        wanted = {one.value for one in self._filters.statuses}
        then = memory_filters.ids_by_status_then(self._connection, self._filters)
        if then is None and self._filters.includes_unconfirmed:
            return lambda row: row.status in wanted or is_unconfirmed(row.status, row.trust)
        if then is None:
            return lambda row: row.status in wanted
        had, had_not = then
        return lambda row: row.id in had or (row.status in wanted and row.id not in had_not)

    def _check_words(self) -> Iterator[Check]:
        filters = self._filters
        if filters.kinds:
            kinds = {one.value for one in filters.kinds}
            yield lambda row: row.kind in kinds
        if not filters.includes_episodes:
            yield lambda row: row.kind != MemoryKind.EPISODE.value
        if filters.types:
            types = {one.value for one in filters.types}
            yield lambda row: row.type in types
        if filters.categories:
            yield lambda row: row.category in filters.categories
        if filters.projects:
            yield lambda row: row.project_id in self._projects
        if filters.apps:
            yield lambda row: row.app_id in self._apps
        if filters.tags:
            yield lambda row: set(filters.tags) <= set(json.loads(row.tags))

    def _check_numbers(self) -> Iterator[Check]:
        filters = self._filters
        least, surest, unsure, trust = (
            filters.min_importance, filters.min_confidence, filters.max_confidence, filters.min_trust,
        )  # fmt: skip
        if least is not None:
            yield lambda row: row.importance >= least
        if surest is not None:
            yield lambda row: row.confidence >= surest
        if unsure is not None:
            yield lambda row: row.confidence < unsure
        if trust is not None:
            yield lambda row: row.trust >= trust
        if filters.is_pinned is not None:
            yield lambda row: bool(row.is_pinned) is filters.is_pinned
        if filters.is_used is not None:
            yield lambda row: (row.retrieved_count > 0) is filters.is_used
        if filters.is_likely is not None:
            less_likely = memory_filters.ids_of_less_likely(self._connection)
            yield lambda row: (row.id not in less_likely) is filters.is_likely

    def _check_times(self, now: int) -> Iterator[Check]:
        filters = self._filters
        if filters.from_at is not None:
            from_at = to_microseconds(filters.from_at)
            yield lambda row: row.recorded_at >= from_at
        if filters.to_at is not None:
            to_at = to_microseconds(filters.to_at)
            yield lambda row: row.recorded_at < to_at
        if filters.valid_at is not None:
            yield self._check_validity(to_microseconds(filters.valid_at))
        if filters.believed_at is not None:
            then = to_microseconds(filters.believed_at)
            yield lambda row: row.recorded_at <= then and (row.retired_at is None or row.retired_at > then)
        if filters.is_live is not None:
            yield lambda row: (row.status == _ACTIVE and is_valid(row.valid_from, row.valid_to, now)) is filters.is_live
        if filters.is_over is not None:
            yield (
                lambda row: (
                    (row.status != _ARCHIVED and not is_valid(row.valid_from, row.valid_to, now)) is filters.is_over
                )
            )

    def _check_validity(self, at: int) -> Check:
        """Valid as is known now, or as was believed at the filter's `believed_at`."""
        then = memory_filters.ids_by_validity_then(self._connection, self._filters)
        if then is None:
            return lambda row: is_valid(row.valid_from, row.valid_to, at)
        was, was_not = then
        return lambda row: row.id in was or (row.id not in was_not and is_valid(row.valid_from, row.valid_to, at))

    def _check_others(self) -> Iterator[Check]:
        filters, connection = self._filters, self._connection
        if filters.is_shared is not None:
            yield lambda row: is_shared(row.project_id, row.visibility) is filters.is_shared
        if filters.file:
            of_file = memory_filters.ids_of_file(connection, filters.file)
            yield lambda row: row.id in of_file
        if filters.artifact:
            ids = memory_filters.ids_of_artifact(connection, filters.artifact)
            yield lambda row: row.id in ids
        if filters.visibilities:
            wanted = frozenset(one.value for one in filters.visibilities)
            yield lambda row: row.visibility in wanted
        if filters.tiers:
            in_tiers = memory_filters.ids_of_tiers(connection, filters.tiers)
            yield lambda row: row.id in in_tiers
        if filters.ids is not None:
            these = frozenset(filters.ids)
            yield lambda row: row.id in these
        if filters.hidden_ids:
            hidden = frozenset(filters.hidden_ids)
            yield lambda row: row.id not in hidden
        if filters.conversation_id is not None:
            said = frozenset(ids_of_conversation(connection, filters.conversation_id))
            yield lambda row: row.id in said
        if filters.has_contradiction is not None:
            disputed = disputed_ids(connection)
            yield lambda row: (row.id in disputed) is filters.has_contradiction


def _with_status(filters: MemoryFilter) -> MemoryFilter:
    return filters if filters.statuses else replace(filters, statuses=_IN_USE.statuses)


def _count_columns(filters: MemoryFilter) -> int:
    asked = [column for name, column in _ASKS_FOR.items() if getattr(filters, name) != getattr(_ANY, name)]
    return max([LEAST_COLUMNS, *map(column_count, asked)])
