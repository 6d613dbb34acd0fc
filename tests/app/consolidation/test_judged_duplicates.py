"""What a judge reads as the same is merged by a run; what the person keeps, or the rules doubt, waits for a yes."""

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


def test_a_run_merges_what_a_judge_calls_the_same_and_undo_brings_both_back(judged: Engine) -> None:
    both = two(judged)
    read(judged)
    card = judged.consolidation.run()
    (action,) = [one for one in judged.consolidation.actions(card.id) if one.step == "deduplicate"]
    assert (action.kind, set(action.memory_ids), card.report.deduped) == ("merge_judged", set(both), 1)
    assert judged.consolidation.run().report.deduped == 0
    judged.consolidation.undo(card.id)
    assert {judged.memories.get(one).memory.status.value for one in both} == {"active"}


def test_what_the_person_pinned_waits(judged: Engine) -> None:
    both = two(judged)
    judged.memories.pin([both[0]])
    read(judged)
    card = judged.consolidation.run()
    assert (card.report.deduped, card.waiting_count) == (0, 1)


def test_a_text_that_changed_since_was_not_read(judged: Engine) -> None:
    both = two(judged)
    read(judged)
    with judged._core.store.write_log() as connection:
        connection.exec_driver_sql("UPDATE memory SET text_key = 'other' WHERE id = ?", (both[1],))
    assert judged.consolidation.run().report.deduped == 0
