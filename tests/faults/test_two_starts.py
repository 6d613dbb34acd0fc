"""R6: started twice at once, one owns the store; a window takes over from `serve`; a second window leaves with 0."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.store.lock import StoreLock
from tests.flows.processes import PATIENCE_S, environment, wait_for

Process = subprocess.Popen[str]


@contextlib.contextmanager
def started(home: Path, *commands: str) -> Iterator[list[Process]]:
    """These commands of the command line, started in one breath; whatever is left is ended."""
    env = {**environment(home), "QT_QPA_PLATFORM": "offscreen"}
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests under nohup hands "ignore" on
    made = [
        subprocess.Popen(
            [sys.executable, "-m", "app.cli", command], env=env, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]  # fmt: skip
    signal.signal(signal.SIGHUP, hangup)
    try:
        yield made
    finally:
        for process in made:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in made:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def listening(process: Process) -> set[int]:
    try:
        found = psutil.Process(process.pid).net_connections("inet")
    except psutil.Error:
        return set()
    return {one.laddr.port for one in found if one.status == "LISTEN"}


def has_store_open(home: Path, process: Process) -> bool:
    try:
        return str(home / "data" / "remanence.db") in {one.path for one in psutil.Process(process.pid).open_files()}
    except psutil.Error:
        return False


def one_owner(home: Path, processes: list[Process], loser_code: int) -> None:
    wait_for(lambda: sum(process.poll() is not None for process in processes) == len(processes) - 1)
    (winner,) = [process for process in processes if process.poll() is None]
    wait_for(lambda: (home / "state" / "endpoint").exists() and has_store_open(home, winner))
    assert {process.returncode for process in processes if process is not winner} == {loser_code}
    owner = StoreLock(home / "data" / "remanence.lock").read_owner()
    assert owner is not None
    assert owner.pid == winner.pid
    assert f"pid {winner.pid}\n" in (home / "state" / "endpoint").read_text()
    assert len(listening(winner)) == 1


def starts(tmp_path: Path, count: int, command: str, loser_code: int) -> None:
    for number in range(count):
        home = tmp_path / f"{command}-{number % 3}"  # new homes, and such that were used before
        with started(home, command, command) as processes:
            one_owner(home, processes, loser_code)
        assert not (home / "state" / "endpoint").exists()
        assert not listening(processes[0]) | listening(processes[1])


@pytest.mark.slow
def test_two_serves_at_once(tmp_path: Path) -> None:
    starts(tmp_path, 3, "serve", 3)


def test_two_windows_at_once(tmp_path: Path) -> None:
    starts(tmp_path, 2, "gui", 0)


@pytest.mark.slow
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(("command", "loser_code"), [("serve", 3), ("gui", 0)])
def test_two_starts_fifty_times(tmp_path: Path, command: str, loser_code: int) -> None:
    starts(tmp_path, 50, command, loser_code)


@pytest.mark.parametrize("is_ready", [True, False], ids=["serving", "still starting"])
def test_a_window_takes_over_from_serve(tmp_path: Path, is_ready: bool) -> None:
    home = tmp_path / "home"
    with started(home, "serve") as (serve,):
        wait_for((home / "state" / "endpoint").exists if is_ready else (home / "data" / "remanence.lock").exists)
        with started(home, "gui") as (window,):
            assert serve.wait(PATIENCE_S) == 0
            wait_for(lambda: has_store_open(home, window))
            wait_for(lambda: f"pid {window.pid}\n" in read(home / "state" / "endpoint"))
            owner = StoreLock(home / "data" / "remanence.lock").read_owner()
            assert owner is not None
            assert (owner.pid, owner.kind) == (window.pid, "window")
        assert window.returncode == 0


def test_serve_takes_over_from_what_an_assistant_s_session_started(tmp_path: Path) -> None:
    """Else the person's service stays down when that session ends."""
    home = tmp_path / "home"
    command = [sys.executable, "-m", "app.cli", "serve", "--while-stdin"]
    with subprocess.Popen(command, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as child:
        wait_for((home / "state" / "endpoint").exists)
        with started(home, "serve") as (serve,):
            assert child.wait(PATIENCE_S) == 0
            wait_for(lambda: f"pid {serve.pid}\n" in read(home / "state" / "endpoint"))
            with started(home, "serve") as (second,):
                assert second.wait(PATIENCE_S) == 3, "two of the person's own do not push each other out"
            assert serve.poll() is None


def test_serve_does_not_take_a_window_s_store(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(home, "gui") as (window,):
        wait_for((home / "state" / "endpoint").exists)
        with started(home, "serve") as (serve,):
            assert serve.wait(PATIENCE_S) == 3
        assert window.poll() is None
        assert f"pid {window.pid}\n" in read(home / "state" / "endpoint")


def test_a_window_asks_no_stranger_to_leave_whose_number_a_dead_owner_had(tmp_path: Path) -> None:
    """The lock file of a killed owner names a process that is another one by now."""
    lock = tmp_path / "remanence.lock"
    with subprocess.Popen(["sleep", "60"]) as stranger:
        lock.write_text(f"{stranger.pid} serve\n")
        mine = StoreLock(lock)
        mine.acquire("window")
        assert stranger.poll() is None
        owner = mine.read_owner()
        assert owner is not None
        assert owner.pid == os.getpid()
        mine.release()
        stranger.kill()


def read(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
