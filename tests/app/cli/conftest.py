"""Runs commands inside this process and gives what a terminal would show."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.cli.main import run


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
