"""A run: planned, decided on, applied action by action, taken back; broken off and gone on with; again with nothing to do."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, MemoryStatus, Places
from app.consolidation.runner import Consolidator
from app.consolidation.step_interface import Proposal, Step, StepAction
from app.errors import InvalidError
from app.store.journal import Write
from app.store.rows import consolidation as run_rows
from app.values import Origin
from app.values.consolidation import ActionState, Habit, RunState, RunTrigger
from tests.app.consolidation.memories import project_of, remember, work
from tests.dump import dump_store
from tests.patience import PATIENCE_S

SAME = ("We deploy on Fridays with the blue script.", "We deploy on Fridays with the blue script.")


def twice(engine: Engine) -> tuple[int, int]:
    return remember(engine, SAME[0]), remember(engine, SAME[1])


def status(engine: Engine, memory_id: int) -> MemoryStatus:
    return engine.memories.get(memory_id).memory.status


@pytest.mark.seed("S3", "consolidate.archive")
def test_a_preview_counts_and_changes_nothing(engine: Engine, places: Places) -> None:
    twice(engine)
    before = dump_store(places.store_path)
    card = engine.consolidation.preview()
    assert (card.state, card.report.deduped, card.is_undoable) == (RunState.PLANNED, 1, False)
    assert dump_store(places.store_path) == before
    (action,) = engine.consolidation.actions(card.id)
    assert action.before == SAME
    assert action.after == SAME[:1]
    assert "same words" in action.why


@pytest.mark.seed("S1", "con.trigger-manual")
@pytest.mark.seed("S4", "con.schedule")
def test_what_is_applied_is_undone_by_the_run_and_shown_so(engine: Engine, places: Places) -> None:
    first, second = twice(engine)
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    assert (status(engine, first), status(engine, second)) == (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)
    assert card.report.memories_merged == 1
    assert card.report.tokens_reclaimed > 0
    assert engine.consolidation.undo(card.id) == (1, 0)
    assert dump_store(places.store_path) == before
    (action,) = engine.consolidation.actions(card.id)
    assert action.state is ActionState.UNDONE
    assert not engine.consolidation.get(card.id).is_undoable


def test_one_action_is_taken_back_and_the_rest_by_the_run(engine: Engine, places: Places) -> None:
    twice(engine)
    remember(engine, "The api listens on port 8080.")
    remember(engine, "the API listens on port 8080")
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    first, second = engine.consolidation.actions(card.id)
    engine.consolidation.undo_action(first.id)
    states = [one.state for one in engine.consolidation.actions(card.id)]
    assert states == [ActionState.UNDONE, ActionState.APPLIED]
    assert engine.consolidation.undo(card.id) == (1, 0)
    assert dump_store(places.store_path) == before
    assert second.state is ActionState.APPLIED


def test_activity_shows_the_run_once_and_takes_it_back(engine: Engine, places: Places) -> None:
    twice(engine)
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    (entry,) = [one for one in engine.journal.list() if one.kind == "consolidate"]
    assert entry.label == "Consolidated: 1 merged"
    engine.journal.undo(entry.id)
    assert dump_store(places.store_path) == before
    assert engine.consolidation.actions(card.id)[0].state is ActionState.UNDONE


def test_the_last_undo_takes_back_a_run_by_the_button_and_none_by_night(engine: Engine, places: Places) -> None:
    twice(engine)
    before = dump_store(places.store_path)
    engine.consolidation.run()
    done = dump_store(places.store_path)
    engine.journal.undo()
    assert dump_store(places.store_path) == before
    engine.journal.redo()
    assert dump_store(places.store_path) == done
    engine.journal.undo()
    own = engine.memories.create(MemoryDraft("The office closes at noon."))
    engine.memories.tag([own], add=("hours",))
    remember(engine, "The api listens on port 8080.")
    remember(engine, "the API listens on port 8080")
    card = engine.consolidation.run(trigger=RunTrigger.NIGHT)
    assert card.is_undoable
    assert "Tagged" in engine.journal.undo().label, "what Remanence did by itself is no act of the person"


@pytest.mark.seed("S4", "goal.self")
def test_a_second_run_has_nothing_to_do(engine: Engine) -> None:
    twice(engine)
    assert engine.consolidation.run().action_count == 1
    assert engine.consolidation.run().action_count == 0


def test_what_was_taken_back_or_rejected_is_not_proposed_again_until_it_changes(engine: Engine) -> None:
    first, _ = twice(engine)
    engine.consolidation.undo(engine.consolidation.run().id)
    assert engine.consolidation.run().action_count == 0
    engine.memories.pin([first], is_pinned=True)
    card = engine.consolidation.preview()
    assert card.action_count == 1
    engine.consolidation.decide([engine.consolidation.actions(card.id)[0].id], is_accepted=False)
    assert engine.consolidation.apply(card.id).report.deduped == 0
    assert engine.consolidation.preview().action_count == 0


def test_never_so_proposes_no_more_of_the_kind_and_is_undone(engine: Engine) -> None:
    twice(engine)
    engine.consolidation.set_habit("deduplicate", "merge", Habit.NEVER)
    assert engine.consolidation.habits() == {"deduplicate.merge": Habit.NEVER}
    assert engine.consolidation.preview().action_count == 0
    engine.journal.undo()
    assert engine.consolidation.preview().action_count == 1


def test_what_is_not_sure_waits_for_a_yes_unless_always_so(engine: Engine) -> None:
    ids = (
        remember(engine, "Invoices are exported to the finance folder nightly."),
        remember(engine, "Nightly, invoices are exported to the finance folder."),
    )
    card = engine.consolidation.run()
    assert (card.waiting_count, card.report.deduped) == (1, 0)
    assert engine.consolidation.state().waiting_count == 1
    assert [status(engine, one) for one in ids] == [MemoryStatus.ACTIVE] * 2
    assert engine.consolidation.apply(card.id).report.deduped == 0, "nobody has said yes"
    engine.consolidation.decide([engine.consolidation.actions(card.id)[0].id], is_accepted=True)
    assert engine.consolidation.apply(card.id).report.deduped == 1
    assert sorted(status(engine, one) for one in ids) == [MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED]


def test_what_waits_for_a_yes_waits_in_the_next_run_too(engine: Engine) -> None:
    ids = [remember(engine, text) for text in ALIKE]
    first = engine.consolidation.run()
    twice(engine)
    second = engine.consolidation.run()
    assert (second.waiting_count, second.report.deduped) == (1, 1)
    assert engine.consolidation.get(first.id).waiting_count == 0, "one question is asked in one place"
    assert engine.consolidation.waiting_count() == 1
    waiting = next(one for one in engine.consolidation.actions(second.id) if not one.is_sure)
    engine.consolidation.decide([waiting.id], is_accepted=True)
    assert engine.consolidation.apply(second.id).report.deduped == 2
    assert sorted(status(engine, one) for one in ids) == [MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED]


def test_a_question_about_memories_that_changed_is_not_asked_again(engine: Engine) -> None:
    first, _ = [remember(engine, text) for text in ALIKE]
    engine.consolidation.run()
    engine.memories.archive([first])
    assert engine.consolidation.run().waiting_count == 0


ALIKE = (
    "Invoices are exported to the finance folder nightly.",
    "Nightly, invoices are exported to the finance folder.",
)


def test_always_so_holds_for_later_plans_and_says_nothing_of_the_sure_kind(engine: Engine, places: Places) -> None:
    twice(engine)
    for text in ALIKE:
        remember(engine, text)
    before = dump_store(places.store_path)
    engine.consolidation.set_habit("deduplicate", "merge_alike", Habit.ALWAYS)
    engine.consolidation.set_habit("deduplicate", "merge", Habit.NEVER)
    said = [(one.label, one.habit) for one in engine.consolidation.habit_cards()]
    assert said == [("merged", Habit.NEVER), ("merged though only alike", Habit.ALWAYS)]
    assert (engine.consolidation.estimate().report.deduped, engine.consolidation.estimate().waiting_count) == (1, 0)
    card = engine.consolidation.run()
    assert (card.report.deduped, card.waiting_count, card.action_count) == (1, 0, 1)
    engine.consolidation.undo(card.id)
    for _ in range(2):
        engine.journal.undo()
    assert engine.consolidation.habit_cards() == ()
    assert dump_store(places.store_path) == before


def test_never_so_holds_for_the_diff_that_lies_open_unless_one_is_said_yes_to(engine: Engine) -> None:
    twice(engine)
    remember(engine, "The api listens on port 8080.")
    remember(engine, "the API listens on port 8080")
    card = engine.consolidation.preview()
    engine.consolidation.set_habit("deduplicate", "merge", Habit.NEVER)
    first, second = engine.consolidation.actions(card.id)
    assert (first.is_chosen, second.is_chosen) == (False, False)
    assert engine.consolidation.get(card.id).chosen_count == 0
    engine.consolidation.decide([second.id], is_accepted=True)
    assert engine.consolidation.get(card.id).chosen_count == 1
    assert engine.consolidation.apply(card.id).report.deduped == 1
    states = [one.state for one in engine.consolidation.actions(card.id)]
    assert states == [ActionState.PROPOSED, ActionState.APPLIED]


def test_an_estimate_leaves_out_what_was_taken_back(engine: Engine) -> None:
    twice(engine)
    assert engine.consolidation.estimate().report.deduped == 1
    engine.consolidation.undo(engine.consolidation.run().id)
    assert engine.consolidation.estimate().report.deduped == 0
    assert engine.consolidation.preview().report.deduped == 0


def test_a_preview_counts_what_would_be_done_and_apart_what_waits(engine: Engine) -> None:
    twice(engine)
    for text in ALIKE:
        remember(engine, text)
    estimate, card = engine.consolidation.estimate(), engine.consolidation.preview()
    for one in (estimate, card):
        assert (one.report.deduped, one.waiting_count) == (1, 1)
    assert engine.consolidation.apply(card.id).report.deduped == 1


def test_a_memory_changed_after_the_preview_is_left_alone(engine: Engine) -> None:
    first, second = twice(engine)
    card = engine.consolidation.preview()
    engine.memories.archive([second])
    done = engine.consolidation.apply(card.id)
    assert done.report.deduped == 0
    (action,) = engine.consolidation.actions(card.id)
    assert (action.state, action.note) == (ActionState.REJECTED, "It was changed since.")
    assert status(engine, first) is MemoryStatus.ACTIVE


def test_what_was_changed_since_the_run_stays_and_the_rest_is_undone(engine: Engine) -> None:
    first, second = twice(engine)
    ports = remember(engine, "The api listens on port 8080."), remember(engine, "the API listens on port 8080")
    card = engine.consolidation.run()
    engine.memories.unarchive([second])
    assert engine.consolidation.undo(card.id) == (1, 1)
    assert [status(engine, one) for one in (first, *ports)] == [MemoryStatus.ACTIVE] * 3


def test_an_erased_memory_takes_its_proposals_along(engine: Engine) -> None:
    first, _ = twice(engine)
    card = engine.consolidation.preview()
    engine.memories.erase([first])
    assert engine.consolidation.actions(card.id) == ()


MANY = 5


def step_of(seen: list[int], at_second: Callable[[], object] = lambda: None) -> Step:
    """A step that adds a tag to each of the memories; what is done at the second comes before its transaction ends."""

    def load(connection: object, reading: object) -> list[int]:
        del connection, reading
        return list(range(1, MANY + 1))

    def plan(ids: list[int], reading: object) -> list[Proposal]:
        del reading
        return [Proposal("tag", (one,), "to be seen") for one in ids]

    def apply(write: Write, action: object) -> None:
        from app.store.tables.memory import MemoryRow

        (memory_id,) = action.memory_ids  # type: ignore[attr-defined]
        row = write.get(MemoryRow, memory_id)
        write.update(MemoryRow, memory_id, {"tags": [*row.tags, "seen"]})
        seen.append(memory_id)
        if len(seen) == 2:
            at_second()

    return Step("tagging", "Tagging", load, plan, {"tag": StepAction("tagged", apply)})


def test_stop_ends_after_the_transaction_and_keeps_what_was_applied(engine: Engine) -> None:
    for number in range(MANY):
        remember(engine, f"The service number {number} listens on port {9000 + number}.")
    seen: list[int] = []
    engine._core.consolidator._steps = (
        step_of(seen, engine.consolidation.cancel),
    )  # planning is not what is looked at
    engine.consolidation.start()
    rest = threading.Event()
    while engine.consolidation.state().is_running:
        rest.wait(0.01)
    card = engine.consolidation.runs()[0]
    assert card.state is RunState.STOPPED
    applied = engine.consolidation.actions(card.id, state=ActionState.APPLIED, limit=1_000)
    assert len(applied) == len(seen) == 2
    assert engine.consolidation.undo(card.id) == (len(seen), 0)


def test_a_paused_run_rests_over_a_restart_and_goes_on_with_what_is_left(places: Places, clock: FrozenClock) -> None:
    engine = Engine.open(places, clock=clock)
    for number in range(MANY):
        remember(engine, f"The service number {number} listens on port {9000 + number}.")
    seen: list[int] = []
    engine._core.consolidator._steps = (step_of(seen, engine.consolidation.pause),)
    engine.consolidation.start()
    rest = threading.Event()
    while engine.consolidation.state().is_running:
        rest.wait(0.01)
    engine.close()
    with closing(Engine.open(places, clock=clock)) as engine:
        engine._core.consolidator._steps = (step_of(seen),)
        card = engine.consolidation.state().paused
        assert card is not None
        assert (card.state, len(seen)) == (RunState.PAUSED, 2), "a restart continues nothing"
        assert engine._core.clockwork.look() is None, "none starts by itself meanwhile"
        done = engine.consolidation.go_on()
        assert (done.id, done.state, len(seen), len(set(seen))) == (card.id, RunState.DONE, MANY, MANY)
        assert engine.consolidation.state().paused is None
        assert engine.consolidation.undo(card.id) == (MANY, 0)
        with pytest.raises(InvalidError):
            engine.consolidation.go_on()


def test_a_run_that_is_paused_while_it_is_planned_is_planned_again(engine: Engine) -> None:
    twice(engine)
    begun, may_end = threading.Event(), threading.Event()

    def slow(connection: object, reading: object) -> list[int]:
        begun.set()
        assert may_end.wait(PATIENCE_S)
        return []

    waiting = Step("waiting", "Waiting", slow, lambda loaded, reading: [], {})
    engine._core.consolidator._steps = (waiting, *engine._core.consolidator._steps)
    engine.consolidation.start()
    assert begun.wait(PATIENCE_S)
    engine.consolidation.pause()
    may_end.set()
    while engine.consolidation.state().is_running:
        begun.wait(0.01)
    paused = engine.consolidation.state().paused
    assert paused is not None
    assert paused.report.deduped == 0
    done = engine.consolidation.go_on()
    assert (done.state, done.report.deduped) == (RunState.DONE, 1)


def test_cancel_is_heard_before_the_first_step(engine: Engine) -> None:
    with engine._core.store.write_log():  # what begins waits for this writer
        engine.consolidation.start()
        engine.consolidation.cancel()
    rest = threading.Event()
    while engine.consolidation.state().is_running:
        rest.wait(0.01)
    assert engine.consolidation.runs()[0].state is RunState.STOPPED


def test_cancel_is_heard_while_the_start_still_looks_for_a_run_that_was_broken_off(places: Places) -> None:
    resumes, may_end = threading.Event(), threading.Event()

    def slow_resume(self: Consolidator) -> int:
        resumes.set()
        assert may_end.wait(PATIENCE_S)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Consolidator, "_resume", slow_resume)
        engine = Engine.open(places)
    try:
        assert resumes.wait(PATIENCE_S)
        engine.consolidation.start()
        engine.consolidation.cancel()
        may_end.set()
        while engine.consolidation.state().is_running:
            time.sleep(0.01)
        assert engine.consolidation.runs()[0].state is RunState.STOPPED
    finally:
        engine.close()


def test_a_run_ends_when_the_engine_is_about_to_close_and_not_when_it_is_closed(engine: Engine) -> None:
    remember(engine, "We deploy on Fridays with the blue script.")
    remember(engine, "We deploy on Fridays, with the blue script!")
    with engine._core.store.write_log():  # what begins waits for this writer
        engine.consolidation.start()
        engine.leave()
    consolidator = engine._core.consolidator
    assert consolidator._thread is not None
    consolidator._thread.join(PATIENCE_S)
    assert not consolidator._thread.is_alive()
    assert all(one.state is not RunState.DONE for one in engine.consolidation.runs())


def test_cancel_ends_a_paused_run(engine: Engine) -> None:
    card = engine.consolidation.preview()
    with engine._core.store.write_log() as connection:
        run_rows.set_run(connection, card.id, state=RunState.PAUSED.value)
    engine.consolidation.cancel()
    assert engine.consolidation.get(card.id).state is RunState.STOPPED


def test_a_run_that_was_broken_off_is_gone_on_with_at_the_next_start(places: Places, clock: FrozenClock) -> None:
    engine = Engine.open(places, clock=clock)
    twice(engine)
    remember(engine, "The api listens on port 8080.")
    remember(engine, "the API listens on port 8080")
    card = engine.consolidation.preview()
    with engine._core.store.write_log() as connection:  # as if it had been killed while it was applied
        rows = run_rows.load_actions(connection, card.id)
        run_rows.set_run(connection, card.id, state=RunState.APPLYING.value)
    assert len(rows) == 2
    engine.close()
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.consolidation.preview()  # behind what was broken off
        assert engine.consolidation.get(card.id).state is RunState.DONE
        assert engine.consolidation.get(card.id).report.deduped == 2


def test_a_step_that_breaks_is_told_and_the_next_run_works(engine: Engine) -> None:
    def broken(connection: object, reading: object) -> list[int]:
        raise ValueError("no such thing")

    engine._core.consolidator.register(Step("broken", "Breaking", broken, lambda _loaded, _reading: [], {}))
    with pytest.raises(Exception, match="The run failed"):
        engine.consolidation.run()
    card = engine.consolidation.runs()[0]
    assert card.state is RunState.FAILED
    assert "no such thing" in card.problem


def test_above_a_size_a_child_plans_the_same(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(engine)
    foreign = tmp_path / "project" / "app"  # the app is started from somebody's project, which has an `app` of its own
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("raise SystemExit('code of a project was run')\n")
    monkeypatch.chdir(foreign.parent)
    here = engine.consolidation.estimate()
    engine.settings.set("consolidation_in_place", 0)
    assert engine.consolidation.estimate().report == here.report
    assert engine.consolidation.run().report.deduped == 1


def test_an_estimate_with_other_settings_keeps_nothing(engine: Engine, clock: FrozenClock, places: Places) -> None:
    project = project_of(engine)
    remember(engine, "The staging host is called lighthouse.", project_id=project, worth=1)
    work(engine, clock, project, 20)
    before = dump_store(places.store_path)
    assert engine.consolidation.estimate().report.forgotten == 0
    assert engine.consolidation.estimate({"unused_days": 20}).report.forgotten == 1
    assert dump_store(places.store_path) == before
    assert engine.consolidation.runs() == ()


def test_a_person_may_merge_what_they_wrote_twice(engine: Engine, tmp_path: Path) -> None:
    del tmp_path
    ids = [engine.memories.create(MemoryDraft("Never push to main.")) for _ in range(2)]
    assert engine.consolidation.run().report.deduped == 1
    assert [status(engine, one) for one in ids] == [MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED]


def test_what_is_said_yes_to_later_is_an_act_of_its_own(engine: Engine, clock: FrozenClock, places: Places) -> None:
    twice(engine)
    for text in ALIKE:
        remember(engine, text)
    engine.settings.set("theme", "dark")
    before = dump_store(places.store_path)
    card = engine.consolidation.run(trigger=RunTrigger.NIGHT)
    by_night = dump_store(places.store_path)
    clock.advance(hours=4)
    (waiting,) = engine.consolidation.actions(card.id, state=ActionState.PROPOSED)
    engine.consolidation.decide([waiting.id], is_accepted=True)
    engine.consolidation.apply(card.id)
    later, first = [one for one in engine.journal.list() if one.kind == "consolidate"]
    assert (later.label, first.label) == ("Consolidated: 1 merged though only alike", "Consolidated: 1 merged")
    assert (later.origin, first.origin) == (Origin.PERSON, Origin.ENGINE)
    assert later.at - first.at == timedelta(hours=4)
    assert engine.journal.undo().undoes_id == later.id
    assert dump_store(places.store_path) == by_night
    states = [one.state for one in engine.consolidation.actions(card.id)]
    assert states == [ActionState.APPLIED, ActionState.UNDONE]
    engine.journal.redo()
    assert engine.consolidation.undo(card.id) == (2, 0), "the whole run goes back with what came later"
    assert dump_store(places.store_path) == before


def test_of_two_that_differ_in_must_and_may_the_stricter_stays_after_a_yes(engine: Engine) -> None:
    strict = remember(engine, "Delivery notes must not be kept for more than thirty days.")
    loose = remember(engine, "Delivery notes may not be kept for more than thirty days.")
    card = engine.consolidation.run()
    assert (card.report.deduped, card.waiting_count) == (0, 1)
    (action,) = engine.consolidation.actions(card.id)
    assert action.why.startswith("one says it more strictly than the other")
    assert action.memory_ids == (strict, loose)
    engine.consolidation.decide([action.id], is_accepted=True)
    engine.consolidation.apply(card.id)
    assert (status(engine, strict), status(engine, loose)) == (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)


def test_the_stricter_one_stays_though_it_came_later(engine: Engine) -> None:
    remember(engine, "Backups should be checked before a release.")
    strict = remember(engine, "Backups must be checked before a release.")
    (action,) = engine.consolidation.actions(engine.consolidation.preview().id)
    assert (action.memory_ids[0], action.is_chosen) == (strict, False)
