"""Browsing and correcting over the socket: each act changes what is read next, and can be undone."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.api import Intent, Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

Say = Callable[..., dict[str, object]]


def test_the_queue_can_be_listed_filtered_and_searched(client: httpx.Client, say: Say) -> None:
    number = say("add a dark mode to the settings page")["conversation_id"]
    (card,) = client.get("/v1/conversations").json()
    assert (card["id"], card["state"], card["message_count"]) == (number, "active", 1)
    assert client.get("/v1/conversations", params={"app": "codex"}).json() == []
    (hit,) = client.get("/v1/conversations/search", params={"q": "dark mode"}).json()
    assert hit["conversation_id"] == number
    assert "dark mode" in client.get(f"/v1/conversations/{number}/markdown").text


def test_rename_and_outcome_and_undo(client: httpx.Client, say: Say) -> None:
    path = f"/v1/conversations/{say('add a dark mode')['conversation_id']}"
    before = client.get(path).json()["conversation"]["title"]
    assert client.patch(path, json={"title": "Night colours"}).status_code == 204
    assert client.get(path).json()["conversation"]["title"] == "Night colours"
    assert client.patch(path, json={"outcome": "tested"}).status_code == 204
    assert client.get(path).json()["conversation"]["outcome"] == "tested"
    for _ in range(2):
        assert client.post("/v1/journal/undo").status_code == 200
    assert client.get(path).json()["conversation"]["title"] == before
    assert client.post("/v1/journal/redo").status_code == 200
    assert client.get(path).json()["conversation"]["title"] == "Night colours"


def test_end_and_reopen(client: httpx.Client, say: Say) -> None:
    path = f"/v1/conversations/{say('add a dark mode')['conversation_id']}"
    assert client.post(f"{path}/end", json={"outcome": "completed"}).status_code == 204
    ended = client.get(path).json()["conversation"]
    assert (ended["state"], ended["outcome"]) == ("ended", "completed")
    assert client.post(f"{path}/reopen").status_code == 204
    assert client.get(path).json()["conversation"]["state"] == "active"


def test_split_and_merge(client: httpx.Client, say: Say) -> None:
    first = say("add a dark mode to the settings page")
    second = say("and make its background black")
    path = f"/v1/conversations/{first['conversation_id']}"
    if second["conversation_id"] != first["conversation_id"]:
        client.post(f"/v1/conversations/{second['conversation_id']}/merge", json={"into": first["conversation_id"]})
    answer = client.post(f"{path}/split", json={"message_id": second["message_id"]})
    assert answer.status_code == 201
    new = answer.json()["conversation"]["id"]
    assert len(client.get("/v1/conversations").json()) == 2
    merged = client.post(f"/v1/conversations/{new}/merge", json={"into": first["conversation_id"]})
    assert [part["id"] for part in merged.json()["messages"]] == [first["message_id"], second["message_id"]]


def test_a_message_is_moved(client: httpx.Client, say: Say) -> None:
    old = say("add a dark mode to the settings page")["conversation_id"]
    number = say("and make its background black")["message_id"]
    new = client.post(f"/v1/conversations/{old}/split", json={"message_id": number}).json()["conversation"]["id"]
    path = f"/v1/messages/{number}/move"
    assert client.post(path, json={"into": new}).status_code == 422, "it is there already"
    moved = client.post(path, json={"into": old})
    assert [part["id"] for part in moved.json()["messages"]][-1] == number
    assert client.post("/v1/messages/4711/move", json={"into": old}).status_code == 404


def test_a_message_of_another_conversation_is_not_split(client: httpx.Client, say: Say) -> None:
    number = say("add a dark mode")["message_id"]
    answer = client.post("/v1/conversations/77/split", json={"message_id": number})
    assert answer.status_code == 422
    assert client.post("/v1/conversations/77/clarify", json={"message_id": number, "is_new": True}).status_code == 422


def test_intents_are_corrected(client: httpx.Client, say: Say) -> None:
    path = f"/v1/messages/{say('the button is purple')['message_id']}"
    assert client.patch(path, json={"intents": ["REVIEW", "TEST"]}).status_code == 204
    message = client.get(path).json()
    assert message["is_intent_corrected"] is True
    assert [score["intent"] for score in message["intents"]] == ["REVIEW", "TEST"]
    assert client.patch(path, json={"intents": ["SHOUT"]}).status_code == 422


def test_references_are_corrected_and_dismissed(client: httpx.Client, say: Say) -> None:
    say("add a FAB button to the home screen")
    message = client.get(f"/v1/messages/{say('make it purple')['message_id']}").json()
    number, reference = message["references"][0]
    assert reference["mention"] == "it"
    path = f"/v1/references/{number}"
    assert client.post(f"{path}/correct", json={"antecedent": "home screen"}).status_code == 204
    message = client.get(f"/v1/messages/{message['id']}").json()
    assert message["references"][0][1]["antecedent"] == "home screen"
    assert "home screen" in message["expanded_text"]
    assert client.post(f"{path}/dismiss").status_code == 204
    message = client.get(f"/v1/messages/{message['id']}").json()
    assert message["references"][0][1]["state"] == "dismissed"


@pytest.mark.seed("S2", "operation.load", "clear.manual")
def test_the_window_is_loaded_logged_and_cleared(client: httpx.Client) -> None:
    assert client.post("/v1/window", json={"text": "add a dark mode"}).json()["state"] == "done"
    assert [part["text"] for part in client.get("/v1/window").json()] == ["add a dark mode"]
    assert client.delete("/v1/window").json() == {"cleared_count": 1}
    assert client.get("/v1/window").json() == []
    assert client.get("/v1/stats").json()["message_count"] == 1


def test_the_journal_tells_what_happened(client: httpx.Client, say: Say) -> None:
    say("add a dark mode")
    newest = client.get("/v1/journal", params={"limit": 1}).json()[0]
    assert newest["origin"] == "capture"
    assert client.get(f"/v1/journal/{newest['id']}").json() != []


def test_what_is_not_there_is_404_with_a_next_step(client: httpx.Client) -> None:
    answer = client.get("/v1/conversations/4711")
    assert answer.status_code == 404
    found = answer.json()
    assert found["code"] == "not_found"
    assert found["detail"].endswith(".")
    assert found["status"] == 404


def test_what_an_app_changes_is_journalled_as_its_own(running: Running, say: Say, admin: httpx.Client) -> None:
    path = f"/v1/conversations/{say('add a dark mode')['conversation_id']}"
    with running.client(running.token(Scope.READ, Scope.WRITE)) as app:
        assert app.patch(path, json={"title": "Night colours"}).status_code == 204
        own = admin.get("/v1/journal").json()[0]
        assert own["origin"] == "api"
        assert own["label"].endswith("(by app-read-write)")
    assert admin.patch(path, json={"title": "Dark colours"}).status_code == 204
    assert admin.get("/v1/journal").json()[0]["origin"] == "person"
    assert admin.post("/v1/journal/undo", json={"operation_id": own["id"]}).status_code in {200, 409}


@pytest.mark.seed("S1", "road.router", "agents.expanded")
@pytest.mark.seed("S2", "router.hand-over", "router.expanded", "operation.log.fields")
def test_a_message_is_logged_and_handed_over_in_one_call(running: Running, client: httpx.Client) -> None:
    """S2 "Executor receives"."""
    client.post("/v1/window/hand-over", json={"text": "I want to add a FAB button", "session": "s"})
    made = client.post("/v1/window/hand-over", json={"text": "Make it purple", "session_id": "s"}).json()
    assert (made["original"], made["expanded"]) == ("Make it purple", "Make the FAB button purple")
    assert made["context"] == "The user is refining the FAB button."
    assert made["context_refs"] == ["FAB button"]
    assert [one["text"] for one in made["recent"]] == ["I want to add a FAB button"]
    logged = {"text": "Make it round", "session": "s", "intents": ["CORRECT", "TEST"], "context_ref": "save icon"}
    made = client.post("/v1/window/hand-over", json=logged).json()
    assert made["expanded"] == "Make the save icon round"
    assert [(one["intent"], one["reason"]) for one in made["intents"]] == [
        ("CORRECT", "as logged"),
        ("TEST", "as logged"),
    ]
    with running.client(running.token(Scope.CAPTURE)) as writer:
        other = writer.post("/v1/window/hand-over", json={"text": "and bigger", "session": "s"}).json()
    assert other["recent"] == []
    assert client.post("/v1/window/hand-over", json={"text": "  "}).status_code == 422
    assert client.post("/v1/window/hand-over", json={"text": "x", "intents": ["DANCE"]}).status_code == 422


@pytest.mark.seed("S2", "analyse.log")
@pytest.mark.seed("S2", "operation.log.fields")
def test_what_is_said_of_a_logged_message_is_in_the_file_of_the_window(running: Running, tmp_path: Path) -> None:
    window = running.engine.window
    window.log("I want to add a FAB button", session="fab-button-20251103")
    window.log("Add a pulse animation", session="fab-button-20251103", intents=(Intent.PLAN,), context_ref="FAB button")
    running.engine.events.wait_idle(PATIENCE_S)
    running.engine.transfer.export("context", tmp_path / "conversation-context.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "conversation-context.jsonl").read_text().splitlines()]
    assert [{name: one.get(name) for name in ("user_message", "intent", "session_id", "context_ref")} for one in rows] == [
        {"user_message": "I want to add a FAB button", "intent": "PLAN", "session_id": "fab-button-20251103",
         "context_ref": None},
        {"user_message": "Add a pulse animation", "intent": "PLAN", "session_id": "fab-button-20251103",
         "context_ref": "FAB button"},
    ]  # fmt: skip
