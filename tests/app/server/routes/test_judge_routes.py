"""Reading along over the socket: the person's alone, queued before it answers, off unless chosen."""

import shlex
import sys
import time
from pathlib import Path

import httpx
import pytest

from app.api import Scope
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S


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


PROGRAM = """
import json, sys, time
request = json.load(sys.stdin)
(one,) = request["messages"]
time.sleep(30 if "slow" in one["text"] else 0)
print(json.dumps({"memories": [{"message": one["id"], "quote": "exports are CSV", "statement": "Exports are CSV.", "worth": 2}]}))
"""


def settle(admin: httpx.Client) -> None:
    end = time.monotonic() + PATIENCE_S
    while admin.get("/v1/stats").json()["judge_pending_count"]:
        assert time.monotonic() < end, "it did not come to an end"
        time.sleep(0.05)


@pytest.fixture
def asked(admin: httpx.Client, tmp_path: Path) -> httpx.Client:
    """A command of the person's reads along."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = shlex.join([sys.executable, "-I", str(program)])
    assert admin.put("/v1/settings/judge_command", json={"value": words}).status_code == 204
    assert admin.put("/v1/settings/judge_daily_tokens", json={"value": 0}).status_code == 204
    assert admin.put("/v1/judge/choice", json={"id": "command"}).status_code == 204
    return admin


@pytest.fixture
def unasked(admin: httpx.Client) -> httpx.Client:
    """Nobody reads along, and the person was not asked."""
    for name in ("judge", "is_judge_asked"):
        admin.delete(f"/v1/settings/{name}")
    return admin


def texts(admin: httpx.Client) -> list[str]:
    return [one["text"] for one in admin.get("/v1/memories").json()["cards"] if one["kind"] == "fact"]


def test_who_could_read_along_is_listed_chosen_and_nobody_again(unasked: httpx.Client) -> None:
    admin = unasked
    found = admin.get("/v1/judge/choices").json()
    assert {"same", "endpoint", "command"} <= {one["id"] for one in found["choices"]}
    assert (found["chosen"], found["is_question_open"]) == ("off", True)
    assert admin.put("/v1/judge/choice", json={"id": "command"}).status_code == 204
    found = admin.get("/v1/judge/choices").json()
    assert (found["chosen"], found["is_question_open"]) == ("command", False)
    assert admin.put("/v1/judge/choice", json={"id": ""}).status_code == 204
    assert admin.get("/v1/judge/choices").json()["chosen"] == "off"
    unknown = admin.put("/v1/judge/choice", json={"id": "oracle"})
    assert unknown.status_code == 422
    assert "command" in unknown.json()["hint"]


def test_not_now_is_asked_no_more(unasked: httpx.Client) -> None:
    admin = unasked
    assert admin.put("/v1/judge/choice", json={"id": ""}).status_code == 204
    found = admin.get("/v1/judge/choices").json()
    assert (found["chosen"], found["is_question_open"]) == ("off", False)


def test_a_reading_is_taken_back_and_read_again(asked: httpx.Client) -> None:
    asked.post("/v1/events", json={"text": "hmm, exports are CSV I think"})
    asked.post("/v1/judge", json={})
    settle(asked)
    (first,) = asked.get("/v1/judge/readings").json()["readings"]
    assert texts(asked) == ["Exports are CSV."]
    again = asked.post(f"/v1/judge/readings/{first['id']}/again")
    assert (again.status_code, again.json()) == (202, {"pending": 1})
    settle(asked)
    readings = asked.get("/v1/judge/readings").json()["readings"]
    assert [one["state"] for one in readings if one["id"] != first["id"]] == ["done"]
    assert texts(asked) == ["Exports are CSV."]
    assert asked.post("/v1/judge/readings/999/again").status_code == 404


def test_what_is_being_read_ends_and_stays_unread(asked: httpx.Client) -> None:
    asked.post("/v1/events", json={"text": "slow: exports are CSV I think"})
    assert asked.post("/v1/judge", json={}).json() == {"pending": 1}
    assert asked.post("/v1/judge/cancel").status_code == 204
    settle(asked)
    assert texts(asked) == []
    assert asked.get("/v1/judge").json()["unread_count"] == 1
