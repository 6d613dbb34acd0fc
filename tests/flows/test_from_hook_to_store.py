"""User stories over real processes: connect, type, close the app, type on, open it again, disconnect."""

import contextlib
import json
import signal
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest

from app.api import Engine, Places, Scope
from app.capture.hook_files import write_hook_conf
from tests.flows.processes import say, serving, wait_for
from tests.patience import PATIENCE_S


def texts(home: Path) -> list[str]:
    with closing(Engine.open(Places.under(home))) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        listed = engine.conversations.list()
        return [message.text for one in reversed(listed) for message in engine.conversations.get(one.id).messages]


def count(home: Path) -> int:
    """Messages in the store, read beside the app: a command for each look cost half a second."""
    path = Places.under(home).store_path
    try:
        with contextlib.closing(pysqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM message").fetchone()[0])
    except pysqlite3.OperationalError:  # not there yet
        return 0


def connect_hook(home: Path) -> None:
    engine = Engine.open(Places.under(home))
    _, token = engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE}))
    write_hook_conf(engine.places.state_dir, "claude-code", {"token": token})
    engine.close()


@pytest.mark.seed("S1", "remember")
def test_typed_while_open_closed_and_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    connect_hook(home)
    with serving(home):
        first = say(home, "I want to add a FAB button")
        assert (first.returncode, first.stdout, first.stderr) == (0, b"", b"")
        wait_for(lambda: count(home) == 1)
        say(home, "Make it purple")
        wait_for(lambda: count(home) == 2)
    assert not (home / "state" / "endpoint").exists()
    say(home, "Add a pulse animation")
    say(home, "Test it")
    spooled = (home / "state" / "spool" / "events.jsonl").read_text().splitlines()
    assert len(spooled) >= 2, "a busy app may leave one more behind that it has taken in: the key keeps it single"
    with serving(home) as process:
        say(home, "Now write the README")
        wait_for(lambda: count(home) == 5)
        process.send_signal(signal.SIGKILL)
        process.wait()
    say(home, "And a changelog")
    assert texts(home) == [
        "I want to add a FAB button", "Make it purple", "Add a pulse animation", "Test it", "Now write the README",
        "And a changelog",
    ]  # fmt: skip
    assert texts(home)[-1] == "And a changelog", "opening again changes nothing"


def test_export_wipe_import_brings_everything_back(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    connect_hook(first)
    with serving(first):
        for text in ("I want to add a FAB button", "Make it purple", "Test it"):
            say(first, text)
        say(first, "The login page throws a 502", session="s2")
    for home in (first, second):
        with closing(Engine.open(Places.under(home))) as engine:
            assert engine.events.wait_idle(PATIENCE_S)
            if home == second:
                report = engine.transfer.import_history("seed-history", tmp_path / "first.jsonl")
                assert (report.conversation_count, report.message_count) == (2, 4)
                again = engine.transfer.import_history("seed-history", tmp_path / "first.jsonl")
                assert (again.conversation_count, again.duplicate_count) == (0, 2)
            engine.transfer.export("history", tmp_path / f"{home.name}.jsonl")
    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert json.loads((tmp_path / "first.jsonl").read_text().splitlines()[0])["messages"]
