"""What is public, what no token is, and that a refused request changes nothing (QUALITY S1); every route: test_scopes."""

import re
from collections.abc import Iterator

import httpx
import pytest

from app.api import Scope
from app.server.application import ROUTES
from tests.app.server.conftest import Running
from tests.dump import dump_store
from tests.patience import PATIENCE_S

PUBLIC = {("GET", "/healthz"), ("GET", "/v1/hello")}
CLOSED = [spec for spec in ROUTES if spec.scope is not None]


@pytest.fixture(scope="module")
def stranger(shared: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shared.url, trust_env=False, timeout=PATIENCE_S) as client:
        yield client


def test_only_the_two_harmless_addresses_are_public() -> None:
    assert {(spec.method, spec.path) for spec in ROUTES if spec.scope is None} == PUBLIC


WRONG_HEADERS = [None, "", "Bearer", "Bearer wrong-token", "Basic d3Jvbmc6d3Jvbmc=", "Bearer " + "x" * 5000]


def test_a_header_of_any_other_form_is_no_token(stranger: httpx.Client) -> None:
    for header in WRONG_HEADERS:
        answer = stranger.get("/v1/stats", headers={} if header is None else {"Authorization": header})
        assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json"), header
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "path", ["/v1/stats", "/v1/nothing", "/", "/docs", "/redoc", "/v1/%2e%2e/healthz", "/healthz/"]
)
def test_unknown_addresses_and_methods_are_closed_too(stranger: httpx.Client, path: str) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"):
        assert stranger.request(method, path).status_code == 401


REAL: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("PATCH", "/v1/conversations/1", {"title": "Changed by a stranger"}),
    ("POST", "/v1/conversations/1/end", {}),
    ("POST", "/v1/conversations/1/split", {"message_id": 2}),
    ("PATCH", "/v1/messages/1", {"intents": ["REVIEW"]}),
    ("POST", "/v1/window", {"text": "said by a stranger"}),
    ("POST", "/v1/window/hand-over", {"text": "said by a stranger"}),
    ("POST", "/v1/events", {"text": "captured by a stranger"}),
    ("POST", "/v1/turn", {"text": "captured by a stranger"}),
    ("DELETE", "/v1/window", None),
    ("POST", "/v1/journal/undo", {}),
    ("POST", "/v1/apps", {"name": "stranger", "title": "x", "scopes": ["admin"]}),
    ("DELETE", "/v1/apps/app-read", None),
    ("PUT", "/v1/settings/queue_size", {"value": 50}),
    ("POST", "/v1/exclusions", {"kind": "words", "text": "purple"}),
    ("POST", "/v1/capture/pause", {}),
    ("POST", "/v1/backups", {}),
)


def whole_state(running: Running) -> tuple[str, object, object, object]:
    """Every row of the store, the settings, the backups, and whether capture goes on."""
    places = running.engine.places
    settings = places.config_path.read_bytes() if places.config_path.exists() else b""
    dump = dump_store(places.store_path)
    return dump, settings, running.engine.backups.list(), running.engine.stats.health().is_capturing


@pytest.mark.parametrize(("method", "path", "body"), REAL, ids=[f"{one[0]} {one[1]}" for one in REAL])
def test_a_refused_request_that_would_work_changes_nothing(
    running: Running, stranger: httpx.Client, method: str, path: str, body: dict[str, object] | None
) -> None:
    for text in ("Add a FAB button", "Make it purple", "Test it"):
        running.engine.window.log(text, session="s")
    enough = {spec.scope for spec in CLOSED if (spec.method, re.sub(r"\{\w+_id\}", "1", spec.path)) == (method, path)}
    scopes = [scope for scope in Scope if scope not in enough | {Scope.ADMIN}]
    tokens = ["", "rmn_wrong", running.token(), *(running.token(scope) for scope in scopes)]
    running.token(Scope.READ)
    before = whole_state(running)
    for token in tokens:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        assert stranger.request(method, path, json=body, headers=headers).status_code in {401, 403}
    assert whole_state(running) == before
    answer = stranger.request(method, path, json=body, headers={"Authorization": f"Bearer {running.admin_token}"})
    assert answer.status_code < 300, answer.text
    assert running.engine.events.wait_idle(PATIENCE_S)
    assert whole_state(running) != before, "the control: with the right token the same request does something"
    running.engine.events.resume()


def test_a_revoked_token_ends_at_once(running: Running) -> None:
    with running.client(running.token(Scope.READ)) as client:
        assert client.get("/v1/stats").status_code == 200
        running.engine.apps.revoke("app-read")
        assert client.get("/v1/stats").status_code == 401


def test_a_renewed_token_replaces_the_old_one(running: Running) -> None:
    old = running.token(Scope.READ)
    new = running.engine.apps.renew_token("app-read")
    with running.client(old) as before, running.client(new) as after:
        assert before.get("/v1/stats").status_code == 401
        assert after.get("/v1/stats").status_code == 200


def test_no_app_captures_as_another(running: Running) -> None:
    with running.client(running.token(Scope.CAPTURE)) as client:
        assert client.post("/v1/events", json={"app": "codex", "text": "hi"}).status_code == 403
        assert client.post("/v1/hook/codex/prompt", json={"prompt": "hi"}).status_code == 403
    assert running.engine.stats.now().message_count == 0


def test_health_tells_a_stranger_nothing(shared: Running) -> None:
    answer = httpx.get(shared.url + "/healthz", trust_env=False, timeout=PATIENCE_S)
    assert answer.json() == {"status": "ok"}
    assert "server" not in answer.headers
