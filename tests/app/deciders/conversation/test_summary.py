"""Topics, timeline and cross-references of a conversation [S1]."""

from app.deciders.conversation.summary import find_cross_references, list_topics, make_timeline
from app.values.understanding import Entity, EntityKind, PriorMessage, Reference, ReferenceKind, ReferenceState


def thing(name: str, kind: EntityKind = EntityKind.COMPONENT) -> Entity:
    return Entity(text=name, kind=kind, start=0, end=len(name), canonical=name.lower())


MESSAGES = (
    PriorMessage(1, None, "", entities=(thing("FAB button"), thing("purple", EntityKind.VALUE))),
    PriorMessage(2, None, "", entities=(thing("reports", EntityKind.THING), thing("fab BUTTON"))),
    PriorMessage(5, None, "", entities=(thing("button"), thing("header"), thing("FAB button"))),
)


def reference(kind: ReferenceKind, conversation_id: int | None) -> Reference:
    return Reference(
        mention="like in conversation #2",
        start=0,
        end=4,
        kind=kind,
        state=ReferenceState.RESOLVED,
        antecedent="button",
        confidence=0.9,
        reason="",
        antecedent_conversation_id=conversation_id,
    )


def test_topics_are_the_most_spoken_of_as_first_written() -> None:
    assert list_topics(MESSAGES) == ("FAB button", "header", "reports")
    assert list_topics(MESSAGES, limit=1) == ("FAB button",)
    assert list_topics(()) == ()


def test_timeline_knows_first_last_and_count() -> None:
    entries = {entry.entity: entry for entry in make_timeline(MESSAGES)}
    button = entries["FAB button"]
    assert (button.first_message_id, button.last_message_id, button.mention_count) == (1, 5, 3)
    assert [entry.entity for entry in make_timeline(MESSAGES)] == [
        "FAB button",
        "purple",
        "reports",
        "button",
        "header",
    ]


def test_cross_references_are_other_conversations_once() -> None:
    references = [
        reference(ReferenceKind.CONVERSATION, 7),
        reference(ReferenceKind.PRONOUN, 3),
        reference(ReferenceKind.CONVERSATION, None),
        reference(ReferenceKind.CONVERSATION, 2),
        reference(ReferenceKind.CONVERSATION, 7),
    ]
    assert find_cross_references(references) == (7, 2)
