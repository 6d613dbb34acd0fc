"""What the assistants' hooks send on stdin, in each one's own shape, becomes one request or nothing."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.assistants.hook_payload import parse_hook_payload
from app.errors import InvalidError
from app.interop.tool_calls import tool_outcomes
from app.values.capture import CaptureRequest, EventKind

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def read(event: str, payload: object, app: str = "claude-code") -> CaptureRequest | None:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return parse_hook_payload(app, event, raw, key="run-1", cwd="/shim", at=AT)


def test_claude_code_prompt():
    request = read(
        "prompt",
        {
            "session_id": "s1",
            "prompt_id": "p7",
            "transcript_path": "/t/s1.jsonl",
            "cwd": "/w/api",
            "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit",
            "prompt": "make it purple",
        },
    )
    assert request == CaptureRequest(
        app="claude-code",
        kind=EventKind.PROMPT,
        key="hook:run-1",
        session="s1",
        text="make it purple",
        at=AT,
        cwd="/w/api",
        transcript_path="/t/s1.jsonl",
        payload={"hook_event_name": "UserPromptSubmit"},
    )


@pytest.mark.parametrize(
    ("app", "event", "payload", "kind", "session", "text", "key"),
    [
        (
            "codex",
            "prompt",
            {"session_id": "s", "turn_id": "t", "transcript_path": None, "prompt": "go"},
            "prompt",
            "s",
            "go",
            "hook:run-1",
        ),
        (
            "cursor",
            "prompt",
            {"conversation_id": "c", "generation_id": "g", "prompt": "go"},
            "prompt",
            "c",
            "go",
            "hook:run-1",
        ),
        ("gemini", "prompt", {"session_id": "s", "prompt": "go"}, "prompt", "s", "go", "hook:run-1"),
        ("copilot", "prompt", {"sessionId": "s", "initialPrompt": "go"}, "prompt", "s", "go", "hook:run-1"),
        ("claude-code", "start", {"session_id": "s", "source": "resume"}, "session_start", "s", "", "run-1"),
        (
            "claude-code",
            "end",
            {"session_id": "s", "reason": "clear", "prompt_id": "p"},
            "session_end",
            "s",
            "",
            "run-1",
        ),
        ("claude-code", "compact", {"session_id": "s", "trigger": "auto"}, "compaction", "s", "", "run-1"),
        (
            "claude-code",
            "compact",
            {"session_id": "s", "compact_summary": "so far"},
            "compaction",
            "s",
            "so far",
            "run-1",
        ),
        ("gemini", "stop", {"session_id": "s", "prompt_response": "done"}, "answer", "s", "done", "run-1"),
        ("cursor", "stop", {"conversation_id": "c", "text": "done"}, "answer", "c", "done", "run-1"),
    ],
)
def test_shapes(app, event, payload, kind, session, text, key):
    request = read(event, payload, app)
    assert (request.kind, request.session, request.text, request.key) == (kind, session, text, key)


def test_reasons_and_sources_are_kept():
    assert read("start", {"source": "resume", "model": "m1"}).payload == {"source": "resume", "model": "m1"}
    assert read("end", {"reason": "logout"}).payload == {"reason": "logout"}
    assert read("compact", {"trigger": "manual"}).payload == {"trigger": "manual"}


def test_tool_event():
    payload = {"session_id": "s", "tool_use_id": "u1", "tool_name": "Edit", "tool_input": {"file_path": "a.py"}}
    request = read("tool", payload | {"tool_response": {"ok": True}})
    assert request.key == "s:tool:u1"
    assert request.payload == {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"ok": True}}


def test_one_turn_that_stops_twice_is_two_answers():
    keys = {read("stop", {"session_id": "s", "prompt_id": "p", "last_assistant_message": text}).key for text in "ab"}
    assert len(keys) == 2


def test_agent_and_folders():
    request = read("prompt", {"prompt": "x", "agent_id": "a1", "workspace_roots": ["/w/one", "/w/two"]})
    assert (request.agent_id, request.cwd) == ("a1", "/w/one")
    assert read("prompt", {"prompt": "x"}).cwd == "/shim"


@pytest.mark.parametrize(
    ("stamp", "at"),
    [
        ("2026-03-01T08:00:00Z", datetime(2026, 3, 1, 8, 0, tzinfo=UTC)),
        ("2026-03-01T08:00:00+02:00", datetime(2026, 3, 1, 6, 0, tzinfo=UTC)),
        (1_772_352_000, datetime(2026, 3, 1, 8, 0, tzinfo=UTC)),
        (1_772_352_000_000, datetime(2026, 3, 1, 8, 0, tzinfo=UTC)),
        ("yesterday", AT),
        (10**30, AT),
        (True, AT),
        (None, AT),
    ],
)
def test_time_of_the_event(stamp, at):
    assert read("prompt", {"prompt": "x", "timestamp": stamp}).at == at


@pytest.mark.parametrize(
    ("event", "payload"),
    [("prompt", {}), ("prompt", {"prompt": " \n"}), ("stop", {"stop_hook_active": True}), ("nope", {"prompt": "x"})],
)
def test_nothing_to_keep(event, payload):
    assert read(event, payload) is None


@pytest.mark.parametrize("raw", [b"", b"not json", b"[1]", b'"x"', b"null", b'{"a":' * 100])
def test_no_object_is_refused(raw):
    with pytest.raises(InvalidError):
        read("prompt", raw)


def test_broken_utf8_costs_only_the_broken_characters():
    assert read("prompt", b'{"prompt": "a\xffb"}').text == "a\ufffdb"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    "prompt",
    "session_id",
    "prompt_id",
    "timestamp",
    "cwd",
    "tool_name",
    "tool_input",
    "agent_id",
    "workspace_roots",
)


@given(
    st.sampled_from(["prompt", "start", "stop", "tool", "compact", "end"]),
    st.dictionaries(st.sampled_from(NAMES), JSON),
)
def test_any_object_gives_a_request_nothing_or_a_refusal(event, payload):
    try:
        request = read(event, payload)
    except InvalidError:
        return
    assert request is None or (isinstance(request.text, str) and request.key)


@pytest.mark.parametrize(
    ("more", "is_error", "exit_status"),
    [
        ({"error": "Exit code 2\nFAILED tests/test_cart.py::test_total"}, True, 2),
        ({"error": "Command failed with exit code: 127"}, True, 127),
        ({"error": "File has not been read yet."}, True, None),
        ({}, True, None),
        ({"error": "Exit code 137", "is_interrupt": True}, False, None),
    ],
    ids=["status", "in words", "no status", "nothing said", "interrupted by the person"],
)
def test_what_failed_comes_by_an_event_of_its_own(more, is_error, exit_status):
    payload = {
        "session_id": "s1",
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "pytest tests/test_cart.py"},
    }
    request = read("tool", payload | more)
    assert request.key == "s1:tool:t1"
    [outcome] = tool_outcomes(request.payload)
    assert (outcome.command, outcome.is_error, outcome.exit_status) == (
        "pytest tests/test_cart.py",
        is_error,
        exit_status,
    )
    assert "error" not in request.payload, "what the tool printed is not kept"
