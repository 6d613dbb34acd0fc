"""Runs commands inside this process and gives what a terminal would show."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.api import Engine, Places
from app.cli.main import run
from app.server import start_server
from tests.patience import PATIENCE_S


@dataclass(frozen=True)
class Shown:
    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


Remanence = Callable[..., Shown]


@pytest.fixture
def remanence(capsys: pytest.CaptureFixture[str]) -> Remanence:
    """`remanence("apps", "list")`: exit code and both streams; a traceback is never right."""

    def call(*arguments: str) -> Shown:
        capsys.readouterr()
        code = run(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Shown(code, out, err)

    return call


@pytest.fixture(params=["alone", "through the running app"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test that uses it runs twice: the engine opened by the command, and another one that holds the store."""
    if request.param == "alone":
        yield request.param
        return
    engine = Engine.open(Places.find(), flags={"understand_wait_s": PATIENCE_S})
    server = start_server(engine, port=0)
    yield request.param
    server.stop()
    engine.close()
