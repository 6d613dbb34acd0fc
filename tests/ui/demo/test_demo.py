"""The example: every screen has something to show, and who reads along in it is a program of its own with invented answers."""

import contextlib
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from app.api import Engine, Places
from app.values.judge import ReadingState
from ui.demo.history import demo_clock, open_with_demo
from ui.demo.judge import answer


def test_no_screen_of_the_example_is_empty(engine: Engine) -> None:
    open_with_demo(engine)
    assert {one.app for one in engine.notes.list()} >= {"claude-code", "codex", "cursor"}
    assert all(len(one.content) <= 200 for one in engine.notes.list())
    readings = engine.judge.readings()
    assert sum(one.remembered_count for one in readings) >= 8
    assert [one.dropped_count for one in readings] == [0] * len(readings), "each quote stands in its prompt"
    assert len(engine.contradictions.list()) >= 3
    assert len(engine.episodes.list()) >= 8
    (run,) = engine.consolidation.runs()
    assert (run.report.memories_merged, run.is_undoable) == (1, True)
    uses = {one.work.value for one in engine.energy.state().uses}
    assert {"judge", "note", "consolidation"} <= uses
    assert engine.judge.state().state is not ReadingState.OFF


def test_the_example_took_two_weeks(places: Places) -> None:
    with contextlib.closing(Engine.open(places, clock=demo_clock())) as engine:
        open_with_demo(engine)
        now = datetime.now(UTC)
        days = [one.day for one in engine.stats.year().days if one.learned_count]
        assert len(days) >= 6, days
        assert (days[-1] - days[0]).days >= 13
        assert abs(now - engine.clock.now()) < timedelta(minutes=1)
        assert len(engine.consolidation.runs()) == 1


@pytest.mark.parametrize(
    ("request_value", "expected"),
    [
        ({"task": "note"}, {"text": ""}),
        ({"task": "references"}, {"references": []}),
        (
            {"task": "remember", "messages": [{"id": "m1", "text": "something else"}]},
            {"memories": [], "changes": [], "topics": []},
        ),
    ],
)
def test_to_what_it_does_not_know_it_has_nothing_to_say(request_value: dict, expected: dict) -> None:
    assert answer(request_value) == expected


def test_it_is_run_as_any_command() -> None:
    request = {"task": "remember", "messages": [{"id": "m7", "text": "Prices are kept in cents, never as floats"}]}
    command = [sys.executable, "-P", "-m", "ui.demo.judge"]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=True, timeout=60)
    (memory,) = json.loads(done.stdout)["memories"]
    assert (memory["message"], memory["quote"]) == ("m7", "Prices are kept in cents")
