"""A judge may propose one text for both sides: in their words only, shown as a proposal, gone when a side changes."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places, Resolution, ResolutionRequest
from app.contradictions.scanner import may_propose
from app.deciders.memory.rules import load_memory_rules
from app.values import MemoryEdit
from tests.patience import PATIENCE_S

A, B = "Exports of the shop are CSV files.", "Exports of the shop are XML files for the bank."
BOTH = "Exports of the shop are XML files for the bank, CSV files otherwise."
SAID = "Exports of the shop are CSV files, XML files for the bank."
JUDGE = """
import json, sys
from pathlib import Path
said = {{"verdict": "contradict", "why": "another format", "holds": "both", "merged": Path({text!r}).read_text()}}
json.dump({{"verdicts": [{{"id": one["id"]}} | said for one in json.load(sys.stdin).get("pairs", [])]}}, sys.stdout)
"""
RULES = load_memory_rules()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (SAID, True),
        ("Exports are CSV files, and XML files for the bank", True),
        ("Exports of the shop are CSV files, XML files for the tax office.", False),
        ("Exports of the shop are not CSV files, XML files for the bank.", False),
        (A, False),
        (B, False),
        ("Exports of the shop are files.", False),
        ("", False),
    ],
)
def test_it_says_no_word_that_neither_side_says(text: str, is_one: bool) -> None:
    assert may_propose(text, A, B, RULES) is is_one


@pytest.fixture
def engine_that_proposes(places: Places, clock: FrozenClock, tmp_path: Path) -> Iterator[Engine]:
    script = tmp_path / "judge.py"
    script.write_text(JUDGE.format(text=str(tmp_path / "text")))
    (tmp_path / "text").write_text(SAID)
    engine = Engine.open(places, clock=clock, flags={"judge": "command", "judge_command": f"{sys.executable} {script}"})
    yield engine
    engine.close()


def find(engine: Engine) -> int:
    for text in (A, B):
        engine.memories.create(MemoryDraft(text, project_path="/w/shop"))
    assert engine._core.scanner.wait_idle(PATIENCE_S)
    engine._core.scanner.decide_waiting(at_once=True)
    [found] = engine.contradictions.list()
    return found.id


def test_it_is_shown_as_a_proposal_and_kept_only_by_the_person(engine_that_proposes: Engine) -> None:
    engine = engine_that_proposes
    number = find(engine)
    detail = engine.contradictions.get(number)
    assert (detail.proposed_text, detail.suggested) == (SAID, Resolution.MERGED)
    assert engine.memories.get(detail.b.memory.id).memory.levels.full.text == B, "nothing is changed by it"
    engine.contradictions.resolve(number, ResolutionRequest(Resolution.MERGED, text=detail.proposed_text))
    assert engine.memories.get(detail.b.memory.id).memory.levels.full.text == SAID


def test_what_it_brings_of_its_own_is_dropped(engine_that_proposes: Engine, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(BOTH.replace("otherwise", "for the accountant"))
    detail = engine_that_proposes.contradictions.get(find(engine_that_proposes))
    assert (detail.proposed_text, detail.suggested) == ("", Resolution.BOTH_VALID)


def test_it_goes_when_a_side_is_edited(engine_that_proposes: Engine) -> None:
    engine = engine_that_proposes
    number = find(engine)
    detail = engine.contradictions.get(number)
    engine.memories.edit(detail.a.memory.id, MemoryEdit(full="Exports of the shop are JSON files."))
    assert engine.contradictions.get(number).proposed_text == ""


def test_the_prompt_and_the_schema_ask_for_it() -> None:
    from app.judge.tasks import ContradictionsRequest

    schema = json.dumps(ContradictionsRequest(()).schema())
    assert '"merged"' in schema
