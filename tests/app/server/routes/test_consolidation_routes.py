"""Consolidation over HTTP: the forms of the seeds, name for name; what is said for good; only the person decides.

Workflows over HTTP: listed, edited, off, put away; only the person does.
"""

import httpx
import pytest

from app.api import MemoryDraft, MemoryFilter, MemoryKind, MemoryStatus
from tests.app.server.conftest import Running

S4 = {"deduped", "compressed", "forgotten", "contradictions_found"}
S3 = {"memoriesArchived", "memoriesMerged", "tokensReclaimed"}
S1 = {"patterns_added", "patterns_reinforced", "patterns_pruned"}


@pytest.fixture
def twice(running: Running) -> None:
    for _ in range(2):
        running.engine.memories.create(MemoryDraft("Never push to main."))


def count_active(running: Running) -> int:
    return running.engine.memories.count(MemoryFilter(statuses=(MemoryStatus.ACTIVE,)))


@pytest.mark.seed("S4", "api.consolidate")
@pytest.mark.seed("S3", "consolidate.result")
@pytest.mark.seed("S1", "con.report")
@pytest.mark.usefixtures("twice")
def test_the_seeds_form_answers_with_the_numbers_of_all_three(admin: httpx.Client, running: Running) -> None:
    dry = admin.post("/consolidate", json={"dry_run": True}).json()
    assert dry.keys() == S4 | S3 | S1 | {"run_id", "dry_run", "state", "report"}
    assert all(isinstance(dry[name], int) for name in S4 | S3 | S1)
    assert (dry["deduped"], dry["memoriesMerged"], dry["dry_run"]) == (1, 1, True)
    assert dry["tokensReclaimed"] > 0
    assert count_active(running) == 2, "a dry run does nothing"
    done = admin.post("/consolidate").json()
    assert {name: done[name] for name in S4 | S3 | S1} == {name: dry[name] for name in S4 | S3 | S1}
    assert count_active(running) == 1
    assert admin.post(f"/v1/consolidation/runs/{done['run_id']}/undo").json() == {"undone": 1, "left": 0}
    assert count_active(running) == 2


@pytest.mark.usefixtures("twice")
def test_what_is_said_for_good_is_listed_obeyed_and_taken_back(admin: httpx.Client) -> None:
    habit = {"step": "deduplicate", "kind": "merge", "habit": "never"}
    [said] = admin.post("/v1/consolidation/habits", json=habit).json()["habits"]
    assert (said["label"], said["habit"]) == ("merged", "never")
    assert admin.post("/consolidate", json={"dry_run": True}).json()["deduped"] == 0
    assert admin.post("/v1/consolidation/habits", json={**habit, "habit": "ask"}).json() == {"habits": []}
    assert admin.post("/consolidate", json={"dry_run": True}).json()["deduped"] == 1
    assert admin.post("/v1/consolidation/habits", json={**habit, "kind": "no such"}).status_code == 404


def test_an_assistant_neither_runs_nor_decides(client: httpx.Client) -> None:
    assert client.post("/consolidate", json={"dry_run": True}).status_code == 403
    assert client.post("/v1/consolidation/habits", json={}).status_code == 403


def test_listed_edited_off_and_put_away(admin: httpx.Client, running: Running) -> None:
    details = {"trigger": "deploy_request", "steps": ["test", "prod"], "details": {"test": "pnpm test"}}
    draft = MemoryDraft("For a deploy: test, prod.", kind=MemoryKind.WORKFLOW, title="Deploy", details=details)
    number = running.engine.memories.create(draft)
    (one,) = admin.get("/v1/workflows").json()
    assert (one["id"], one["trigger"], one["hint"]) == (number, "deploy_request", "deploy: test→prod")
    assert one["parts"] == [{"name": "test", "content": "pnpm test"}, {"name": "prod", "content": ""}]
    assert admin.get("/v1/patterns").json() == []
    patch = {"is_on": False, "parts": [{"name": "test"}, {"name": "ship", "content": "make ship"}]}
    assert admin.patch(f"/v1/practices/{number}", json=patch).status_code == 204
    after = admin.get(f"/v1/practices/{number}").json()
    assert (after["hint"], after["is_on"], after["is_edited"]) == ("deploy: test→ship", False, True)
    assert admin.delete(f"/v1/practices/{number}").status_code == 204
    assert admin.get("/v1/workflows").json() == []
    assert admin.get(f"/v1/practices/{number}").status_code == 404
