"""Finds and adds rows of the inbox through the driver itself: the part of a capture that its sender waits for.

The library above the driver takes longer to say "insert" than SQLite to do it, and the driver lets go of the interpreter
for every step: so a statement takes many rows at once. Owns two statements and how values are bound; the columns come
from the table. Knows nothing of what an event means. Source: QUALITY P3.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from app.store.tables.core import EventRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.values.repeated_prompts import Sighting

_ROWS_MAX = 64
_BIND: dict[str, Callable[[Any], object]] = {
    "at": to_microseconds,
    "received_at": to_microseconds,
    "payload": lambda value: None if value is None else json.dumps(value),
}
_COLUMNS = tuple(column.name for column in EventRow.__table__.columns)  # type: ignore[attr-defined]
_BOUND = tuple((name, _BIND.get(name)) for name in _COLUMNS)
_Part = TypeVar("_Part")


class KnownEvent(NamedTuple):
    """What the sender of an event that was taken in before is answered."""

    id: int
    key: str
    state: str
    message_id: int | None


def find_event(connection: Connection, event_id: int) -> KnownEvent | None:
    """The event of this number."""
    row = connection.exec_driver_sql("SELECT id, key, state, message_id FROM event WHERE id = ?", (event_id,)).first()
    return None if row is None else KnownEvent._make(row)


def find_live_sessions(connection: Connection, sessions: Iterable[str]) -> set[str]:
    """Those of these sessions of which an event came from elsewhere than a history."""
    found = "SELECT DISTINCT session FROM event WHERE session IN (SELECT value FROM json_each(:sessions)) AND NOT is_imported"
    return {str(row[0]) for row in connection.exec_driver_sql(found, {"sessions": json.dumps(list(sessions))})}


def load_last_failure(connection: Connection) -> str:
    """Why the newest event that could not be understood could not; "" when there is none."""
    newest = "SELECT error FROM event WHERE state = 'failed' ORDER BY id DESC LIMIT 1"
    return str(connection.exec_driver_sql(newest).scalar() or "")


def find_events(cursor: Any, app_id: int, keys: Sequence[str]) -> list[KnownEvent]:
    """The events of an app that came under one of these keys."""
    return [
        KnownEvent._make(row)
        for some in _slices(keys)
        for row in cursor.execute(_find(len(some)), (app_id, *some)).fetchall()
    ]


def find_seen(cursor: Any, app_id: int, sessions: Sequence[str], hashes: Sequence[str]) -> list[Sighting]:
    """The prompts of these sessions that have one of these hashes, oldest event first."""
    rows = cursor.execute(_seen(len(sessions), len(hashes)), (app_id, *sessions, *hashes)).fetchall()
    return [
        Sighting(
            event_id=row[0],
            key=row[1],
            at=from_microseconds(row[2]),
            is_imported=bool(row[3]),
            text_hash=row[4],
            state=row[5],
            message_id=row[6],
            session=row[7],
            same_as=json.loads(row[8] or "{}").get("same_as"),
        )
        for row in rows
    ]


def add_events(cursor: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds complete rows, numbers included. Not journalled."""
    for some in _slices(rows):
        values = [bind(row[name]) if bind else row[name] for row in some for name, bind in _BOUND]
        cursor.execute(_add(len(some)), values)


def _slices(parts: Sequence[_Part]) -> Iterator[Sequence[_Part]]:
    """The parts in few lengths only (64, 32, 16, …), so that each statement is prepared once and kept."""
    start = 0
    while left := len(parts) - start:
        length = min(_ROWS_MAX, 1 << (left.bit_length() - 1))
        yield parts[start : start + length]
        start += length


@cache
def _find(count: int) -> str:
    keys = ", ".join("?" * count)
    return f"SELECT id, key, state, message_id FROM event WHERE app_id = ? AND key IN ({keys})"  # noqa: S608 (our own marks)


@cache
def _seen(session_count: int, hash_count: int) -> str:
    sessions, hashes = ", ".join("?" * session_count), ", ".join("?" * hash_count)
    return (
        "SELECT id, key, at, is_imported, text_hash, state, message_id, session,"  # noqa: S608 (our own marks)
        " CASE WHEN state = 'ignored' THEN payload END FROM event"
        f" WHERE app_id = ? AND session IN ({sessions}) AND text_hash IN ({hashes}) AND kind = 'prompt' ORDER BY id"
    )


@cache
def _add(count: int) -> str:
    row = f"({', '.join('?' * len(_COLUMNS))})"
    return f"INSERT INTO event ({', '.join(_COLUMNS)}) VALUES {', '.join([row] * count)}"  # noqa: S608 (our own names)
