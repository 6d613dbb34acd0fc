"""What recall and the indexer read of memories: rows for documents, rows for ranking, what waits. Never writes.

Plain SQL on purpose: two hundred candidates a query are fetched by number, and the statement must not be built anew each time.
Source: STACK section 3 "hot path".
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

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
    """What a candidate is ranked by. Instants are microseconds since 1970. Of uses a citation counts three times, one that was
    ignored speaks against it."""

    id: int
    full: str
    kind: str
    status: str
    trust: int
    confidence: float
    importance: float
    is_pinned: int
    valid_from: int
    valid_to: int | None
    recorded_at: int
    last_accessed_at: int | None
    used_count: int
    slot_key: str
    supersedes_id: int | None
    type: str
    category: str
    tags: str  # JSON
    project_id: int | None
    app_id: int | None
    retired_at: int | None
    retrieved_count: int
    visibility: str
    title: str
    conversation_id: int | None  # of its first source
    message_id: int | None


_DOCUMENT = (
    "SELECT id, full, title, tags, category, subject, key, value, scope, kind, type, status, project_id, app_id, "
    "recorded_at, revision, visibility FROM memory"
)
_USED = "m.retrieved_count + 2 * m.cited_count - 2 * m.ignored_count"
_RANKED_BY = ", ".join(f"m.{name}" for name in RankRow._fields[:-2]).replace("m.used_count", _USED)
_RANKED_BY += ", s.conversation_id, s.message_id"
_FIRST_SOURCE = "LEFT JOIN memory_source s ON s.id = (SELECT min(id) FROM memory_source WHERE memory_id = m.id)"
_RANK = f"SELECT {_RANKED_BY} FROM json_each(:ids) j CROSS JOIN memory m ON m.id = j.value {_FIRST_SOURCE}"  # noqa: S608 (constants only)
_NEAR = (
    f"SELECT n.conversation_id, n.message_id, {_RANKED_BY} FROM json_each(:messages) j "  # noqa: S608 (constants only)
    "CROSS JOIN memory_source n ON n.message_id = j.value CROSS JOIN memory m ON m.id = n.memory_id "
    f"{_FIRST_SOURCE} WHERE n.memory_id NOT IN (SELECT value FROM json_each(:ids))"  # asked before its row is read
)


_NAMED = "IN (SELECT value FROM json_each(:names))"
_PROJECTS = f"SELECT id FROM project WHERE path {_NAMED} OR name {_NAMED}"  # noqa: S608 (constants only)
_APPS = f"SELECT id FROM app WHERE name {_NAMED}"  # noqa: S608 (constants only)


def _fetch(connection: Connection, statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """All rows as the driver gives them: the library's rows cost more than the search itself."""
    found: list[tuple[Any, ...]] = connection.connection.driver_connection.execute(statement, values).fetchall()  # type: ignore[union-attr]
    return found


def _ids(ids: Sequence[int]) -> str:
    return json.dumps(list(ids), separators=(",", ":"))


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


def load_rank_rows(connection: Connection, ids: Sequence[int]) -> list[RankRow]:
    """Rows of those that are there, in no order."""
    return [RankRow._make(row) for row in _fetch(connection, _RANK, {"ids": _ids(ids)})]


def load_neighbours(
    connection: Connection, places: Sequence[tuple[int, int]], reach: int, known_ids: Sequence[int]
) -> list[RankRow]:
    """Memories said within `reach` messages of these (conversation, message) places, in the same conversation.

    Each once, none of those known already.
    """
    near: dict[int, set[int]] = {}
    for conversation_id, message_id in places:
        for other in range(message_id - reach, message_id + reach + 1):
            near.setdefault(other, set()).add(conversation_id)
    found = _fetch(connection, _NEAR, {"messages": _ids(list(near)), "ids": _ids(known_ids)})
    rows = {row[2]: row for row in found if row[0] in near[row[1]]}
    return [RankRow._make(row[2:]) for row in rows.values()]


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


def newest_operation(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM operation").scalar_one())


def sample_revisions(connection: Connection, count: int) -> dict[int, int]:
    """Revisions of memories spread over the whole store, none that waits."""
    newest = int(connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM memory").scalar_one())
    spots = sorted({newest * step // count for step in range(1, count + 1)})
    rows = connection.exec_driver_sql(
        f"SELECT id, revision FROM memory WHERE id {_IN} AND id NOT IN (SELECT memory_id FROM index_wait)",  # noqa: S608
        {"ids": _ids(spots)},
    )
    return {int(row[0]): int(row[1]) for row in rows}
