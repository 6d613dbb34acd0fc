"""What the person at this machine may do over the socket: apps, settings, backups, files, pausing.

The energy of background work over the socket: read by whoever reads, polled by the person's own clients.
"""

from pathlib import Path

import httpx
import pytest

from app.api import Scope
from app.values.energy import Work
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S


def test_an_app_is_made_paused_resumed_and_revoked(admin: httpx.Client, running: Running) -> None:
    body = {"name": "editor", "title": "My editor", "scopes": ["capture", "read"]}
    answer = admin.post("/v1/apps", json=body)
    assert answer.status_code == 201
    with running.client(answer.json()["token"]) as editor:
        assert editor.get("/v1/stats").status_code == 200
        assert admin.post("/v1/apps/editor/pause").status_code == 204
        assert next(card for card in admin.get("/v1/apps").json() if card["name"] == "editor")["is_paused"]
        assert admin.post("/v1/apps/editor/resume").status_code == 204
        assert admin.post("/v1/apps/editor/keep", json={"keeps_answers": True}).status_code == 204
        assert admin.delete("/v1/apps/editor").status_code == 204
        assert editor.get("/v1/stats").status_code == 401


def test_the_admin_token_captures_for_any_app(admin: httpx.Client) -> None:
    assert admin.post("/v1/events", json={"app": "codex", "text": "hello there"}).status_code == 200
    assert admin.get("/v1/conversations").json()[0]["app"] == "codex"


def test_settings_are_read_changed_checked_and_reset(admin: httpx.Client) -> None:
    assert admin.put("/v1/settings/queue_size", json={"value": 30}).status_code == 204
    card = next(card for card in admin.get("/v1/settings").json() if card["name"] == "queue_size")
    assert (card["value"], card["set_by"]) == (30, "file")
    assert admin.put("/v1/settings/queue_size", json={"value": 1}).status_code == 422
    assert admin.put("/v1/settings/no_such", json={"value": 1}).status_code in {404, 422}
    assert admin.delete("/v1/settings/queue_size").status_code == 204
    assert next(c for c in admin.get("/v1/settings").json() if c["name"] == "queue_size")["value"] == 20


def test_backups_are_made_and_listed(admin: httpx.Client) -> None:
    made = admin.post("/v1/backups")
    assert made.status_code == 201
    assert made.json()["path"] in [found["path"] for found in admin.get("/v1/backups").json()]


def test_a_backup_is_restored_while_the_socket_runs(admin: httpx.Client) -> None:
    admin.post("/v1/events", json={"text": "kept in the backup"})
    path = admin.post("/v1/backups").json()["path"]
    admin.post("/v1/events", json={"text": "came later"})
    done = admin.post("/v1/backups/restore", json={"path": path})
    assert done.status_code == 200
    assert Path(done.json()["kept_path"]).is_file(), "the store that was there is kept"
    assert [part["text"] for part in admin.get("/v1/window").json()] == ["kept in the backup"]


def test_histories_are_exported_and_imported(admin: httpx.Client, tmp_path: Path) -> None:
    admin.post("/v1/events", json={"text": "add a dark mode"})
    path = tmp_path / "conversation-history.jsonl"
    done = admin.post("/v1/export", json={"kind": "history", "path": str(path)}).json()
    assert done["line_count"] == len(path.read_text().splitlines())
    report = admin.post("/v1/import", json={"path": str(path)})
    assert report.status_code == 200, report.text
    assert report.json()["failed_count"] == 0


def test_pausing_stops_capture(admin: httpx.Client, running: Running) -> None:
    assert admin.post("/v1/capture/pause", json={}).status_code == 204
    assert admin.get("/v1/health").json()["is_capturing"] is False
    with running.client(running.token(Scope.CAPTURE)) as app:
        app.post("/v1/events", json={"text": "not to be kept"})
    assert running.engine.events.wait_idle(PATIENCE_S)
    assert running.engine.stats.now().message_count == 0
    assert admin.post("/v1/capture/resume").status_code == 204
    assert admin.get("/v1/health").json()["is_capturing"] is True


def test_assistants_are_listed_and_an_unknown_one_is_refused(admin: httpx.Client) -> None:
    names = {card["name"] for card in admin.get("/v1/assistants").json()}
    assert {"claude-code", "codex"} <= names
    assert admin.get("/v1/assistants/nobody/connect").status_code == 404


@pytest.mark.seed("S5", "metric.energy", "success.energy")
def test_level_and_what_used_it_are_told(admin: httpx.Client, running: Running) -> None:
    running.engine._core.energy.book(Work.NOTE, token_count=360)
    found = admin.get("/v1/energy").json()
    assert found["capacity"] == 1_000
    assert {"work": "note", "units": 12.0, "token_count": 360}.items() <= found["uses"][0].items()
    stats = admin.get("/v1/stats").json()
    assert stats["energy_capacity"] == 1_000
    assert stats["energy_used_today"] >= 12.0


def test_a_poll_is_the_persons_and_begins_anew(admin: httpx.Client, running: Running) -> None:
    running.engine._core.energy.book(Work.NOTE, token_count=360)
    assert admin.post("/v1/energy/poll").json()["consumed_units"] >= 12.0
    assert admin.post("/v1/energy/poll").json()["consumed_units"] < 12.0
    with running.client(running.token(Scope.READ)) as app:
        assert app.post("/v1/energy/poll").status_code == 403
        assert app.get("/v1/energy").status_code == 200
