"""The energy of background work over the socket: read by whoever reads, polled by the person's own clients."""

import httpx
import pytest

from app.api import Scope
from app.values.energy import Work
from tests.app.server.conftest import Running


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
