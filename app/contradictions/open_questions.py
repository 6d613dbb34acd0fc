"""Open contradictions as questions, ten alike as one; and whether a person has said of the same two things that it is none.

Reads only. What is alike is `app.deciders.memory.contradictions.alike_pairs`'.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.deciders.memory.contradictions.alike_pairs import PairShape, PairSide, group_alike, is_answered_by, shape_pair
from app.deciders.memory.rules import load_memory_rules
from app.store.rows import contradiction as rows
from app.understanding.message_rows import AnyRow


def group_open(
    connection: Connection, now: datetime, *, project: str = "", limit: int = 500
) -> tuple[tuple[AnyRow, ...], ...]:
    """The open ones by what they would change, each with those that ask the same behind it."""
    listed = rows.load_open(connection, now, project=project, limit=limit)
    if len(listed) < 2:
        return tuple((row,) for row in listed)
    sides = rows.load_sides(connection, {one for row in listed for one in (row.memory_a_id, row.memory_b_id)})
    shapes = [_shape(sides[row.memory_a_id], sides[row.memory_b_id]) for row in listed]
    return tuple(tuple(listed[place] for place in group) for group in group_alike(shapes))


class Dismissed:
    """What the person called no contradiction, by project, read once: for many questions in one view of the store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._shapes: dict[int | None, list[PairShape]] = {}

    def holds(self, a: Any, b: Any) -> bool:
        """Whether it is a pair of the same two things. `a`, `b`: rows of memories, `a` the older."""
        known = self.of_project(a.project_id)
        return bool(known) and is_answered_by(_shape(a, b), known)

    def of_project(self, project_id: int | None) -> list[PairShape]:
        """What stood against what in the pairs that the person dismissed there."""
        if project_id not in self._shapes:
            self._shapes[project_id] = self._load(project_id)
        return self._shapes[project_id]

    def _load(self, project_id: int | None) -> list[PairShape]:
        pairs = [(row.memory_a_id, row.memory_b_id) for row in rows.load_dismissed(self._connection, project_id)]
        sides = rows.load_sides(self._connection, {one for pair in pairs for one in pair}) if pairs else {}
        return [_shape(sides[a_id], sides[b_id]) for a_id, b_id in pairs]


def _shape(a: Any, b: Any) -> PairShape:
    older, newer = (PairSide(one.full, one.slot_key, one.value) for one in (a, b))
    return shape_pair(a.project_id, older, newer, load_memory_rules())
