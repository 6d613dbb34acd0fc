"""A prompt becomes an understood message of a conversation; twice is once; failures are kept and shown."""

import pytest

from app.api import (
    CaptureRequest,
    Engine,
    EventKind,
    EventState,
    FrozenClock,
    Intent,
    InvalidError,
    Outcome,
    ReferenceState,
)
from app.understanding.pipeline import MessagePipeline
from tests.conftest import Say
from tests.patience import PATIENCE_S


def prompt(text: str, key: str, **more: object) -> CaptureRequest:
    return CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=key, session="s1", text=text, **more)  # type: ignore[arg-type]


@pytest.mark.seed("S1", "life.start", "life.append", "road.logging", "road.entities", "ux.repetition")
@pytest.mark.seed("S2", "analyse.load", "analyse.context", "router.load-first", "zero-maintenance")
def test_the_story_of_the_fab_button(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    purple = say("Make it purple")
    say("Add a pulse animation")
    tested = say("Test it")
    assert purple.expanded_text == "Make the FAB button purple"
    assert purple.references[0].state is ReferenceState.RESOLVED
    assert purple.is_new_conversation is False
    assert Intent.TEST in {score.intent for score in tested.intents}
    (conversation,) = engine.conversations.list()
    assert conversation.title == "FAB button"
    assert conversation.message_count == 4
    assert conversation.position == 1


@pytest.mark.seed("S1", "life.boundary", "ux.boundary")
def test_a_marker_starts_a_new_conversation_and_ends_the_old_one(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    result = say("Actually, let's work on dark mode instead")
    assert result.is_new_conversation is True
    newest, oldest = engine.conversations.list()
    assert (newest.state.value, oldest.state.value) == ("active", "ended")
    assert (newest.position, oldest.position) == (2, 1)


@pytest.mark.seed("S1", "life.abandoned")
def test_what_is_given_up_in_words_is_abandoned(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    assert say("Forget that, let's build the export page instead").is_new_conversation is True
    outcomes = [None if one.outcome is None else one.outcome.value for one in engine.conversations.list()]
    assert outcomes == [None, "abandoned"]


def test_what_was_only_ordered_has_no_outcome_until_it_is_seen_or_said(engine: Engine, say: Say) -> None:
    say("Add a settings page")
    assert engine.conversations.list()[0].outcome is None
    say("great, now put the language into it")
    assert engine.conversations.list()[0].outcome is Outcome.IMPLEMENTED


@pytest.mark.seed("S1", "record.title")
def test_equal_titles_are_told_apart_and_a_bare_yes_waits_for_a_name(engine: Engine, say: Say) -> None:
    say("Fix the login page", session="a")
    say("Fix the login page", session="b", minutes=60 * 24 * 20)
    say("proceed", session="c", minutes=60 * 24 * 20)
    assert [one.title for one in engine.conversations.list()][1:] == ["Fix the login page (2)", "Fix the login page"]
    say("add a pager to the list", session="c")
    assert engine.conversations.list()[0].title == "Add a pager to the list"


def test_what_only_announces_is_a_title_until_something_is_named(engine: Engine, say: Say) -> None:
    say("familiarize yourself with the code")
    assert engine.conversations.list()[0].title == "Familiarize yourself with the code"
    say("y")
    assert engine.conversations.list()[0].title == "Familiarize yourself with the code"
    say("add a pager to the list of invoices")
    assert engine.conversations.list()[0].title == "Add a pager to the list of invoices"
    say("then sort the invoices")
    assert engine.conversations.list()[0].title == "Add a pager to the list of invoices"


def test_no_word_of_another_message_enters_a_memory(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    assert say("From now on never make it purple").references[0].antecedent == "FAB button"
    assert "FAB" not in " ".join(card.title for card in engine.memories.list().cards)


def test_a_persons_own_lists_are_laid_over_the_shipped_ones(engine: Engine, say: Say) -> None:
    own = engine.places.rules_dir
    own.mkdir()
    (own / "sessions.yaml").write_text("resume_phrases: [wieder zum]\n")
    assert say("Add a login page", session="a").is_new_conversation is True
    assert say("Wieder zum Formular von eben", session="b", minutes=30).is_new_conversation is None


def test_the_same_event_twice_is_one_event(engine: Engine) -> None:
    first = engine.events.capture([prompt("Add a login page", "k1")], wait_s=PATIENCE_S)[0]
    again = engine.events.capture([prompt("Add a login page", "k1")], wait_s=PATIENCE_S)[0]
    assert again.is_duplicate
    assert again.event_id == first.event_id
    assert engine.stats.now().message_count == 1


def test_the_same_words_twice_are_two_messages(engine: Engine, say: Say) -> None:
    say("proceed")
    say("proceed")
    assert engine.stats.now().message_count == 2


@pytest.mark.seed("S2", "privacy.no-secrets")
def test_secrets_never_reach_the_store(engine: Engine, say: Say) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    result = say(f"use {token} to push")
    message = engine.messages.get(result.message_id or 0)
    assert token not in message.text
    assert message.redaction_count == 1
    assert message.entities == (), "what redaction leaves names nothing"
    assert "[" not in engine.conversations.list()[0].title
    engine.close()
    for path in engine.places.data_dir.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()


def test_a_sub_agents_prompt_is_ignored(engine: Engine) -> None:
    (result,) = engine.events.capture([prompt("Search the code", "k1", agent_id="agent-7")], wait_s=PATIENCE_S)
    assert result.state is EventState.IGNORED
    assert engine.conversations.list() == ()


def test_what_the_assistant_injected_is_no_message(engine: Engine) -> None:
    text = "<system-reminder>todo list is empty</system-reminder>"
    (result,) = engine.events.capture([prompt(text, "k1")], wait_s=PATIENCE_S)
    assert result.state is EventState.IGNORED


def test_a_message_that_is_too_large_is_refused_with_a_sentence(engine: Engine) -> None:
    engine.settings.set("max_message_bytes", 65_536)
    with pytest.raises(InvalidError, match="larger than 65,536 bytes"):
        engine.events.capture([prompt("x" * 70_000, "k1")])


def test_a_failing_event_is_kept_shown_and_can_be_tried_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_args: object, **_more: object) -> None:
        raise ZeroDivisionError("the decider stumbled")

    with monkeypatch.context() as broken:
        broken.setattr(MessagePipeline, "understand", stumble)
        results = engine.events.capture([prompt("Add a login page", "k1")], wait_s=PATIENCE_S)
        assert engine.events.wait_idle(PATIENCE_S)
    (kept,) = engine.events.inbox(state=EventState.FAILED)
    assert kept.attempt_count == 3
    assert "stumbled" in kept.error
    assert kept.preview == "Add a login page"
    other = engine.events.capture([prompt("Now the logout page", "k2")], wait_s=PATIENCE_S)[0]
    assert other.state is EventState.DONE, "a failed event never blocks the next one"
    again = engine.events.retry(results[0].event_id)
    assert again.state is EventState.DONE
    assert engine.stats.now().event_failed_count == 0


def test_a_failed_event_can_be_set_aside_and_brought_back(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_args: object, **_more: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(MessagePipeline, "understand", stumble)
        (result,) = engine.events.capture([prompt("Add a login page", "k1")], wait_s=PATIENCE_S)
        assert engine.events.wait_idle(PATIENCE_S)
    engine.events.discard(result.event_id)
    assert engine.events.inbox(state=EventState.FAILED) == ()
    engine.journal.undo()
    assert len(engine.events.inbox(state=EventState.FAILED)) == 1


def test_while_paused_nothing_is_kept(engine: Engine, clock: FrozenClock, say: Say) -> None:
    say("Add a login page")
    engine.events.pause(None)
    assert say("this stays between us").state is EventState.IGNORED
    engine.events.resume()
    say("And a logout page")
    assert engine.stats.now().message_count == 2
    assert "between us" not in str(engine.events.inbox())


def test_a_paused_app_is_not_kept_until_its_time_is_over(engine: Engine, clock: FrozenClock, say: Say) -> None:
    say("Add a login page")
    engine.apps.pause("claude-code", clock.now().replace(hour=12))
    assert say("not this").state is EventState.IGNORED
    assert say("this again", minutes=300).state is EventState.DONE


@pytest.mark.seed("S1", "record.files", "record.outcome", "record.no-files")
def test_tool_uses_tell_files_and_outcome_but_keep_no_text(engine: Engine, say: Say) -> None:
    say("Add a login page to the site")
    for key, payload in {
        "t1": {"tool_name": "Write", "tool_input": {"file_path": "/w/app/login.py", "content": "SECRET BODY"}},
        "t2": {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"exit_code": 0}},
    }.items():
        tool = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=key, session="s1", cwd="/w/app", payload=payload
        )
        engine.events.capture([tool], wait_s=PATIENCE_S)
    (conversation,) = engine.conversations.list()
    assert conversation.files == ("/w/app/login.py",)
    assert conversation.outcome is not None
    assert conversation.outcome.value == "tested"
    engine.close()
    assert b"SECRET BODY" not in engine.places.store_path.read_bytes()


def test_an_app_was_last_seen_when_its_last_message_came(engine: Engine, say: Say, clock: FrozenClock) -> None:
    for number in range(4):
        say(f"Add field number {number}", minutes=0.1)
        (app,) = engine.apps.list()
        assert app.last_seen_at == clock.now()


@pytest.mark.seed("S1", "record.user-only")
@pytest.mark.seed("S2", "privacy.no-answers")
def test_answers_are_dropped_unless_the_app_keeps_them(engine: Engine, say: Say) -> None:
    say("Add a login page")
    answer = CaptureRequest(
        app="claude-code", kind=EventKind.ANSWER, key="a1", session="s1", cwd="/w/app", text="Done: see login.py"
    )
    engine.events.capture([answer], wait_s=PATIENCE_S)
    assert engine.stats.now().message_count == 1
    engine.apps.set_keeps_answers("claude-code", keeps=True)
    kept = CaptureRequest(
        app="claude-code", kind=EventKind.ANSWER, key="a2", session="s1", cwd="/w/app", text="Tests pass"
    )
    engine.events.capture([kept], wait_s=PATIENCE_S)
    speakers = [message.speaker.value for message in engine.conversations.get(1).messages]
    assert speakers == ["user", "assistant"]


def test_a_worktree_belongs_to_its_repository(engine: Engine, say: Say, tmp_path: object) -> None:
    from pathlib import Path

    root = Path(str(tmp_path)) / "repo"
    (root / ".git" / "worktrees" / "side").mkdir(parents=True)
    side = Path(str(tmp_path)) / "side"
    (side / "src").mkdir(parents=True)
    (side / ".git").write_text(f"gitdir: {root}/.git/worktrees/side\n")
    say("Add a login page", cwd=str(root), session="a")
    say("Add a map", cwd=str(side / "src"), session="b")
    assert {one.project_path for one in engine.conversations.list()} == {str(root)}
