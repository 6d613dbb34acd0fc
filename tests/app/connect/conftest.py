"""A home folder of its own for every test; nothing of the real one is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.assistants.connecting import ConnectContext


@contextmanager
def fresh_context() -> Iterator[ConnectContext]:
    with TemporaryDirectory() as name:
        home = Path(name).resolve() / "home of someone"
        for folder in (".claude", ".codex"):
            (home / folder).mkdir(parents=True)
        script = Path("/opt/our app/app/hook/remanence_hook.py")
        yield ConnectContext(home, {}, home / ".local/state/remanence", Path("/opt/py/bin/python"), script)


@pytest.fixture
def ctx() -> Iterator[ConnectContext]:
    with fresh_context() as context:
        yield context


@pytest.fixture
def new_context() -> object:
    """For property tests, which need one home per example."""
    return fresh_context
