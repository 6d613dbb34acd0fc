"""R18, S3: signals end window and `serve` cleanly, nothing listens afterwards; a fault is told and the window lives."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import psutil
import pysqlite3
import pytest

from tests.faults.test_two_starts import listening, started
from tests.flows.processes import ROOT, environment, wait_for
from tests.patience import PATIENCE_S

SCRIPT = Path(__file__).parent / "children" / "window_with_faults.py"


def listeners(pids: Collection[int]) -> set[tuple[str, int]]:
    """Everything that these processes listen on, as `ss -ltnp` shows it: another one may have been given the same port since."""
    return {
        (one.laddr.ip, one.laddr.port)
        for one in psutil.net_connections("tcp")
        if one.status == "LISTEN" and one.pid in pids
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize("command", ["gui", "serve"])
def test_a_signal_ends_it_cleanly(tmp_path: Path, command: str, number: signal.Signals) -> None:
    home = tmp_path / "home"
    with started(home, command) as (process,):
        wait_for((home / "state" / "endpoint").exists)
        (port,) = listening(process)
        pids = {process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))}
        assert listeners(pids) == {("127.0.0.1", port)}
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 0
    assert not listeners(pids)
    left = {path.name for path in (home / "state").iterdir()}
    assert not left & {"endpoint", "admin.token", "capture.sock", "window.sock", "window.lock"}
    assert (home / "data" / "remanence.lock").read_text() == ""
    if command == "serve":  # a window leaves without a read that still computes, whose log the next start takes in
        assert not (home / "data" / "remanence.db-wal").exists(), "the log went into the store"
    with contextlib.closing(pysqlite3.connect(str(home / "data" / "remanence.db"))) as store:
        assert store.execute("PRAGMA quick_check").fetchone() == ("ok",)


def test_a_fault_in_slot_thread_and_paint_is_told_and_the_window_lives(tmp_path: Path) -> None:
    env = {**environment(tmp_path / "home"), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], env=env, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for name, error in (("slot", "ZeroDivisionError"), ("thread", "LookupError"), ("paint", "ArithmeticError")):
        assert told[name]["texts"][-1].startswith("Something went wrong"), name
        assert told[name]["actions"] == ["Copy details"], name
        assert error in told[name]["copied"], name
        assert "Qt 6" in told[name]["copied"]
    log = (tmp_path / "home" / "state" / "remanence.log").read_text()
    assert "a slot fails" in log
    assert told["painted_count"] < 60, "telling of a fault must not cause the next one for ever"
