"""What a judge reads as the same is merged when it is read; of what the person keeps, a run asks."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, Places
from tests.app.consolidation.memories import project_of, remember
from tests.patience import PATIENCE_S

JUDGE = """
import json, sys
said = {"verdict": "duplicate", "why": "both say it", "holds": "both"}
json.dump({"verdicts": [{"id": one["id"]} | said for one in json.load(sys.stdin).get("pairs", [])]}, sys.stdout)
"""
OLDER, NEWER = "Cards are charged through the bank of the town.", "The town's bank is who charges cards for us."


@pytest.fixture
def judged(places: Places, clock: FrozenClock, tmp_path: Path) -> Iterator[Engine]:
    script = tmp_path / "judge.py"
    script.write_text(JUDGE)
    engine = Engine.open(places, clock=clock, flags={"judge": "command", "judge_command": f"{sys.executable} {script}"})
    yield engine
    engine.close()


def read(engine: Engine) -> None:
    assert engine._core.scanner.wait_idle(PATIENCE_S)
    engine._core.scanner.decide_waiting(at_once=True)


def two(engine: Engine, newer: str = NEWER) -> tuple[int, int]:
    project = project_of(engine)
    return remember(engine, OLDER, project_id=project), remember(engine, newer, project_id=project)


def accept(engine: Engine, run_id: int) -> None:
    waiting = [one.id for one in engine.consolidation.actions(run_id) if not one.is_sure]
    engine.consolidation.decide(waiting, is_accepted=True)
    engine.consolidation.apply(run_id)


def test_what_was_merged_when_it_was_read_leaves_nothing_to_a_run(judged: Engine) -> None:
    two(judged)
    read(judged)
    assert judged.memories.counts().in_use == 1
    assert judged.consolidation.run().report.deduped == 0


def two_of_which_one_is_kept(engine: Engine) -> tuple[int, int]:
    both = two(engine)
    engine.memories.pin([both[0]])
    read(engine)
    return both


def test_what_the_person_pinned_waits(judged: Engine) -> None:
    both = two_of_which_one_is_kept(judged)
    card = judged.consolidation.run()
    (action,) = [one for one in judged.consolidation.actions(card.id) if one.step == "deduplicate"]
    assert (action.kind, set(action.memory_ids), card.report.deduped, card.waiting_count) == (
        "merge_judged",
        set(both),
        0,
        1,
    )
    accept(judged, card.id)
    assert judged.memories.counts().in_use == 1
    judged.consolidation.undo(card.id)
    assert {judged.memories.get(one).memory.status.value for one in both} == {"active"}


def test_a_text_that_changed_since_was_not_read(judged: Engine) -> None:
    both = two_of_which_one_is_kept(judged)
    with judged._core.store.write_log() as connection:
        connection.exec_driver_sql("UPDATE memory SET text_key = 'other' WHERE id = ?", (both[1],))
    assert judged.consolidation.run().waiting_count == 0


def test_the_looser_of_two_never_takes_the_place_of_the_stricter_unasked(judged: Engine) -> None:
    project = project_of(judged)
    strict = remember(judged, "Receipts must not be kept on the tills.", project_id=project)
    loose = remember(judged, "On the tills receipts should not be kept.", project_id=project)
    read(judged)
    assert judged.memories.counts().in_use == 2
    run = judged.consolidation.preview()
    (action,) = [one for one in judged.consolidation.actions(run.id) if one.step == "deduplicate"]
    assert (action.memory_ids, action.is_sure) == ((strict, loose), False)
    assert action.why.endswith("you decide")
