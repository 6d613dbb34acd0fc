"""What a transcript tells at the end of a turn: the session's title, Codex's plan; only of the session's own file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.api import Engine
from app.assistants.live_notes import has_notes, read_notes
from app.values import CaptureRequest, EventKind
from tests.patience import PATIENCE_S


@pytest.fixture
def stop(tmp_path: Path) -> CaptureRequest:
    path = tmp_path / "projects" / "-w-app" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    lines = [
        {"type": "ai-title", "aiTitle": "First name", "sessionId": "s1"},
        {"type": "user", "message": {"content": 'the words "ai-title" typed'}, "sessionId": "s1"},
        {"type": "ai-title", "aiTitle": "Export orders as CSV", "sessionId": "s1"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return CaptureRequest(
        app="claude-code", kind=EventKind.ANSWER, key="k", session="s1", cwd="/w/app", transcript_path=str(path)
    )


def test_the_newest_title_is_told(stop: CaptureRequest) -> None:
    (told,) = read_notes(stop)
    assert told.kind is EventKind.SIGNAL
    assert told.payload["distilled"] == [["title", "Export orders as CSV", ""]]


def test_the_file_of_another_session_is_not_read(stop: CaptureRequest) -> None:
    assert not has_notes(replace(stop, session="s2"))
    assert not has_notes(replace(stop, transcript_path="/etc/passwd"))
    assert not has_notes(replace(stop, agent_id="a1"))


def test_a_link_is_not_followed(stop: CaptureRequest, tmp_path: Path) -> None:
    link = tmp_path / "projects" / "-w-app" / "s3.jsonl"
    link.symlink_to(stop.transcript_path)
    assert read_notes(replace(stop, session="s3", transcript_path=str(link))) == ()


def test_codex_plans_are_to_dos(tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "rollout-1.jsonl"
    path.parent.mkdir()
    plan = {"plan": [{"step": "Write the route", "status": "completed"}, {"step": "Wire it", "status": "in_progress"}]}
    lines = [
        {"type": "response_item", "payload": {"type": "function_call", "name": "update_plan", "call_id": "c1", "arguments": json.dumps(plan)}},
        {"type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": "Export orders"}},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    stop = CaptureRequest(app="codex", kind=EventKind.ANSWER, key="k", session="s1", transcript_path=str(path))
    use, title = read_notes(stop)
    assert use.payload["tool_input"] == plan
    assert title.payload["distilled"] == [["title", "Export orders", ""]]


def test_twice_is_once(engine: Engine, stop: CaptureRequest) -> None:
    prompt = replace(stop, kind=EventKind.PROMPT, key="p", text="take the orders out as a table", transcript_path="")
    engine.events.capture([prompt], wait_s=PATIENCE_S)
    for _ in range(2):
        engine.events.capture_turn(stop)
        assert engine.events.wait_idle(PATIENCE_S)
    assert [one.title for one in engine.conversations.list()] == ["Export orders as CSV"]
    assert sum(one.kind is EventKind.SIGNAL for one in engine.events.inbox(limit=20)) == 1
