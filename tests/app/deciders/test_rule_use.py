"""What learned rules change: only where they are surer, never what a person switched off, never by rules seldom seen."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.deciders.learning.rule_application import LearnedRules, apply_marker, apply_phrase, hold_reach
from app.values.rules import LearnedRule, RuleKind
from app.values.understanding import (
    BoundaryDecision,
    Intent,
    IntentScore,
    PriorMessage,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
)
from tests.table import table

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def rule(kind: RuleKind, pattern: str, details: dict[str, object], seen: int = 12, **more: Any) -> LearnedRule:
    sure = min(0.99, 0.6 + 0.05 * (seen - 1))
    return replace(LearnedRule(1, kind, pattern, details, sure, seen, NOW, NOW, 0), **more)


def phrase(pattern: str = "make it {color}", *intents: str, **more: Any) -> LearnedRule:
    return rule(RuleKind.PHRASE, pattern, {"intents": list(intents or ("EXECUTE",))}, **more)


def test_a_phrase_is_found_by_its_slots() -> None:
    learned = LearnedRules.of([phrase()])
    assert learned.find_phrase("Make it purple!", ()) is not None
    assert learned.find_phrase("Make it faster", ()) is None


@table("more", [{"is_on": False}, {"seen": 2}])
def test_what_is_off_or_seldom_seen_is_no_rule(more: dict[str, Any]) -> None:
    assert LearnedRules.of([phrase("make it {color}", "EXECUTE", **more)]).find_phrase("Make it purple", ()) is None


def test_what_a_person_corrected_three_times_holds_and_what_we_judged_alike_eight_times() -> None:
    def holds(seen: int, **details: object) -> bool:
        own = rule(RuleKind.PHRASE, "make it {color}", {"intents": ["PLAN"], **details}, seen)
        return LearnedRules.of([own]).find_phrase("make it red", ()) is not None

    assert [holds(2, corrected=True), holds(3, corrected=True)] == [False, True]
    assert [holds(7), holds(8)] == [False, True]


def test_an_edited_rule_holds_however_seldom_it_was_seen_and_against_a_surer_classifier() -> None:
    edited = phrase("make it {color}", "PLAN", "TEST", seen=1, is_edited=True)
    found = LearnedRules.of([edited, phrase()]).find_phrase("make it red", ())
    assert found is edited
    scores = apply_phrase((IntentScore(Intent.EXECUTE, 0.97, ""),), found)
    assert [one.intent for one in scores] == [Intent.PLAN, Intent.TEST]
    assert "as you said" in scores[0].reason


def test_the_surer_of_rule_and_classifier_decides() -> None:
    sure, unsure = (IntentScore(Intent.QUESTION, 0.95, ""),), (IntentScore(Intent.QUESTION, 0.5, ""),)
    seen = phrase(seen=5)
    assert apply_phrase(sure, seen) is sure
    assert [one.intent for one in apply_phrase(unsure, seen)] == [Intent.EXECUTE]
    assert apply_phrase(unsure, None) is unsure


def test_a_marker_begins_a_conversation_unless_the_words_were_weighed_already() -> None:
    marker = rule(RuleKind.MARKER, "next up we", {})
    learned = LearnedRules.of([marker])
    stays = BoundaryDecision(False, 0.6, "continues", factors=())
    assert learned.find_marker("Next up, we look at billing") is marker
    assert learned.find_marker("We look at what is next up") is None
    decided = apply_marker(stays, marker)
    assert decided.is_new
    assert "next up we" in decided.reason
    assert apply_marker(decided, marker) is decided
    assert apply_marker(stays, None) is stays


def pointing(back_to: int) -> Reference:
    return Reference("it", 0, 2, ReferenceKind.PRONOUN, ReferenceState.RESOLVED, "button", 0.8, "", back_to)


def test_an_answer_further_back_than_a_person_lets_the_word_point_is_none() -> None:
    history = [PriorMessage(number, NOW, "x", speaker=Speaker.USER) for number in (1, 2, 3, 4)]
    seen = rule(RuleKind.PRONOUN, "it", {"lookback": 2})
    assert hold_reach((pointing(1),), history, LearnedRules.of([seen])) == ((pointing(1),), ())
    learned = LearnedRules.of([replace(seen, is_edited=True)])
    (near,), none = hold_reach((pointing(3),), history, learned)
    assert (near.antecedent, none) == ("button", ())
    (far,), changed = hold_reach((pointing(1),), history, learned)
    assert (far.state, far.antecedent, changed) == (ReferenceState.UNRESOLVED, None, (1,))


@pytest.mark.seed("S1", "eff.kg-lookup")
def test_a_look_up_among_a_thousand_rules_takes_less_than_a_millisecond() -> None:
    learned = LearnedRules.of(
        [phrase(f"add {{feature}} and {number} more") for number in range(1_000)]
        + [rule(RuleKind.MARKER, f"words {number} here", {}) for number in range(200)]
    )
    learned.find_phrase("Make it purple", ())
    begun = time.perf_counter()
    for _ in range(100):
        learned.find_phrase("Make it purple", ())
        learned.find_marker("Make it purple")
    assert (time.perf_counter() - begun) / 100 < 0.01, "ten times the figure: machines differ"
