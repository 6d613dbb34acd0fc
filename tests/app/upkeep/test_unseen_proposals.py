"""Proposals that nobody looked at: archived after thirty days on which the app ran, never for days on which it did not."""

from contextlib import closing

from app.api import Engine, FrozenClock, MemoryDraft, MemoryStatus, Origin, Places
from app.upkeep.review import UNSEEN_DAYS


def propose(engine: Engine, text: str) -> int:
    return engine.memories.create(MemoryDraft(text), origin=Origin.API)


def status(engine: Engine, number: int) -> MemoryStatus:
    return engine.memories.get(number).memory.status


def run_days(engine: Engine, clock: FrozenClock, count: int) -> None:
    for _ in range(count):
        clock.advance(days=1)
        engine._core.housekeeper.begin_day()


def test_a_proposal_is_archived_after_thirty_days_of_running(engine: Engine, clock: FrozenClock) -> None:
    engine._core.housekeeper.begin_day()
    number, kept = (
        propose(engine, "The cache is flushed nightly."),
        engine.memories.create(MemoryDraft("Logs go to syslog.")),
    )
    run_days(engine, clock, UNSEEN_DAYS)
    assert status(engine, number) is MemoryStatus.PROPOSED, "the day it was stored on does not count"
    run_days(engine, clock, 1)
    assert (status(engine, number), status(engine, kept)) == (MemoryStatus.ARCHIVED, MemoryStatus.ACTIVE)
    (act,) = [one for one in engine.journal.list() if one.kind == "archive_unseen"]
    assert act.label == "Archived 1 proposed memory that nobody looked at in 30 days"
    assert act.is_undoable


def test_a_machine_that_was_off_archives_nothing(engine: Engine, clock: FrozenClock) -> None:
    engine._core.housekeeper.begin_day()
    number = propose(engine, "The cache is flushed nightly.")
    clock.advance(days=200)
    run_days(engine, clock, UNSEEN_DAYS - 1)
    assert status(engine, number) is MemoryStatus.PROPOSED


def test_what_was_brought_back_is_left_alone(engine: Engine, clock: FrozenClock) -> None:
    engine._core.housekeeper.begin_day()
    number = propose(engine, "The cache is flushed nightly.")
    run_days(engine, clock, UNSEEN_DAYS + 1)
    (act,) = [one for one in engine.journal.list() if one.kind == "archive_unseen"]
    engine.journal.undo(act.id)
    assert status(engine, number) is MemoryStatus.PROPOSED
    run_days(engine, clock, 3)
    assert status(engine, number) is MemoryStatus.PROPOSED


def test_days_outlive_a_restart_and_count_once(engine: Engine, clock: FrozenClock, places: Places) -> None:
    engine._core.housekeeper.begin_day()
    number = propose(engine, "The cache is flushed nightly.")
    run_days(engine, clock, UNSEEN_DAYS)
    engine.close()
    with closing(Engine.open(places, clock=clock)) as again:
        again._core.housekeeper.begin_day()
        assert status(again, number) is MemoryStatus.PROPOSED, "the same day once more"
        run_days(again, clock, 1)
        assert status(again, number) is MemoryStatus.ARCHIVED
