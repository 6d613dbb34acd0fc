"""Scan contradictions: what came or changed since the last run is held against the twenty nearest; what the rules see is opened.

What the scanner held against them behind its capture is left out, so a run finds what came in bulk, or while nobody looked.

Where a judge is chosen nothing is opened here: its verdicts come by the scanner, unseen until they are there. Source: S4
"scan_contradictions", DESIGN section 5.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.contradictions.finding import CandidateCache, FindAlike, find_candidates, judge_texts, statement_of
from app.contradictions.listing import Dismissed
from app.deciders.memory.contradictions.alike_pairs import PairShape, PairSide, is_answered_by, shape_pair
from app.deciders.memory.contradictions.candidates import CandidateMemory, rank_candidates
from app.deciders.memory.contradictions.compare import Statement
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.memories.learn import note_contradiction
from app.store.journal import Write
from app.store.rows import pair_check as rows
from app.values import Likeness

_NEWEST = 2_000  # of a whole import; what is older was held against what came after it
_AT_ONCE = 100  # in one run, the newest; a person can answer no more, and the rest is held in the quiet after it
_WHY = {
    "number": "another number for the same",
    "version": "another version of the same",
    "value": "another value of the same",
    "place": "another place for the same",
    "replaced": "another one for the same",
    "owner": "another person for the same",
    "exclusive": "only one of the two can hold",
    "negation": "one says it, the other says not",
    "opposite": "one says the opposite of the other",
    "retirement": "the newer one says that the older one is over",
    "decided": "the newer one decides what the older one left open",
}


@dataclass(frozen=True, slots=True)
class ComparedMemory:
    """One memory as it is compared."""

    project_id: int | None
    valid_from: datetime
    slot_key: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class ContradictionInput:
    """What is held against what: texts only, chosen and judged by the plan."""

    sides: Mapping[int, ComparedMemory]
    near: tuple[tuple[int, tuple[int, ...]], ...]  # a new memory, and what its candidates are chosen from
    dismissed: Mapping[int | None, Sequence[PairShape]]  # by project

    def __len__(self) -> int:
        """How many are held against others."""
        return len(self.near)


IsHeld = Callable[[int, str], bool]  # whether this text of a memory was held against what is known already
HoldLater = Callable[[Sequence[int]], None]


def _load(
    find_alike: FindAlike, is_held: IsHeld, hold_later: HoldLater
) -> Callable[[Connection, PlanContext], ContradictionInput]:
    def load(connection: Connection, context: PlanContext) -> ContradictionInput:
        if context.settings.judge != "off":
            return ContradictionInput({}, (), {})
        live = rows.load_live(connection, rows.newest_live(connection, context.changed_ids, _NEWEST))
        unheld = sorted((one for one in live.values() if not is_held(one.id, one.text_key)), key=lambda one: -one.id)
        hold_later([one.id for one in unheld[_AT_ONCE:]])
        view, dismissed = CandidateCache(dict(live), rivals=rows.load_all_rivals(connection)), Dismissed(connection)
        alike = context.shared.alike(find_alike)
        sides: dict[int, ComparedMemory] = {}
        near: list[tuple[int, tuple[int, ...]]] = []
        for memory in unheld[:_AT_ONCE]:
            known = find_candidates(connection, memory, alike, view)
            for row in (memory, *known.values()):
                if row.id not in sides:
                    sides[row.id] = ComparedMemory(row.project_id, row.valid_from, row.slot_key, statement_of(row))
            near.append((memory.id, tuple(known)))
        projects = {sides[number].project_id for number, _ in near}
        return ContradictionInput(sides, tuple(near), {one: dismissed.of_project(one) for one in projects})

    return load


def plan(held: ContradictionInput, context: PlanContext) -> list[Proposal]:
    """One proposal for each contradiction that the rules see; opening one asks the person, and changes nothing else."""
    rules = load_memory_rules()
    proposals = []
    for a_id, b_id in _pairs(held, rules):
        context.shared.go_on()
        likeness = judge_texts(held.sides[a_id].statement, held.sides[b_id].statement, rules)
        if likeness is not None:
            kind = likeness.kind or "value"
            proposals.append(
                Proposal(
                    kind="open_contradiction",
                    memory_ids=(a_id, b_id),
                    why=_WHY.get(kind, "both cannot hold"),
                    data={"kind": kind},
                    text=likeness.reason,
                    confidence=likeness.confidence,
                )
            )
    return proposals


def _pairs(held: ContradictionInput, rules: MemoryRules) -> Iterator[tuple[int, int]]:
    """The candidates of each memory, each pair once, the older first; without what the person has answered."""
    known = {number: CandidateMemory(number, one.statement.text, one.slot_key) for number, one in held.sides.items()}
    seen: set[tuple[int, int]] = set()
    for number, others in held.near:
        for other in rank_candidates(known[number], [known[one] for one in others], rules):
            a_id, b_id = sorted((number, other), key=lambda one: (held.sides[one].valid_from, one))
            if (a_id, b_id) in seen:
                continue
            seen.add((a_id, b_id))
            a, b = held.sides[a_id], held.sides[b_id]
            answered = held.dismissed.get(a.project_id)
            if not answered or not is_answered_by(
                shape_pair(a.project_id, _shape_of(a), _shape_of(b), rules), answered
            ):
                yield a_id, b_id


def _shape_of(one: ComparedMemory) -> PairSide:
    return PairSide(one.statement.text, one.slot_key, one.statement.value)


def _apply(write: Write, action: Row[Any]) -> None:
    a_id, b_id = action.memory_ids
    live = rows.load_live(write.connection, (a_id, b_id))
    if len(live) != 2 or b_id in rows.load_rivals(write.connection, a_id):
        raise SkipAction("One of them does not hold any more, or it is open already.")
    likeness = Likeness("contradict", action.confidence, action.text, str(action.data["kind"]))
    if not note_contradiction(write, live[a_id], b_id, likeness, is_closed=False):
        raise SkipAction("You said of the same two that they do not contradict each other.")


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    both = tuple(texts[one].full for one in action.memory_ids if one in texts)
    return DiffLines((), (f"Asked: which one holds? {action.text}",), both)


def find_contradictions(find_alike: FindAlike, is_held: IsHeld, hold_later: HoldLater) -> Step:
    """The step; `find_alike` names memories that share rare words with a text, what `is_held` knows is left out.

    What is too much for one run goes to `hold_later`.
    """
    opened = StepAction("found to contradict", _apply, counts_as=("contradictions_found",), show=_show)
    kinds = {"open_contradiction": opened}
    return Step(
        "contradictions", "Checking contradictions", _load(find_alike, is_held, hold_later), plan, kinds, is_heavy=True
    )


__all__: Sequence[str] = ("find_contradictions", "plan")
