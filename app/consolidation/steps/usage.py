"""Promote and demote by use: what helped since the last run weighs more, what was given and ignored weighs less. Source: S4
`adjust_rankings`, S3 "Importance".

A citation is the only proof of use; one that was only given proves nothing. What was used again is given in full again.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts, load_memories
from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.consolidation.steps.forget import LAST_TYPES
from app.store.journal import Write
from app.store.rows import consolidation as rows
from app.store.tables.memory import MemoryRow
from app.values import Level, UsageKind

_STEP = 0.05
_NEARER = (
    0.1  # of what is missing to the most, for each citation: what is used often stays apart from what is used more
)
_MOST, _LEAST = 0.95, 0.2
_LEAST_STEP = 0.015  # less moves nothing in any list
_IGNORED_OFTEN = 5  # since the last run, and never cited


@dataclass(frozen=True, slots=True)
class UsageCount:
    memory: MemoryFacts
    cited_count: int
    ignored_count: int


def _load(connection: Connection, context: PlanContext) -> tuple[UsageCount, ...]:
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for row in rows.load_uses(connection, context.used_after):
        counts[row.memory_id][row.kind] = row.how_many
    return tuple(
        UsageCount(one, counts[one.id].get(UsageKind.CITED, 0), counts[one.id].get(UsageKind.IGNORED, 0))
        for one in load_memories(connection, context.now, counts)
    )


def plan(used: Sequence[UsageCount], context: PlanContext) -> list[Proposal]:
    """A step up for what was cited, one down for what was ignored and is not the person's to keep."""
    del context
    found = []
    for one in used:
        memory = one.memory
        if memory.is_closed:
            continue  # it is given no more, whatever it was worth
        if one.cited_count:
            importance = _raised(memory.importance, one.cited_count)
            if round(importance - memory.importance, 3) < _LEAST_STEP:
                importance = memory.importance
            is_unfolded = memory.given_level != Level.FULL
            if importance > memory.importance or is_unfolded:
                why = f"an assistant's answers or changes took it up {_times(one.cited_count)} since the last run"
                data: dict[str, object] = {"importance": importance, "was": memory.importance}
                if is_unfolded:
                    data["level"] = Level.FULL.value
                found.append(Proposal("promote", (memory.id,), why, data=data))
        elif one.ignored_count >= _IGNORED_OFTEN and _may_sink(memory):
            why = f"given {_times(one.ignored_count)} since the last run, and never used"
            lower = {"importance": max(_LEAST, round(memory.importance - _STEP, 3)), "was": memory.importance}
            found.append(Proposal("demote", (memory.id,), why, data=lower))
    return found


def _may_sink(memory: MemoryFacts) -> bool:
    """Whether not being used says anything: a rule or a preference is followed without a trace."""
    return not (memory.is_kept or memory.type in LAST_TYPES) and memory.importance > _LEAST


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _raised(importance: float, cited_count: int) -> float:
    """Nearer to the most with each citation, and never there.

    >>> [_raised(0.6, count) for count in (1, 5, 20)], _raised(0.85, 20), _raised(1.0, 3)
    ([0.635, 0.743, 0.907], 0.938, 1.0)
    """
    left = (1 - _NEARER) ** cited_count
    return max(importance, round(_MOST - (_MOST - importance) * left, 3))


def _apply(write: Write, action: Row[Any]) -> None:
    (memory_id,) = action.memory_ids
    row = write.get(MemoryRow, memory_id)
    values = {"importance": action.data["importance"]}
    if "level" in action.data:
        values["given_level"] = action.data["level"]
    if all(getattr(row, name) == value for name, value in values.items()):
        raise SkipAction("It already has this weight.")
    write.update(MemoryRow, memory_id, values, was=row)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    found = [texts[one] for one in action.memory_ids if one in texts]
    if not found:
        return DiffLines((), ())
    (one,) = found
    was = action.data.get("was", one.importance)  # runs of older versions did not keep it
    becomes = action.data["importance"]
    return DiffLines((f"importance {100 * was:.0f} %",), (f"{100 * becomes:.0f} %",), (one.full,))


USAGE = Step(
    "usage",
    "Weighing by use",
    _load,
    plan,
    {
        "promote": StepAction("ranked higher", _apply, counts_as=("promoted",), show=_show),
        "demote": StepAction("ranked lower", _apply, counts_as=("demoted",), show=_show),
    },
)
