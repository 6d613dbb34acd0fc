"""Memories over HTTP: a person's own command line may everything, an assistant only proposes.

The paths and bodies of S4: listing, resolving, opening again; only the person's token decides.

The graph over the socket: read and written by the person's own tools, by no assistant's token.
"""

import json
from pathlib import Path

import httpx
import pytest

from app.api import LinkType, MemoryDraft, Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

TEXT = "We decided to use PostgreSQL because of its JSON support."


def add(who: httpx.Client, text: str = TEXT, **more: object) -> int:
    answer = who.post("/v1/memories", json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_an_assistant_proposes_and_a_person_accepts(client: httpx.Client, admin: httpx.Client) -> None:
    memory_id = add(client, tags=["DB"])
    memory = client.get(f"/v1/memories/{memory_id}").json()["memory"]
    assert (memory["status"], memory["trust"], memory["app"]) == ("proposed", 0, "app-capture-read-write")
    assert client.post("/v1/memories/accept", json={"ids": [memory_id]}).status_code == 403
    assert admin.post("/v1/memories/accept", json={"ids": [memory_id]}).status_code == 204
    memory = client.get(f"/v1/memories/{memory_id}").json()["memory"]
    assert (memory["status"], memory["trust"]) == ("active", 3)
    refused = client.patch(f"/v1/memories/{memory_id}", json={"title": "Mine now"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert client.delete(f"/v1/memories/{memory_id}").status_code == 403
    assert client.post("/v1/memories/tag", json={"ids": [memory_id], "add": ["x"]}).status_code == 403


def test_a_program_reports_what_the_person_said_and_takes_its_own_back(
    running: Running, client: httpx.Client, admin: httpx.Client
) -> None:
    said = "hm, the kiln must never run at night"
    prompt = {"kind": "prompt", "text": said, "session": "s", "cwd": "/w/pottery", "wait": "understood"}
    client.post("/v1/events", json=prompt).raise_for_status()
    report = {
        "statement": "The kiln never runs at night.",
        "quote": "kiln must never run at night",
        "project": "/w/pottery",
    }
    made = client.post("/v1/remember", json=report).json()
    assert (made["state"], made["reason"]) == ("active", "")
    found = admin.get(f"/v1/memories/{made['id']}").json()
    assert (found["memory"]["worded_by"], found["memory"]["trust"]) == ("app-capture-read-write", 2)
    assert [source["quote"] for source in found["sources"]] == [report["quote"]]
    untrue = client.post("/v1/remember", json={**report, "quote": "kiln runs at noon", "statement": "It runs at noon."})
    assert untrue.json()["state"] == "proposed"
    operation = next(
        one for one in admin.get("/v1/journal").json() if one["kind"] == "remember" and "kiln" in one["label"]
    )
    with running.client(running.token(Scope.WRITE, Scope.READ)) as other:
        assert other.post("/v1/journal/undo", json={"operation_id": operation["id"]}).status_code == 403
    assert client.post("/v1/journal/undo", json={"operation_id": operation["id"]}).status_code == 200
    assert admin.get(f"/v1/memories/{made['id']}").status_code == 404


def test_what_is_known_is_named_and_a_person_who_says_it_again_accepts_it(
    client: httpx.Client, admin: httpx.Client
) -> None:
    memory_id = add(client)
    again = client.post("/v1/memories", json={"text": TEXT.lower()})
    assert (again.status_code, again.json()) == (200, {"id": memory_id, "is_known": True, "is_waiting": True})
    by_person = admin.post("/v1/memories", json={"text": TEXT})
    assert (by_person.status_code, by_person.json()) == (200, {"id": memory_id, "is_known": True, "is_waiting": False})
    memory = client.get(f"/v1/memories/{memory_id}").json()["memory"]
    assert (memory["status"], memory["trust"]) == ("active", 3)
    assert add(admin, TEXT, valid_from="2020-01-01T00:00:00Z") != memory_id, "a time of its own makes it another one"


def test_edit_versions_restore_and_undo(admin: httpx.Client) -> None:
    memory_id = add(admin)
    seen = admin.get(f"/v1/memories/{memory_id}").json()["memory"]["revision"]
    edit = {"full": "We decided to use MySQL.", "expected_revision": seen, "importance": 0.9}
    assert admin.patch(f"/v1/memories/{memory_id}", json=edit).status_code == 204
    assert admin.patch(f"/v1/memories/{memory_id}", json=edit).status_code == 409
    (version,) = admin.get(f"/v1/memories/{memory_id}/versions").json()
    assert version["full"] == TEXT
    diff = admin.get(f"/v1/memories/versions/{version['id']}/diff").json()["diff"]
    assert "{+MySQL.+}" in diff
    assert admin.post(f"/v1/memories/{memory_id}/restore", json={"version_id": version["id"]}).status_code == 204
    assert admin.get(f"/v1/memories/{memory_id}").json()["memory"]["levels"]["full"]["text"] == TEXT
    assert admin.post("/v1/journal/undo").json()["label"].startswith("Undone: Restored version 1")


def test_lists_filters_and_facets(admin: httpx.Client) -> None:
    one = add(admin, tags=["db"], project_path="/w/app")
    other = add(admin, "Never deploy on Fridays.", importance=0.9)
    page = admin.get("/v1/memories", params={"limit": 1}).json()
    assert (page["total"], page["start"], len(page["cards"])) == (2, 0, 1)
    for query, expected in (
        ({"tag": "db"}, [one]),
        ({"project": "app"}, [one]),
        ({"min_importance": 0.8}, [other]),
        ({"type": ["goal", "decision"]}, [one]),
        ({"status": "archived"}, []),
        ({"sort": "importance"}, [other, one]),
    ):
        found = admin.get("/v1/memories", params=query).json()["cards"]  # type: ignore[arg-type]
        assert [card["id"] for card in found] == expected, query
    facets = admin.get("/v1/memories/facets").json()
    assert facets["tag"] == [{"value": "db", "title": "db", "count": 1}]
    assert admin.get("/v1/memories", params={"nonsense": 1}).status_code == 422
    assert admin.get("/v1/memories", params={"min_importance": 2}).status_code == 422


def test_inbox_acts_links_and_rules(client: httpx.Client, admin: httpx.Client) -> None:
    one, other = add(admin), add(client, "I like tea.")
    rule = {"verdict": "never", "phrase": "tea"}
    assert admin.post("/v1/memories/reject", json={"ids": [other], "rule": rule}).status_code == 204
    (kept,) = admin.get("/v1/memories/rules").json()
    assert kept["phrase"] == "tea"
    assert admin.delete(f"/v1/memories/rules/{kept['id']}").status_code == 204
    assert admin.post("/v1/memories/unarchive", json={"ids": [other]}).status_code == 204
    link = admin.post(f"/v1/memories/{one}/links", json={"to_id": other, "type": "depends_on"}).json()["id"]
    artifact = {"kind": "adr", "reference": "ADR-012"}
    attached = admin.post(f"/v1/memories/{one}/artifacts", json=artifact).json()["id"]
    detail = client.get(f"/v1/memories/{one}").json()
    assert (detail["links"][0]["other_id"], detail["artifacts"][0]["reference"]) == (other, "ADR-012")
    assert admin.delete(f"/v1/memories/links/{link}").status_code == 204
    assert admin.delete(f"/v1/memories/artifacts/{attached}").status_code == 204
    assert admin.post("/v1/memories/pin", json={"ids": [one]}).status_code == 204
    assert admin.post("/v1/memories/archive", json={"ids": [one]}).status_code == 204
    assert client.get("/v1/memories").json()["total"] == 1
    assert admin.post("/v1/memories/archive", json={"ids": []}).status_code == 422
    assert admin.post("/v1/memories/archive", json={"ids": [999]}).status_code == 404


def test_merging(admin: httpx.Client, client: httpx.Client) -> None:
    one, other = add(admin), add(admin, "Backups run at night.")
    assert client.post("/v1/memories/merge", json={"ids": [one, other]}).status_code == 403
    made = admin.post("/v1/memories/merge", json={"ids": [one, other], "keep_id": other, "text": "Both at night."})
    assert (made.status_code, made.json()) == (200, {"id": other})
    assert admin.get(f"/v1/memories/{other}").json()["memory"]["levels"]["full"]["text"] == "Both at night."
    assert admin.post("/v1/memories/merge", json={"ids": [other]}).status_code == 422


def test_guessing_and_searching(admin: httpx.Client) -> None:
    add(admin)
    draft = admin.post("/v1/memories/guess", json={"text": "Never use tabs."}).json()
    assert draft["type"]
    assert admin.get("/v1/memories").json()["total"] == 1, "a guess writes nothing"
    hits = admin.get("/v1/search", params={"q": "postgresql"}).json()["hits"]
    assert hits[0]["text"] == TEXT
    assert admin.get("/v1/search/status").json()["document_count"] >= 0
    assert admin.post("/v1/search/rebuild").json() == {"memory_count": 1}


def test_what_was_said_leads_to_its_memories(running: Running, client: httpx.Client) -> None:
    answer = client.post("/v1/turn", json={"text": "We decided to use Redis for sessions.", "session": "one"})
    assert answer.status_code == 200
    assert running.engine.events.wait_idle(PATIENCE_S)
    message = running.engine.conversations.list()[0]
    (first,) = running.engine.conversations.get(message.id).messages
    of_message = client.get(f"/v1/messages/{first.id}/memories").json()
    of_conversation = client.get(f"/v1/conversations/{message.id}/memories").json()
    assert [card["id"] for card in of_message] == [card["id"] for card in of_conversation]
    assert of_message
    assert client.get(f"/v1/conversations/{message.id}/chunks").json() == []


def test_erasing_and_scanning_are_a_persons(client: httpx.Client, admin: httpx.Client, running: Running) -> None:
    canary = "zanzibar-lighthouse-55"
    memory_id = add(admin, f"The port of {canary} is 8080.")
    assert client.post("/v1/memories/erase", json={"ids": [memory_id]}).status_code == 403
    report = admin.post("/v1/memories/erase", json={"ids": [memory_id]}).json()
    assert report["memory_count"] == 1
    folder: Path = running.engine.places.data_dir
    store = [path for path in folder.rglob("*") if path.is_file() and "backups" not in path.parts]
    assert not any(canary.encode() in path.read_bytes() for path in store)
    assert admin.post("/v1/erase", json={}).status_code == 422
    assert admin.post("/v1/secrets/scan", json={}).json() == []


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


def two(running: Running) -> tuple[int, int]:
    memories = running.engine.memories
    first = memories.create(MemoryDraft("Exports are CSV.", project_path="/src/shop"))
    second = memories.create(MemoryDraft("Deploys run at night.", project_path="/src/shop"))
    memories.link(first, second, LinkType.DEPENDS_ON)
    return first, second


def test_around_find_and_way(admin: httpx.Client, running: Running) -> None:
    first, second = two(running)
    around = admin.get("/v1/graph", params={"around": f"memory:{first}"}).json()
    assert around["centre"] == f"memory:{first}"
    assert [(link["from_id"], link["relation"], link["to_id"]) for link in around["links"]] == [
        (f"memory:{first}", "depends_on", f"memory:{second}")
    ]
    assert admin.get("/v1/graph").json()["nodes"], "what matters now"
    found = admin.get("/v1/graph/find", params={"q": "night"}).json()
    assert [node["id"] for node in found["nodes"]] == [f"memory:{second}"]
    way = admin.get("/v1/graph/path", params={"from": f"memory:{second}", "to": f"memory:{first}"}).json()
    assert [node["id"] for node in way["nodes"]] == [f"memory:{second}", f"memory:{first}"]


def test_what_names_nothing_says_how_it_is_named(admin: httpx.Client) -> None:
    refused = admin.get("/v1/graph", params={"around": "planet:1"})
    assert refused.status_code == 422
    assert "memory:42" in refused.text
    assert admin.get("/v1/graph", params={"around": "memory:4711"}).status_code == 404


def test_an_export_is_written_once(admin: httpx.Client, running: Running, tmp_path: Path) -> None:
    first, _second = two(running)
    path = tmp_path / "graph.json"
    body = {"around": f"memory:{first}", "path": str(path)}
    assert admin.post("/v1/graph/export", json=body).json()["file_count"] == 1
    assert len(json.loads(path.read_text())["nodes"]) == 2
    assert admin.post("/v1/graph/export", json=body).status_code == 422, "it is there already"
    folder = tmp_path / "notes"
    folder.mkdir()
    assert admin.post("/v1/graph/export", json=body | {"path": str(folder)}).json()["file_count"] == 2
    assert {file.name for file in folder.iterdir()} == {"Exports are CSV.md", "Deploys run at night.md"}
    odd = admin.post("/v1/graph/export", json=body | {"path": str(tmp_path / "graph.docx")})
    assert odd.status_code == 422


def test_an_assistant_reads_no_graph(running: Running) -> None:
    with running.client(running.token(Scope.READ)) as app:
        assert app.get("/v1/graph").status_code == 403


def test_a_link_is_drawn_and_rejected(admin: httpx.Client, running: Running) -> None:
    first, second = two(running)
    ends = {"from_id": f"memory:{first}", "to_id": f"memory:{second}", "relation": "part_of"}
    assert admin.post("/v1/graph/links", json=ends | {"reason": "said so"}).json()["link_id"] > 0
    found = admin.get("/v1/graph", params={"around": f"memory:{first}"}).json()["links"]
    assert ("part_of", "said so") in {(link["relation"], link["reason"]) for link in found}
    assert admin.post("/v1/graph/verdict", json=ends | {"is_accepted": False}).json() == {"is_accepted": False}
    found = admin.get("/v1/graph", params={"around": f"memory:{first}"}).json()["links"]
    assert "part_of" not in {link["relation"] for link in found}
