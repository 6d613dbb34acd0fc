"""A running socket over a real engine, and clients that speak as an honest program does."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from app.api import Engine, Places, Scope
from app.server import ServerHandle, start_server
from tests.patience import PATIENCE_MS, PATIENCE_S

CLIENT_SCOPES = frozenset({Scope.CAPTURE, Scope.READ, Scope.WRITE})


@dataclass
class Running:
    """Engine, socket and the tokens that were made so far."""

    engine: Engine
    server: ServerHandle
    tokens: dict[str, str] = field(default_factory=dict)
    pristine: Path | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.endpoint.port}"

    def token(self, *scopes: Scope) -> str:
        """The token of an app that may exactly this."""
        name = "app-" + "-".join(sorted(scope.value for scope in scopes)) if scopes else "app-nothing"
        if name not in self.tokens:
            _, self.tokens[name] = self.engine.apps.create(name, name, frozenset(scopes))
        return self.tokens[name]

    @property
    def admin_token(self) -> str:
        return (self.engine.places.state_dir / "admin.token").read_text().strip()

    def client(self, token: str) -> httpx.Client:
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=PATIENCE_S
        )


_serving: list[Engine] = []  # of servers that are not stopped yet


@contextmanager
def run_server(home: Path, **flags: object) -> Iterator[Running]:
    patient = {"request_deadline_s": 30.0, "understand_wait_s": PATIENCE_S, "tool_deadline_s": 120.0}
    engine = Engine.open(Places.under(home), flags={**patient, **flags})
    try:
        server = start_server(engine, port=0)
        try:
            server.warm_up()  # as the app does; else the first request would wait for it
            _serving.append(engine)
            yield Running(engine, server)
        finally:
            server.stop()
    finally:
        engine.close()
        if engine in _serving:
            _serving.remove(engine)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """As everywhere, but a server that outlives the test may begin threads meanwhile: its pools grow, its receipts are written."""
    before = set(threading.enumerate())
    yield
    if not _serving:
        left = [one for one in threading.enumerate() if one not in before and one.name.startswith("remanence")]
        for thread in left:  # one that only loads a library is over when that is loaded
            thread.join(PATIENCE_S)
        assert not [thread.name for thread in left if thread.is_alive()]


@pytest.fixture(autouse=True)
def _no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """A context may take as long as a busy machine needs for it; that one comes too late is tested where it is said."""
    monkeypatch.setattr("app.server.routes.capture.WITHIN_MS", PATIENCE_MS)
    monkeypatch.setattr("app.server.routes.capture.ASKED_WITHIN_S", PATIENCE_S)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One socket for a whole file of tests; for itself alone only in tests that are refused or only look."""
    with run_server(tmp_path_factory.mktemp("shared")) as running:
        running.pristine = running.engine.backups.create().path
        yield running


@pytest.fixture
def running(shared: Running) -> Running:
    """The file's socket over an empty store."""
    assert shared.pristine is not None
    shared.engine.backups.restore(shared.pristine)
    shared.tokens.clear()
    return shared


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Running]:
    """A socket of one's own, to be stopped or starved."""
    with run_server(tmp_path) as found:
        yield found


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Running]:
    """A socket of one's own that closes what is not complete after three seconds."""
    with run_server(tmp_path, request_deadline_s=3.0) as found:
        yield found


@pytest.fixture
def client(running: Running) -> Iterator[httpx.Client]:
    """May capture, read and write, as the app `app-capture-read-write`."""
    with running.client(running.token(*CLIENT_SCOPES)) as found:
        yield found


@pytest.fixture
def admin(running: Running) -> Iterator[httpx.Client]:
    """The command line of this machine."""
    with running.client(running.admin_token) as found:
        yield found


@pytest.fixture
def say(client: httpx.Client) -> Callable[..., dict[str, object]]:
    """Captures a prompt and returns what was understood of it."""

    def capture(text: str, **more: object) -> dict[str, object]:
        answer = client.post("/v1/turn", json={"text": text, "session": "one", **more})
        assert answer.status_code == 200, answer.text
        found: dict[str, object] = answer.json()
        return found

    return capture
