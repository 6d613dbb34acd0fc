"""What must not be given as if it held: the sides of an open contradiction, and what the project itself says otherwise.

Shared by all that give memories: the assembled context and the answers to an assistant. Decides no wording around it
and no budget. Source: issue 4 "contradicting items never side by side as if both held", S4 "Tier 1".
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection

from app.context.past_memories import load_as_of
from app.deciders.memory.contradictions.compare import Statement, holds_other_value
from app.deciders.memory.rules import load_memory_rules
from app.store.rows import context as rows
from app.store.tables.types import to_microseconds
from app.values import Slot, Trust

HELD_HERE, TRUSTED_MORE = "another value holds in this project", "a memory that is trusted more says otherwise"
_SIDES_MOST = (
    6  # what contradicts more others is one of a series: "crane 10 lifts 10 tons", "crane 11 lifts 11 tons", …
)


class ComparedMemory(Protocol):
    """What is compared of a memory that may be given."""

    @property
    def id(self) -> int: ...
    @property
    def slot_key(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def is_negated(self) -> int: ...
    @property
    def project_id(self) -> int | None: ...
    @property
    def trust(self) -> int: ...


@dataclass(frozen=True, slots=True)
class OpenContradiction:
    """Memories that contradict each other while nobody has decided, as one line; the oldest first."""

    id: int  # of the newest contradiction in it
    memory_ids: tuple[int, ...]
    texts: tuple[str, ...]
    is_trusted: bool = True  # all sides are the person's own words

    @property
    def text(self) -> str:
        return contradiction_line(self.texts)

    def beside(self, memory_id: int) -> str:
        """What stands beside one side that was asked for by its number."""
        others = [pair for pair in zip(self.memory_ids, self.texts, strict=True) if pair[0] != memory_id]
        said = ", ".join(f"memory {key} says “{text}”" for key, text in others)
        return f"Disputed: {said}. Ask which one holds."


def contradiction_line(texts: Sequence[str]) -> str:
    """The one line that stands for all sides, the oldest first.

    >>> contradiction_line(["Redis", "Memcached"])
    'Unresolved: “Redis” (older) or “Memcached” (newer). Ask which one holds.'
    """
    *older, newest = texts
    said = ", ".join(f"“{one}”" for one in older)
    return f"Unresolved: {said} (older) or “{newest}” (newer). Ask which one holds."


def load_contradictions(
    connection: Connection, ids: Iterable[int], project_id: int | None, now: int
) -> list[OpenContradiction]:
    """Open contradictions of these memories, the newest first, those with a side in common as one.

    Only pairs both sides of which may be given: else the question would disclose one.
    """
    return _join_pairs(rows.load_open_pairs(connection, ids, project_id, now))


def load_contradictions_as_of(
    connection: Connection, ids: Iterable[int], project_id: int | None, at: datetime
) -> list[OpenContradiction]:
    """The same as they were open at that time, between memories that were known and held then."""
    pairs = rows.load_pairs_as_of(connection, ids, project_id, to_microseconds(at))
    held = load_as_of(connection, {one for pair in pairs for one in (pair.a_id, pair.b_id)}, project_id, at)
    return _join_pairs(pair for pair in pairs if pair.a_id in held and pair.b_id in held)


def _join_pairs(pairs: Iterable[rows.OpenPair]) -> list[OpenContradiction]:
    groups: dict[int, set[rows.OpenPair]] = {}
    for pair in pairs:
        joined = {pair}.union(*(groups.get(key, ()) for key in (pair.a_id, pair.b_id)))
        for one in joined:
            groups[one.a_id] = groups[one.b_id] = joined
    found = {id(one): _as_one(one) for one in groups.values()}
    return sorted((one for one in found.values() if len(one.texts) <= _SIDES_MOST), key=lambda one: -one.id)


def _as_one(pairs: Iterable[rows.OpenPair]) -> OpenContradiction:
    listed = list(pairs)
    texts = {one.a_id: one.a_text for one in listed} | {one.b_id: one.b_text for one in listed}
    ids = tuple(sorted(texts))
    is_trusted = all(one.least_trust >= Trust.SPOKEN for one in listed)
    return OpenContradiction(max(one.id for one in listed), ids, tuple(texts[key] for key in ids), is_trusted)


def replace_sides(ids: Iterable[int], contradictions: Sequence[OpenContradiction]) -> Iterator[int | OpenContradiction]:
    """The memories in their order, each contradiction once, in the place of its first side.

    >>> [one if isinstance(one, int) else one.id for one in replace_sides([4, 7, 9], [OpenContradiction(1, (9, 4), ("", ""))])]
    [1, 7]
    """
    of_memory: dict[int, list[OpenContradiction]] = defaultdict(list)
    for one in contradictions:
        for memory_id in one.memory_ids:
            of_memory[memory_id].append(one)
    said: set[int] = set()
    for memory_id in ids:
        if memory_id not in of_memory:
            yield memory_id
        for one in of_memory.get(memory_id, ()):
            if one.id not in said:
                said.add(one.id)
                yield one


def find_overruled(
    connection: Connection, memories: Mapping[int, ComparedMemory], project_id: int | None, now: int
) -> dict[int, str]:
    """Memories that must not be given beside what the project says of their slot, each with the reason.

    The project's own value goes before one of no project or of another, unless it is neither the person's word nor trusted as much.
    """
    outside = [row for row in memories.values() if row.slot_key and row.project_id != project_id]
    if project_id is None or not outside:
        return {}
    own: dict[str, list[ComparedMemory]] = defaultdict(list)
    for found in rows.load_slot_rows(connection, {row.slot_key for row in outside}, project_id, now):
        own[found.slot_key].append(found)
    overruled: dict[int, str] = {}
    rules = load_memory_rules()
    for row in outside:
        for other in own[row.slot_key]:
            if not holds_other_value(_statement(row), _statement(other), rules):
                continue
            if other.trust >= min(row.trust, Trust.SPOKEN):
                overruled[row.id] = HELD_HERE
            else:
                overruled[other.id] = TRUSTED_MORE
    return overruled


def _statement(row: ComparedMemory) -> Statement:
    return Statement("", Slot("", row.key), row.value, bool(row.is_negated))
