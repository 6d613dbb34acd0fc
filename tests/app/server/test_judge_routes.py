"""Reading along over the socket: the person's alone, queued before it answers, off unless chosen."""

import httpx

from app.api import Scope
from tests.app.server.conftest import Running


def test_only_the_person_lets_it_read(running: Running) -> None:
    with running.client(running.token(Scope.WRITE)) as app:
        assert app.post("/v1/judge", json={}).status_code == 403


def test_off_it_refuses_with_a_way_out_and_stats_say_nothing_waits(admin: httpx.Client) -> None:
    refused = admin.post("/v1/judge", json={})
    assert refused.status_code == 422
    assert "Settings" in refused.json()["hint"]
    stats = admin.get("/v1/stats").json()
    assert (stats["judge_pending_count"], stats["judge_token_count"]) == (0, 0)


def test_how_it_stands_and_what_was_read_is_the_persons_alone(admin: httpx.Client, running: Running) -> None:
    state = admin.get("/v1/judge").json()
    assert (state["state"], state["unread_count"], state["today"]["token_count"]) == ("off", 0, 0)
    assert admin.get("/v1/judge/readings").json() == {"readings": []}
    assert admin.get("/v1/judge/readings/1").status_code == 404
    with running.client(running.token(Scope.WRITE)) as app:
        assert [app.get(path).status_code for path in ("/v1/judge", "/v1/judge/readings")] == [403, 403]


def test_chosen_it_is_queued_or_only_shown(admin: httpx.Client) -> None:
    assert admin.put("/v1/settings/judge", json={"value": "command"}).status_code == 204
    assert admin.put("/v1/settings/judge_command", json={"value": "true"}).status_code == 204
    assert admin.post("/v1/judge", json={}).json() == {"pending": 0}
    admin.post("/v1/events", json={"text": "the exports are CSV"})
    plan = admin.post("/v1/judge", json={"dry_run": True})
    assert (plan.status_code, plan.json()["prompt_count"]) == (200, 1)
    queued = admin.post("/v1/judge", json={"project": "", "since": "2000-01-01T00:00:00Z"})
    assert (queued.status_code, queued.json()) == (202, {"pending": 1})
    assert admin.put("/v1/settings/judge", json={"value": "somebody"}).status_code == 422
