"""The consolidation engine: plans a run, applies it action by action, continues after a kill, takes it back.

One thread does all of it, one run at a time. A plan is read in one view of the store; each action is a short transaction of its own
that also says of the action that it was applied, so that a run that was broken off continues where it stood. Knows no step.
Source: DESIGN section 5 "consolidate", QUALITY R15.
"""

import contextlib
import hashlib
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row

from app.capture.priority import PriorityGate
from app.consolidation.plan_process import PlanCancelledError, Planner
from app.consolidation.reports import estimated, load_habits
from app.consolidation.snapshot import load_work_days
from app.consolidation.step_interface import PlanContext, Proposal, SharedReads, SkipAction, Step
from app.consolidation.steps import in_order
from app.errors import ForbiddenError, InvalidError, NotFoundError, RemanenceError, StaleError
from app.settings import Settings
from app.store.journal import Write, set_columns, table_of
from app.store.rows import consolidation as rows
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.core import EventRow, OperationRow
from app.upkeep.energy import Energy
from app.upkeep.undo import undo
from app.values import Changes, DataKind, Origin
from app.values.consolidation import ActionState, Habit, RunCard, RunState, RunTrigger, is_chosen, label_line
from app.values.energy import Work

_log = logging.getLogger(__name__)
_REPORT_EVERY_S = 0.1
_OVER = (RunState.DONE.value, RunState.STOPPED.value, RunState.FAILED.value)
_KEPT_AT_ONCE = 500
_PLAN_MS = "plan_ms"  # the figure of a run that has a whole plan
_operation = table_of(OperationRow)


@dataclass(slots=True)
class Progress:
    """The progress of the running run."""

    run_id: int = 0
    step: str = ""
    number: int = 0
    count: int = 0
    done: int = 0
    total: int | None = None
    remaining_s: float | None = None
    found: list[int] = field(default_factory=list)  # changes that each step which is over proposes


@dataclass(slots=True)
class _Job:
    """What the thread is asked to do, what the person wished meanwhile, and what came of it."""

    work: Callable[[], int]
    is_stopping: bool = False
    is_pausing: bool = False
    done: threading.Event = field(default_factory=threading.Event)
    run_id: int = 0
    error: RemanenceError | None = None


class Consolidator:
    """Thread-safe. `register` steps before `start`."""

    def __init__(self, store: Store, settings: Callable[[], Settings], gate: PriorityGate, energy: Energy) -> None:
        self._store = store
        self._energy = energy
        self._settings = settings
        self._gate = gate
        self._steps: tuple[Step, ...] = ()
        self._jobs: deque[_Job] = deque()  # that wait
        self._current: _Job | None = None
        self._condition = threading.Condition()
        self._is_leaving = False
        self._thread: threading.Thread | None = None
        self.progress: Progress | None = None
        self.ended_run_id = 0  # of the last job since the start
        self._reported_at_s = 0.0

    # steps --------------------------------------------------------------------------------------

    def register(self, *steps: Step) -> None:
        """Adds steps; they run in the order of `steps.ORDER`."""
        self._steps = in_order((*self._steps, *steps))

    @property
    def steps(self) -> tuple[Step, ...]:
        return self._steps

    def step(self, name: str) -> Step | None:
        return next((one for one in self._steps if one.name == name), None)

    # the thread ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Continues with a run that was broken off; then waits for work."""
        self._thread = threading.Thread(target=self._work, name="remanence-consolidation", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """The run ends after the transaction that is under way, and continues at the next start."""
        with self._condition:
            self._is_leaving = True
            self._condition.notify_all()

    def stop(self) -> None:
        """As `leave`, and waits for it."""
        self.leave()
        if self._thread is not None:
            self._thread.join()

    def cancel(self) -> None:
        """The run in progress ends after the transaction that is under way, a paused one at once; what was applied stays."""
        with self._condition:
            asked = self._asked()
            for job in asked:
                job.is_stopping = True
        if not asked:
            with self._store.write_log() as connection:
                rows.stop_paused(connection)
            self._announce(is_now=True)

    def pause(self) -> None:
        """The run in progress rests after the transaction that is under way, until `go_on`; also over a restart."""
        with self._condition:
            for job in self._asked():
                job.is_pausing = True

    def go_on(self, *, waits: bool = True) -> int:
        """Continues the run that was paused; one that was paused while it was planned is planned again. Raises InvalidError."""
        with self._store.read() as connection:
            paused = rows.load_runs(connection, states=(RunState.PAUSED.value,), limit=1)
        if not paused:
            raise InvalidError("No run is paused.", hint="remanence consolidate starts one.")
        return self._ask(lambda: self._go_on(paused[0].id), waits=waits)

    @property
    def is_stopping(self) -> bool:
        with self._condition:
            return any(job.is_stopping for job in self._asked())

    @property
    def is_pausing(self) -> bool:
        with self._condition:
            return any(job.is_pausing for job in self._asked())

    @property
    def is_busy(self) -> bool:
        with self._condition:
            return bool(self._asked())

    def _asked(self) -> list[_Job]:
        """What is being done and what waits; under the condition."""
        return [*([self._current] if self._current is not None else []), *self._jobs]

    def _is_broken_off(self) -> bool:
        return self._current is not None and (self._current.is_stopping or self._current.is_pausing)

    def _is_cancelled(self) -> bool:
        return self._is_broken_off() or self._is_leaving

    def _ask(self, work: Callable[[], int], *, waits: bool) -> int:
        """Has the thread do it; returns the number of the run when it `waits` for that, else 0."""
        job = _Job(work)
        with self._condition:
            if self._thread is None or self._is_leaving:
                raise InvalidError("Consolidation is not running.", hint="Start Remanence again.")
            self._jobs.append(job)
            self._condition.notify_all()
        if not waits:
            return 0
        while not job.done.wait(0.5):
            if self._thread is None or not self._thread.is_alive():
                raise InvalidError("Remanence is closing.", hint="The run continues at the next start.")
        if job.error is not None:
            raise job.error
        return job.run_id

    def _work(self) -> None:
        self._guard(_Job(self._resume))
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_leaving or self._jobs)
                if self._is_leaving:
                    return
                job = self._current = self._jobs.popleft()
            self._guard(job)

    def _guard(self, job: _Job) -> None:
        self._current = job
        try:
            with self._energy.spends(Work.CONSOLIDATION):
                job.run_id = job.work()
                self.ended_run_id = job.run_id
        except RemanenceError as error:
            job.error = error
            _log.warning("consolidation: %s", error)
        except Exception:  # noqa: BLE001 (the thread outlives a step's fault, which the run tells)
            job.error = InvalidError("The run failed.", hint="The log says why; what was applied can be undone.")
            _log.exception("consolidation")
        finally:
            with self._condition:
                self.progress = None
                self._current = None
            job.done.set()
            self._announce(is_now=True)

    # what it does -------------------------------------------------------------------------------

    def run(self, trigger: RunTrigger, *, waits: bool = True) -> int:
        """Plans and applies what is sure; returns the run's number."""
        return self._ask(lambda: self._apply(self._plan(trigger)), waits=waits)

    def run_here(self, trigger: RunTrigger = RunTrigger.API) -> int:
        """As `run`, in the caller's thread: for a store without threads."""
        return self._apply(self._plan(trigger))

    def preview(self, *, waits: bool = True) -> int:
        """Plans and applies nothing; returns the run's number."""
        return self._ask(lambda: self._plan(RunTrigger.PREVIEW), waits=waits)

    def apply(self, run_id: int, *, waits: bool = True) -> int:
        """Applies what is sure, and what the person said yes to, of a preview or of a run in which it waits."""
        with self._store.read() as connection:
            run = rows.load_run(connection, run_id)
        if run is None or run.state not in {RunState.PLANNED, RunState.DONE, RunState.STOPPED}:
            raise InvalidError(f"Run {run_id} cannot be applied.", hint="Make a new preview.")
        return self._ask(lambda: self._apply(run_id, is_accepted=True), waits=waits)

    def estimate(self, settings: Settings) -> RunCard:
        """What a run would do with these settings; in the caller's thread, and nothing is kept."""
        with self._store.read() as connection, Planner() as planner:
            context = self._reading(connection, settings, lambda: self._is_leaving)
            habits = load_habits(connection)
            against = rows.keys_against(connection)
            counts = []
            gone: set[int] = set()
            for step in self._steps:
                loaded = step.load(connection, context)
                kinds: dict[str, list[Proposal]] = {}
                found = self._compute(step, loaded, context, planner, is_cancelled=lambda: self._is_leaving)
                wanted = [one for one in found if habits.get(f"{step.name}.{one.kind}") is not Habit.NEVER]
                wanted = [one for one in wanted if not gone.intersection(one.memory_ids)]
                for one in _but_refused(connection, step, wanted, against):
                    kinds.setdefault(one.kind, []).append(one)
                gone.update(memory for some in kinds.values() for one in some for memory in one.puts_away)
                counts += [(step, kind, found) for kind, found in kinds.items()]
        return estimated(counts, habits, context.now)

    def _plan(self, trigger: RunTrigger) -> int:
        with self._store.write_log() as connection:
            rows.stop_paused(connection)
            rows.sync_undone(connection)
            rows.drop_previews(connection)
            run_id = rows.add_run(
                connection,
                {
                    "trigger": trigger.value,
                    "started_at": self._store.clock.now(),
                    "seconds": 0.0,
                    **_as_read(connection),
                },
            )
        return self._plan_run(run_id)

    def _go_on(self, run_id: int) -> int:
        with self._store.write_log() as connection:
            run = rows.load_run(connection, run_id)
            if run is None or run.state != RunState.PAUSED:
                return run_id
            is_planned = _PLAN_MS in run.figures
            if not is_planned:
                rows.drop_actions(connection, run_id)
                rows.set_run(connection, run_id, **_as_read(connection))
        if not is_planned:
            self._plan_run(run_id)
            if run.trigger == RunTrigger.PREVIEW:
                return run_id
        return self._apply(run_id, is_accepted=bool(run.figures.get("accepted")))

    def _plan_run(self, run_id: int) -> int:
        settings = self._settings()
        started_s = time.monotonic()
        self.progress = Progress(run_id, "Reading", 0, len(self._steps))
        try:
            self._plan_steps(run_id, settings, started_s)
        except PlanCancelledError:
            return self._end(run_id, self._broken_off(), started_s)
        except Exception as error:  # whatever a step broke on: the run says so before the thread does (`_guard`)
            self._end(run_id, RunState.FAILED, started_s, problem=f"{self.progress.step}: {error}")
            raise
        return self._end(run_id, RunState.PLANNED, started_s, figures={_PLAN_MS: _ms_since(started_s)})

    def _end(
        self,
        run_id: int,
        state: RunState,
        started_s: float,
        *,
        problem: str = "",
        figures: Mapping[str, int] | None = None,
    ) -> int:
        finished_at = None if state is RunState.PAUSED else self._store.clock.now()
        values: dict[str, Any] = {"state": state.value, "problem": problem, "finished_at": finished_at}
        with self._store.write_log() as connection:
            run = rows.load_run(connection, run_id)
            seconds = (run.seconds if run is not None else 0.0) + time.monotonic() - started_s
            if run is not None and figures:
                values["figures"] = {**run.figures, **figures}
            rows.set_run(connection, run_id, **values, seconds=seconds)
            if state is RunState.DONE:
                rows.close_waiting(connection, run_id, "It waits in a later run.")
                rows.drop_old_runs(connection, self._settings().runs_kept)
        return run_id

    def _broken_off(self) -> RunState:
        """As what a run ends that the person broke off; one that is left because the app closes was never asked to."""
        job = self._current
        return RunState.PAUSED if job is not None and job.is_pausing and not job.is_stopping else RunState.STOPPED

    def _plan_steps(self, run_id: int, settings: Settings, started_s: float) -> None:
        with self._store.read() as connection:
            context = self._reading(connection, settings)
            habits = load_habits(connection)
            against = rows.keys_against(connection)
            plan_ms = rows.newest_figure(connection, _PLAN_MS)  # of the run before: the best guess
        gone: set[int] = set()
        with Planner() as planner:
            for number, step in enumerate(self._steps, 1):
                self._report(step.title, number, max(0.0, (plan_ms - _ms_since(started_s)) / 1000) if plan_ms else None)
                with self._store.read() as connection:
                    loaded = step.load(connection, context)
                proposals = self._compute(step, loaded, context, planner)
                wanted = [one for one in proposals if not gone.intersection(one.memory_ids)]
                kept, away = self._keep(run_id, step, wanted, habits, against)
                gone.update(away)
                if self.progress is not None:
                    self.progress.found.append(kept)
        self._carry_over(run_id, habits, against, gone)

    def _carry_over(self, run_id: int, habits: dict[str, Habit], against: set[str], gone: set[int]) -> None:
        """What waited for a yes in the last run waits in this one, while its memories stand as they did.

        A plan looks only at what changed since the last one: without this the questions would be lost by the next run.
        """
        with self._store.read() as connection:
            last = rows.load_runs(connection, states=_OVER, limit=1)
            earlier = rows.load_actions(connection, last[0].id, states=(ActionState.PROPOSED.value,)) if last else ()
            planned = {one.key for one in rows.load_actions(connection, run_id)}
            rows_now = rows.load_current_rows(connection, {each for one in earlier for each in one.memory_ids})
        kept = [
            one
            for one in earlier
            if one.memory_ids
            and not one.is_sure
            and one.key not in planned | against
            and not gone.intersection(one.memory_ids)
            and habits.get(f"{one.step}.{one.kind}", Habit.ASK) is not Habit.NEVER
            and _digest(one.step, one.kind, one.memory_ids, rows_now) == one.key
        ]
        if kept:
            with self._store.write_log() as connection:
                rows.add_actions(connection, [rows.as_new_action(one, run_id) for one in kept])

    def _reading(
        self, connection: Connection, settings: Settings, is_cancelled: Callable[[], bool] | None = None
    ) -> PlanContext:
        mark = rows.newest_mark(connection)
        is_known = mark is not None and rows.is_journal_whole(connection, mark)
        return PlanContext(
            now=self._store.clock.now(),
            settings=settings,
            work_days=load_work_days(connection, self._store.clock.now()),
            used_after=rows.newest_figure(connection, "use"),
            changed_ids=rows.changed_memories(connection, mark) if is_known and mark is not None else None,
            shared=SharedReads(is_cancelled or self._is_cancelled),
        )

    def _compute(
        self,
        step: Step,
        loaded: Any,
        context: PlanContext,
        planner: Planner,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Sequence[Proposal]:
        is_cancelled = is_cancelled or self._is_cancelled
        if is_cancelled():
            raise PlanCancelledError
        size = len(loaded) if hasattr(loaded, "__len__") else 0
        if step.is_heavy and size > context.settings.consolidation_in_place:
            return planner.plan(step.plan, loaded, context, is_cancelled)
        return step.plan(loaded, context)

    def _keep(
        self, run_id: int, step: Step, proposals: Sequence[Proposal], habits: dict[str, Habit], against: set[str]
    ) -> tuple[int, set[int]]:
        """Writes proposals down as actions, but those that the person said no to; returns how many, and what they put away."""
        gone: set[int] = set()
        kept = 0
        for start in range(0, len(proposals), _KEPT_AT_ONCE):
            some = proposals[start : start + _KEPT_AT_ONCE]
            with self._store.read() as connection:
                rows_now = rows.load_current_rows(connection, (one for each in some for one in each.memory_ids))
            listed = []
            for one in some:
                habit = habits.get(f"{step.name}.{one.kind}", Habit.ASK)
                key = _key(step, one, rows_now)
                if habit is Habit.NEVER or key in against:
                    continue
                gone.update(one.puts_away)
                listed.append(
                    {
                        "run_id": run_id, "step": step.name, "kind": one.kind, "state": ActionState.PROPOSED.value,
                        "memory_ids": list(one.memory_ids), "key": key, "why": one.why, "text": one.text,
                        "data": dict(one.data), "saved_tokens": one.saved_tokens, "confidence": one.confidence,
                        "is_sure": one.is_sure, "is_decided": False, "note": "",
                    }
                )  # fmt: skip
            kept += len(listed)
            if listed:
                with self._store.write_log() as connection:
                    rows.add_actions(connection, listed)
        return kept, gone

    # applying -------------------------------------------------------------------------------------

    def _apply(self, run_id: int, *, is_accepted: bool = False) -> int:
        with self._store.read() as connection:
            run = rows.load_run(connection, run_id)
            if run is None or (run.state == RunState.STOPPED and not is_accepted):
                return run_id
            if run.state == RunState.PAUSED and _PLAN_MS not in run.figures:
                return run_id  # it was paused while it was planned
            waiting = _chosen(connection, run_id, is_accepted=is_accepted)
        if waiting:
            self._store.backups.create("before consolidation")
            self._store.backups.thin(self._settings().backups_kept)
        with self._store.write_log() as connection:
            is_later = run.state in {RunState.DONE, RunState.STOPPED}
            is_rest = run.state == RunState.PAUSED and bool(run.figures.get("later"))
            figures = {**run.figures, "accepted": is_accepted, "later": is_later or is_rest}
            # what the person says yes to later is an act of its own: with its own line in Activity, and its own undo
            head_id = None if is_later else run.operation_id
            rows.set_run(connection, run_id, state=RunState.APPLYING.value, figures=figures, operation_id=head_id)
        return self._apply_all(run_id, waiting)

    def _resume(self) -> int:
        """Continues with runs that were broken off while they were applied."""
        with self._store.read() as connection:
            broken = rows.load_runs(connection, states=(RunState.APPLYING.value,))
        for run in reversed(broken):
            with self._store.read() as connection:
                waiting = _chosen(connection, run.id, is_accepted=bool(run.figures.get("accepted")))
            self._apply_all(run.id, waiting)
        return broken[0].id if broken else 0

    def _apply_all(self, run_id: int, waiting: Sequence[Row[Any]]) -> int:
        started_s = time.monotonic()
        self.progress = Progress(run_id, "Applying", len(self._steps), len(self._steps), 0, len(waiting))
        head_id: int | None = None
        for number, action in enumerate(waiting):
            if self._is_leaving:
                return run_id  # state "applying": it continues at the next start
            if self._is_broken_off():
                self._label(run_id)
                return self._end(run_id, self._broken_off(), started_s)
            self._gate.yield_to_foreground()
            head_id = self._apply_one(run_id, action, head_id)
            spent_s = time.monotonic() - started_s
            self.progress.done = number + 1
            self.progress.remaining_s = spent_s / (number + 1) * (len(waiting) - number - 1)
            self._announce()
        self._label(run_id)
        return self._end(run_id, RunState.DONE, started_s)

    def _apply_one(self, run_id: int, action: Row[Any], head_id: int | None) -> int | None:
        """Returns the operation that stands for the whole run, or `head_id` where nothing was done."""
        step = self.step(action.step)
        kind = step.kinds.get(action.kind) if step is not None else None
        if step is None or kind is None:
            self._leave_out(action.id, "This version knows no such step.")
            return head_id
        try:
            with self._store.write(origin=Origin.ENGINE, kind=rows.KIND, label=action.why, is_durable=False) as write:
                if kind.needs_unchanged:
                    _check_unchanged(write, step, action)
                kind.apply(write, action)
                if not write.has_changed:
                    raise SkipAction("There was nothing to change.")
                group_id = write.group_id = head_id or rows.head_of(write.connection, run_id, write.at)
                write.label = f"{step.name}: {action.why}"
                operation_id = write.begin()
                rows.set_action(write.connection, action.id, state=ActionState.APPLIED.value, operation_id=operation_id)
            return group_id
        except SkipAction as reason:
            self._leave_out(action.id, str(reason))
        except (InvalidError, StaleError, ForbiddenError) as error:  # a rule of the act itself, say of two kinds
            self._leave_out(action.id, str(error))
        return head_id

    def _leave_out(self, action_id: int, note: str) -> None:
        with self._store.write_log() as connection:
            rows.set_action(connection, action_id, state=ActionState.REJECTED.value, note=note)

    def _label(self, run_id: int) -> None:
        """Writes the line of Activity. Its commit is durable, and with it all commits before."""
        with self._store.database.transaction() as connection:
            run = rows.load_run(connection, run_id)
            if run is None or run.operation_id is None:
                return
            counted: dict[str, int] = {}
            for one in rows.count_act(connection, run.operation_id):
                step = self.step(one.step)
                if step is not None and one.kind in step.kinds:
                    label = step.kinds[one.kind].label
                    counted[label] = counted.get(label, 0) + one.how_many
            counts_text = ", ".join(label_line(count, label) for label, count in counted.items())
            label = f"Consolidated: {counts_text}" if counts_text else "Consolidated"
            set_columns(connection, _operation, run.operation_id, {"label": label})

    # telling --------------------------------------------------------------------------------------

    def _report(self, step: str, number: int, remaining_s: float | None) -> None:
        if self.progress is not None:
            self.progress.step, self.progress.number, self.progress.remaining_s = step, number, remaining_s
        self._announce()

    def _announce(self, *, is_now: bool = False) -> None:
        now_s = time.monotonic()
        if is_now or now_s - self._reported_at_s >= _REPORT_EVERY_S:
            self._reported_at_s = now_s
            self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.RUNS})))


def _as_read(connection: Connection) -> dict[str, Any]:
    """The columns of a run that is about to be planned: what of the store it has before it."""
    return {
        "state": RunState.PLANNING.value, "finished_at": None, "mark": newest_id(connection, OperationRow), "problem": "",
        "figures": {
            "event": newest_id(connection, EventRow), "use": rows.newest_use(connection),
            "number": rows.newest_figure(connection, "number") + 1,
        },
    }  # fmt: skip


def _ms_since(started_s: float) -> int:
    return int((time.monotonic() - started_s) * 1000)


def _chosen(connection: Connection, run_id: int, *, is_accepted: bool) -> list[Row[Any]]:
    """What of a run is to be applied now, by what the person said of each and of its kind."""
    habits = load_habits(connection)
    return [
        one
        for one in rows.load_actions(connection, run_id, states=(ActionState.PROPOSED.value,))
        if is_chosen(
            habits.get(f"{one.step}.{one.kind}", Habit.ASK),
            is_sure=bool(one.is_sure),
            is_decided=bool(one.is_decided) and is_accepted,
        )
    ]


def _but_refused(
    connection: Connection, step: Step, proposals: Sequence[Proposal], against: set[str]
) -> Iterator[Proposal]:
    """Without what a person said no to, or took back, while its memories stand as they did."""
    if not against:
        yield from proposals
        return
    rows_now = rows.load_current_rows(connection, {one for each in proposals for one in each.memory_ids})
    yield from (one for one in proposals if _key(step, one, rows_now) not in against)


def _key(step: Step, proposal: Proposal, rows_now: dict[int, Row[Any]]) -> str:
    """The same for the same action on the same memories as they are, whenever it is proposed."""
    return _digest(
        step.name, proposal.kind, proposal.memory_ids, rows_now, subject="" if proposal.memory_ids else proposal.subject
    )


def _digest(step: str, kind: str, memory_ids: Iterable[int], rows_now: dict[int, Row[Any]], subject: str = "") -> str:
    stands = [
        [one, row.status, row.text_key, row.slot_key, str(row.valid_to), bool(row.is_pinned)]
        if (row := rows_now.get(one)) is not None
        else [one]
        for one in memory_ids
    ]
    content = json.dumps([step, kind, stands, subject] if subject else [step, kind, stands])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _check_unchanged(write: Write, step: Step, action: Row[Any]) -> None:
    rows_now = rows.load_current_rows(write.connection, action.memory_ids)
    if _digest(step.name, action.kind, action.memory_ids, rows_now) != action.key:
        raise SkipAction("It was changed since.")


def undo_run(store: Store, run_id: int) -> tuple[int, int]:
    """Takes back all that a run did: at once, or action by action where something was changed since.

    Returns how many actions were taken back, and how many could not be.
    """
    with store.read() as connection:
        run = rows.load_run(connection, run_id)
        acts = rows.acts_of(connection, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", hint="Look at the list again.")
    if not acts:
        raise InvalidError("This run changed nothing that could be undone.", hint="Look at what it did.")
    done = sum(_undo_act(store, head_id, part_ids) for head_id, part_ids in acts.items())
    if not done:
        raise StaleError("All of it was changed again since.", hint="Undo the newer entries of Activity first.")
    return done, sum(map(len, acts.values())) - done


def _undo_act(store: Store, head_id: int, part_ids: Sequence[int]) -> int:
    """Undoes all at once, else each part by itself. Returns how many were undone."""
    try:
        undo(store, head_id)
    except StaleError:
        done = 0
        for part_id in part_ids:
            with contextlib.suppress(StaleError, NotFoundError):
                undo(store, part_id)
                done += 1
        return done
    return len(part_ids)


def undo_action(store: Store, action_id: int) -> None:
    """Takes one action back. Raises NotFoundError, InvalidError, StaleError."""
    with store.read() as connection:
        action = rows.load_action(connection, action_id)
    if action is None:
        raise NotFoundError(f"There is no action {action_id}.", hint="Look at the run again.")
    if action.state != ActionState.APPLIED or action.operation_id is None:
        raise InvalidError("This was not applied, or was undone already.", hint="Look at the run again.")
    undo(store, int(action.operation_id))
