"""The graph over the socket: read and written by the person's own tools, by no assistant's token."""

import json
from pathlib import Path

import httpx

from app.api import LinkType, MemoryDraft, Scope
from tests.app.server.conftest import Running


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
