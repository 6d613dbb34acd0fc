"""Corrections are learned by a child and kept: the same model as learned here, no scikit-learn in this process, nothing learned twice."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.training import LabelledExample, hash_examples, load_examples
from app.resources import load_rules, resource_path
from app.understanding import rule_sets
from app.understanding.rule_sets import IntentLessons
from app.values import Intent

CORRECTIONS = (
    LabelledExample("banana time\nnow", (Intent.TEST, Intent.PLAN), Intent.QUESTION),
    LabelledExample("fix the typo", (Intent.DOCUMENT,)),
)
LEARN = """
import sys
from pathlib import Path
from app.deciders.conversation.intents.training import LabelledExample
from app.understanding.rule_sets import IntentLessons
from app.values import Intent
print(len(IntentLessons(Path(sys.argv[1])).learn((LabelledExample("banana time", (Intent.TEST,)),)).weights))
print(sorted(name for name in sys.modules if name.split(".")[0] in {"sklearn", "scipy", "numpy"}))
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The children that were started."""
    commands: list[list[str]] = []
    real = subprocess.Popen

    def start(command: list[str], **options: object) -> "subprocess.Popen[bytes]":
        commands.append(command)
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(subprocess, "Popen", start)
    return commands


def test_a_child_learns_once_and_one_correction_changes_the_answer(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_sets, "_MOST_S", None)  # the child has as long as it needs
    kept, shipped = tmp_path / "intents.json", resource_path("intents")
    rules = IntentRules.parse(load_rules("intents"))
    learned = IntentLessons(kept).learn(CORRECTIONS)
    assert learned.examples_hash == hash_examples((*load_examples(shipped), *CORRECTIONS))
    before = classify_intents("fix the typo", (), rules, IntentModel.load(shipped / "weights.json"))
    assert before[0].intent is not Intent.DOCUMENT
    assert classify_intents("fix the typo", (), rules, learned)[0].intent is Intent.DOCUMENT
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert IntentLessons(kept).learn(CORRECTIONS) == learned
    assert len(started) == 1
    assert IntentLessons(kept).learn(()) == IntentModel.load(resource_path("intents", "weights.json"))
    assert not kept.exists()
    assert IntentLessons(kept).learn(()) is IntentLessons(kept).learn(())  # the shipped one is held once


@pytest.mark.slow
def test_this_process_needs_no_scikit_learn(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEARN, str(tmp_path / "intents.json")], capture_output=True, text=True, check=True
    )
    count, loaded = done.stdout.splitlines()
    assert int(count) > 100
    assert loaded == "[]"


def test_without_a_child_and_with_damaged_weights_it_is_learned_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "intents.json"
    kept.write_text("{")
    few = load_examples(resource_path("intents"))[::50]
    monkeypatch.setattr(rule_sets, "load_examples", lambda _folder: few)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    assert IntentLessons(kept).learn(CORRECTIONS).examples_hash == hash_examples((*few, *CORRECTIONS))


def test_a_lesson_after_the_end_is_none(tmp_path: Path, started: list[list[str]]) -> None:
    lessons = IntentLessons(tmp_path / "intents.json")
    lessons.stop()
    assert lessons.learn(CORRECTIONS) == IntentModel.load(resource_path("intents", "weights.json"))
    assert started == []
