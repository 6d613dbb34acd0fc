"""The first message of a new session: new, unless it takes an earlier conversation up or points into it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.deciders.conversation.boundary.session_starts import SessionRules, hold_session
from app.resources import load_rules
from app.values import (
    BoundaryDecision,
    BoundaryFactor,
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
CART = Entity(text="cart", kind=EntityKind.FEATURE, start=0, end=4, canonical="cart")
BEFORE = (PriorMessage(1, START, "add a cart", entities=(CART,)),)
GUESS = BoundaryDecision(is_new=False, confidence=0.6, reason="continues: 1 minute later")


@pytest.fixture(scope="module")
def rules() -> SessionRules:
    return SessionRules.parse(load_rules("sessions"))


def first(text: str, *, entities: tuple[Entity, ...] = (), references: tuple[Reference, ...] = ()) -> BoundaryInput:
    return BoundaryInput(
        text, START, entities=entities, references=references, history=BEFORE, is_first_of_session=True
    )


def pointing(message_id: int | None, kind: ReferenceKind = ReferenceKind.PRONOUN) -> Reference:
    return Reference("it", 5, 7, kind, ReferenceState.RESOLVED, "cart", 0.9, "", antecedent_message_id=message_id)


def test_inside_a_session_the_decision_stands(rules: SessionRules) -> None:
    assert hold_session(BoundaryInput("add a map", START, history=BEFORE), GUESS, rules) is GUESS


def test_a_marker_stands_in_a_new_session_too(rules: SessionRules) -> None:
    marked = BoundaryDecision(is_new=True, confidence=0.98, reason="", factors=(BoundaryFactor("marker", 0.98, ""),))
    assert hold_session(first("continue"), marked, rules) is marked


@table("text", ["add a map", "resumes are too long", "Continued fractions in the parser"])
def test_what_takes_nothing_up_is_new(rules: SessionRules, text: str) -> None:
    assert hold_session(first(text), GUESS, rules).is_new is True


@table("text", ["Continue", "let’s continue with that", "back to the other thing", "next steps?"])
def test_words_that_take_something_up_ask(rules: SessionRules, text: str) -> None:
    decision = hold_session(first(text), GUESS, rules)
    assert (decision.is_new, decision.leaning) == (None, False)


def test_words_and_a_shared_name_continue_without_asking(rules: SessionRules) -> None:
    decision = hold_session(first("back to the cart", entities=(CART,)), GUESS, rules)
    assert decision.is_new is False
    assert "back to" in decision.reason


def test_a_shared_name_alone_is_new(rules: SessionRules) -> None:
    assert hold_session(first("colour the cart", entities=(CART,)), GUESS, rules).is_new is True


def test_a_reference_that_resolves_there_asks(rules: SessionRules) -> None:
    decision = hold_session(first("make it purple", references=(pointing(1),)), GUESS, rules)
    assert (decision.is_new, decision.leaning) == (None, False)
    assert "“it” may mean cart" in decision.reason


@table("reference", [pointing(None), pointing(7), pointing(1, ReferenceKind.DEFINITE)])
def test_other_references_do_not_ask(rules: SessionRules, reference: Reference) -> None:
    assert hold_session(first("make it purple", references=(reference,)), GUESS, rules).is_new is True


@table("text", ["Thanks! Please write a commit message", "that worked! now the footer", "still not working"])
def test_an_answer_to_what_was_done_goes_on(rules: SessionRules, text: str) -> None:
    assert hold_session(first(text), GUESS, rules).is_new is False


def test_the_same_order_again_goes_on_another_number_does_not(rules: SessionRules) -> None:
    text = "write an overview of the cart page in notes"
    asked = replace(first(text), history=(PriorMessage(1, START, text),))
    assert hold_session(asked, GUESS, rules).is_new is False
    assert hold_session(replace(asked, text=f"{text}, in short sentences"), GUESS, rules).is_new is False
    other = replace(asked, text="write an overview of the price page in notes")
    assert hold_session(other, GUESS, rules).is_new is True


def test_beside_a_session_that_is_alive_only_such_words_go_on(rules: SessionRules) -> None:
    beside = replace(first("Continue with the cart", entities=(CART,)), is_alive_elsewhere=True)
    assert hold_session(beside, GUESS, rules).is_new is True
    assert hold_session(replace(beside, text="thanks, now the cart"), GUESS, rules).is_new is False
