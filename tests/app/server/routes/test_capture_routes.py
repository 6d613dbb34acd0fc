"""Events, turns and hooks reach the engine as capture requests, once each, as the caller's own app."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pysqlite3 as sqlite3
import pytest

from app.api import Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

RECORDED = Path(__file__).parents[2] / "assistants" / "recorded"
OWN = "app-capture-read-write"


def texts(running: Running) -> list[str]:
    """Every message that is kept, oldest conversation first."""
    assert running.engine.events.wait_idle(PATIENCE_S)
    found = reversed(running.engine.conversations.list())
    return [part.text for card in found for part in running.engine.conversations.get(card.id).messages]


def test_one_event_is_kept_and_understood(client: httpx.Client) -> None:
    (result,) = client.post("/v1/events", json={"text": "make the FAB button purple", "key": "k1"}).json()["results"]
    assert (result["state"], result["key"], result["is_duplicate"]) == ("done", "k1", False)
    assert result["is_new_conversation"] is True
    assert result["intents"][0]["intent"] == "EXECUTE"
    assert client.get(f"/v1/conversations/{result['conversation_id']}").json()["conversation"]["app"] == OWN


def test_durable_answers_without_waiting_for_understanding(client: httpx.Client, running: Running) -> None:
    (result,) = client.post("/v1/events", json={"text": "add a test", "wait": "durable"}).json()["results"]
    assert result["event_id"] > 0
    assert texts(running) == ["add a test"]


def test_many_events_keep_their_order(client: httpx.Client, running: Running) -> None:
    events = [{"text": f"number {number}", "key": str(number), "session": "s"} for number in range(30)]
    answer = client.post("/v1/events", json={"events": events, "wait": "durable"})
    assert [result["key"] for result in answer.json()["results"]] == [str(number) for number in range(30)]
    assert texts(running) == [f"number {number}" for number in range(30)]


def test_names_of_the_socket_contract_are_taken(client: httpx.Client) -> None:
    body = {
        "assistant": OWN,
        "event": "prompt",
        "session_id": "s2",
        "timestamp": "2026-03-02T10:00:00+01:00",
        "prompt": "rename the page",
        "source": "startup",
    }
    assert client.post("/v1/events", json=body).status_code == 200
    (card,) = client.get("/v1/conversations").json()
    assert (card["session"], card["started_at"]) == ("s2", "2026-03-02T09:00:00Z")


def test_an_unknown_field_is_refused_by_its_name(client: httpx.Client, running: Running) -> None:
    for path, body in (
        ("/v1/events", {"text": "rename the page", "projct": "shop"}),
        ("/v1/turn", {"text": "rename the page", "projct": "shop"}),
        ("/v1/events", {"events": [{"text": "rename the page", "projct": "shop"}]}),
    ):
        answer = client.post(path, json=body)
        assert (answer.status_code, "projct" in answer.json()["detail"]) == (422, True)
    assert texts(running) == []


def test_a_project_is_given_by_its_folder_or_its_name(client: httpx.Client) -> None:
    for number, project in enumerate(("/w/shop", "shop", "SHOP")):
        body = {"text": f"make the basket {number} rounder", "project": project, "session": str(number)}
        assert client.post("/v1/turn" if number == 2 else "/v1/events", json=body).status_code == 200
    found = client.get("/v1/conversations").json()
    assert {(card["project"], card["project_path"]) for card in found} == {("shop", "/w/shop")}
    answer = client.post("/v1/events", json={"text": "hello", "project": "shoop"})
    assert (answer.status_code, "shoop" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize("mark", [{"key": "k"}, {"prompt_id": "p"}, {"turn_id": "t"}, {"at": "2026-03-02T09:00:00Z"}])
def test_the_same_event_twice_is_one(client: httpx.Client, running: Running, mark: dict[str, str]) -> None:
    body = {"text": "yes", "session": "s", **mark}
    first, second = (client.post("/v1/events", json=body).json()["results"][0] for _ in range(2))
    assert (first["is_duplicate"], second["is_duplicate"]) == (False, True)
    assert first["event_id"] == second["event_id"]
    assert texts(running) == ["yes"]


def test_a_turn_answers_with_an_empty_context_and_what_was_understood(say: Callable[..., dict[str, object]]) -> None:
    answer = say("now run the unit tests", key="t")
    assert answer["context"] == ""
    assert (answer["key"], answer["state"]) == ("t", "done")
    assert answer["message_id"] is not None


def test_a_turn_is_a_prompt(client: httpx.Client, running: Running) -> None:
    assert client.post("/v1/turn", json={"kind": "tool"}).status_code == 422
    assert running.engine.events.inbox() == ()


def test_a_hook_is_kept_when_answered_and_answered_with_nothing(running: Running) -> None:
    running.engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE}))
    token = running.engine.apps.renew_token("claude-code")
    body = {"session_id": "s", "prompt": "make it purple", "cwd": "/demo"}
    with running.client(token) as hook:
        for _ in range(2):
            path = "/v1/hook/claude-code/prompt?key=abc&time_ns=1772442000000000000"
            answer = hook.post(path, json=body)
            assert (answer.status_code, answer.content) == (200, b"")
    assert texts(running) == ["make it purple"]
    (card,) = running.engine.conversations.list()
    assert (card.app, card.started_at.isoformat()) == ("claude-code", "2026-03-02T09:00:00+00:00")


def test_a_hook_with_nothing_to_keep_is_still_a_success(running: Running) -> None:
    running.engine.apps.create("codex", "Codex", frozenset({Scope.CAPTURE}))
    with running.client(running.engine.apps.renew_token("codex")) as hook:
        for event, body in (("prompt", {"prompt": ""}), ("whatever", {"prompt": "x"})):
            assert hook.post(f"/v1/hook/codex/{event}", json=body).status_code == 200
    assert texts(running) == []


def test_a_wrong_shape_names_the_place_and_not_the_value(client: httpx.Client) -> None:
    answer = client.post("/v1/events", json={"text": 5, "session": "my secret word"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "text" in answer.json()["detail"]
    assert "secret" not in answer.text


def test_the_end_of_a_turn_of_codex_brings_what_its_rollout_tells(running: Running, tmp_path: Path) -> None:
    folder = tmp_path / "codex/sessions/2026/11/23"
    folder.mkdir(parents=True)
    rollout = Path(shutil.copy(RECORDED / "codex.rollout.jsonl", folder / "rollout-2026-11-23T22-27-09-x.jsonl"))
    running.engine.apps.create("codex", "Codex", frozenset({Scope.CAPTURE}))
    token = running.engine.apps.renew_token("codex")
    lines = (RECORDED / "codex.hooks.jsonl").read_text(encoding="utf-8").splitlines()
    failing = [
        value for line in lines if (value := json.loads(line))["stdin"].get("turn_id", "").startswith("01a20a85-de0c")
    ]
    assert [given["event"] for given in failing] == ["prompt", "tool", "stop"]
    with running.client(token) as hook:
        for number, given in enumerate(failing):
            body = given["stdin"] | {"transcript_path": str(rollout)}
            path = f"/v1/hook/codex/{given['event']}?key={number:024x}c0ffee00"
            assert hook.post(path, json=body).status_code == 200
    until = time.monotonic() + PATIENCE_S
    while not (uses := statuses(running)) or uses[0] is None:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert uses == [3]


def statuses(running: Running) -> list[int | None]:
    store = sqlite3.connect(running.engine.places.store_path)
    found = [status for (status,) in store.execute("SELECT exit_status FROM tool_use ORDER BY id")]
    store.close()
    return found
