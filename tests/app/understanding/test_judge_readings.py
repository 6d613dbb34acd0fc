"""What people see of reading along: how it stands, what a reading cost and brought, and what of it is no longer kept."""

from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, InvalidError, NotFoundError, Places
from app.values.judge import JudgeChoice, Payer, ReadingState
from tests.app.understanding.conftest import ScriptedJudge, wait_for
from tests.conftest import Say

CSV = "remember('exports', 'let the exports be CSV', 'Exports are CSV.')"
LIE = "\nremember('exports', 'nobody said this', 'Exports are PDF.')"
COMMAND = JudgeChoice("command", "command", "A command of your own", is_found=True)


def test_a_reading_says_what_it_cost_and_what_came_of_it(judge: ScriptedJudge, say: Say) -> None:
    said = say("hmm, let the exports be CSV then")
    judge.answers(CSV + LIE)
    judge.read()
    door = judge.engine.judge
    (reading,) = door.readings()
    assert (reading.reader, reading.project, reading.state, reading.payer) == (
        "Your command",
        "app",
        "done",
        Payer.UNKNOWN,
    )
    assert (reading.prompt_count, reading.remembered_count, reading.dropped_count) == (1, 1, 1)
    assert reading.drop_reasons == (("words that the person did not say", 1),)
    assert reading.token_count > 0
    assert [one.is_kept for one in reading.conversations] == [True]
    assert reading.is_undoable

    opened = door.reading(reading.id)
    assert [(one.message_id, one.text) for one in opened.messages] == [
        (said.message_id, "hmm, let the exports be CSV then")
    ]
    assert [(one.what, one.text, one.quote) for one in opened.came_of_it] == [
        ("remembered", "Exports are CSV.", "let the exports be CSV")
    ]
    state = door.state()
    assert (state.state, state.readers, state.unread_count) == (ReadingState.IDLE, ("Your command",), 0)
    assert (state.today.conversation_count, state.today.remembered_count) == (1, 1)
    with pytest.raises(NotFoundError):
        door.reading(reading.id + 99)


def test_what_was_erased_is_not_in_the_reading_either(judge: ScriptedJudge, say: Say) -> None:
    said = say("hmm, let the exports be CSV then")
    judge.answers(CSV)
    judge.read()
    (reading,) = judge.engine.judge.readings()
    judge.engine.memories.erase_everything_of(conversation_id=said.conversation_id)
    opened = judge.engine.judge.reading(reading.id)
    assert (opened.messages, opened.gone_count) == ((), 1)
    assert "CSV" not in repr(opened).replace("Your command", "")
    with pytest.raises(InvalidError):
        judge.engine.judge.read_again(reading.id)


def test_a_reading_is_taken_back_and_read_again(judge: ScriptedJudge, say: Say) -> None:
    say("hmm, let the exports be CSV then")
    judge.answers(CSV)
    judge.read()
    (first,) = judge.engine.judge.readings()
    judge.answers("remember('exports', 'the exports be CSV', 'All exports are CSV.', worth=3)")
    assert judge.engine.judge.read_again(first.id) == 1
    judge.wait()
    assert list(judge.memories()) == ["All exports are CSV."]
    second, again = judge.engine.judge.readings()
    assert (second.remembered_count, again.is_undone, again.is_undoable) == (1, True, False)


def test_a_refusal_says_what_to_do_and_pressing_tries_again(judge: ScriptedJudge, say: Say) -> None:
    say("hmm, let the exports be CSV then")
    judge.answers("sys.exit('401 please log in')")
    judge.read()
    state = judge.engine.judge.state()
    assert (state.state, state.problem) == (
        ReadingState.FAILED,
        "Your command is not signed in, or its plan is used up.",
    )
    assert state.until is not None
    (reading,) = judge.engine.judge.readings()
    assert (reading.state, reading.remembered_count) == ("refused", 0)
    assert len(reading.conversations) == 1
    judge.answers(CSV)
    judge.read()
    assert judge.engine.judge.state().state is ReadingState.IDLE


def test_at_the_cap_it_says_until_when(
    judge: ScriptedJudge, say: Say, monkeypatch: pytest.MonkeyPatch, clock: FrozenClock
) -> None:
    monkeypatch.setenv("REMANENCE_JUDGE_DAILY_TOKENS", "10")
    judge.engine._core.reload_settings()
    say("hmm, let the exports be CSV then")
    judge.read()
    state = judge.engine.judge.state()
    assert (state.state, state.unread_count, state.today.token_count) == (ReadingState.CAPPED, 1, 0)
    assert state.until is not None
    assert state.until > clock.now()
    clock.advance(days=1)
    assert judge.engine.judge.state().state is not ReadingState.CAPPED, "tomorrow is another day"


def test_what_is_being_read_can_be_cancelled_and_stays_unread(judge: ScriptedJudge, say: Say) -> None:
    say("hmm, let the exports be CSV then")
    judge.answers("time.sleep(600)")
    judge.engine.judge.read()
    wait_for(lambda: judge.requests)
    state = judge.engine.judge.state()
    assert (state.state, state.reading_count) == (ReadingState.READING, 1)
    judge.engine.judge.cancel()
    judge.wait()
    assert judge.engine.judge.state().unread_count == 1
    assert judge.engine.judge.readings() == ()


def test_paused_it_reads_nothing_by_itself_and_on_demand_all(judge: ScriptedJudge, say: Say) -> None:
    judge.engine.settings.set("is_judge_paused", True)
    said = say("hmm, let the exports be CSV then")
    judge.engine.conversations.end(said.conversation_id)
    assert judge.engine.judge.state().state is ReadingState.PAUSED
    judge.answers(CSV)
    assert judge.read() == 1
    assert list(judge.memories()) == ["Exports are CSV."]


class TestTheYes:
    @pytest.fixture
    def engine(self, places: Places, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
        monkeypatch.setattr("app.judge.discovery.LOCAL_SERVERS", ())
        programs = tmp_path / "bin"
        programs.mkdir()
        claude = programs / "claude"
        claude.write_text("#!/bin/sh\nexit 1\n")
        claude.chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        opened = Engine.open(places, clock=clock)
        yield opened
        opened.close()

    def test_it_is_asked_after_the_first_message_and_never_again(self, engine: Engine, say: Say) -> None:
        assert engine.judge.question() is None
        say("hmm, let the exports be CSV then")
        question = engine.judge.question()
        assert question is not None
        assert (question.choices[0].id, question.choices[0].title) == ("same", "Claude Code")
        assert question.tokens_a_day > 100
        assert question.daily_cap == 30_000
        engine.judge.decline()
        assert engine.judge.question() is None
        assert engine.judge.offer() is not None, "it can still be chosen"
        assert engine.settings.current.judge == "off"

    def test_a_yes_is_one_undo(self, engine: Engine, say: Say) -> None:
        say("hmm, let the exports be CSV then")
        engine.judge.choose(engine.judge.choices()[0])
        assert engine.settings.current.judge == "same"
        assert engine.judge.question() is None
        engine.journal.undo()
        assert engine.settings.current.judge == "off"
        assert engine.judge.question() is None, "asked once"

    def test_what_would_be_sent_is_shown_before_the_yes(self, engine: Engine, say: Say) -> None:
        say("hmm, let the exports be CSV then, password hunter2secret")
        assert engine.judge.preview().request_count == 0, "nobody reads"
        plan = engine.judge.preview(engine.judge.choices()[0])
        assert plan.readers == ("Claude Code",)
        assert "let the exports be CSV" in plan.requests[0]
        assert engine.settings.current.judge == "off"


def test_an_option_in_the_environment_is_the_yes(judge: ScriptedJudge, say: Say) -> None:
    say("hmm, let the exports be CSV then")
    assert judge.engine.judge.question() is None
    assert not judge.engine.judge.state().is_settable
    with pytest.raises(InvalidError):
        judge.engine.judge.choose(COMMAND)
