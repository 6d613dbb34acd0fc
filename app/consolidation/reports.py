"""What a run and its actions look like from outside: counts by step, the seeds' numbers, before and after. Reads only."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, Proposal, Step, StepAction
from app.store.rows import consolidation as rows
from app.values.consolidation import (
    ActionCard,
    ActionState,
    Habit,
    HabitCard,
    RunCard,
    RunReport,
    RunState,
    RunTrigger,
    StepCount,
    is_chosen,
)

_FIELDS = frozenset(one.name for one in fields(RunReport))


def run_cards(connection: Connection, found: Sequence[Row[Any]], steps: Sequence[Step]) -> tuple[RunCard, ...]:
    habits = load_habits(connection)
    counted: dict[int, list[Row[Any]]] = defaultdict(list)
    for one in rows.count_actions(connection, [run.id for run in found]):
        counted[one.run_id].append(one)
    return tuple(_run_card(run, counted[run.id], steps, habits) for run in found)


def load_habits(connection: Connection) -> dict[str, Habit]:
    """What the person has said for good, by "step.kind"."""
    return {name: Habit(row.data["habit"]) for name, row in rows.load_habits(connection).items()}


def habit_cards(connection: Connection, steps: Sequence[Step]) -> tuple[HabitCard, ...]:
    """In the order of the steps; of a step that there is no more, last and by its name."""
    cards = []
    for name, row in rows.load_habits(connection).items():
        step, _, kind = name.rpartition(".")
        title, label = _named(step, kind, steps)
        cards.append(HabitCard(step, title, kind, label, Habit(row.data["habit"]), row.created_at))
    places = {one.name: place for place, one in enumerate(steps)}
    return tuple(sorted(cards, key=lambda one: (places.get(one.step, len(places)), one.label)))


def estimated(
    counts: Iterable[tuple[Step, str, Sequence[Proposal]]], habits: Mapping[str, Habit], now: datetime
) -> RunCard:
    """The card of a run that was only thought of."""
    numbers: dict[str, int] = defaultdict(int)
    listed = []
    waiting = 0
    for step, name, proposals in counts:
        kind = step.kinds[name]
        habit = habits.get(f"{step.name}.{name}", Habit.ASK)
        chosen = [one for one in proposals if is_chosen(habit, is_sure=one.is_sure, is_decided=False)]
        waiting += len(proposals) - len(chosen)
        for field in _FIELDS.intersection(kind.counts_as):
            numbers[field] += len(chosen)
        numbers["tokens_reclaimed"] += sum(one.saved_tokens for one in chosen)
        listed.append(StepCount(step.name, step.title, name, kind.label, proposed=len(proposals)))
    return RunCard(
        id=0,
        state=RunState.PLANNED,
        trigger=RunTrigger.PREVIEW,
        started_at=now,
        finished_at=now,
        counts=tuple(listed),
        report=RunReport(**numbers),
        waiting_count=waiting,
        action_count=sum(one.proposed for one in listed),
    )


def _run_card(
    run: Row[Any], counted: Sequence[Row[Any]], steps: Sequence[Step], habits: Mapping[str, Habit]
) -> RunCard:
    state = RunState(run.state)
    is_preview = state in {RunState.PLANNING, RunState.PLANNED}
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    waiting = 0
    chosen = []
    for one in counted:
        counts[one.step, one.kind][one.state] += one.how_many
        habit = habits.get(f"{one.step}.{one.kind}", Habit.ASK)
        if one.state != ActionState.PROPOSED:
            continue
        if is_chosen(habit, is_sure=bool(one.is_sure), is_decided=bool(one.is_decided)):
            chosen.append(one)
        else:
            waiting += one.how_many
    reported = chosen if is_preview else [one for one in counted if one.state == ActionState.APPLIED]
    listed = tuple(_step_count(step, kind, by_state, steps) for (step, kind), by_state in counts.items())
    return RunCard(
        id=run.id,
        state=state,
        trigger=RunTrigger(run.trigger),
        started_at=run.started_at,
        finished_at=run.finished_at,
        counts=listed,
        report=_report(reported, steps),
        waiting_count=waiting,
        chosen_count=sum(one.how_many for one in chosen),
        action_count=sum(one.how_many for one in counted),
        seconds=run.seconds,
        problem=run.problem,
        operation_id=run.operation_id,
        is_undoable=any(one.state == ActionState.APPLIED for one in counted),
    )


def _step_count(step: str, kind: str, by_state: dict[str, int], steps: Sequence[Step]) -> StepCount:
    title, label = _named(step, kind, steps)
    return StepCount(step, title, kind, label, *(by_state[state.value] for state in ActionState))


def _named(step: str, kind: str, steps: Sequence[Step]) -> tuple[str, str]:
    """How a step and its action are called for people; by their names where this version knows them no more."""
    known = next((one for one in steps if one.name == step), None)
    if known is None:
        return step, kind
    return known.title, known.kinds[kind].label if kind in known.kinds else kind


def _report(counted: Iterable[Row[Any]], steps: Sequence[Step]) -> RunReport:
    numbers: dict[str, int] = defaultdict(int)
    for one in counted:
        kind = kind_of(one.step, one.kind, steps)
        if kind is None:
            continue
        for name in _FIELDS.intersection(kind.counts_as):
            numbers[name] += one.how_many
        numbers["tokens_reclaimed"] += int(one.tokens or 0)
    return RunReport(**numbers)


def kind_of(step: str, kind: str, steps: Sequence[Step]) -> StepAction | None:
    known = next((one for one in steps if one.name == step), None)
    return known.kinds.get(kind) if known is not None else None


def action_cards(connection: Connection, actions: Sequence[Row[Any]], steps: Sequence[Step]) -> tuple[ActionCard, ...]:
    """With before and after as the memories stand now."""
    texts = rows.load_texts(connection, (one for action in actions for one in action.memory_ids))
    habits = load_habits(connection)
    cards = []
    for action in actions:
        kind = kind_of(action.step, action.kind, steps)
        shown = kind.show(texts, action) if kind is not None else DiffLines((), ())
        cards.append(
            ActionCard(
                id=action.id,
                run_id=action.run_id,
                step=action.step,
                step_title=next((one.title for one in steps if one.name == action.step), action.step),
                kind=action.kind,
                label=kind.label if kind is not None else action.kind,
                state=ActionState(action.state),
                why=action.why,
                memory_ids=tuple(one for one in action.memory_ids if one in texts),
                before=shown.before,
                after=shown.after,
                about=shown.about,
                saved_tokens=action.saved_tokens,
                confidence=action.confidence,
                is_sure=bool(action.is_sure),
                note=action.note,
                habit=habits.get(f"{action.step}.{action.kind}", Habit.ASK),
                operation_id=action.operation_id,
                is_decided=bool(action.is_decided),
            )
        )
    return tuple(cards)
