"""Phrases of boundary.yaml: where they count, what takes them back, what pasted text may not do."""

import pytest

from app.deciders.conversation.boundary.boundary import BoundaryRules, detect_boundary
from app.deciders.conversation.boundary.markers import Cues, Marker, Phrases, speech_head
from app.deciders.conversation.boundary.wording import is_go_ahead, observe_wording
from app.resources import load_rules
from app.values.understanding import BoundaryInput, PriorMessage
from tests.table import table

BEFORE = (PriorMessage(1, None, "Sort the invoice table by date"),)


@pytest.fixture(scope="module")
def rules() -> BoundaryRules:
    return BoundaryRules.parse(load_rules("boundary"))


def has_marker(text: str, rules: BoundaryRules) -> bool:
    decision = detect_boundary(BoundaryInput(text, None, history=BEFORE), rules)
    return any(factor.name == "marker" for factor in decision.factors)


@pytest.mark.seed(
    "S1", "marker.actually", "marker.forget", "marker.new-topic", "marker.switching", "acc.explicit", "road.markers"
)
@pytest.mark.seed(
    "S1", "marker.actually", "marker.forget", "marker.new-topic", "marker.switching", "acc.explicit", "road.markers"
)
@pytest.mark.parametrize(
    "text",
    [
        "ok, new topic: rate limits",
        "Changing the subject, how do we back up the store?",
        "Thanks! Let's switch gears to the parser.",
        "Looks fine. On another note, the footer overlaps.",
        "so, forget that. Build the importer",
        "ACTUALLY, LET’S look at the parser",
        "moving on to the settings page",
        "Let's park this. The importer needs a progress bar",
        "New bug: the chart is empty",
        "Unrelated, but how do I rename a branch?",
        "Switch gears — help me with SQL",
        "never mind. Let's put this on hold and write the docs",
        "Next feature: bulk delete",
    ],
)
def test_marker_is_heard(rules: BoundaryRules, text: str) -> None:
    assert has_marker(text, rules)


@pytest.mark.seed("S1", "acc.explicit")
@table(
    "text",
    [
        "don't forget that the parser is slow",
        "the newtopic channel is unused",
        "actually, let's use a list instead",
        "actually, let's keep the old name",
        "> new topic: quoted from the review\nwhat does the reviewer mean?",
        "```\nnew topic\n```\nwhy does this print twice?",
        "the log says it is switching to the replica",
        "switching to threads broke the tests",
        "the new topic column is too narrow",
        "new feature flags should default to off",
        "let's move on to finding 8",
        "fix the comment, then move on to step 3",
        "unrelated tests fail",
    ],
)
def test_marker_is_not_heard(rules: BoundaryRules, text: str) -> None:
    assert not has_marker(text, rules)


def test_the_surest_of_several_markers_counts() -> None:
    phrases = Phrases.compile([Marker("by the way", 0.7), Marker("new topic", 0.99, anywhere=True)])
    hit = phrases.find("By the way, here is a new topic")
    assert hit is not None
    assert hit.marker.confidence == 0.99


def test_a_weak_marker_weighs_but_does_not_decide(rules: BoundaryRules) -> None:
    plain = detect_boundary(BoundaryInput("how do I rename a branch?", None, history=BEFORE), rules)
    hinted = detect_boundary(BoundaryInput("by the way, how do I rename a branch?", None, history=BEFORE), rules)
    ratios = [one.confidence if one.leaning else 1 - one.confidence for one in (plain, hinted)]
    assert ratios[0] < ratios[1] < 0.95


def test_going_back_to_something_older_is_new_unless_it_stands_in_this_conversation(rules: BoundaryRules) -> None:
    other = detect_boundary(BoundaryInput("back to the login page, it needs a logo", None, history=BEFORE), rules)
    assert other.is_new is True
    assert 'says "back to"' in other.reason
    same = detect_boundary(BoundaryInput("back to the invoice table, sort it by name", None, history=BEFORE), rules)
    assert same.leaning is False


def test_a_person_may_take_every_phrase_away() -> None:
    assert Phrases.compile([]).find("new topic") is None
    assert Cues.compile({"opener": []}).match("opener", "review this") == ""


@table("reply", ["proceed", "yes, go ahead", "2", "option 2", "both", "Do it!", "#4", "sounds good", "the second one"])
def test_short_replies_are_go_aheads(rules: BoundaryRules, reply: str) -> None:
    words = tuple(reply.lower().replace(",", "").replace("!", "").split())
    assert is_go_ahead(words, rules.lexicon.cues)


@table("text", ["add a parser", "make it 2", "why", "", "yes yes yes yes yes yes yes"])
def test_other_short_texts_are_not(rules: BoundaryRules, text: str) -> None:
    words = tuple(text.split())
    assert not is_go_ahead(words, rules.lexicon.cues)


@table(
    ("text", "name"),
    [
        ("## Status\n\nThe branch is green.", "heading"),
        ("Implement the following plan", "opening"),
        ("and also the footer", "reply"),
        ("no, the other one", "reply"),
        ("that worked on my machine", "reply"),
        ("still fails", "reply"),
        ("nice . do you have any hobbies ?", "probe_question"),
        ("while you're at it, sort the list", "reply"),
    ],
)
def test_wording_is_observed(rules: BoundaryRules, text: str, name: str) -> None:
    assert observe_wording(text, rules.lexicon).values.get(name, 0) > 0


def test_a_comment_in_pasted_settings_is_no_heading(rules: BoundaryRules) -> None:
    assert "heading" not in observe_wording("it wrote\n# port = 80\n# host = x", rules.lexicon).values


def test_speech_head_is_bounded() -> None:
    assert len(speech_head("word " * 100_000)) <= 400
