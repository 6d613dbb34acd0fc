"""Answers shift later decisions, and no number of them breaks the shipped prior."""

from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.conversation.boundary.boundary import BoundaryRules, detect_boundary, learn_leaning, logit_of, vote_of
from app.resources import load_rules
from app.values.understanding import BoundaryFactor, BoundaryFeedback, BoundaryInput, Entity, EntityKind, PriorMessage
from tests.table import table

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def rules() -> BoundaryRules:
    return BoundaryRules.parse(load_rules("boundary"))


def given(text: str, minutes: float) -> BoundaryInput:
    table = Entity("invoice table", EntityKind.COMPONENT, 0, 13, "invoice table")
    footer = Entity("footer", EntityKind.COMPONENT, 0, 6, "footer")
    history = (PriorMessage(1, START, "Sort the invoice table", entities=(table,)),)
    return BoundaryInput(text, START + timedelta(minutes=minutes), entities=(footer,), history=history)


def new_ratio(question: BoundaryInput, rules: BoundaryRules, feedback: list[BoundaryFeedback]) -> float:
    decision = detect_boundary(question, rules, feedback)
    return decision.confidence if decision.leaning else 1 - decision.confidence


def test_answers_move_later_decisions_their_way(rules: BoundaryRules) -> None:
    question = given("Center the footer text", 40)
    factors = detect_boundary(question, rules).factors
    plain = new_ratio(question, rules, [])
    assert new_ratio(question, rules, [BoundaryFeedback(factors, is_new=True)]) > plain
    assert new_ratio(question, rules, [BoundaryFeedback(factors, is_new=False)]) < plain


def test_one_answer_does_not_turn_a_clear_decision(rules: BoundaryRules) -> None:
    question = given("Implement the following plan:\n\n# Plan: Audit trail\n\nWrite every change to a file", 30)
    first = detect_boundary(question, rules)
    later = detect_boundary(question, rules, [BoundaryFeedback(first.factors, is_new=False)])
    assert first.is_new is True
    assert later.is_new is True


@table("is_new", [True, False])
@table("count", [10, 500])
def test_many_answers_leave_the_plain_cases_alone(rules: BoundaryRules, *, is_new: bool, count: int) -> None:
    factors = detect_boundary(given("Center the footer text", 40), rules).factors
    feedback = [BoundaryFeedback(factors, is_new=is_new)] * count
    assert detect_boundary(given("New topic: the parser", 1), rules, feedback).is_new is True
    assert detect_boundary(given("Write a parser for bank statements", 2_000), rules, feedback).is_new is True
    assert detect_boundary(given("yes, go ahead", 2), rules, feedback).is_new is False


@table("is_new", [True, False])
def test_what_is_learned_is_bounded(*, is_new: bool) -> None:
    factors = (BoundaryFactor("gap", 0.99, ""), BoundaryFactor("drift", -0.99, ""))
    learned = learn_leaning([BoundaryFeedback(factors, is_new=is_new)] * 1000, bias=-2.0)
    assert abs(learned.shift) <= 0.8
    assert all(0.6 <= trust <= 1.4 for trust in learned.trust.values())


def test_no_answers_change_nothing(rules: BoundaryRules) -> None:
    assert learn_leaning([], bias=-2.0).trust_of("gap") == 1.0


def test_the_same_answers_give_the_same_decision(rules: BoundaryRules) -> None:
    question = given("Center the footer text", 40)
    factors = detect_boundary(question, rules).factors
    feedback = [BoundaryFeedback(factors, is_new=True), BoundaryFeedback(factors, is_new=False)]
    assert detect_boundary(question, rules, feedback) == detect_boundary(question, rules, feedback)


@table("logit", [-3.0, -0.2, 0.0, 1.5])
def test_votes_keep_the_logit(logit: float) -> None:
    assert logit_of(vote_of(logit)) == pytest.approx(logit, abs=1e-9)
