"""The worked cases of S1 (Combined Detection Algorithm) and DESIGN section 2 hold in the combined decision."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.conversation.boundary.boundary import _PLAIN_TEXTS, BoundaryRules, describe_minutes, detect_boundary
from app.resources import load_rules
from app.values.understanding import (
    BoundaryInput,
    Entity,
    EntityKind,
    PriorMessage,
    Reference,
    ReferenceKind,
    ReferenceState,
)
from tests.table import table

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def rules() -> BoundaryRules:
    return BoundaryRules.parse(load_rules("boundary"))


def thing(name: str, kind: EntityKind = EntityKind.COMPONENT) -> Entity:
    return Entity(text=name, kind=kind, start=0, end=len(name), canonical=name.lower())


def fab_history() -> tuple[PriorMessage, ...]:
    return (
        PriorMessage(1, START, "I want to add a FAB button", entities=(thing("FAB button"),)),
        PriorMessage(2, START + timedelta(minutes=3), "Add a pulse animation", entities=(thing("pulse animation"),)),
        PriorMessage(3, START + timedelta(minutes=6), "Move the header up", entities=(thing("header"),)),
    )


def pointing_to(antecedent: str, mention: str = "it", confidence: float = 0.9) -> Reference:
    return Reference(
        mention=mention,
        start=5,
        end=7,
        kind=ReferenceKind.PRONOUN,
        state=ReferenceState.RESOLVED,
        antecedent=antecedent,
        confidence=confidence,
        reason="",
        antecedent_message_id=1,
    )


def after(
    minutes: float, text: str, *entities: Entity, references: tuple[Reference, ...] = (), outcome: str = ""
) -> BoundaryInput:
    history = fab_history()
    last_at = history[-1].at
    assert last_at is not None
    return BoundaryInput(
        text=text,
        at=last_at + timedelta(minutes=minutes),
        entities=entities,
        references=references,
        history=history,
        outcome=outcome,
    )


@pytest.mark.seed("S1", "marker.first", "boundary.result")
@table(
    ("text", "confidence"),
    [
        ("Actually, let's work on dark mode instead", 0.98),
        ("Forget that, I want to export invoices", 0.95),
        ("New topic: the billing page", 0.99),
        ("switching to the export feature now", 0.97),
    ],
)
def test_explicit_marker_starts_a_conversation_whatever_else(
    rules: BoundaryRules, text: str, confidence: float
) -> None:
    decision = detect_boundary(after(1, text, thing("FAB button")), rules)
    assert (decision.is_new, decision.confidence) == (True, confidence)
    assert decision.reason.startswith("new: says")


@pytest.mark.seed("S1", "gap.more")
def test_gap_of_more_than_four_hours_is_new_at_ninety(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(300, "Add user authentication", thing("user authentication")), rules)
    assert decision.is_new is True
    assert decision.confidence >= 0.90
    assert "5 h gap" in decision.reason


@pytest.mark.seed("S1", "session.completed-tests")
def test_reference_evidence_outweighs_a_short_pause_without_entities(rules: BoundaryRules) -> None:
    given = after(4, "Make it purple", thing("purple", EntityKind.VALUE), references=(pointing_to("FAB button"),))
    decision = detect_boundary(given, rules)
    assert decision.is_new is False
    assert "'it' refers to FAB button" in decision.reason
    assert "4 minutes later" in decision.reason


@pytest.mark.seed("S1", "gap.purple")
def test_reference_that_resolves_only_across_a_long_gap_asks(rules: BoundaryRules) -> None:
    given = after(360, "Make it purple", thing("purple", EntityKind.VALUE), references=(pointing_to("FAB button"),))
    decision = detect_boundary(given, rules)
    assert decision.is_new is None
    assert isinstance(decision.leaning, bool)


@pytest.mark.seed("S1", "overlap.high", "road.overlap")
def test_high_overlap_continues_within_four_hours(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(100, "Let the FAB button fade in", thing("FAB button")), rules)
    assert decision.is_new is False
    assert decision.confidence >= 0.85


@pytest.mark.seed("S1", "gap.240", "overlap.low")
def test_low_overlap_and_more_than_an_hour_is_new(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(90, "Write invoices to disk", thing("invoices"), thing("disk")), rules)
    assert decision.is_new is True
    assert decision.reason == "new: 2 h gap and no shared entities"
    assert decision.confidence >= 0.80


@pytest.mark.seed("S1", "gap.15")
def test_low_overlap_within_minutes_continues(rules: BoundaryRules) -> None:
    assert detect_boundary(after(2, "Use a blue shadow", thing("shadow")), rules).is_new is False


@pytest.mark.seed("S1", "session.ended")
def test_completed_and_more_than_half_an_hour_is_new(rules: BoundaryRules) -> None:
    text = "Write invoices to disk"
    decision = detect_boundary(after(40, text, thing("invoices"), outcome="completed"), rules)
    assert decision.is_new is True
    assert decision.confidence >= 0.75


@pytest.mark.seed("S1", "boundary.default")
def test_without_signals_it_continues(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(3, "round corners"), rules)
    assert decision.is_new is False


@pytest.mark.seed("S1", "overlap.none")
def test_no_entities_leave_overlap_without_a_vote(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(3, "round corners"), rules)
    assert "overlap" not in {factor.name for factor in decision.factors}


def test_a_plain_value_is_no_subject(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(3, "purple", thing("purple", EntityKind.VALUE)), rules)
    assert "overlap" not in {factor.name for factor in decision.factors}


def test_nothing_before_is_always_new(rules: BoundaryRules) -> None:
    decision = detect_boundary(BoundaryInput(text="yes", at=START), rules)
    assert (decision.is_new, decision.confidence) == (True, 1.0)


@pytest.mark.seed("S1", "session.active")
@table("sign", ["is_first_of_session", "is_session_ended"])
def test_session_state_pushes_towards_new(rules: BoundaryRules, sign: str) -> None:
    plain = detect_boundary(after(20, "Sort the invoices", thing("invoices")), rules)
    given = after(20, "Sort the invoices", thing("invoices"))
    values = {name: getattr(given, name) for name in BoundaryInput.__dataclass_fields__} | {sign: True}
    signed = detect_boundary(BoundaryInput(**values), rules)
    votes = {factor.name: factor.vote for factor in signed.factors}
    assert votes["session"] > 0
    assert "session" not in {factor.name for factor in plain.factors}


def test_without_times_words_decide(rules: BoundaryRules) -> None:
    history = (PriorMessage(1, None, "i adopted two kittens from the shelter"),)
    follow = detect_boundary(BoundaryInput("and how old are the kittens ?", None, history=history), rules)
    turn = detect_boundary(
        BoundaryInput("that is lovely . do you play any music instruments or sing in a band ?", None, history=history),
        rules,
    )
    assert follow.leaning is False
    assert turn.leaning is True
    assert "gap" not in {factor.name for factor in turn.factors}


@pytest.mark.seed("S1", "road.edge")
def test_clock_that_runs_backwards_is_no_gap(rules: BoundaryRules) -> None:
    decision = detect_boundary(after(-600, "make it rounder"), rules)
    assert decision.is_new is False


def test_votes_stay_between_minus_one_and_one(rules: BoundaryRules) -> None:
    text = "Implement the following plan:\n\n# Plan: Invoice export\n\nWrite invoices to disk"
    decision = detect_boundary(after(9000, text, thing("invoices")), rules)
    assert decision.is_new is True
    assert all(-1 <= factor.vote <= 1 for factor in decision.factors)


@pytest.mark.seed("S1", "life.boundary-70", "overlap.middle", "boundary.ask-below")
def test_less_sure_than_asked_for_asks_and_surer_decides(rules: BoundaryRules) -> None:
    given = after(20, "Sort the invoices", thing("invoices"))
    sure = detect_boundary(given, rules, ask_below=0.5)
    assert sure.is_new is sure.leaning
    assert 0.5 < sure.confidence < 0.95
    below, above = sure.confidence - 0.01, sure.confidence + 0.01
    assert detect_boundary(given, rules, ask_below=below).is_new is sure.leaning
    asked = detect_boundary(given, rules, ask_below=above)
    assert (asked.is_new, asked.leaning, asked.confidence) == (None, sure.leaning, sure.confidence)


def test_without_times_it_asks_half_as_soon(rules: BoundaryRules) -> None:
    history = tuple(replace(message, at=None) for message in fab_history())
    given = BoundaryInput("Sort the invoices", None, entities=(thing("invoices"),), history=history)
    sure = detect_boundary(given, rules, ask_below=0.5)
    margin = sure.confidence - 0.5
    assert detect_boundary(given, rules, ask_below=0.5 + 1.9 * margin).is_new is sure.leaning
    assert detect_boundary(given, rules, ask_below=0.5 + 2.1 * margin).is_new is None


def test_a_marker_and_the_first_message_are_never_asked_about(rules: BoundaryRules) -> None:
    assert detect_boundary(after(1, "New topic: the billing page"), rules, ask_below=0.95).is_new is True
    assert detect_boundary(BoundaryInput("Add a map", START), rules, ask_below=0.95).is_new is True


def test_a_reference_holds_the_conversation_unless_the_message_asks_something_else(rules: BoundaryRules) -> None:
    eager = replace(rules, weights={name: {**weights, "bias": 6.0} for name, weights in rules.weights.items()})
    pointing = (pointing_to("FAB button"),)
    held = detect_boundary(after(4, "Make it purple", thing("purple", EntityKind.VALUE), references=pointing), eager)
    assert (held.is_new, round(held.confidence, 2)) == (False, 0.70)
    assert detect_boundary(after(4, "Do you like it?", references=pointing), eager).is_new is True


@table(
    ("text", "minutes"),
    [("Sort the invoices", 20), ("Move the header up", 2), ("Write a parser for logs", 90), ("yes, go ahead", 3)],
)
def test_what_a_factor_says_agrees_with_its_vote(rules: BoundaryRules, text: str, minutes: float) -> None:
    factors = detect_boundary(after(minutes, text, thing(text.rsplit(" ", 1)[-1])), rules).factors
    said = {factor.text: factor.vote for factor in factors}
    for for_new, against in _PLAIN_TEXTS.values():
        assert said.get(for_new, 1.0) > 0, said
        assert said.get(against, -1.0) < 0, said


@table(
    ("minutes", "said"),
    [(0, "less than a minute"), (1, "1 minute"), (89.4, "89 minutes"), (90, "2 h"), (2879, "48 h"), (2880, "2 days")],
)
def test_durations_in_words(minutes: float, said: str) -> None:
    assert describe_minutes(minutes) == said
