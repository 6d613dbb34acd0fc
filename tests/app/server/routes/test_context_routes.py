"""Assemble, predict and receipts over HTTP, with the bodies and answers of the seed."""

import httpx
import pytest

from app.api import MemoryDraft, Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

PROJECT = "/w/shop"


@pytest.fixture(autouse=True)
def _known(running: Running) -> None:
    running.engine.memories.create(MemoryDraft(text="Orders are stored in PostgreSQL.", project_path=PROJECT))


def test_a_context_by_its_signals_and_its_receipt(admin: httpx.Client) -> None:
    body = {
        "budget": 2000,
        "project": PROJECT,
        "signals": {"prompt": "where are orders stored?", "current_file": "src/orders.py", "activity": "debugging"},
    }
    made = admin.post("/v1/context/assemble", json=body).json()
    assert "PostgreSQL" in made["context"]
    assert 0 < made["token_count"] <= 2000
    assert set(made["tiers"]) == {"tier1", "tier2", "tier3", "tier4"}
    assert made["activity"] == "debugging"
    assert [receipt["id"] for receipt in admin.get("/v1/receipts").json()] == [made["receipt_id"]]
    detail = admin.get(f"/v1/receipts/{made['receipt_id']}").json()
    assert detail["context"]["text"] == made["context"]
    assert admin.get("/v1/receipts/999").status_code == 404


@pytest.mark.seed("S4", "api.assemble", "api.predict")
def test_the_paths_of_the_seed_are_served_with_its_own_bodies(running: Running, client: httpx.Client) -> None:
    """S4 "API Endpoints", word for word but for what was typed into them."""
    assembled = client.post(
        "/context/assemble",
        json={
            "budget": 8000,
            "signals": {
                "current_file": "src/orders.ts",
                "recent_errors": ["TypeError: Cannot read property of PostgreSQL orders"],
                "activity": "debugging",
            },
            "project": PROJECT,
        },
    ).json()
    assert "PostgreSQL" in assembled["context"]
    assert assembled["token_count"] > sum(assembled["tiers"].values()) > 0
    predicted = client.post("/context/predict", json={"file_opened": "src/orders.ts", "project": PROJECT})
    assert {"predicted_memories", "confidence"} <= set(predicted.json())
    with running.client(running.token(Scope.CAPTURE)) as stranger:
        assert stranger.post("/context/assemble", json={}).status_code == 403
    with httpx.Client(base_url=running.url, trust_env=False, timeout=PATIENCE_S) as nobody:
        assert nobody.post("/context/predict", json={}).status_code == 401
    foreign = client.post("/context/assemble", json={}, headers={"Host": "evil.example"})
    browser = client.post("/context/assemble", json={}, headers={"Origin": "http://127.0.0.1"})
    assert (foreign.status_code, browser.status_code) == (421, 403)


def test_a_preview_leaves_no_receipt(admin: httpx.Client) -> None:
    body = {"project": PROJECT, "signals": {"prompt": "orders"}, "is_preview": True}
    assert admin.post("/v1/context/assemble", json=body).json()["receipt_id"] is None
    assert admin.get("/v1/receipts").json() == []


def test_a_prediction_says_how_sure_it_is(admin: httpx.Client) -> None:
    found = admin.post("/v1/context/predict", json={"branch": "orders-stored", "project": PROJECT}).json()
    assert len(found["predicted_memories"]) == 1
    assert 0 < found["confidence"] < 1
    assert found["reasons"] == ["named by the branch orders-stored"]


@pytest.mark.parametrize("body", [{"budget": 10}, {"signals": {"mood": "good"}}, {"budget": "much"}])
def test_bodies_that_do_not_fit_are_refused(admin: httpx.Client, body: dict[str, object]) -> None:
    assert admin.post("/v1/context/assemble", json=body).status_code == 422


def test_receipts_are_for_the_owner(running: Running) -> None:
    _, token = running.engine.apps.create("reader", "Reader", frozenset({Scope.READ}))
    with running.client(token) as reader:
        assert reader.get("/v1/receipts").status_code == 403
        assert reader.post("/v1/context/predict", json={}).status_code == 200


def test_level_and_tier_of_a_memory_are_chosen_listed_and_taken_back(admin: httpx.Client, running: Running) -> None:
    assert admin.post("/v1/context/level", json={"ids": [1], "level": "compressed"}).status_code == 204
    assert admin.post("/v1/context/tier", json={"ids": [1], "tier": "critical"}).status_code == 204
    chosen = [{"memory_id": 1, "level": "compressed", "tier": "critical", "is_withheld": False}]
    assert admin.get("/v1/context/placements").json() == chosen
    body = {"project": PROJECT, "signals": {"prompt": "orders in PostgreSQL"}, "is_preview": True}
    (item,) = [one for one in admin.post("/v1/context/assemble", json=body).json()["items"] if one["memory_id"]]
    assert (item["level"], item["tier"]) == ("compressed", "critical")
    assert admin.post("/v1/context/level", json={"ids": [1], "level": "automatic"}).status_code == 204
    assert admin.post("/v1/context/tier", json={"ids": [1], "tier": "automatic"}).status_code == 204
    assert admin.get("/v1/context/placements").json() == []
    labels = [one.label for one in running.engine.journal.list(limit=4)]
    assert labels[0].endswith("will be given in the tier that fits, where there is room")


def test_only_a_person_chooses_and_only_what_there_is(admin: httpx.Client, running: Running) -> None:
    with running.client(running.token(Scope.READ, Scope.WRITE)) as assistant:
        assert assistant.post("/v1/context/level", json={"ids": [1], "level": "full"}).status_code == 403
        assert assistant.post("/v1/context/tier", json={"ids": [1], "tier": "critical"}).status_code == 403
    assert admin.post("/v1/context/level", json={"ids": [1], "level": "huge"}).status_code == 422
    assert admin.post("/v1/context/tier", json={"ids": [], "tier": "critical"}).status_code == 422
    assert admin.post("/v1/context/tier", json={"ids": [99], "tier": "critical"}).status_code == 404
    assert running.engine.context.placements() == ()


def test_a_project_may_be_given_by_its_name_and_a_name_that_nobody_knows_is_refused(client: httpx.Client) -> None:
    body = {"project": "shop", "signals": {"prompt": "where are orders stored?"}}
    assert "PostgreSQL" in client.post("/context/assemble", json=body).json()["context"]
    assert client.post("/context/predict", json={"project": "Shop", "file_opened": "a.py"}).status_code == 200
    for path, rest in (("assemble", {}), ("predict", {})):
        refused = client.post(f"/v1/context/{path}", json={"project": "barn", **rest})
        assert refused.status_code == 422
        assert "no project called barn" in refused.text
        assert "Known are: shop" in refused.text
    assert client.post("/context/assemble", json={**body, "project": "/w/barn"}).json()["context"] == ""


def test_a_name_that_two_projects_have_is_not_guessed(running: Running, client: httpx.Client) -> None:
    running.engine.memories.create(MemoryDraft(text="Orders are stored in MySQL.", project_path="/v/shop"))
    refused = client.post("/context/assemble", json={"project": "shop"})
    assert refused.status_code == 409
    assert {"/v/shop", PROJECT} <= set(refused.json()["candidates"])


@pytest.mark.seed("S4", "tier4.expand")
def test_whole_texts_and_the_timeline_stay_within_the_walls(running: Running, client: httpx.Client) -> None:
    there = running.engine.memories.create(MemoryDraft(text="Invoices are numbered.", project_path="/w/bank"))
    found = client.get("/v1/context/expand", params={"id": [1, there], "project": PROJECT}).json()
    assert found["memory_ids"] == [1]
    assert found["note"] == f"Not given: {there}."
    assert found["text"].startswith("<remanence-memory")
    listed = client.get("/v1/context/timeline", params={"project": "shop", "topic": "postgresql"}).json()
    assert listed["memory_ids"] == [1]
    for params in ({"project": "shop", "as_of": "2020-01-01T00:00:00Z"}, {"project": ""}, {"topic": "invoices"}):
        assert client.get("/v1/context/timeline", params=params).json()["memory_ids"] == [], params
    assert client.get("/v1/context/timeline", params={"project": "nowhere"}).status_code == 404
    assert client.get("/v1/context/expand").status_code == 422


@pytest.mark.seed("S3", "working.parts", "budget.fields", "window.call")
def test_a_whole_window_has_the_budget_of_the_seed(running: Running, admin: httpx.Client) -> None:
    """S3 `TokenBudget`, with the system prompt and what is worked on inside."""
    running.engine.window.log("Every order needs a receipt.", session="w1")
    body = {
        "system_prompt": "You are a careful helper.",
        "active": ["Branch: fix/orders"],
        "signals": {
            "prompt": "where are orders stored?",
            "current_file": "src/orders.py",
            "recent_errors": ["TypeError: order is None"],
        },
        "project": PROJECT,
    }
    made = admin.post("/v1/context/window", json=body).json()
    budget = made["budget"]
    assert budget | {"used": 0, "available": 0} == {
        "total": 128_000, "systemPrompt": 2_000, "workingMemory": 8_000, "retrievedContext": 47_200,
        "recentMessages": 70_800, "used": 0, "available": 0,
    }  # fmt: skip
    parts = {part["name"]: part for part in made["parts"]}
    assert list(parts) == ["system", "working", "recent", "memories", "chunks"]
    assert budget["used"] == sum(part["used_tokens"] for part in parts.values())
    reserved = 2_000 + 8_000 - parts["system"]["used_tokens"] - parts["working"]["used_tokens"]
    assert budget["available"] == 128_000 - budget["used"] - reserved
    assert parts["system"]["texts"] == ["You are a careful helper."]
    assert parts["working"]["texts"] == [
        "Open file: src/orders.py", "Last error: TypeError: order is None", "Branch: fix/orders",
        "where are orders stored?",
    ]  # fmt: skip
    assert "PostgreSQL" in parts["memories"]["texts"][0]
    assert made["memory_ids"] == [1]
    assert made["window"].startswith("You are a careful helper.\n\nOpen file")
    smaller = admin.post("/v1/context/window", json=body | {"total": 1_500, "is_preview": True}).json()
    assert smaller["budget"]["used"] <= smaller["budget"]["total"] == 1_500
    assert any("reserves" in one for one in smaller["warnings"])


def test_a_window_of_nowhere_tells_nobodys_messages(running: Running) -> None:
    """A token without a project is not handed the newest conversation of any project (S9)."""
    running.engine.window.log("The launch code is 1234 at home.", session="secret-session")
    with running.client(running.token(Scope.READ)) as stranger:
        made = stranger.post("/v1/context/window", json={"signals": {"prompt": "launch"}}).json()
    assert [part["texts"] for part in made["parts"] if part["name"] in ("recent", "chunks")] == [[], []]


def test_what_a_window_is_made_for_is_checked(admin: httpx.Client) -> None:
    assert admin.post("/v1/context/window", json={"total": 10}).status_code == 422
    assert admin.post("/v1/context/window", json={"budget": 8_000}).status_code == 422
