"""Workflows over HTTP: listed, edited, off, put away; only the person does."""

import httpx

from app.api import MemoryDraft, MemoryKind
from tests.app.server.conftest import Running


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
