"""What a person ran into by hand, each as it should be. Source: issue 17 "From what was found by hand"."""

from collections.abc import Sequence

import pytest

from app.api import ConversationState, Engine, MemoryDraft
from app.values import ContextSignals, Intent, MemoryFilter, ReferenceState
from tests.conftest import Say


def wanted(engine: Engine, message_id: int | None) -> list[Intent]:
    assert message_id is not None
    return [score.intent for score in engine.messages.get(message_id).intents]


def stands_for(engine: Engine, message_id: int | None) -> list[str | None]:
    assert message_id is not None
    return [reference.antecedent for _, reference in engine.messages.get(message_id).references]


# the person's own end --------------------------------------------------------------------------------


def test_what_a_person_ended_does_not_go_on(engine: Engine, say: Say) -> None:
    first = say("I want to add a FAB button")
    assert first.conversation_id is not None
    engine.conversations.end(first.conversation_id)
    after = say("Add tests for it")
    assert after.conversation_id != first.conversation_id
    assert engine.conversations.get(first.conversation_id).conversation.state is ConversationState.ENDED
    assert stands_for(engine, after.message_id) == ["FAB button"], "what it points at is still known"
    assert after.clarification is None


def test_what_a_person_reopened_goes_on(engine: Engine, say: Say) -> None:
    first = say("I want to add a FAB button")
    assert first.conversation_id is not None
    engine.conversations.end(first.conversation_id)
    engine.conversations.reopen(first.conversation_id)
    assert say("Add tests for it").conversation_id == first.conversation_id


# answers ---------------------------------------------------------------------------------------------


def asked(say: Say, engine: Engine) -> tuple[int, int]:
    """A message about which the person is asked; the number of the conversation that it may go on with, and its own."""
    first = say("I want to add a FAB button")
    message = say("Make it purple", minutes=360)
    assert message.clarification is not None
    assert first.conversation_id is not None
    assert message.message_id is not None
    return first.conversation_id, message.message_id


@pytest.mark.seed("S1", "boundary.answer-text")
@pytest.mark.parametrize(
    ("answer", "is_new"), [("A", False), ("a)", False), ("B", True), ("(b)", True), ("start new", True)]
)
def test_a_letter_answers_the_question(engine: Engine, say: Say, answer: str, is_new: bool) -> None:
    conversation_id, message_id = asked(say, engine)
    result = say(answer)
    assert engine.conversations.clarifications() == ()
    message = engine.messages.get(message_id)
    assert message.boundary.state == "answered"
    assert (message.conversation_id != conversation_id) is is_new
    assert result.message_id == message_id
    texts = [one.text for talk in engine.conversations.list() for one in engine.conversations.get(talk.id).messages]
    assert sorted(texts) == ["I want to add a FAB button", "Make it purple"], "an answer is no message"


def test_an_answer_can_be_undone(engine: Engine, say: Say) -> None:
    _, message_id = asked(say, engine)
    say("B")
    (operation, *_) = engine.journal.list()
    assert operation.label == "Answered “B”: start new"
    engine.journal.undo(operation.id)
    assert engine.messages.get(message_id).boundary.state == "asked"


def test_the_thing_itself_answers_what_it_is(engine: Engine, say: Say) -> None:
    say("Let's talk about the FAB button, the pulse animation and the header")
    message = say("Make it purple")
    assert message.message_id is not None
    (reference,) = engine.messages.get(message.message_id).references
    assert reference[1].state is ReferenceState.UNRESOLVED
    say("the header")
    (reference,) = engine.messages.get(message.message_id).references
    assert (reference[1].state, reference[1].antecedent) == (ReferenceState.CORRECTED, "header")
    assert engine.messages.get(message.message_id).expanded_text == "Make the header purple"
    assert message.conversation_id is not None
    assert len(engine.conversations.get(message.conversation_id).messages) == 2


def test_naming_the_earlier_thing_says_that_it_goes_on(engine: Engine, say: Say) -> None:
    conversation_id, message_id = asked(say, engine)
    say("the FAB button")
    message = engine.messages.get(message_id)
    assert (message.conversation_id, message.boundary.state) == (conversation_id, "answered")


@pytest.mark.parametrize("text", ["A", "B", "the header", "start new"])
def test_without_a_question_a_word_is_a_message(engine: Engine, say: Say, text: str) -> None:
    say("I want to add a FAB button to the toolbar")
    say("Rename the toolbar to ToolStrip")
    result = say(text)
    assert result.message_id is not None
    assert engine.messages.get(result.message_id).text == text


def test_an_order_after_a_question_is_a_message(engine: Engine, say: Say) -> None:
    _, message_id = asked(say, engine)
    result = say("Add a shadow to the header")
    assert result.message_id != message_id
    assert len(engine.conversations.clarifications()) == 1


# intents ---------------------------------------------------------------------------------------------


@pytest.mark.seed("S1", "acc.add-and-test")
@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("add a dark mode and test it", [Intent.PLAN, Intent.TEST]),
        ("Add a pulse animation", [Intent.PLAN]),
        ("I want to add a FAB button", [Intent.PLAN]),
        ("Make it purple", [Intent.EXECUTE]),
        ("Test it", [Intent.TEST]),
    ],
)
def test_several_intents_are_kept_and_shown(engine: Engine, say: Say, text: str, intents: Sequence[Intent]) -> None:
    say("Let's look at the shop")
    found = wanted(engine, say(text).message_id)
    assert found[: len(intents)] == list(intents)


# references ------------------------------------------------------------------------------------------


def test_a_colour_is_of_the_thing_not_of_its_tests(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    say("Make it purple")
    say("Add tests for that")
    assert stands_for(engine, say("Change the color").message_id) == ["FAB button"]


def test_another_conversation_is_named_by_its_words(engine: Engine, say: Say) -> None:
    first = say("I want to add a FAB button", session="a")
    say("Make it blue", session="a")
    say("Add a header to the settings page", session="b", minutes=300)
    message = say("Make the header blue like the FAB button", session="b")
    assert message.message_id is not None
    found = [one for _, one in engine.messages.get(message.message_id).references if one.antecedent_conversation_id]
    assert [(one.antecedent, one.antecedent_conversation_id) for one in found] == [
        ("FAB button", first.conversation_id)
    ]
    assert message.conversation_id is not None
    assert first.conversation_id in engine.conversations.get(message.conversation_id).conversation.related_ids


def test_what_is_named_here_is_not_looked_for_elsewhere(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button", session="a")
    second = say("Add a FAB button to the settings page too", session="b", minutes=300)
    message = say("Make the header blue like the FAB button", session="b")
    assert message.message_id is not None
    found = [one for _, one in engine.messages.get(message.message_id).references]
    assert all(one.antecedent_conversation_id in {None, second.conversation_id} for one in found)


# memories --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["new topic: billing", "Actually, let's work on dark mode first", "switching to the export feature now"]
)
def test_what_begins_a_topic_is_no_memory(engine: Engine, say: Say, text: str) -> None:
    say("I want to add a FAB button")
    say(text)
    assert engine.memories.list(MemoryFilter()).cards == ()


def test_the_database_sentence_of_the_seed(engine: Engine, say: Say) -> None:
    say(
        "The team decided to use PostgreSQL as the primary database because of its strong support for JSON operations "
        "and the team's existing expertise with it."
    )
    (card,) = engine.memories.list(MemoryFilter()).cards
    memory = engine.memories.get(card.id).memory
    assert memory.slot is not None
    assert (memory.slot.subject, memory.slot.attribute) == ("", "database")
    levels = [memory.levels.summary.text, memory.levels.compressed.text, memory.levels.index.text]
    assert levels == ["DB: PostgreSQL (JSON support, team expertise)", "db:postgres(json,exp)", "db:pg"]


def test_a_collaborators_name_is_no_part_of_a_word(engine: Engine) -> None:
    zone = engine.memories.create(MemoryDraft("The timezone of the reports is UTC", project_path="/w/app"))
    own = engine.memories.create(MemoryDraft("Tim reviews the reports", project_path="/w/app"))
    signals = ContextSignals("/w/app", collaborator="Tim", prompt="carry on")
    found = set(engine.context.predict(signals).memory_ids)
    assert own in found
    assert zone not in found
