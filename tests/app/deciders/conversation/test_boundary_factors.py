"""What is observed of a message against what came before: pauses, trades, how long a conversation has lasted."""

from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.conversation.boundary.boundary import PAUSE, BoundaryRules, detect_boundary, weighed_values
from app.deciders.conversation.boundary.factors import Observations, observe_message
from app.resources import load_rules
from app.values.understanding import BoundaryInput, PriorMessage

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def rules() -> BoundaryRules:
    return BoundaryRules.parse(load_rules("boundary"))


def after(minutes: float, text: str, *earlier: str) -> BoundaryInput:
    history = tuple(PriorMessage(number, START, one) for number, one in enumerate(earlier, 1))
    return BoundaryInput(text, START + timedelta(minutes=minutes), history=history)


def observe(rules: BoundaryRules, text: str, *earlier: str) -> Observations:
    return observe_message(after(5, text, *earlier), rules.lexicon)


def pauses_of(rules: BoundaryRules, minutes: float) -> dict[str, float]:
    seen = observe_message(after(minutes, "round corners", "Add a logo"), rules.lexicon)
    return {name: value for name, value in weighed_values(seen, rules).items() if name.startswith(PAUSE)}


@pytest.mark.seed("S1", "road.gap")
def test_a_pause_reaches_its_points_one_after_the_other(rules: BoundaryRules) -> None:
    assert [value for value in pauses_of(rules, 0).values() if value] == [1.0]
    half = pauses_of(rules, 2)
    assert half["pause_4"] == pytest.approx(0.5)
    assert half["pause_10"] == 0
    long = pauses_of(rules, 300)
    assert (long["pause_4"], long["pause_300"], long["pause_900"]) == (1, 1, 0)
    assert set(pauses_of(rules, 1e6).values()) == {1.0}


@pytest.mark.seed("S1", "gap.60")
def test_a_longer_pause_never_speaks_less_for_a_new_start(rules: BoundaryRules) -> None:
    weights = rules.weights["timed"]
    said = [
        sum(weights.get(name, 0.0) * value for name, value in pauses_of(rules, minutes).items())
        for minutes in (0, 1, 3, 8, 15, 30, 60, 200, 500, 1500, 9000)
    ]
    assert said == sorted(said)
    assert said[0] < 0 < said[-1]


@pytest.mark.seed("S1", "overlap.five")
def test_a_conversation_settles_and_lasts(rules: BoundaryRules) -> None:
    few, some, many = (observe(rules, "and blue", *["Add a logo"] * count).values for count in (3, 4, 7))
    assert [(one["settled"], one["lasting"]) for one in (few, some, many)] == [(0, 0), (1, 0), (1, 1)]
    terse, wordy = observe(rules, "and blue", "Add"), observe(rules, "and blue", "Add a logo to every page " * 40)
    assert terse.values["wordy"] < wordy.values["wordy"] <= 1


def test_taking_up_something_older_starts_anew(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(5, "again about the rate limits, partners get more", "Add a logo"), rules)
    assert decision.is_new is True
    assert 'says "again about"' in decision.reason


def test_words_that_go_on_start_nothing_across_a_night_without_asking(rules: BoundaryRules) -> None:
    earlier = ("Add a retry to the upload worker", "three times", "log every retry", "and back off")
    told = detect_boundary(after(700, "tested the upload worker, it works and logs every retry", *earlier), rules)
    other = detect_boundary(after(700, "Sketch a landing page for the spring campaign", *earlier), rules)
    assert told.is_new is not True
    assert (other.is_new, "12 h gap" in other.reason) == (True, True)
