"""References to other conversations by number, by name and by day."""

from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.conversation.references.resolution import ConversationMention, ReferenceRules, resolve_references
from app.resources import load_rules
from app.values import Reference, ReferenceKind, ReferenceState

RULES = ReferenceRules.parse(load_rules("references"))
NOW = datetime(2026, 3, 5, 15, 0, tzinfo=UTC)  # a Thursday
YESTERDAY = NOW - timedelta(days=1)
TALKS = (
    ConversationMention(7, 1, "Dark mode", (("dark mode", NOW - timedelta(days=9)),), NOW - timedelta(days=9)),
    ConversationMention(8, 2, "FAB button", (("FAB button", YESTERDAY), ("pulse animation", YESTERDAY)), YESTERDAY),
)


def references(text: str) -> list[Reference]:
    found = resolve_references(text, (), (), RULES, conversations=TALKS, now=NOW)
    return [reference for reference in found if reference.kind is ReferenceKind.CONVERSATION]


@pytest.mark.seed("S1", "queue.refer-any")
@pytest.mark.parametrize(
    ("text", "conversation_id", "antecedent"),
    [
        ("make it round like in conversation #2", 8, "FAB button"),
        ("as in conversation 1", 7, "Dark mode"),
        ("move the FAB button from yesterday to the left", 8, "FAB button"),
        ("remember the pulse animation we made yesterday", 8, "pulse animation"),
        ("the button from Wednesday", 8, "FAB button"),
        ("go back to the dark mode conversation", 7, "Dark mode"),
    ],
)
def test_found(text: str, conversation_id: int, antecedent: str) -> None:
    (reference,) = references(text)
    assert reference.state is ReferenceState.RESOLVED
    assert reference.antecedent_conversation_id == conversation_id
    assert reference.antecedent == antecedent
    assert text[reference.start : reference.end] == reference.mention


def test_a_number_that_is_not_in_the_queue_is_unresolved() -> None:
    (reference,) = references("as in conversation #14")
    assert reference.state is ReferenceState.UNRESOLVED
    assert reference.antecedent_conversation_id is None


@pytest.mark.parametrize("text", ["the slider from yesterday", "the last conversation", "yesterday it rained"])
def test_nothing_that_fits(text: str) -> None:
    assert references(text) == []


def test_two_that_fit_are_asked() -> None:
    twin = ConversationMention(9, 3, "Another FAB button", (("FAB button", YESTERDAY),), YESTERDAY)
    found = resolve_references("the FAB button from yesterday", (), (), RULES, conversations=(*TALKS, twin), now=NOW)
    (reference,) = found
    assert reference.state is ReferenceState.AMBIGUOUS
    assert {candidate.conversation_id for candidate in reference.candidates} == {8, 9}
