"""A running socket over a fake engine, and a client that speaks as an honest program does."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.places import Places
from app.server import ServerHandle, start_server
from app.settings import Settings
from tests.app.server.fake_engine import FakeEngine, token_for
from app.values import Scope


@pytest.fixture
def engine(tmp_path: Path) -> FakeEngine:
    places = Places.under(tmp_path)
    places.prepare()
    return FakeEngine(places, Settings(request_deadline_s=1.0))


@pytest.fixture
def server(engine: FakeEngine) -> Iterator[ServerHandle]:
    handle = start_server(engine, port=0)
    yield handle
    handle.stop()


@pytest.fixture
def client(server: ServerHandle) -> Iterator[httpx.Client]:
    """Holds a token with capture, read and write."""
    token = token_for(Scope.CAPTURE, Scope.READ, Scope.WRITE)
    base = f"http://127.0.0.1:{server.endpoint.port}"
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as found:
        yield found
