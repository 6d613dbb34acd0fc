"""The example: every screen has something to show, and who reads along in it is a program of its own with invented answers."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.api import Engine, Places
from app.values import MemoryKind
from app.values.judge import ReadingState
from app.values.rules import RuleKind
from tests.patience import PATIENCE_S
from ui.demo.history import demo_clock, open_with_demo
from ui.demo.judge import answer


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("example")


@pytest.fixture(scope="module")
def filled(person: Path) -> Iterator[Engine]:
    """Filled once, as the app fills it: that takes longer than all that is then looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(person))
        patch.setenv("REMANENCE_HOME", str(person / "remanence"))
        patch.setenv("REMANENCE_IS_JUDGE_ASKED", "true")
        with contextlib.closing(Engine.open(Places.under(person / "remanence"), clock=demo_clock())) as engine:
            open_with_demo(engine, home=person)
            yield engine


def test_no_screen_of_the_example_is_empty(filled: Engine) -> None:
    engine = filled
    assert {one.app for one in engine.notes.list()} >= {"claude-code", "copilot", "cursor"}
    assert all(len(one.content) <= 200 for one in engine.notes.list())
    readings = engine.judge.readings()
    assert sum(one.remembered_count for one in readings) >= 8
    assert [one.dropped_count for one in readings] == [0] * len(readings), "each quote stands in its prompt"
    assert len(engine.contradictions.list()) >= 3
    assert len(engine.episodes.list()) >= 8
    (run,) = engine.consolidation.runs()
    assert (run.report.memories_merged, run.is_undoable) == (1, True)
    assert run.waiting_count == 2, "something is there to say yes and no to"
    next_run = engine.consolidation.estimate()
    steps = {one.step for one in (*run.counts, *next_run.counts)}
    assert steps >= {"deduplicate", "compress", "usage", "links", "rules"}
    uses = {one.work.value for one in engine.energy.state().uses}
    assert {"judge", "note", "consolidation"} <= uses
    assert engine.judge.state().state is not ReadingState.OFF


def test_a_workflow_was_found_in_the_work(filled: Engine) -> None:
    found = [one for one in filled.rules.practices(MemoryKind.WORKFLOW) if one.times]
    assert [(one.hint, one.times) for one in found] == [("commit: lint→test→commit", 4)]
    assert any(one.kind is RuleKind.PRONOUN and filled.rules.example(one.id) for one in filled.rules.learned())


def test_the_example_took_two_weeks(filled: Engine) -> None:
    engine, now = filled, datetime.now(UTC)
    days = [one.day for one in engine.stats.year().days if one.learned_count]
    assert len(days) >= 13, days
    most = max(one.learned_count for one in engine.stats.year().days)
    assert most <= sum(one.learned_count for one in engine.stats.year().days) / 3, "two weeks of work, not one day"
    assert len({one.at.date() for one in engine.judge.readings()}) >= 10, "each conversation is read when it is over"
    assert len({one.at.date() for one in engine.context.receipts()}) >= 10, "and given to, while it lasts"
    assert abs(now - engine.clock.now()) < timedelta(minutes=1)
    assert len(engine.consolidation.runs()) == 1
    assert engine.consolidation.estimate().report.memories_merged == 1, "there is something to preview"


def test_its_assistants_are_connected_in_a_home_of_its_own(
    filled: Engine, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.setenv("REMANENCE_HOME", str(person / "remanence"))
    assert {one.name for one in filled.apps.assistants() if one.is_connected} == {"claude-code"}
    assert {one.name for one in filled.apps.list()} >= {"claude-code", "copilot", "cursor"}
    assert (person / ".claude" / "settings.json").is_file()


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


def test_it_is_run_as_claude_code_is() -> None:
    request = {"task": "remember", "messages": [{"id": "m7", "text": "Prices are kept in cents, never as floats"}]}
    prompt = f"Between the two lines stands data.\nabc\n{json.dumps(request)}\nabc\nAnswer with the JSON object alone."
    command = [sys.executable, "-P", "-m", "ui.demo.judge", "-p"]
    done = subprocess.run(command, input=prompt, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    (memory,) = json.loads(done.stdout)["structured_output"]["memories"]
    assert (memory["message"], memory["quote"]) == ("m7", "Prices are kept in cents")


def test_it_says_which_pairs_cannot_both_hold() -> None:
    pair = {"id": "p1", "a": "Releases go out on Mondays.", "b": "Releases never go out on Mondays."}
    (verdict,) = answer({"task": "contradictions", "pairs": [pair]})["verdicts"]
    assert verdict["verdict"] == "contradict"
    same = {"id": "p2", "a": "The importer reads CSV.", "b": "Invoice numbers never have gaps."}
    assert answer({"task": "contradictions", "pairs": [same]})["verdicts"][0]["verdict"] == "compatible"
