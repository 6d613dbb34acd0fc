"""The paths and bodies of S4: listing, resolving, opening again; only the person's token decides."""

import httpx
import pytest

from app.api import MemoryDraft
from tests.app.server.conftest import Running


@pytest.fixture
def number(running: Running) -> int:
    for value in ("Redis", "Memcached"):
        running.engine.memories.create(MemoryDraft(f"We decided to use {value} for caching.", project_path="/w/shop"))
    return running.engine.contradictions.list()[0].id


@pytest.mark.seed("S4", "contra.fields", "api.resolve")
def test_the_seeds_form_resolves(admin: httpx.Client, number: int) -> None:
    [listed] = admin.get("/contradictions", params={"status": "open"}).json()
    assert (listed["id"], listed["state"]) == (number, "open")
    assert admin.get("/v1/contradictions").json() == [listed]
    body = {"resolution": "b_wins", "note": "Migration completed, A is outdated"}
    done = admin.post(f"/contradictions/{number}/resolve", json=body)
    assert done.status_code == 200
    assert (done.json()["resolution"], done.json()["state"]) == ("b_wins", "resolved")
    assert admin.get("/contradictions", params={"status": "resolved"}).json()[0]["resolution_note"] == body["note"]
    assert admin.post(f"/contradictions/{number}/resolve", json=body).status_code == 409
    assert admin.post(f"/contradictions/{number}/reopen").json()["state"] == "open"


def test_one_whole_says_what_each_answer_would_do(admin: httpx.Client, number: int) -> None:
    found = admin.get(f"/contradictions/{number}").json()
    assert found["suggested"] == "b_wins"
    assert set(found["effects"]) == {"a_wins", "b_wins", "both_valid", "merged", "dismissed"}
    assert found["a"]["memory"]["levels"]["full"]["text"].startswith("We decided to use Redis")
    assert admin.get("/contradictions/999").status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"resolution": "a"}, {"resolution": "b_wins", "more": 1}, {"resolution": "both_valid"}]
)
def test_a_wrong_body_changes_nothing(admin: httpx.Client, running: Running, number: int, body: dict[str, str]) -> None:
    assert admin.post(f"/contradictions/{number}/resolve", json=body).status_code == 422
    assert running.engine.contradictions.count_open() == 1


def test_an_assistant_may_look_and_not_decide(client: httpx.Client, number: int) -> None:
    assert client.get("/contradictions").status_code == 200
    refused = client.post(f"/contradictions/{number}/resolve", json={"resolution": "a_wins"})
    assert refused.status_code == 403
