"""S10: what assistants and a judge worded of erased prompts goes with them, wherever it stands; what is not of them stays."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.errors import UserError
from app.values import MemoryFilter, MemoryKind, MemoryStatus, Report
from tests.app.understanding.conftest import ScriptedJudge
from tests.conftest import Say
from tests.patience import PATIENCE_S

CANARY = "zyzzyvaquokka"
Tell = Callable[..., datetime]


@pytest.fixture
def tell(engine: Engine, clock: FrozenClock) -> Tell:
    """`tell("tool", tool_name="Bash", …)`: time passes, an assistant tells of its work; returns when."""
    numbers = iter(range(1, 1_000))

    def send(kind: str, text: str = "", *, session: str = "s1", branch: str = "", **payload: Any) -> datetime:
        clock.advance(minutes=5)
        event = CaptureRequest(
            "claude-code", EventKind(kind), f"{kind}{next(numbers)}", session, text, clock.now(), "/w/app", git_branch=branch,
            payload=payload,
        )  # fmt: skip
        engine.events.capture([event], wait_s=PATIENCE_S)
        return clock.now()

    return send


def bash(tell: Tell, command: str, **more: Any) -> datetime:
    return tell("tool", tool_name="Bash", tool_input={"command": command}, tool_response={"exit_code": 0}, **more)


def holding(places: Places) -> list[str]:
    home = places.data_dir.parent
    return [path.name for path in home.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes().lower()]


@pytest.fixture
def gone(engine: Engine, places: Places) -> Callable[..., None]:
    """`gone(…)`: the word is there, what is named is erased, then it is nowhere, whatever is undone and done again."""

    def erase(*, then: Callable[[], object] = lambda: None, **scope: Any) -> None:
        assert holding(places), "the control: it was there"
        engine.memories.erase_everything_of(**scope, includes_backups=True)  # one may be made by itself on a slow day
        assert holding(places) == []
        then()
        for one in engine.journal.list(limit=40):
            if one.is_undoable:
                try:
                    engine.journal.undo(one.id)
                except UserError:
                    continue
        assert holding(places) == [], "after undoing"

    return erase


def around(at: datetime) -> dict[str, datetime]:
    return {"from_at": at - timedelta(minutes=1), "to_at": at + timedelta(minutes=1)}


def test_what_a_command_did_in_a_span_of_time_goes_and_its_conversation_stays(
    engine: Engine, say: Say, tell: Tell, gone: Callable[..., None]
) -> None:
    kept = say("Add the export button to the page")
    at = bash(tell, f"make {CANARY}")
    say("Now test the export button", minutes=5)
    gone(**around(at), then=lambda: engine.conversations.get(kept.conversation_id or 0).messages[1])


def test_a_command_that_was_taken_back_goes_with_its_span(
    engine: Engine, say: Say, tell: Tell, gone: Callable[..., None]
) -> None:
    say("Add the export button to the page")
    at = bash(tell, f"make {CANARY}")
    engine.journal.undo(engine.journal.list(limit=1)[0].id)
    say("Now test the export button", minutes=5)
    gone(**around(at))


def test_an_answer_goes_with_its_span_and_its_prompt_stays(say: Say, tell: Tell, gone: Callable[..., None]) -> None:
    say("Add the export button to the page")
    at = tell("answer", f"I have added {CANARY} to the page.")
    say("Now test the export button", minutes=5)
    gone(**around(at))


@pytest.mark.parametrize(
    "noted",
    [
        {"tool_name": "Bash", "tool_input": {"command": f"git commit -m 'Add {CANARY}'"}},
        {"tool_name": "TodoWrite", "tool_input": {"todos": [{"content": f"Wire {CANARY}", "status": "pending"}]}},
        {"tool_name": "ExitPlanMode", "tool_input": {"plan": f"1. Build {CANARY}\n2. Test it"}},
        {"tool_name": "Write", "tool_input": {"file_path": "/w/app/CLAUDE.md", "content": f"- Run `make {CANARY}` first\n"}},
    ],
    ids=["commit", "to-do", "plan", "rule file"],
)  # fmt: skip
def test_what_an_assistant_noted_goes_with_a_part_of_its_conversation(
    say: Say, tell: Tell, gone: Callable[..., None], noted: dict[str, Any]
) -> None:
    say("Add the export button to the page")
    at = tell("tool", tool_response={"exit_code": 0}, **noted)
    bash(tell, "git commit -m 'Something newer'")  # of the older values only the journal has an image
    say("Now test the export button", minutes=5)
    gone(**around(at))


def test_a_title_that_nothing_was_there_to_bear_leaves_no_label(engine: Engine, tell: Tell) -> None:
    tell("signal", distilled=[["title", f"The {CANARY} panel", ""]])
    assert not [one for one in engine.journal.list() if CANARY in one.label]


def test_a_rule_that_an_assistant_wrote_down_goes_with_its_conversation(
    say: Say, tell: Tell, gone: Callable[..., None]
) -> None:
    said = say("Add the export button to the page")
    rules = {"file_path": "/w/app/CLAUDE.md", "content": f"- Run `make {CANARY}` first\n"}
    tell("tool", tool_name="Write", tool_input=rules, tool_response={"exit_code": 0})
    gone(conversation_id=said.conversation_id)


def test_the_branch_of_a_session_goes_with_what_was_said_on_it(tell: Tell, gone: Callable[..., None]) -> None:
    tell("prompt", "Add the export button to the page", branch=f"fix-{CANARY}")
    gone(conversation_id=1)


def test_a_proposal_that_was_taken_back_goes_with_the_prompt_that_it_names(
    engine: Engine, say: Say, gone: Callable[..., None]
) -> None:
    said = say(f"Yes, the second one for {CANARY}")
    report = Report(f"Take the second one for {CANARY}.", "words that nobody said")
    engine.answers.remember(report, engine.answers.place("/w/app"), app="claude-code")
    engine.journal.undo()
    gone(conversation_id=said.conversation_id)


def test_an_episode_goes_with_the_span_of_a_conversation_that_had_left_the_queue(
    engine: Engine, clock: FrozenClock, say: Say, gone: Callable[..., None]
) -> None:
    first = say(f"Add the {CANARY} button to the page")
    engine.conversations.rename(first.conversation_id or 0, "The button")
    engine.conversations.end(first.conversation_id or 0)
    at = clock.now()
    for number in range(21):
        say(f"Write the report number {number} of the quarter", session=f"t{number}", minutes=60)
        engine.conversations.end(engine.conversations.list()[0].id)
    gone(**around(at))


def test_what_a_judge_worded_of_two_sessions_goes_with_one_of_them(
    judge: ScriptedJudge, say: Say, gone: Callable[..., None]
) -> None:
    first = say(f"Compare the {CANARY} cache with the other one", session="a")
    second = say("We decided to use the other one for the shop", session="b")
    judge.answers(
        f"remember('decided', 'use the other one for the shop', 'The shop uses the one beside the {CANARY} cache.')\n"
        f"answer['topics'] = [{{'starts': m('decided'), 'title': 'Not {CANARY}', 'outcome': 'open', 'summary': 'Chose against {CANARY}.'}}]"
    )
    judge.read()
    engine = judge.engine
    engine.conversations.end(second.conversation_id or 0)
    assert CANARY in (engine.conversations.get(second.conversation_id or 0).conversation.title), "the control"

    def look_at_the_other() -> None:
        kept = engine.conversations.get(second.conversation_id or 0)
        assert [one.text for one in kept.messages] == ["We decided to use the other one for the shop"]
        judge.read()
        assert len(judge.requests) == 2, "it may be worded anew from what is left"

    assert f"The shop uses the one beside the {CANARY} cache." in judge.memories(), "the control"
    judge.answers("")
    gone(conversation_id=first.conversation_id, then=look_at_the_other)


def test_words_that_others_have_too_take_nothing_from_them(judge: ScriptedJudge, say: Say) -> None:
    """Erasing a talk about exports leaves what a judge worded of other prompts, and the entries of Activity, as they were."""
    engine = judge.engine
    kept = say("let the files be CSV then, I cannot stand PDF", session="a")
    judge.answers(
        "remember('CSV', 'let the files be CSV', 'Exports are CSV, not PDF.')\n"
        "answer['topics'] = [{'starts': m('CSV'), 'title': 'Format of the exports', 'outcome': 'open', 'summary': 'Chose CSV for exports.'}]"
    )
    judge.read()
    judge.answers("")
    labels = {one.label for one in engine.journal.list(limit=50)}
    other = say("Test the exports of the quarter", session="b", minutes=90)
    engine.memories.erase_everything_of(conversation_id=other.conversation_id)
    assert "Exports are CSV, not PDF." in judge.memories()
    assert labels <= {one.label for one in engine.journal.list(limit=50)}
    assert engine.conversations.get(kept.conversation_id or 0).conversation.title == "Format of the exports"


def test_an_episode_of_another_conversation_stays(engine: Engine, say: Say, tell: Tell) -> None:
    first = say("Add the export button to the page", session="s1")
    bash(tell, "git commit -m 'Add the export button'")
    engine.conversations.end(first.conversation_id or 0)
    other = say("Write a poem about exporting buttons", session="b", minutes=90)
    engine.memories.erase_everything_of(conversation_id=other.conversation_id)
    found = engine.memories.list(MemoryFilter(kinds=(MemoryKind.EPISODE,), statuses=tuple(MemoryStatus)))
    assert found.total == 1
