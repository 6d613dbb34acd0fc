"""Consolidation through the API: preview, run, decide, apply, take back; its state, and what the next run would do.

Knows neither HTTP nor Qt. Source: DESIGN sections 5 and 6, S4 "POST /consolidate", UX 3.5.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.actor import actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.consolidation import reports
from app.consolidation.runner import undo_action, undo_run
from app.errors import ForbiddenError, InvalidError, NotFoundError
from app.settings import Settings
from app.settings_sources import check_setting
from app.store.operations import load_operation
from app.store.rows import consolidation as rows
from app.store.tables.core import RuleRow
from app.values import Changes, DataKind, Origin
from app.values.consolidation import (
    ActionCard,
    ActionState,
    ConsolidationState,
    Habit,
    HabitCard,
    RunCard,
    RunState,
    RunTrigger,
)

_LISTED_MOST = 1_000
_OVER = (RunState.DONE, RunState.STOPPED, RunState.FAILED)


@cleans_arguments
class Consolidation:
    """Thread-safe. Planning and applying are done by one thread, whoever asks."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # doing --------------------------------------------------------------------------------------------

    def run(self, *, trigger: RunTrigger = RunTrigger.BUTTON) -> RunCard:
        """Plans, applies what is sure, and waits for it. Raises InvalidError when it failed."""
        return self.get(self._core.consolidator.run(trigger))

    def preview(self) -> RunCard:
        """Plans, and does nothing else: the card counts what would be done."""
        return self.get(self._core.consolidator.preview())

    def apply(self, run_id: int) -> RunCard:
        """Applies what a preview or a run proposes: what is sure and was not rejected, and what was said yes to."""
        return self.get(self._core.consolidator.apply(run_id))

    def start(self, *, is_preview: bool = False) -> None:
        """As `run` or `preview`, in the background; RUNS is announced while it runs."""
        consolidator = self._core.consolidator
        if is_preview:
            consolidator.preview(waits=False)
        else:
            consolidator.run(RunTrigger.BUTTON, waits=False)

    def start_applying(self, run_id: int) -> None:
        """As `apply`, in the background."""
        self._core.consolidator.apply(run_id, waits=False)

    def cancel(self) -> None:
        """Stops the run that is in progress or paused, within a second; what was applied stays, and can be undone."""
        self._core.consolidator.cancel()

    def pause(self) -> None:
        """Lets the run in progress rest after the change it is at, also over a restart; `go_on` continues it."""
        self._core.consolidator.pause()

    def go_on(self) -> RunCard:
        """Continues the paused run and waits for it. Raises InvalidError when none is paused."""
        return self.get(self._core.consolidator.go_on())

    def start_going_on(self) -> None:
        """As `go_on`, in the background."""
        self._core.consolidator.go_on(waits=False)

    def decide(self, action_ids: Sequence[int], *, is_accepted: bool) -> None:
        """Says yes or no to proposed actions; a no is remembered, a yes is applied with `apply`."""
        with self._core.store.write_log() as connection:
            found = [rows.load_action(connection, one) for one in action_ids]
            if any(one is None for one in found):
                raise NotFoundError("This action is no longer proposed.", hint="Make a new preview.")
            open_states = {ActionState.PROPOSED, ActionState.REJECTED}
            ids = [one.id for one in found if one is not None and one.state in open_states]
            state = ActionState.PROPOSED if is_accepted else ActionState.REJECTED
            rows.set_actions(connection, ids, state=state.value, is_decided=True, note="")
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.RUNS})))

    def set_habit(self, step: str, kind: str, habit: Habit) -> None:
        """Says what shall be done with such proposals from now on: asked as usual, always, never. One undo."""
        self._check_person()
        found = self._core.consolidator.step(step)
        if found is None or kind not in found.kinds:
            raise NotFoundError(f"There is no action {step}.{kind}.", hint="Look at the list of steps.")
        said = {Habit.ALWAYS: "Always", Habit.NEVER: "Never", Habit.ASK: "As usual"}[habit]
        name = f"{step}.{kind}"
        with self._core.store.write(
            origin=Origin.PERSON, kind="setting", label=f"{said}: {found.kinds[kind].label}"
        ) as write:
            known = rows.load_habits(write.connection).get(name)
            if known is not None:
                write.delete(RuleRow, int(known.id))
            if habit is not Habit.ASK:
                columns = {"kind": rows.HABIT_RULE, "pattern": name, "confidence": 1.0, "learned_from": 1}
                write.insert(RuleRow, {**columns, "created_at": write.at, "data": {"habit": habit.value}})
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.RUNS})))

    def undo(self, run_id: int) -> tuple[int, int]:
        """Takes a run back; returns how many actions were, and how many were changed since and stay. Raises StaleError."""
        self._check_person()
        done = undo_run(self._core.store, run_id)
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.RUNS})))
        return done

    def undo_action(self, action_id: int) -> None:
        """Takes one action back. Raises StaleError when its memories were changed since."""
        self._check_person()
        undo_action(self._core.store, action_id)
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.RUNS})))

    # looking ------------------------------------------------------------------------------------------

    def state(self) -> ConsolidationState:
        """Its state. Reads little: what the next run would do is `preview`, and `estimate`."""
        core = self._core
        progress = core.consolidator.progress
        steps = core.consolidator.steps
        with core.store.read() as connection:
            here = core.clockwork.situation(connection)
            last = rows.load_runs(connection, states=_OVER, limit=1)
            planned = rows.load_runs(connection, states=(RunState.PLANNED,), limit=1)
            paused = rows.load_runs(connection, states=(RunState.PAUSED.value,), limit=1)
            ended = rows.load_run(connection, core.consolidator.ended_run_id)
            act = load_operation(connection, ended.operation_id) if ended and ended.figures.get("later") else None
            cards = reports.run_cards(connection, [*last, *planned, *paused], steps)
            next_at = core.clockwork.next_at(connection)
        by_id = {one.id: one for one in cards}
        last_card, planned_card, paused_card = (by_id[one[0].id] if one else None for one in (last, planned, paused))
        return ConsolidationState(
            is_running=core.consolidator.is_busy,
            run_id=progress.run_id if progress is not None else None,
            step=progress.step if progress is not None else "",
            step_number=progress.number if progress is not None else 0,
            step_count=progress.count if progress is not None else len(steps),
            step_titles=tuple(one.title for one in steps),
            step_found=tuple(progress.found) if progress is not None else (),
            done=progress.done if progress is not None else 0,
            total=progress.total if progress is not None else None,
            remaining_s=progress.remaining_s if progress is not None else None,
            is_stopping=core.consolidator.is_stopping,
            is_pausing=core.consolidator.is_pausing,
            events_since=here.event_count,
            events_due=core.current.consolidation_events,
            next_at=next_at,
            deferred=core.clockwork.deferred,
            last_run=last_card,
            preview=planned_card,
            paused=paused_card,
            later_run_id=ended.id if ended is not None and ended.figures.get("later") else None,
            later_act_id=act.id if act is not None else None,
            later_act=act.label if act is not None else "",
            waiting_count=_waiting(last_card) if last_card is not None else 0,
        )

    def waiting_count(self) -> int:
        """How many changes of the last run wait for a person's yes."""
        with self._core.store.read_for_caller() as connection:
            last = rows.load_runs(connection, states=_OVER, limit=1)
            cards = reports.run_cards(connection, last, self._core.consolidator.steps)
        return _waiting(cards[0]) if cards else 0

    def estimate(self, values: Mapping[str, Any] | None = None) -> RunCard:
        """What a run would do with these settings changed; nothing is kept. Takes as long as planning does."""
        settings: Settings = self._core.current
        for name, value in (values or {}).items():
            settings = check_setting(name, value, settings)
        return self._core.consolidator.estimate(settings)

    def runs(self, *, limit: int = 50, before_id: int | None = None) -> tuple[RunCard, ...]:
        """Newest first, previews among them."""
        with self._core.store.read() as connection:
            found = rows.load_runs(connection, limit=limit, before_id=before_id)
            return reports.run_cards(connection, found, self._core.consolidator.steps)

    def get(self, run_id: int) -> RunCard:
        """Raises NotFoundError."""
        with self._core.store.read() as connection:
            found = rows.load_run(connection, run_id)
            if found is None:
                raise NotFoundError(f"There is no run {run_id}.", hint="remanence consolidate --runs lists them.")
            return reports.run_cards(connection, [found], self._core.consolidator.steps)[0]

    def actions(
        self, run_id: int, *, step: str = "", state: ActionState | None = None, limit: int = 200, after_id: int = 0
    ) -> tuple[ActionCard, ...]:
        """The diff of a run, in the order of the steps, with before and after."""
        if not 0 < limit <= _LISTED_MOST:
            raise InvalidError(f"At most {_LISTED_MOST} at a time.", hint="Continue with `after_id`.")
        states = (state.value,) if state is not None else ()
        with self._core.store.read() as connection:
            found = rows.load_actions(connection, run_id, states=states, step=step, limit=limit, after_id=after_id)
            return reports.action_cards(connection, found, self._core.consolidator.steps)

    def habits(self) -> dict[str, Habit]:
        """What the person said for good, by "step.kind"."""
        with self._core.store.read() as connection:
            return reports.load_habits(connection)

    def habit_cards(self) -> tuple[HabitCard, ...]:
        """The same for people, in the order of the steps."""
        with self._core.store.read() as connection:
            return reports.habit_cards(connection, self._core.consolidator.steps)

    def _check_person(self) -> None:
        who = actor()
        if who is not None and not who.is_admin:
            raise ForbiddenError("Only the person decides this.", hint="It is in the window, under Consolidation.")


def _waiting(card: RunCard) -> int:
    """What a run that is over has left: without a yes, and with one that is not applied yet."""
    return card.waiting_count + card.chosen_count
