"""A judge that a test scripts: a real program, asked by the command adapter, that writes down what it was sent."""

import json
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api import Engine, FrozenClock, Places
from app.store.journal import table_of
from app.store.tables.memory import MemoryRow, MemorySourceRow

PROGRAM = """
import json, os, pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
request = json.load(sys.stdin)
number = len(list(folder.glob("request-*.json")))
(folder / "partial").write_text(json.dumps(request | {"env": dict(os.environ), "cwd": os.getcwd()}))
(folder / "partial").rename(folder / f"request-{number}.json")
def m(words):
    return next((one["id"] for one in request["messages"] if words in one["text"]), "m0")
def k(words):
    return next((one["id"] for one in request["known"] if words in one["text"]), "k0")
answer = {"memories": [], "changes": [], "topics": []}
def remember(words, quote, statement, **more):
    answer["memories"].append({"message": m(words), "quote": quote, "statement": statement, "type": "decision", "scope": "project",
                               "worth": 2, "replaces": []} | more)
exec((folder / "answer.py").read_text())
print(json.dumps(answer))
"""
PATIENCE_S = 120.0


class ScriptedJudge:
    """`answers("remember(…)")` sets what the program does; `read()` lets it read all and waits."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self.folder = folder
        self.engine = engine

    def answers(self, code: str) -> None:
        (self.folder / "answer.py").write_text(code)

    def read(self, **which: Any) -> int:
        queued = self.engine.judge.read(**which)
        self.wait()
        return queued

    def wait(self) -> None:
        wait_for(lambda: not self.engine.stats.now().judge_pending_count)

    @property
    def requests(self) -> list[dict[str, Any]]:
        paths = sorted(self.folder.glob("request-*.json"), key=lambda path: int(path.stem.split("-")[1]))
        return [json.loads(path.read_text()) for path in paths]

    def memories(self) -> dict[str, Any]:
        """Facts by their text."""
        with self.engine._core.store.read() as connection:
            table = table_of(MemoryRow)
            rows = connection.execute(table.select().where(table.c.kind == "fact").order_by(table.c.id)).all()
        return {row.full: row for row in rows}

    def source(self, memory_id: int) -> Any:
        with self.engine._core.store.read() as connection:
            table = table_of(MemorySourceRow)
            return connection.execute(table.select().where(table.c.memory_id == memory_id)).one()


def wait_for(is_true: Any) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end, "it did not come to an end"
        time.sleep(0.02)


@pytest.fixture
def judge_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "judge"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "answer.py").write_text("")
    monkeypatch.setenv("REMANENCE_JUDGE", "command")
    words = [sys.executable, "-I", str(folder / "program.py"), str(folder)]
    monkeypatch.setenv("REMANENCE_JUDGE_COMMAND", shlex.join(words))
    monkeypatch.setenv("REMANENCE_JUDGE_DAILY_TOKENS", "0")
    monkeypatch.setenv("REMANENCE_IS_JUDGE_NOTING", "false")  # notes are asked for elsewhere
    for cause in ("is_busy", "is_on_battery"):  # whatever the machine does that tests run on
        monkeypatch.setattr(f"app.understanding.judge.worker.{cause}", lambda: False)
    return folder


@pytest.fixture
def engine(request: pytest.FixtureRequest, places: Places, clock: FrozenClock) -> Iterator[Engine]:
    """A judge reads along only where a test asks for one: else it would read, some seconds after the message, what no test expects."""
    if not {"judge", "judge_folder"}.isdisjoint(request.fixturenames):
        request.getfixturevalue("judge_folder")  # its settings come first
    opened = Engine.open(places, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def judge(judge_folder: Path, engine: Engine) -> ScriptedJudge:
    return ScriptedJudge(judge_folder, engine)
