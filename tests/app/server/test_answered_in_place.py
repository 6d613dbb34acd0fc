"""What a hook's answer carries in the same turn: the question about a short prompt, in one line, and the known fix of an error."""

from typing import Any

import pytest

from app.assistant_instructions import ask_line
from app.values import CaptureRequest, Origin, Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

CWD = "/w/answered"
_SCOPES = frozenset({Scope.CAPTURE, Scope.READ})


def post(running: Running, event: str, body: dict[str, Any], key: str, hours_ago: float = 0.0) -> str:
    app = "claude-code"
    known = {one.name for one in running.engine.apps.list()}
    token = running.engine.apps.renew_token(app) if app in known else running.engine.apps.create(app, app, _SCOPES)[1]
    at = int((running.engine.clock.now().timestamp() - hours_ago * 3_600) * 1_000_000_000)
    with running.client(token) as hook:
        answer = hook.post(f"/v1/hook/{app}/{event}?key={key}&time_ns={at}", json={"cwd": CWD, **body})
    assert answer.status_code == 200
    assert running.engine.events.wait_idle(PATIENCE_S)
    if not answer.content:
        return ""
    given = answer.json()["hookSpecificOutput"]
    assert given["hookEventName"] == body["hook_event_name"]
    return str(given["additionalContext"])


def prompt(running: Running, text: str, session: str, key: str, hours_ago: float = 0.0) -> str:
    body = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": text}
    return post(running, "prompt", body, f"{key:0>24}00000000", hours_ago)


def test_the_question_is_asked_where_it_can_be_answered(own: Running) -> None:
    assert prompt(own, "I want to add a FAB button", "s1", "1", hours_ago=6) == ""
    ended = {"hook_event_name": "SessionEnd", "session_id": "s1", "reason": "logout"}
    assert post(own, "end", ended, f"{'e':0>24}00000000", hours_ago=5) == ""
    given = prompt(own, "Make it purple", "s2", "2")
    lines = [
        line
        for line in given.splitlines()
        if line.startswith("Pass on to the user, below your answer: Remanence asks: ")
    ]
    assert lines == [ask_line("Make it purple", "FAB button")]
    (question,) = own.engine.conversations.clarifications()
    prompt(own, "A", "s2", "3")
    assert own.engine.conversations.clarifications() == ()
    assert own.engine.messages.get(question.message_id).boundary.state == "answered"


def test_a_question_that_is_nearly_sure_is_not_asked_here(own: Running) -> None:
    prompt(own, "I want to add a FAB button", "s1", "1", hours_ago=6)
    assert "Remanence asks" not in prompt(own, "Now change its colour", "s1", "2")
    assert len(own.engine.conversations.clarifications()) == 1


def test_what_is_sure_brings_no_line(own: Running) -> None:
    prompt(own, "I want to add a FAB button", "s1", "1")
    given = prompt(own, "Make it purple", "s1", "2")
    assert "Remanence asks" not in given
    assert "Make the FAB button purple" not in given, "the expanded text is no business of the assistant's"


def used(running: Running, event: str, name: str, given: dict[str, str], key: str, **more: object) -> str:
    body = {
        "hook_event_name": event,
        "session_id": "s1",
        "tool_name": name,
        "tool_input": given,
        "tool_use_id": key,
        **more,
    }
    return post(running, "tool", body, f"{key:0>24}00000000")


ERROR = "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'."


def test_an_error_brings_its_known_fix_in_the_same_turn(own: Running) -> None:
    prompt(own, "I want to add a FAB button", "s1", "1")
    build = {"command": "npm run build"}
    failed: dict[str, object] = {"error": f"Exit code 2\n{ERROR}"}
    assert used(own, "PostToolUseFailure", "Bash", build, "t1", **failed) == "", "new to us"
    used(own, "PostToolUse", "Edit", {"file_path": f"{CWD}/src/cart.ts"}, "t2", tool_response={})
    used(own, "PostToolUse", "Bash", build, "t3", tool_response={"exit_code": 0, "stdout": ""})
    again = {"error": f"Exit code 2\n{ERROR.replace('4,7', '9,1')}"}
    said = used(own, "PostToolUseFailure", "Bash", build, "t4", **again)
    assert said == "Seen before: this error went away after src/cart.ts was edited; then npm run build passed."


def test_the_fix_is_found_although_the_failure_was_understood_first(
    own: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = own.engine.context.known_fix

    def find_late(event: CaptureRequest) -> str:
        assert own.engine.events.wait_idle(PATIENCE_S)
        return find(event)

    monkeypatch.setattr(own.engine.context, "known_fix", find_late)
    test_an_error_brings_its_known_fix_in_the_same_turn(own)


def test_what_a_conversation_left_is_told_when_its_text_is_gone(own: Running) -> None:
    test_an_error_brings_its_known_fix_in_the_same_turn(own)
    (talk,) = own.engine.conversations.list()
    with own.engine._core.store.write(origin=Origin.ENGINE, kind="evict", label="") as write:
        own.engine._core.queue.end(write, talk.id, at=write.at)
        own.engine._core.queue.evict(write, talk.id)
    failed = {"error": f"Exit code 2\n{ERROR}"}
    said = used(own, "PostToolUseFailure", "Bash", {"command": "npm run build"}, "t9", **failed)
    assert said.startswith("Seen before: this error went away after src/cart.ts was edited")


def test_no_fix_is_told_to_who_gets_no_context(own: Running) -> None:
    own.engine.settings.set("is_giving_context", False)
    prompt(own, "I want to add a FAB button", "s1", "1")
    assert used(own, "PostToolUseFailure", "Bash", {"command": "npm run build"}, "t1", error=ERROR) == ""
