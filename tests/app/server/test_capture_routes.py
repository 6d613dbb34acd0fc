"""Events, turns and hooks reach the engine as capture requests, once each, as the caller's own app."""

from datetime import UTC, datetime

import httpx

from app.values import EventKind
from tests.app.server.fake_engine import FakeEngine


def test_one_event_is_captured_as_the_caller(client: httpx.Client, engine: FakeEngine) -> None:
    got = client.post("/v1/events", json={"text": "make it purple", "session": "s1", "key": "k1"})
    assert got.status_code == 200
    assert got.json()["results"][0] | {"state": "done", "key": "k1"} == got.json()["results"][0]
    (request,) = engine.captured
    assert (request.app, request.kind, request.text, request.key) == (
        "claude-code",
        EventKind.PROMPT,
        "make it purple",
        "k1",
    )


def test_many_events_keep_their_order(client: httpx.Client, engine: FakeEngine) -> None:
    events = [{"text": f"number {number}", "key": str(number)} for number in range(50)]
    got = client.post("/v1/events", json={"events": events, "wait": "durable"})
    assert [result["key"] for result in got.json()["results"]] == [str(number) for number in range(50)]
    assert ("events.capture", (0.0,)) in engine.asked


def test_names_of_the_socket_contract_are_taken(client: httpx.Client, engine: FakeEngine) -> None:
    body = {
        "assistant": "claude-code",
        "event": "session_start",
        "session_id": "s2",
        "timestamp": "2026-03-02T10:00:00+01:00",
        "unknown_field": 1,
    }
    assert client.post("/v1/events", json=body).status_code == 200
    (request,) = engine.captured
    assert request.kind is EventKind.SESSION_START
    assert request.session == "s2"
    assert request.at == datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_equal_prompt_ids_give_equal_keys_and_no_id_gives_fresh_ones(client: httpx.Client, engine: FakeEngine) -> None:
    for body in [{"text": "yes", "prompt_id": "p"}] * 2 + [{"text": "yes"}] * 2:
        client.post("/v1/events", json=body)
    first, second, third, fourth = (request.key for request in engine.captured)
    assert first == second
    assert len({first, third, fourth}) == 3


def test_no_app_captures_as_another(client: httpx.Client, engine: FakeEngine) -> None:
    assert client.post("/v1/events", json={"app": "codex", "text": "hi"}).status_code == 403
    assert client.post("/v1/hook/codex/prompt", json={"prompt": "hi"}).status_code == 403
    assert engine.captured == []


def test_a_turn_answers_with_an_empty_context_and_what_was_understood(client: httpx.Client) -> None:
    got = client.post("/v1/turn", json={"text": "add a test", "key": "t"}).json()
    assert got["context"] == []
    assert got["key"] == "t"
    assert got["state"] == "done"


def test_a_turn_is_a_prompt(client: httpx.Client, engine: FakeEngine) -> None:
    assert client.post("/v1/turn", json={"kind": "tool"}).status_code == 422
    assert engine.captured == []


def test_a_hook_is_captured_durably_and_answered_with_nothing(client: httpx.Client, engine: FakeEngine) -> None:
    got = client.post(
        "/v1/hook/claude-code/prompt?key=abc&cwd=/demo&time_ns=1772442000000000000",
        json={"session_id": "s", "prompt": "make it purple"},
    )
    assert (got.status_code, got.content) == (200, b"")
    (request,) = engine.captured
    assert (request.text, request.key, request.cwd) == ("make it purple", "abc", "/demo")
    assert request.at == datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_a_hook_with_nothing_to_keep_is_still_a_success(client: httpx.Client, engine: FakeEngine) -> None:
    assert client.post("/v1/hook/claude-code/prompt", json={"prompt": ""}).status_code == 200
    assert engine.captured == []


def test_a_wrong_shape_names_the_place_and_not_the_value(client: httpx.Client) -> None:
    got = client.post("/v1/events", json={"text": 5, "session": "my secret word"})
    assert got.status_code == 422
    assert got.headers["content-type"] == "application/problem+json"
    assert "text" in got.json()["detail"]
    assert "secret" not in got.text
