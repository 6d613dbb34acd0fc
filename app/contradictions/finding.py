"""Pairs of memories that may contradict each other, and what the rules say of one. Reads only.

Source: S4 "Contradiction Scanner", issue 17 "two steps: candidates, then the verdict".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from app.deciders.memory.contradictions.candidates import CandidateMemory, rank_candidates
from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.contradictions.detection import find_contradiction
from app.deciders.memory.rules import MemoryRules
from app.store.rows import pair_check as rows
from app.understanding.message_rows import AnyRow
from app.values import FactType, Likeness, Slot

FindAlike = Callable[[Connection, str, int | None], Sequence[int]]


@dataclass(frozen=True, slots=True)
class FoundPair:
    """`a` is the older memory."""

    a: AnyRow
    b: AnyRow


@dataclass(frozen=True, slots=True)
class CandidateCache:
    """What was read already for other memories in one view of the store: rows, None for one that does not hold, and the newest by project."""

    rows: dict[int, AnyRow | None] = field(default_factory=dict)
    newest: dict[int | None, list[int]] = field(default_factory=dict)
    rivals: dict[int, set[int]] | None = None  # of all memories, where many are asked for


def find_pairs(
    connection: Connection,
    memory: AnyRow,
    find_alike: FindAlike,
    rules: MemoryRules,
    view: CandidateCache | None = None,
) -> tuple[FoundPair, ...]:
    """The memories of the same project that this one may contradict, the likeliest first, at most twenty."""
    known = find_candidates(connection, memory, find_alike, view or CandidateCache())
    listed = [CandidateMemory(number, row.full, row.slot_key) for number, row in known.items()]
    best = rank_candidates(CandidateMemory(memory.id, memory.full, memory.slot_key), listed, rules)
    return tuple(pair_of(known[number], memory) for number in best)


def find_candidates(
    connection: Connection, memory: AnyRow, find_alike: FindAlike, view: CandidateCache
) -> dict[int, AnyRow]:
    """What the candidates are chosen from: what shares its rare words or its slot, and the newest of its project.

    Without those that are in a contradiction with it already, open or resolved. Who asks for many keeps one `view`.
    """
    if memory.project_id not in view.newest:
        view.newest[memory.project_id] = rows.find_newest(connection, memory.project_id)
    near = {*find_alike(connection, memory.full, memory.project_id), *view.newest[memory.project_id]}
    near.update(rows.find_same_slot(connection, memory.project_id, memory.slot_key))
    rivals = rows.load_rivals(connection, memory.id) if view.rivals is None else view.rivals.get(memory.id, ())
    near -= {memory.id, *rivals}
    loaded = view.rows
    missing = near - loaded.keys()
    live = rows.load_live(connection, missing)
    loaded.update((number, live.get(number)) for number in missing)
    rest = ((number, loaded[number]) for number in near)
    return {number: row for number, row in rest if row is not None and row.project_id == memory.project_id}


def pair_of(one: AnyRow, other: AnyRow) -> FoundPair:
    """The older first: by when it began to hold, then by when it was learned."""
    first, second = sorted((one, other), key=lambda row: (row.valid_from, row.id))
    return FoundPair(first, second)


def judge_by_rules(pair: FoundPair, rules: MemoryRules) -> Likeness | None:
    """The contradiction that the rules see, None where they are in doubt."""
    return judge_texts(statement_of(pair.a), statement_of(pair.b), rules)


def judge_texts(older: Statement, newer: Statement, rules: MemoryRules) -> Likeness | None:
    """The same of two statements."""
    likeness = compare_statements(older, newer, rules)
    if likeness.relation in {"contradict", "replace"}:
        return likeness
    return None if likeness.relation == "duplicate" else find_contradiction(older.text, newer.text, rules)


def statement_of(row: AnyRow) -> Statement:
    slot = Slot(row.subject, row.key, row.scope) if row.slot_key else None
    return Statement(row.full, slot, row.value, bool(row.is_negated), FactType(row.type or "fact"))
