"""Forget and archive: what nobody uses is archived, restorable. Source: S4 "Active forgetting", S3 "Decay", QUALITY A10, R7.

Time is counted in days of work in the memory's own project, so that nothing is forgotten while a project rests, a machine is off or
a clock jumps. Pinned, confirmed, said three times, placed by hand or disputed never goes. Constraints, goals, decisions, preferences, procedures and what a
judge called useful go last: only where a project holds more live memories than `memories_kept`, the weakest first. So does a fact that the person
typed and no judge weighed, because rules read every fourth decision as a plain fact. What is superseded follows its type: it is given to
nobody, but answers how things were, and what was closed by mistake can still be found. By age alone goes what a judge called of little worth, what
an assistant or a file says, and what was learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, Step, StepAction, Texts
from app.deciders.memory.decay import decay
from app.memories.action_checks import rows_of
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows import consolidation as rows
from app.store.tables.memory import MemoryRow
from app.values import FactType, MemoryKind, MemoryStatus, Trust

LAST_TYPES = {  # preferences and procedures among them: that one was followed leaves seldom a trace
    one.value
    for one in (FactType.CONSTRAINT, FactType.GOAL, FactType.DECISION, FactType.PREFERENCE, FactType.PROCEDURE)
}
_USEFUL = 2  # a judge's worth
_KINDS = {"fact", "pattern", "workflow"}  # episodes are merged, not forgotten


@dataclass(frozen=True, slots=True)
class ForgettingInput:
    memories: tuple[MemoryFacts, ...]  # those that are old enough
    kept_ids: frozenset[int]  # placed by the person, or part of an open contradiction
    live_counts: Mapping[int | None, int]  # of all that hold, by project

    def __len__(self) -> int:
        return len(self.memories)


def _load(connection: Connection, context: PlanContext) -> ForgettingInput:
    kept = rows.placed_memories(connection) | rows.load_disputed(connection)
    return ForgettingInput(load_aged(connection, context), kept, rows.count_live(connection, context.now))


def load_aged(connection: Connection, context: PlanContext) -> tuple[MemoryFacts, ...]:
    """Those that have lain long enough for any step that goes by age; the shortest of its terms is for all."""
    settings = context.settings
    least = min(settings.summary_days, settings.compressed_days, settings.unused_days, settings.archive_days)
    return context.shared.aged(connection, context.now, context.work_days, least)


def is_last(one: MemoryFacts) -> bool:
    """Whether it goes only when there is no room for it."""
    return one.type in LAST_TYPES or (one.worth or 0) >= _USEFUL


def _goes_for_room_only(one: MemoryFacts) -> bool:
    """Whether something that still holds is archived only when there is no room for it."""
    is_unweighed = one.kind == MemoryKind.FACT and one.worth is None and one.trust >= Trust.SPOKEN
    return is_last(one) or is_unweighed


def _may_go(stock: ForgettingInput) -> list[MemoryFacts]:
    return [one for one in stock.memories if one.kind in _KINDS and not one.is_kept and one.id not in stock.kept_ids]


def plan_forgetting(stock: ForgettingInput, context: PlanContext) -> list[Proposal]:
    """What holds no longer, and what was not used for `unused_days` of work."""
    settings, since = context.settings, context.work_days.since
    crowded = {project for project, room in _room(stock, context).items() if room < 0}
    found = []
    unused = []
    for one in _may_go(stock):
        if one.is_closed and one.valid_to is not None:
            days = since(max(one.valid_to, one.used_at), one.project_id)
            if days >= settings.archive_days and (not is_last(one) or one.project_id in crowded):
                found.append(
                    _proposal("superseded", one, f"holds no longer, and nobody used it on {days} days of work")
                )
        elif since(one.used_at, one.project_id) >= settings.unused_days:
            unused.append(one)
    going = _as_room_asks(unused, _room(stock, context), context)
    found += [
        _proposal("unused", one, f"not used on {since(one.used_at, one.project_id)} days of work") for one in going
    ]
    return found


def plan_archiving(stock: ForgettingInput, context: PlanContext) -> list[Proposal]:
    """What is older than `archive_days` of work and weighs less than `archive_below`: importance times what is left of it."""
    settings = context.settings
    weak = [
        one
        for one in _may_go(stock)
        if not one.is_closed
        and context.work_days.since(one.recorded_at, one.project_id) >= settings.archive_days
        and weight_of(one, context) < settings.archive_below
    ]
    by_id = {one.id: one for one in stock.memories}
    gone = [by_id[one.memory_ids[0]] for one in plan_forgetting(stock, context) if one.kind == "unused"]
    room = _room(stock, context)
    for one in gone:  # a run that forgets them has made room already
        room[one.project_id] += 1
    return [
        _proposal("weak", one, f"weighs {weight_of(one, context):.2f}: importance {one.importance:.2f}, seldom used")
        for one in _as_room_asks(weak, room, context)
    ]


def _as_room_asks(found: Sequence[MemoryFacts], room: dict[int | None, int], context: PlanContext) -> list[MemoryFacts]:
    """The memories to archive: those due by age, then the weakest of the others, as many as exceed their project's room. Counts up `room`."""
    going = [one for one in found if not _goes_for_room_only(one)]
    for one in going:
        room[one.project_id] = room.get(one.project_id, 0) + 1
    waiting = [one for one in found if _goes_for_room_only(one)]
    for one in sorted(waiting, key=lambda one: (is_last(one), weight_of(one, context), one.id)):
        if room.get(one.project_id, 0) < 0:
            room[one.project_id] += 1
            going.append(one)
    return going


def weight_of(one: MemoryFacts, context: PlanContext) -> float:
    """Importance times what use and days of work have left of it, 0..1."""
    idle_days = context.work_days.since(one.used_at, one.project_id)
    left = decay(
        context.now - timedelta(days=idle_days),
        one.use_count,
        context.now,
        context.settings.decay_half_life_days,
    )
    return one.importance * left


def _room(stock: ForgettingInput, context: PlanContext) -> dict[int | None, int]:
    """How many more live memories there is room for, by project; below 0: so many too many."""
    return {project: context.settings.memories_kept - count for project, count in stock.live_counts.items()}


def _proposal(kind: str, one: MemoryFacts, why: str) -> Proposal:
    return Proposal(kind, (one.id,), why, saved_tokens=_given_tokens(one), puts_away=(one.id,))


def _given_tokens(one: MemoryFacts) -> int:
    return one.tokens[("full", "summary", "compressed").index(one.given_level)]


def put_away(write: Write, action: Row[Any]) -> None:
    """Archives the memories of an action, restorable, with a version that says why."""
    found = rows_of(write, action.memory_ids)
    keep_versions(write, found, action.why)
    gone = {"status": MemoryStatus.ARCHIVED.value, "retired_at": write.at, "updated_at": write.at}
    for row in found:
        write.update(MemoryRow, row.id, gone, was=row)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    return DiffLines(tuple(texts[one].full for one in action.memory_ids if one in texts), ())


def _steps() -> Sequence[Step]:
    counts = ("forgotten", "memories_archived")
    superseded = StepAction("outdated archived", put_away, counts_as=counts, show=_show)
    unused = StepAction("unused archived", put_away, counts_as=counts, show=_show)
    weak = StepAction("weak archived", put_away, counts_as=counts, show=_show)
    return (
        Step("forget", "Forgetting", _load, plan_forgetting, {"superseded": superseded, "unused": unused}),
        Step("archive", "Archiving", _load, plan_archiving, {"weak": weak}),
    )


FORGET, ARCHIVE = _steps()
