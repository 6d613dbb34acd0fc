"""Contradictions as values: the list with a card of either side, and one whole with what each answer would do.

Ten alike are one question, which a person may have answered of the same two things. Reads only. Source: S4 `GET /contradictions?status=`, UX 4.7.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.deciders.memory.contradictions.alike_pairs import PairShape, PairSide, group_alike, is_answered_by, shape_pair
from app.deciders.memory.contradictions.resolutions import Evidence, describe_effects, suggest_resolution
from app.deciders.memory.rules import load_memory_rules
from app.memories.note_sync import count_notes_repeating
from app.memories.queries import get_memory, load_cards
from app.store.rows import contradiction as rows
from app.store.rows.contradiction import load_one, load_sides
from app.store.rows.pair_check import load_proposal
from app.understanding.message_rows import AnyRow
from app.values import Contradiction, ContradictionDetail, ContradictionState, LinkType, MemoryDetail, Resolution
from app.values.fast_values import value_of


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


def list_contradictions(connection: Connection, rows: Sequence[AnyRow], now: datetime) -> tuple[Contradiction, ...]:
    """The values of rows, in their order; one of which a side may not be seen is left out."""
    ids = sorted({one for row in rows for one in (row.memory_a_id, row.memory_b_id)})
    cards = {card.id: card for card in load_cards(connection, ids, now)}
    return tuple(
        value_of(
            Contradiction,
            row,
            state=ContradictionState(row.state),
            a=cards[row.memory_a_id],
            b=cards[row.memory_b_id],
            resolution=Resolution(row.resolution) if row.resolution else None,
        )
        for row in rows
        if row.memory_a_id in cards and row.memory_b_id in cards
    )


def get_contradiction(
    connection: Connection, contradiction_id: int, now: datetime, half_life_days: float
) -> ContradictionDetail:
    """One contradiction in full. Raises NotFoundError."""
    row = load_one(connection, contradiction_id)
    a, b = (get_memory(connection, one, now, half_life_days) for one in (row.memory_a_id, row.memory_b_id))
    [listed] = list_contradictions(connection, [row], now)
    proposed = load_proposal(connection, row.memory_a_id, row.memory_b_id)
    found = Evidence(
        row.holds,
        row.kind,
        is_judged=row.judged_by not in ("", "rules"),
        said_of_b=(b.memory.levels.full.text, *(one.quote for one in b.sources)),
        has_proposal=bool(proposed),
    )
    suggestion = suggest_resolution(a.memory, b.memory, found)
    counts = {"a": _count_links(a, b), "b": _count_links(b, a)}
    sides = load_sides(connection, (row.memory_a_id, row.memory_b_id))
    notes = {
        name: count_notes_repeating(connection, sides[number].full, sides[number].project_id)
        for name, number in (("a", row.memory_a_id), ("b", row.memory_b_id))
    }
    return ContradictionDetail(
        contradiction=listed,
        a=a,
        b=b,
        suggested=suggestion.resolution,
        suggested_because=suggestion.reason,
        effects=describe_effects(a.memory, b.memory, counts, now, notes),
        proposed_text=proposed,
    )


def _count_links(side: MemoryDetail, other: MemoryDetail) -> int:
    """How many other memories hang on one side."""
    ids = {one.other_id for one in side.links if one.other_kind == "memory" and one.type is not LinkType.CONTRADICTS}
    return len(ids - {other.memory.id})
