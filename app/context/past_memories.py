"""What memories said at an earlier instant, for whoever may be given them now: whole by number, or one after the other.

The walls are those of today: what was put away since is not given as it was before either. Texts are as they stood then. Never
writes. Source: DESIGN section 4 "two time axes", section 6 "MCP".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select, true

from app.store.journal import table_of
from app.store.rows.memory import state_at
from app.store.tables.memory import MemoryRow
from app.store.tables.types import from_microseconds
from app.store.visibility import PERMITTED, clause
from app.understanding.message_rows import AnyRow

_memory = table_of(MemoryRow)
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
    rows = connection.execute(_known_as_of(project_id, at).where(_memory.c.id.in_(wanted))).all()
    found = _as_worded_then(rows, state_at(connection, wanted, at))
    return {one.id: one for one in found if one.valid_from <= at and (one.valid_to is None or one.valid_to > at)}


def list_as_of(
    connection: Connection, project_id: int | None, at: datetime, *, topic: Sequence[str], limit: int
) -> list[PastMemory]:
    """What was known at that instant and says all words of the topic, what was over then included; the newest first."""
    changed = state_at(connection, None, at)
    says_now = and_(true(), *map(says_word, topic))
    rows = connection.execute(_known_as_of(project_id, at).where(or_(says_now, _memory.c.id.in_(list(changed))))).all()
    words = [word.casefold() for word in topic]
    begun = (one for one in _as_worded_then(rows, changed) if one.valid_from <= at)
    found = [one for one in begun if all(word in f"{one.title}\n{one.full}".casefold() for word in words)]
    return sorted(found, key=lambda one: (one.valid_from, one.id), reverse=True)[:limit]


def says_word(word: str) -> ColumnElement[bool]:
    """A condition on memories: text or title says it, whatever its case."""
    return or_(_memory.c.full.icontains(word, autoescape=True), _memory.c.title.icontains(word, autoescape=True))


def _known_as_of(project_id: int | None, at: datetime) -> Any:
    return select(*(_memory.c[name] for name in _COLUMNS)).where(
        clause("status", *PERMITTED, project=project_id),
        _memory.c.recorded_at <= at,
        or_(_memory.c.retired_at.is_(None), _memory.c.retired_at > at),
    )


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
