"""What memories said at an earlier instant, for whoever may be given them now: whole by number, or one after the other.

The walls are those of today: what was put away since is not given as it was before either. Texts are as they stood then. Never
writes. Source: DESIGN section 4 "two time axes", section 6 "MCP".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.store.rows.memory import known_at, state_at
from app.store.tables.types import from_microseconds
from app.store.visibility import PERMITTED
from app.understanding.message_rows import AnyRow

_PERMITTED = ("status", *PERMITTED)
_COLUMNS = ("id", "type", "kind", "title", "full", "summary", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class PastMemory:
    """A memory as it was."""

    id: int
    type: str
    kind: str
    title: str
    full: str
    summary: str
    valid_from: datetime
    valid_to: datetime | None


def load_as_of(
    connection: Connection, ids: Iterable[int], project_id: int | None, at: datetime
) -> dict[int, PastMemory]:
    """Those of the memories that were known and held at that instant and may be given in this project."""
    wanted = list(ids)
    rows = known_at(connection, at, _PERMITTED, project_id, ids=wanted)
    found = _as_worded_then(rows, state_at(connection, wanted, at))
    return {one.id: one for one in found if one.valid_from <= at and (one.valid_to is None or one.valid_to > at)}


def list_as_of(
    connection: Connection, project_id: int | None, at: datetime, *, topic: Sequence[str], limit: int
) -> list[PastMemory]:
    """What was known at that instant and says all words of the topic, what was over then included; the newest first."""
    changed = state_at(connection, None, at)
    rows = known_at(connection, at, _PERMITTED, project_id, ids=list(changed), or_saying=topic)
    words = [word.casefold() for word in topic]
    begun = (one for one in _as_worded_then(rows, changed) if one.valid_from <= at)
    found = [one for one in begun if all(word in f"{one.title}\n{one.full}".casefold() for word in words)]
    return sorted(found, key=lambda one: (one.valid_from, one.id), reverse=True)[:limit]


def _as_worded_then(rows: Iterable[AnyRow], states: Any) -> Iterable[PastMemory]:
    for row in rows:
        state = states.get(row.id)
        if state is None:
            yield PastMemory(*(getattr(row, name) for name in _COLUMNS))
        elif state["status"] == "active":
            since, until = state["valid_from"], state["valid_to"]
            yield PastMemory(
                row.id, state["type"], row.kind, state["title"], state["full"], state["summary"], from_microseconds(since),
                None if until is None else from_microseconds(until),
            )  # fmt: skip
