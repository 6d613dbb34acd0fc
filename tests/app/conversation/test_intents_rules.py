"""The rule file's own small language: phrases, places, conditions, a person's additions, and what it refuses."""

from typing import Any

import pytest

from app.conversation.intent_features import shape_message
from app.conversation.intent_rules import IntentRules
from app.errors import InvalidError
from app.resources import load_rules
from app.values import Intent

NUMBERS = load_rules("intents")["numbers"]


def parse(*rules: dict[str, Any], fillers: tuple[str, ...] = (), **words: list[str]) -> IntentRules:
    base = {"intent": "TEST", "where": "clause", "confidence": 0.9, "reason": 'said "{said}"'}
    return IntentRules.parse(
        {"numbers": NUMBERS, "words": words, "fillers": list(fillers), "rules": [{**base, **rule} for rule in rules]}
    )


def hits(rules: IntentRules, text: str, *previous: Intent) -> list[str]:
    return [hit.reason for hit in rules.find_hits(shape_message(text), previous)]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "wrong",
    [
        {"phrases": ["run (all tests"]},
        {"phrases": ["(run) (it)"]},
        {"phrases": ["@unknown"]},
        {"phrases": ["run"], "where": "somewhere"},
        {"phrases": ["run"], "confidence": 1.0},
        {"phrases": ["run"], "intent": "DANCE"},
        {"phrases": ["run"], "previous": ["DANCE"]},
        {},
    ],
)
def test_a_wrong_rule_is_refused_with_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidError, match=r"intents\.yaml") as caught:
        parse(wrong)
    assert caught.value.hint


def test_every_opening_word_list_lets_its_own_phrases_through() -> None:
    rules = IntentRules.parse(load_rules("intents"))
    assert any(rule.openings is not None for rule in rules.rules)
    line_words = {rule.reason for rule in rules.rules}
    assert len(line_words) > len(Intent)
