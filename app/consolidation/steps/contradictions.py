"""Scan contradictions: what came or changed since the last run is held against the twenty nearest; what the rules see is opened.

What the scanner held against them behind its capture is left out, so a run finds what came in bulk, or while nobody looked.

Where a judge is chosen nothing is opened here: its verdicts come by the scanner, unseen until they are there. Source: S4
"scan_contradictions", DESIGN section 5.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.port import Kind, Proposal, Reading, Shown, SkipAction, Step, Texts
from app.contradictions.alike import Dismissed
from app.contradictions.finding import FindAlike, View, find_pairs, judge_texts, statement_of
from app.deciders.memory.contradictions.compare import Statement
from app.deciders.memory.rules import load_memory_rules
from app.memories.learn import note_rival
from app.store.journal import Write
from app.store.rows import pair as rows
from app.values import Likeness

_NEWEST = 2_000  # of a whole import; what is older was held against what came after it
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
    "retirement": "the newer one says that it goes",
    "decided": "the newer one decides what the older one left open",
}


@dataclass(frozen=True, slots=True)
class Pairs:
    """The older and the newer of each pair, with their numbers."""

    listed: tuple[tuple[int, int, Statement, Statement], ...]

    def __len__(self) -> int:
        return len(self.listed)


IsHeld = Callable[[int, str], bool]  # whether this text of a memory was held against what is known already


def _load(find_alike: FindAlike, is_held: IsHeld) -> Callable[[Connection, Reading], Pairs]:
    def load(connection: Connection, reading: Reading) -> Pairs:
        if reading.settings.judge != "off":
            return Pairs(())
        rules = load_memory_rules()
        changed = rows.newest_live(connection, reading.changed_ids, _NEWEST)
        found: dict[tuple[int, int], tuple[int, int, Statement, Statement]] = {}
        live = rows.load_live(connection, changed)
        view = View(dict(live))
        wanted = [one for one in live.values() if not is_held(one.id, one.text_key)]
        alike = reading.shared.alike(find_alike)
        dismissed = Dismissed(connection)
        for memory in wanted:
            for pair in find_pairs(connection, memory, alike, rules, view):
                if dismissed.holds(pair.a, pair.b):
                    continue
                both = (int(pair.a.id), int(pair.b.id))
                found.setdefault(both, (*both, statement_of(pair.a), statement_of(pair.b)))
        return Pairs(tuple(found.values()))

    return load


def plan(pairs: Pairs, reading: Reading) -> list[Proposal]:
    """One proposal for each contradiction that the rules see; opening one asks the person, and changes nothing else."""
    del reading
    rules = load_memory_rules()
    proposals = []
    for a_id, b_id, older, newer in pairs.listed:
        likeness = judge_texts(older, newer, rules)
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


def _apply(write: Write, action: Row[Any]) -> None:
    a_id, b_id = action.memory_ids
    live = rows.load_live(write.connection, (a_id, b_id))
    if len(live) != 2 or b_id in rows.load_rivals(write.connection, a_id):
        raise SkipAction("One of them does not hold any more, or it is open already.")
    likeness = Likeness("contradict", action.confidence, action.text, str(action.data["kind"]))
    if not note_rival(write, live[a_id], b_id, likeness, is_closed=False):
        raise SkipAction("You said of the same two that they do not contradict each other.")


def _show(texts: Texts, action: Row[Any]) -> Shown:
    both = tuple(texts[one].full for one in action.memory_ids if one in texts)
    return Shown(both, (f"Asked: which one holds? {action.text}",))


def find_contradictions(find_alike: FindAlike, is_held: IsHeld) -> Step:
    """The step; `find_alike` names memories that share rare words with a text, what `is_held` knows is left out."""
    opened = Kind("found to contradict", _apply, counts_as=("contradictions_found",), show=_show)
    kinds = {"open_contradiction": opened}
    return Step("contradictions", "Checking contradictions", _load(find_alike, is_held), plan, kinds, is_heavy=True)


__all__: Sequence[str] = ("find_contradictions", "plan")
