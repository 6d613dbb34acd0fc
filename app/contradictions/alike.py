"""Open contradictions as questions, ten alike as one; and whether a person has said of the same two things that it is none.

Reads only. What is alike is `app.deciders.memory.contradictions.alike_pairs`'.
"""

from typing import Any

from sqlalchemy import Connection

from app.deciders.memory.contradictions.alike_pairs import PairShape, PairSide, group_alike, is_answered_by, shape_pair
from app.deciders.memory.rules import load_memory_rules
from app.store import contradiction_rows as rows
from app.understanding.message_rows import AnyRow


def group_open(connection: Connection, *, project: str = "", limit: int = 500) -> tuple[tuple[AnyRow, ...], ...]:
    """The open ones by what they would change, each with those that ask the same behind it."""
    listed = rows.load_open(connection, project=project, limit=limit)
    if len(listed) < 2:
        return tuple((row,) for row in listed)
    sides = rows.load_sides(connection, {one for row in listed for one in (row.memory_a_id, row.memory_b_id)})
    shapes = [_shape(sides[row.memory_a_id], sides[row.memory_b_id]) for row in listed]
    return tuple(tuple(listed[place] for place in group) for group in group_alike(shapes))


def is_dismissed_alike(connection: Connection, a: Any, b: Any) -> bool:
    """Whether a person dismissed a pair of the same two things in this project. `a`, `b`: rows of memories, `a` the older."""
    dismissed = rows.load_dismissed(connection, a.project_id)
    if not dismissed:
        return False
    sides = rows.load_sides(connection, {one for row in dismissed for one in (row.memory_a_id, row.memory_b_id)})
    return is_answered_by(_shape(a, b), [_shape(sides[one.memory_a_id], sides[one.memory_b_id]) for one in dismissed])


def _shape(a: Any, b: Any) -> PairShape:
    older, newer = (PairSide(one.full, one.slot_key, one.value) for one in (a, b))
    return shape_pair(a.project_id, older, newer, load_memory_rules())
