"""What recall and the indexer read of memories: rows for documents, rows for ranking, what waits. Never writes.

Plain SQL on purpose: two hundred candidates a query are fetched by number, and the statement must not be built again each time.
Source: STACK section 3 "hot path".
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.store.search.memory_terms import TERMS_VERSION, first_place
from app.store.table_queries import newest_id
from app.store.tables.memory import MemoryRow

_PLACES_AT_ONCE = 64
_IN = "IN (SELECT value FROM json_each(:ids))"


class DocumentRow(NamedTuple):
    """What a memory is found by."""

    id: int
    full: str
    title: str
    tags: str  # JSON
    category: str
    subject: str
    key: str
    value: str
    scope: str
    kind: str
    type: str
    status: str
    project_id: int | None
    app_id: int | None
    recorded_at: int
    revision: int
    visibility: str


class RankRow(NamedTuple):
    """What a candidate is ranked by, then what only filters ask for: read as far as it is asked for. Instants are
    microseconds since 1970. Of uses a citation counts three times, one that was ignored speaks against it."""

    id: int
    full: str
    title: str
    status: str
    recorded_at: int
    importance: float
    valid_from: int
    valid_to: int | None
    is_pinned: int
    last_accessed_at: int | None
    used_count: int
    slot_key: str
    supersedes_id: int | None
    conversation_id: int | None  # of its first source
    message_id: int | None
    stems: str | None  # what it is ranked by, a space between two; None: not worked out yet
    speaker: str | None
    trust: int
    project_id: int | None
    visibility: str
    kind: str
    type: str
    app_id: int | None
    retired_at: int | None
    retrieved_count: int
    confidence: float
    category: str
    tags: str  # JSON
    summary: str  # from here on: what a context gives of it
    compressed: str
    index_text: str
    full_tokens: int
    summary_tokens: int
    compressed_tokens: int
    index_tokens: int
    text_key: str
    key: str
    revision: int
    value: str
    is_negated: int
    full_line: int | None
    summary_line: int | None
    compressed_line: int | None
    index_line: int | None
    given_level: str = "full"

    @property
    def topic(self) -> str:
        return self.key or self.category or ""


_make_row = partial(tuple.__new__, RankRow)  # with what was read and no more, at a third of the time

_DOCUMENT = (
    "SELECT id, full, title, tags, category, subject, key, value, scope, kind, type, status, project_id, app_id, "
    "recorded_at, revision, visibility FROM memory"
)


def _place(name: str) -> str:
    """Of its first source: from its cut, which is read anyway, unless there is none."""
    return f"CASE WHEN k.memory_id IS NULL THEN {first_place(name, 'm.id')} ELSE k.place_{name} END"


_READ_OTHERWISE = {
    "used_count": "m.retrieved_count + 2 * m.cited_count - 2 * m.ignored_count",
    "conversation_id": _place("conversation_id"),
    "message_id": _place("message_id"),
    "stems": "k.stems",
    "speaker": "k.speaker",
    "full_line": "k.full_line",
    "summary_line": "k.summary_line",
    "compressed_line": "k.compressed_line",
    "index_line": "k.index_line",
}
_RANKED_BY = tuple(_READ_OTHERWISE.get(name, f"m.{name}") for name in RankRow._fields)
LEAST_COLUMNS, ALL_COLUMNS = RankRow._fields.index("project_id"), len(RankRow._fields)
_CUT = f"LEFT JOIN memory_cut k ON k.memory_id = m.id AND k.cut_revision = m.revision AND k.cut_form = {TERMS_VERSION}"
_BY_ID = f"FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value {_CUT}"
# by the message's index (the plus): a conversation may be long; what is known is left out before its row is read
_NEAR = (
    "CROSS JOIN memory_source n ON n.message_id BETWEEN j.message - ? AND j.message + ? "  # noqa: S608 (constants only)
    f"AND +n.conversation_id = j.conversation CROSS JOIN memory m ON m.id = n.memory_id {_CUT} "
    "WHERE n.memory_id NOT IN (SELECT value FROM json_each(?))"
)
_NAMED = "IN (SELECT value FROM json_each(:names))"
_PROJECTS = f"SELECT id FROM project WHERE path {_NAMED} OR name {_NAMED}"  # noqa: S608 (constants only)
_APPS = f"SELECT id FROM app WHERE name {_NAMED}"  # noqa: S608 (constants only)


def _fetch(connection: Connection, statement: str, values: dict[str, Any] | tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """All rows as the driver gives them: the library's rows cost more than the search itself."""
    found: list[tuple[Any, ...]] = connection.connection.driver_connection.execute(statement, values).fetchall()  # type: ignore[union-attr]
    return found


def _ids(ids: Sequence[int]) -> str:
    """As JSON: which a list of whole numbers is as Python writes it, in a tenth of the time."""
    return str(list(ids))


def load_documents(connection: Connection, ids: Sequence[int]) -> list[DocumentRow]:
    return [DocumentRow._make(row) for row in _fetch(connection, f"{_DOCUMENT} WHERE id {_IN}", {"ids": _ids(ids)})]


def load_documents_before(connection: Connection, before_id: int | None, limit: int) -> list[DocumentRow]:
    """Newest first, for a rebuild that can be searched while it runs."""
    where = "WHERE id < :before" if before_id is not None else "WHERE :before IS NULL"
    rows = _fetch(
        connection, f"{_DOCUMENT} {where} ORDER BY id DESC LIMIT :limit", {"before": before_id, "limit": limit}
    )
    return [DocumentRow._make(row) for row in rows]


def find_missing(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Those of `ids` of which there is no memory."""
    statement = "SELECT value FROM json_each(:ids) WHERE value NOT IN (SELECT id FROM memory)"
    return {int(row[0]) for row in _fetch(connection, statement, {"ids": _ids(ids)})}


def find_projects(connection: Connection, names: Iterable[str]) -> frozenset[int]:
    """Projects of these names or paths."""
    return frozenset(row[0] for row in _fetch(connection, _PROJECTS, {"names": json.dumps(list(names))}))


def find_apps(connection: Connection, names: Iterable[str]) -> frozenset[int]:
    return frozenset(row[0] for row in _fetch(connection, _APPS, {"names": json.dumps(list(names))}))


def column_count(name: str) -> int:
    """How many columns of a `RankRow` must be read so that this one is there."""
    return RankRow._fields.index(name) + 1


def load_rank_rows(connection: Connection, ids: Sequence[int], columns: int = ALL_COLUMNS) -> list[RankRow]:
    """Rows of those that are there, in no order; of each the first `columns` of its values."""
    return [_make_row(row) for row in _fetch(connection, f"{_selected(columns)} {_BY_ID}", (_ids(ids),))]


def load_neighbours(
    connection: Connection,
    places: Sequence[tuple[int, int]],
    reach: int,
    known_ids: Sequence[int],
    columns: int = ALL_COLUMNS,
) -> list[RankRow]:
    """Memories said within `reach` messages of these (conversation, message) places, in the same conversation.

    Each once, none of those known already; of each the first `columns` of its values.
    """
    found: dict[int, RankRow] = {}
    for start in range(0, len(places), _PLACES_AT_ONCE):
        some = places[start : start + _PLACES_AT_ONCE]
        values = (*chain.from_iterable(some), reach, reach, _ids(known_ids))
        rows = _fetch(connection, _near_statement(columns, len(some)), values)
        found |= {row[0]: _make_row(row) for row in rows}
    return list(found.values())


@cache
def _selected(columns: int) -> str:
    return f"SELECT {', '.join(_RANKED_BY[:columns])}"


@cache
def _near_statement(columns: int, place_count: int) -> str:
    given = ", ".join(["(?, ?)"] * place_count)
    return f"WITH j(conversation, message) AS (VALUES {given}) {_selected(columns)} FROM j {_NEAR}"


def load_ids_between(connection: Connection, from_at: int | None, to_at: int | None, limit: int) -> list[int]:
    """Memories recorded in [from_at, to_at), newest first: for a query that names a time and nothing else."""
    rows = connection.exec_driver_sql(
        "SELECT id FROM memory WHERE recorded_at >= :from_at AND recorded_at < :to_at ORDER BY id DESC LIMIT :limit",
        {
            "from_at": -(2**62) if from_at is None else from_at,
            "to_at": 2**62 if to_at is None else to_at,
            "limit": limit,
        },
    )
    return [int(row[0]) for row in rows]


def load_waiting(connection: Connection, limit: int) -> list[tuple[int, int, int | None]]:
    """(seq, memory, its revision; None when it is deleted), newest first."""
    rows = _fetch(
        connection,
        "SELECT w.seq, w.memory_id, m.revision FROM index_wait w LEFT JOIN memory m ON m.id = w.memory_id "
        "ORDER BY w.seq DESC LIMIT :limit",
        {"limit": limit},
    )
    return [(int(row[0]), int(row[1]), row[2]) for row in rows]


def load_oldest_waiting(connection: Connection, limit: int) -> list[tuple[int, int]]:
    """(seq, memory), in the order in which they were written."""
    rows = connection.exec_driver_sql(
        "SELECT seq, memory_id FROM index_wait ORDER BY seq LIMIT :limit", {"limit": limit}
    )
    return [(int(row[0]), int(row[1])) for row in rows]


def delete_waiting(connection: Connection, seqs: Sequence[int]) -> None:
    statement = f"DELETE FROM index_wait WHERE seq {_IN}"  # noqa: S608 (constants only)
    connection.exec_driver_sql(statement, {"ids": _ids(seqs)})


def count_memories(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT count(*) FROM memory").scalar_one())


def count_waiting(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT count(*) FROM index_wait").scalar_one())


def sample_revisions(connection: Connection, count: int) -> dict[int, int]:
    """Revisions of memories spread over the whole store, none that waits."""
    newest = newest_id(connection, MemoryRow)
    spots = sorted({newest * step // count for step in range(1, count + 1)})
    rows = connection.exec_driver_sql(
        f"SELECT id, revision FROM memory WHERE id {_IN} AND id NOT IN (SELECT memory_id FROM index_wait)",  # noqa: S608
        {"ids": _ids(spots)},
    )
    return {int(row[0]): int(row[1]) for row in rows}
