"""S9 over REST and MCP: a token that is bound to one project reads 0 bytes of another one, and no reader any of the exclusions.

Every GET route and every tool is asked, over a store in which the other project left something in every table.
"""

import json
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pysqlite3
import pytest
from mcp import Client

from app.api import ExclusionKind, MemoryDraft, Scope, Visibility
from app.server.application import ROUTES
from app.server.mcp.tools import TOOLS
from app.store.tables.core import JOURNALLED
from app.store.visibility import OPEN_TABLES, WALLS
from app.values import ArtifactKind, ContextRequest, ContextSignals, MemoryEdit, Tier
from tests.app.server.conftest import Running, run_server
from tests.app.server.mcp_client import over_http, text_of
from tests.patience import PATIENCE_S

CANARY = "zanzibar"  # in everything of the other project
EXCLUDED = "quokkapayroll"
SHARED = "Everybody uses tabs, as agreed"
READERS = frozenset({Scope.READ, Scope.WRITE, Scope.CAPTURE})
GETS = [spec for spec in ROUTES if spec.method == "GET" and spec.scope is not None]
QUERIES: dict[str, list[dict[str, Any]]] = {
    "/v1/conversations": [{}, {"include_evicted": True}, {"project": "other"}],
    "/v1/conversations/search": [{"q": CANARY}, {"q": "button"}],
    "/v1/search": [{"q": CANARY}, {"q": "zanzibr"}, {"q": "vault"}, {"q": "vault", "project": "other"}, {"q": "tabs"}],
    "/v1/memories": [{}, {"project": "other"}, {"status": "archived"}],
    "/v1/memories/facets": [{}, {"project": "other"}],
    "/v1/context/expand": [{"id": list(range(1, 40)), "project": "{other}"}, {"id": list(range(1, 40))}],
    "/v1/context/timeline": [{"project": "{other}"}, {}],
    "/v1/journal": [{}, {"limit": 1000}, {"q": CANARY}],
    "/v1/changes": [{"since": 0}],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path, Path]]:
    with run_server(tmp_path_factory.mktemp("walls")) as running:
        base = tmp_path_factory.mktemp("work")
        other, here = base / "other", base / "here"
        for folder in (other, here):
            (folder / ".git").mkdir(parents=True)
        fill(running, other, here)
        yield running, other, here


def fill(running: Running, other: Path, here: Path) -> None:
    """Something in every table for the other project; something of one's own here."""
    engine = running.engine
    _, token = engine.apps.create("writer", "Writer", frozenset(Scope))
    with running.client(token) as client:
        for folder, word in ((other, CANARY), (here, "lighthouse")):
            for number in range(3):
                text = f"Add the {word} button number {number} to src/{word}.py; make it purple, because {word} said so"
                body = {"text": text, "session": f"s-{word}", "project": str(folder), "git_branch": word}
                assert client.post("/v1/turn", json=body).status_code == 200
            client.post(
                "/v1/events",
                json={
                    "kind": "tool",
                    "session": f"s-{word}",
                    "project": str(folder),
                    "payload": {"tool": "Bash", "command": f"make {word}", "exit_status": 1, "error": f"{word} failed"},
                },
            )
    made = [
        engine.memories.create(MemoryDraft(f"The {CANARY} vault opens at nine, rule {number}", project_path=str(other)))
        for number in range(3)
    ]
    engine.memories.edit(made[0], MemoryEdit(full=f"The {CANARY} vault opens at ten now"))
    engine.memories.tag(made, add=[CANARY])
    engine.memories.attach(made[0], ArtifactKind.FILE, f"src/{CANARY}.py")
    engine.memories.archive([made[2]])
    engine.memories.create(MemoryDraft("The lighthouse vault opens at noon", project_path=str(here)))
    engine.memories.create(MemoryDraft(SHARED, project_path=str(other), visibility=Visibility.PROJECT_SHARED))
    engine.context.place_in_tier(made[:1], Tier.CRITICAL)
    for folder in (other, here):
        signals = ContextSignals(project_path=str(folder), app="writer", session="s", prompt="when opens the vault")
        assert engine.context.assemble(ContextRequest(signals, budget_tokens=2_000, delivery="api")).receipt_id
    one = next(one for one in engine.conversations.list() if one.project == "other")
    engine.conversations.rename(one.id, f"The {CANARY} affair")
    engine.rules.exclude(ExclusionKind.WORDS, EXCLUDED)
    engine.memories.add_rule("never", phrase=f"about {EXCLUDED}")
    assert engine.events.wait_idle(PATIENCE_S)


def bound(running: Running, here: Path, name: str = "bound", scopes: frozenset[Scope] = READERS) -> str:
    if name not in running.tokens:
        _, running.tokens[name] = running.engine.apps.create(name, name, scopes)
        running.engine.apps.bind(name, [str(here)])
    return running.tokens[name]


def ids_in(running: Running, name: str) -> range:
    table = {
        "reference_id": "reference",
        "version_id": "memory_version",
        "operation_id": "operation",
        "reading_id": "judge_request",
        "episode_id": "memory",
        "practice_id": "memory",
    }
    noun = table.get(name, name.removesuffix("_id"))
    connection = pysqlite3.connect(str(running.engine.places.store_path))
    try:
        most = connection.execute(f'SELECT coalesce(max(id), 1) FROM "{noun}"').fetchone()[0]
    finally:
        connection.close()
    return range(1, int(most) + 1)


def read(client: httpx.Client, path: str, query: dict[str, Any]) -> str:
    if path != "/v1/changes":
        answer = client.get(path, params=query)
        return answer.text
    said = ""
    with client.stream("GET", path, params=query) as stream:
        for line in stream.iter_lines():
            said += line + "\n"
            if line.startswith("id: ") and int(line.removeprefix("id: ")) >= query["last"]:
                break
    return said


def everything(running: Running, other: Path, token: str) -> str:
    """What every GET route says to this token, for every number and every query."""
    said = []
    with running.client(token) as client:
        client.timeout = httpx.Timeout(60)
        for spec in GETS:
            names = re.findall(r"\{(\w+_id)\}", spec.path)
            paths = (
                [spec.path.format(name="codex")]
                if not names
                else [spec.path.format(**{names[0]: number}) for number in ids_in(running, names[0])]
            )
            for path in paths:
                for query in QUERIES.get(spec.path, [{}]):
                    given = {key: str(other) if value == "{other}" else value for key, value in query.items()}
                    if spec.path == "/v1/changes":
                        given["last"] = client.get("/v1/journal", params={"limit": 1}).json()[0]["id"]
                    said.append(f"{path} {read(client, path, given)}")
        for path, body in (
            ("/v1/context/assemble", {"project": str(other), "signals": {"prompt": f"the {CANARY} vault"}}),
            ("/v1/context/assemble", {"project": "other", "signals": {"prompt": f"the {CANARY} vault"}}),
            ("/v1/context/predict", {"project": str(other), "branch": CANARY}),
            ("/v1/context/window", {"project": str(other), "signals": {"prompt": "when opens the vault?"}}),
            ("/v1/context/window", {"session": "s-b", "signals": {"prompt": "the vault"}}),
            ("/v1/turn", {"text": "when opens the vault?", "session": "s-b", "project": str(other)}),
        ):
            answer = client.post(path, json=body).json()
            answer.pop("references", None)
            said.append(f"{path} {json.dumps(answer)}")
    return "\n".join(said)


def tools(running: Running, other: Path, token: str) -> str:
    """What every tool says, called from the other project and from none."""
    calls: dict[str, list[dict[str, Any]]] = {
        "recall": [{"query": f"{CANARY} vault"}, {"query": "zanzibr"}],
        "expand": [{"ids": list(range(1, 20))}],
        "context": [{"task": f"open the {CANARY} vault"}],
        "timeline": [{}, {"topic": CANARY}],
        "contradictions": [{}, {"topic": CANARY}],
        "remember": [{"text": "The vault was painted green last week"}],
        "search": [{"query": f"{CANARY} vault"}],
        "fetch": [{"id": str(number)} for number in range(1, 10)],
    }
    assert set(calls) == {tool.name for tool in TOOLS}
    said = []

    async def talk(client: Client) -> None:
        for name, given in calls.items():
            for arguments in given:
                said.append(text_of(await client.call_tool(name, arguments)))

    for headers in ({"Remanence-Project": urllib.parse.quote(str(other))}, {}):
        over_http(f"{running.url}/mcp", token, talk, headers=headers)
    return "\n".join(said)


def lines_with(said: str, word: str) -> list[str]:
    """Where a word stands, but for the echo of what was asked."""
    return [line[:400] for line in said.splitlines() if word in line.lower()]


def test_a_bound_token_reads_nothing_of_another_project(place: tuple[Running, Path, Path]) -> None:
    running, other, here = place
    token = bound(running, here)
    said = everything(running, other, token) + tools(running, other, token)
    assert lines_with(said, CANARY) == []
    assert "lighthouse" in said, "its own project is read"
    assert SHARED in said, "what is shared is read"


def test_an_unbound_token_reads_it(place: tuple[Running, Path, Path]) -> None:
    running, other, _ = place
    if "free" not in running.tokens:
        _, running.tokens["free"] = running.engine.apps.create("free", "free", READERS)
    said = everything(running, other, running.tokens["free"])
    assert len(lines_with(said, CANARY)) > 20, "the control: there is something to be found"


def test_no_reader_reads_what_is_excluded(place: tuple[Running, Path, Path]) -> None:
    running, other, here = place
    for token in (bound(running, here), running.token(*READERS)):
        said = everything(running, other, token) + tools(running, other, token)
        assert lines_with(said, EXCLUDED) == []


def test_a_bound_token_changes_nothing_of_another_project(place: tuple[Running, Path, Path]) -> None:
    running, _other, here = place
    memory = next(one for one in running.engine.memories.list().cards if CANARY in one.title.lower())
    talk = next(one for one in running.engine.conversations.list() if one.project == "other")
    with running.client(bound(running, here)) as client:
        answers = [
            client.patch(f"/v1/memories/{memory.id}", json={"title": "x"}),
            client.delete(f"/v1/memories/{memory.id}"),
            client.post("/v1/memories/tag", json={"ids": [memory.id], "add": ["x"]}),
            client.patch(f"/v1/conversations/{talk.id}", json={"title": "x"}),
            client.post(f"/v1/conversations/{talk.id}/end", json={}),
        ]
    assert {one.status_code for one in answers} <= {403, 404}
    assert memory.title in {one.title for one in running.engine.memories.list().cards}
    assert CANARY not in "".join(one.text for one in answers)


def test_binding_is_set_shown_cleared_and_undone(place: tuple[Running, Path, Path]) -> None:
    running, _, here = place
    with running.client(running.admin_token) as person:
        running.token(Scope.READ)
        bound_to = person.put("/v1/apps/app-read/projects", json={"projects": [str(here)]}).json()
        assert bound_to["projects"] == [str(here)]
        assert person.post("/v1/journal/undo").status_code == 200
        assert next(one for one in person.get("/v1/apps").json() if one["name"] == "app-read")["projects"] == []
        person.put("/v1/apps/app-read/projects", json={"projects": ["here"]})
        assert running.engine.apps.list()
        assert person.put("/v1/apps/app-read/projects", json={"projects": []}).json()["projects"] == []


def test_every_table_stands_behind_the_wall_or_is_named_as_open(place: tuple[Running, Path, Path]) -> None:
    connection = pysqlite3.connect(str(place[0].engine.places.store_path))
    try:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        connection.close()
    assert {one for one in tables if not one.startswith("sqlite_")} == set(WALLS) | OPEN_TABLES
    assert set(JOURNALLED) <= set(WALLS) | OPEN_TABLES
