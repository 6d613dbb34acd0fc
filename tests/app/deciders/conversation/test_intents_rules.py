"""The rule file's own small language: phrases, places, conditions, a person's additions, and what it refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.deciders.conversation.intents.features import shape_message
from app.deciders.conversation.intents.rules import IntentRules
from app.errors import InvalidError
from app.resources import load_rules
from app.values import Intent
from tests.table import table

NUMBERS = load_rules("intents")["numbers"]


def parse(*rules: dict[str, Any], fillers: tuple[str, ...] = (), **words: list[str]) -> IntentRules:
    base = {"intent": "TEST", "where": "clause", "confidence": 0.9, "reason": 'said "{said}"'}
    return IntentRules.parse(
        {"numbers": NUMBERS, "words": words, "fillers": list(fillers), "rules": [{**base, **rule} for rule in rules]}
    )


def hits(rules: IntentRules, text: str, *previous: Intent) -> list[str]:
    return [hit.reason for hit in rules.find_hits(shape_message(text), previous)]


@table(
    ("phrase", "text", "does_match"),
    [
        ("run it", "run it", True),
        ("run it", "rerun it", False),
        ("run it|that", "run that twice", True),
        ("run (all) tests", "run tests", True),
        ("run (all) tests", "run all tests", True),
        ("run * tests", "run slow tests", True),
        ("run * tests", "run tests", False),
        ("run ... tests", "run a few of the slow tests", True),
        ("run ... tests", "run one two three four five six tests", False),
        ("@tools go", "old hammer go", True),
        ("good ?", "good?", True),
        ("good ?", "good", False),
        ("stop ¦ go", "stop. go", True),
        ("run it", "stop; run it", True),
        ("run it", "do not run it", False),
    ],
)
def test_phrases(phrase: str, text: str, does_match: bool) -> None:
    rules = parse({"phrases": [phrase]}, tools=["saw", "old hammer"])
    assert bool(hits(rules, text)) is does_match


@table(
    ("where", "texts"),
    [
        ("whole", ["run it"]),
        ("start", ["run it", "run it now"]),
        ("clause", ["run it", "run it now", "wait a bit. run it now"]),
        ("end", ["run it", "now run it"]),
        ("anywhere", ["run it", "run it now", "now run it", "wait a bit. run it now"]),
    ],
)
def test_places(where: str, texts: list[str]) -> None:
    rules = parse({"where": where, "phrases": ["run it"]})
    every = ["run it", "run it now", "now run it", "wait a bit. run it now"]
    assert [text for text in every if hits(rules, text)] == texts


def test_fillers_are_passed_over_but_may_stand_alone() -> None:
    rules = parse({"where": "whole", "phrases": ["yes", "run it"]}, fillers=("yes", "please"))
    assert hits(rules, "yes, please run it") == ['said "run it"']
    assert hits(rules, "yes") == ['said "yes"']


def test_conditions_switch_a_rule_off() -> None:
    rules = parse(
        {"phrases": ["run it"], "unless": ["not now"]},
        {"phrases": ["run it"], "previous": ["PLAN"], "reason": "after a plan"},
        {"phrases": ["run it"], "marks": ["question"], "reason": "asked"},
        {"phrases": ["run it"], "max_words": 3, "reason": "short"},
    )
    assert hits(rules, "run it") == ['said "run it"', "short"]
    assert hits(rules, "run it", Intent.PLAN) == ['said "run it"', "after a plan", "short"]
    assert hits(rules, "run it not now") == []
    assert hits(rules, "run it on friday? ") == ['said "run it"', "asked"]


def test_a_final_rule_ends_the_search() -> None:
    rules = parse(
        {"phrases": ["run it"], "final": True, "reason": "first"}, {"phrases": ["run it"], "reason": "second"}
    )
    assert hits(rules, "run it") == ["first"]


def test_a_clause_in_the_middle_counts_less_than_first_and_last() -> None:
    rules = parse({"phrases": ["run it"]})
    first, middle, last = (
        next(iter(rules.find_hits(shape_message(text), ()))).confidence
        for text in ("run it. wait a bit. go home.", "wait a bit. run it. go home.", "wait a bit. go home. run it.")
    )
    assert first > last > middle


@table(
    "wrong",
    [
        {"phrases": ["run (all tests"]},
        {"phrases": ["(run) (it)"]},
        {"phrases": ["@unknown"]},
        {"phrases": ["run"], "where": "somewhere"},
        {"phrases": ["run"], "confidence": 1.0},
        {"phrases": ["run"], "intent": "DANCE"},
        {"phrases": ["run"], "previous": ["DANCE"]},
        {"phrases": ["run"], "reason": "{unknown}"},
        {"phrases": 3},
        {},
    ],
)
def test_a_wrong_rule_is_refused_with_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidError, match=r"intents\.yaml") as caught:
        parse(wrong)
    assert caught.value.hint


@table(
    "wrong", [{}, {"numbers": {}}, {"numbers": NUMBERS}, {"numbers": {**NUMBERS, "temperature": "hot"}, "rules": []}]
)
def test_a_file_that_lacks_its_parts_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidError, match=r"intents\.yaml"):
        IntentRules.parse(wrong)


def test_a_person_can_add_a_rule_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "intents.yaml").write_text(
        "rules:\n- {intent: TEST, where: whole, confidence: 0.99, reason: my own, phrases: [yalla]}\n", encoding="utf-8"
    )
    assert hits(IntentRules.parse(load_rules("intents", tmp_path)), "yalla") == ["my own"]


@table("phrase", ["stop (it) now", "* now", "... now", "@tools now", "(really) stop|halt now"])
def test_a_rule_is_never_skipped_for_its_first_word(phrase: str) -> None:
    """The quick look at first words must let through whatever the phrase itself would match."""
    rules = parse({"phrases": [phrase], "where": "anywhere"}, tools=["stop", "old hammer"])
    texts = ["stop now", "stop it now", "really stop now", "halt now", "old hammer now", "a b c now"]
    slow = [replace(rule, openings=None) for rule in rules.rules]
    for text in texts:
        assert hits(rules, text) == hits(replace(rules, rules=tuple(slow)), text)
