"""A person corrects what was judged: every act is one operation, and can be taken back."""

import pytest

from app.api import Engine, Intent, InvalidError, NotFoundError, Outcome, ReferenceState, StaleError
from tests.conftest import Say


@pytest.fixture
def story(say: Say) -> None:
    for text in ("I want to add a FAB button", "Make it purple", "Add a pulse animation", "Test it"):
        say(text)


@pytest.mark.usefixtures("story")
def test_rename_is_kept_and_undone(engine: Engine) -> None:
    engine.conversations.rename(1, "  The round   button ")
    assert engine.conversations.list()[0].title == "The round button"
    assert engine.journal.undo_label() == "Renamed to “The round button”"
    engine.journal.undo()
    assert engine.conversations.list()[0].title == "FAB button"
    engine.journal.redo()
    assert engine.conversations.list()[0].title == "The round button"


@pytest.mark.usefixtures("story")
def test_a_rename_survives_further_messages_and_can_still_be_undone(engine: Engine, say: Say) -> None:
    engine.conversations.rename(1, "Round button")
    say("and a shadow please")
    engine.journal.undo()
    (one,) = engine.conversations.list()
    assert (one.title, one.message_count) == ("FAB button", 5)


@pytest.mark.seed("S1", "boundary.by-hand")
@pytest.mark.usefixtures("story")
def test_split_and_undo(engine: Engine) -> None:
    third = engine.conversations.get(1).messages[2]
    new_id = engine.conversations.split(third.id)
    assert [message.text for message in engine.conversations.get(new_id).messages] == [
        "Add a pulse animation",
        "Test it",
    ]
    assert engine.conversations.get(1).conversation.message_count == 2
    boundary = engine.messages.get(third.id).boundary
    assert (boundary.is_start, boundary.state, boundary.reason) == (True, "corrected", "you split here")
    engine.journal.undo()
    assert engine.conversations.get(1).conversation.message_count == 4
    assert [one.id for one in engine.conversations.list()] == [1]


@pytest.mark.usefixtures("story")
def test_the_first_message_cannot_be_split_off(engine: Engine) -> None:
    with pytest.raises(InvalidError, match="first message already"):
        engine.conversations.split(engine.conversations.get(1).messages[0].id)


@pytest.mark.seed("S1", "boundary.by-hand")
@pytest.mark.usefixtures("story")
def test_merge_and_undo(engine: Engine, say: Say) -> None:
    say("Actually, let's work on dark mode instead")
    engine.conversations.merge(2, 1)
    (only,) = engine.conversations.list()
    assert (only.id, only.message_count, only.state.value) == (1, 5, "active")
    say("Put it in the header")
    assert engine.conversations.get(1).conversation.message_count == 6
    merge = next(one for one in engine.journal.list() if one.kind == "merge")
    engine.conversations.end(1)
    with pytest.raises(StaleError, match="changed again since"):
        engine.journal.undo(merge.id)
    engine.journal.undo()
    engine.journal.undo(merge.id)
    assert [one.id for one in engine.conversations.list()] == [2, 1]


@pytest.mark.usefixtures("story")
def test_what_was_joined_says_where_its_messages_are(engine: Engine, say: Say) -> None:
    say("Actually, let's work on dark mode instead")
    say("Write the release notes", session="other")
    engine.conversations.merge(2, 1)
    engine.conversations.merge(1, 3)
    title = engine.conversations.get(3).conversation.title
    joined = engine.conversations.get(2).conversation
    assert (joined.merged_into_id, joined.merged_into_title) == (3, title)
    with pytest.raises(
        NotFoundError, match=f"“Dark mode” was joined with “{title}”: its messages are in conversation 3"
    ):
        engine.conversations.rename(2, "Dark")
    assert f"Joined with “{title}”: its messages are in conversation 3." in engine.conversations.to_markdown(2)
    assert engine.conversations.get(3).conversation.merged_into_id is None


@pytest.mark.usefixtures("story")
def test_corrected_intents_stay_and_teach_the_classifier(engine: Engine) -> None:
    message = engine.conversations.get(1).messages[1]
    engine.messages.correct_intents(message.id, (Intent.CORRECT, Intent.EXECUTE))
    corrected = engine.messages.get(message.id)
    assert [score.intent for score in corrected.intents] == [Intent.CORRECT, Intent.EXECUTE]
    assert corrected.is_intent_corrected
    engine.journal.undo()
    assert not engine.messages.get(message.id).is_intent_corrected
    with pytest.raises(InvalidError):
        engine.messages.correct_intents(message.id, ())


@pytest.mark.usefixtures("story")
def test_a_corrected_reference_changes_the_expanded_text(engine: Engine) -> None:
    message = engine.conversations.get(1).messages[3]
    reference_id, _ = message.references[0]
    engine.messages.correct_reference(reference_id, "FAB button", engine.conversations.get(1).messages[0].id)
    corrected = engine.messages.get(message.id)
    assert corrected.expanded_text == "Test the FAB button"
    assert corrected.references[0][1].state is ReferenceState.CORRECTED
    engine.messages.dismiss_reference(reference_id)
    assert engine.messages.get(message.id).expanded_text == "Test it"
    engine.journal.undo()
    engine.journal.undo()
    assert engine.messages.get(message.id).expanded_text == message.expanded_text


@pytest.mark.seed("S3", "conversation.status")
@pytest.mark.seed("S1", "record.outcome-more", "life.stored")
@pytest.mark.usefixtures("story")
def test_end_reopen_and_outcome(engine: Engine) -> None:
    engine.conversations.end(1, Outcome.COMPLETED)
    (one,) = engine.conversations.list()
    assert (one.state.value, one.outcome, one.is_outcome_edited) == ("ended", Outcome.COMPLETED, True)
    engine.conversations.reopen(1)
    assert engine.conversations.list()[0].state.value == "active"
    engine.conversations.set_outcome(1, Outcome.TESTED)
    assert engine.conversations.list()[0].outcome is Outcome.TESTED


@pytest.mark.seed("S1", "boundary.ask", "boundary.answer", "road.clarify")
def test_an_unclear_boundary_is_asked_and_answered(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    asked = say("Make it purple", minutes=60 * 9)
    assert asked.is_new_conversation is None
    assert asked.clarification is not None
    assert asked.clarification.continue_title == "FAB button"
    (question,) = engine.conversations.clarifications()
    engine.conversations.clarify(question.message_id, is_new=False)
    message = engine.messages.get(question.message_id)
    assert message.conversation_id == 1
    assert message.expanded_text == "Make the FAB button purple"
    assert engine.conversations.clarifications() == ()
    with pytest.raises(StaleError):
        engine.conversations.clarify(question.message_id, is_new=True)
    engine.journal.undo()
    assert len(engine.conversations.clarifications()) == 1
    engine.conversations.clarify(question.message_id, is_new=True)
    assert len(engine.conversations.list()) == 2
    assert engine.messages.get(question.message_id).boundary.reason == "you said: start new"


@pytest.mark.seed("S2", "clear.keeps")
def test_the_window_is_cleared_without_deleting(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    assert [message.text for message in engine.window.load()] == ["I want to add a FAB button"]
    assert engine.window.clear() == 1
    assert engine.window.load() == ()
    assert say("Make it purple").references[0].state is not ReferenceState.RESOLVED
    assert engine.stats.now().message_count == 2
    engine.journal.undo()
    assert len(engine.window.load()) == 2


@pytest.mark.seed("S1", "last-messages", "road.expire")
@pytest.mark.seed("S2", "window.ten", "window.two-hours", "rotation", "expire.automatic", "check.expiry")
def test_the_window_holds_ten_and_nothing_older_than_two_hours(engine: Engine, say: Say) -> None:
    say("Add a login page")
    for number in range(12):
        say(f"and field number {number}", minutes=0.1)
    assert len(engine.window.load()) == 10
    say("Add a map", session="other", minutes=121)
    assert [message.text for message in engine.window.load()] == ["Add a map"]


def test_search_finds_words_in_any_order(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button to the Überblick page")
    (hit,) = engine.conversations.search("überblick fab")
    assert [hit.snippet[start:end].casefold() for start, end in hit.marks] == ["fab", "überblick"]
    assert engine.conversations.search("teapot") == ()
