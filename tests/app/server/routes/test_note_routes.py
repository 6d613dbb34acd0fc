"""S5's endpoints: exact bodies and order, at most ten, quick, each app its own; and ours beside them."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.api import Scope
from tests.app.server.conftest import Running


@pytest.fixture
def codex(running: Running) -> Running:
    """An app of that name with notes."""
    running.engine.apps.create("codex", "Codex", frozenset({Scope.READ, Scope.WRITE}))
    for number in range(8):
        running.engine.notes.add("codex", f"Rule number {number}.")
    return running


@pytest.mark.seed("S5", "table", "agent.get", "agent.delete", "api.list", "api.purge", "api.delete")
def test_the_bodies_are_the_seeds(admin: httpx.Client, codex: Running) -> None:
    listed = admin.get("/apps/codex/memories")
    assert listed.status_code == 200
    assert list(listed.json()) == ["memories"]
    memories = listed.json()["memories"]
    assert [list(one) for one in memories] == [["id", "content", "createdAt", "updatedAt"]] * 8
    assert [one["content"] for one in memories] == [f"Rule number {number}." for number in range(7, -1, -1)]
    assert len(memories[0]["createdAt"]) == len("2025-10-10T14:30:00Z")
    codex.engine.notes.edit(memories[-1]["id"], content="Rule number 0, changed.")
    assert admin.get("/apps/codex/memories").json()["memories"][0]["content"] == "Rule number 0, changed."
    assert admin.delete(f"/apps/codex/memories/{memories[0]['id']}").json() == {"success": True}
    assert admin.delete("/apps/codex/memories").json() == {"success": True, "deletedCount": 7}
    assert admin.get("/apps/codex/memories").json() == {"memories": []}


@pytest.mark.seed("S5", "table.indexes", "perf.retrieval")
def test_it_answers_within_a_tenth_of_a_second(admin: httpx.Client, codex: Running) -> None:
    admin.get("/apps/codex/memories")
    times = []
    for _ in range(5):
        started_s = time.perf_counter()
        admin.get("/apps/codex/memories")
        times.append(time.perf_counter() - started_s)
    assert min(times) < 0.1


def test_unknown_ones_are_not_found(admin: httpx.Client, codex: Running) -> None:
    del codex
    assert admin.get("/apps/nobody/memories").status_code == 404
    assert admin.delete("/apps/nobody/memories").status_code == 404
    assert admin.delete("/apps/codex/memories/99").status_code == 404


@pytest.mark.seed("S5", "test.isolated", "security.scope")
def test_an_app_has_its_own_and_no_others(codex: Running) -> None:
    token = codex.engine.apps.renew_token("codex")
    other = codex.token(Scope.READ, Scope.WRITE)
    with codex.client(token) as own, codex.client(other) as stranger:
        assert len(own.get("/apps/codex/memories").json()["memories"]) == 8
        assert stranger.get("/apps/codex/memories").status_code == 403
        assert stranger.delete("/apps/codex/memories").status_code == 403
        number = own.get("/v1/notes").json()["notes"][0]["id"]
        assert stranger.delete(f"/apps/codex/memories/{number}").status_code in {403, 404}
        assert stranger.get("/v1/notes").json() == {"notes": []}
        assert stranger.get("/v1/notes/context", params={"app": "codex"}).status_code == 403
        assert own.delete("/apps/codex/memories").json() == {"success": True, "deletedCount": 8}


@pytest.mark.seed("S5", "table.cascade", "api.registry", "test.retained")
def test_notes_stay_when_an_app_is_revoked_and_go_when_that_is_asked(admin: httpx.Client, codex: Running) -> None:
    del codex
    assert admin.delete("/v1/apps/codex").status_code == 204
    assert len(admin.get("/apps/codex/memories").json()["memories"]) == 8
    assert admin.delete("/v1/apps/codex", params={"purgeMemories": "true"}).status_code == 204
    assert admin.get("/apps/codex/memories").json() == {"memories": []}


@pytest.mark.seed("S5", "metadata.importance", "metadata.tags", "later.statistics")
def test_they_are_added_changed_found_promoted_and_counted(admin: httpx.Client, codex: Running) -> None:
    body = {"app": "codex", "content": "Exports are CSV.", "importance": 8}
    made = admin.post("/v1/notes", json=body)
    assert made.status_code == 201
    number = made.json()["id"]
    assert admin.patch(f"/v1/notes/{number}", json={"tags": ["export"]}).status_code == 204
    (found,) = admin.get("/v1/notes", params={"q": "csv exports"}).json()["notes"]
    assert (found["id"], found["importance"], found["tags"], found["worded_by"]) == (number, 8.0, ["export"], "person")
    promoted = admin.post(f"/v1/notes/{number}/promote")
    assert promoted.status_code == 201
    assert codex.engine.memories.get(promoted.json()["memory_id"]).memory.levels.full.text == "Exports are CSV."
    assert admin.put("/v1/apps/codex/notes/expiry", json={"days": 30}).status_code == 204
    assert admin.delete(f"/v1/notes/{number}").status_code == 204
    stats = admin.get("/v1/stats").json()["notes"]
    assert stats.keys() == admin.get("/v1/notes/stats").json().keys()
    assert (stats["note_count"], len(stats["created_per_hour"])) == (8, 24)


@pytest.mark.seed("S5", "context.form", "inject.selection", "api.hook", "test.context")
def test_the_block_is_the_seeds_and_has_a_receipt(admin: httpx.Client, codex: Running) -> None:
    codex.engine.notes.purge("codex")
    codex.engine.notes.add("codex", "User prefers meetings after 2pm on weekdays.", importance=9)
    codex.engine.notes.add("codex", "Exports are CSV.", importance=1)
    given = admin.get("/v1/notes/context", params={"app": "codex"}).json()
    day = codex.engine.clock.now().strftime("%Y-%m-%d")
    assert given["text"] == (
        "(memories for app: Codex)\nThe following are memories from previous conversations with this app:\n\n"
        f"1. [Created: {day}] User prefers meetings after 2pm on weekdays.\n2. [Created: {day}] Exports are CSV.\n\n"
        "Use these memories to provide context-aware responses."
    )
    receipt = admin.get(f"/v1/receipts/{given['receipt_id']}").json()
    assert receipt["context"]["text"] == given["text"]
    assert [one["text"] for one in receipt["context"]["items"]] == [
        "User prefers meetings after 2pm on weekdays.",
        "Exports are CSV.",
    ]


@pytest.mark.seed("S5", "inject.review")
def test_a_conversation_that_is_opened_to_review_comes_with_its_apps_notes(
    admin: httpx.Client, running: Running, say: Callable[..., dict[str, Any]]
) -> None:
    said = say("Add an export button to the order list")
    app = "app-capture-read-write"
    running.engine.notes.add(app, "Exports are CSV.")
    given = admin.get(f"/v1/conversations/{said['conversation_id']}/notes").json()
    assert "1. [Created: " in given["text"]
    assert admin.get(f"/v1/receipts/{given['receipt_id']}").json()["receipt"]["delivery"] == "notes:review"
    assert admin.get("/v1/conversations/999/notes").status_code == 404
