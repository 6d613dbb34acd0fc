"""`serve`, the hook and a store that is in use, as processes of their own (QUALITY R12, R18)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.api import Places
from app.cli.client import find_running_app
from tests.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "app.cli"]


@contextmanager
def serving(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        end = time.monotonic() + PATIENCE_S
        while find_running_app(Places.find()) is None:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(number: signal.Signals) -> None:
    with serving() as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("Listening on http://127.0.0.1:")
    assert not Places.find().endpoint_path.exists()
    log = Places.find().log_path
    assert (log.stat().st_mode & 0o777, log.read_text()) == (0o600, "")


WARMING_FOR_EVER = """
import atexit, sys, time
from app.cli import main, serve
serve._warm_up = lambda *_, **__: time.sleep(1_000_000)
atexit.register(print, "the interpreter took itself apart")
main.main(["serve", "--port", "0"])
"""


def test_an_end_beside_a_thread_that_still_loads_takes_nothing_apart() -> None:
    """Python would stop the thread inside native code, which aborts the process instead of ending it."""
    with subprocess.Popen([sys.executable, "-c", WARMING_FOR_EVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert (process.returncode, "took itself apart" in first + rest) == (0, False)
    assert first.startswith("Listening on")


def test_a_second_one_says_who_holds_the_store() -> None:
    with serving() as process:
        done = subprocess.run([*COMMAND, "serve"], capture_output=True, text=True, timeout=PATIENCE_S)
        assert done.returncode == 3
        assert str(process.pid) in done.stderr
        assert process.poll() is None


def test_a_hook_is_spooled_while_closed_and_taken_in_at_the_start() -> None:
    event = json.dumps({"session_id": "s", "prompt": "add a dark mode", "cwd": "/tmp"})
    hook = [*COMMAND, "hook", "claude-code", "prompt"]
    done = subprocess.run(hook, input=event, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout) == (0, "")
    with serving():
        end = time.monotonic() + PATIENCE_S  # taken in at the start, understood a moment later
        while not (texts := window_texts()) and time.monotonic() < end:
            time.sleep(0.1)
        assert texts == ["add a dark mode"]


def window_texts() -> list[str]:
    shown = subprocess.run([*COMMAND, "window", "load", "--json"], capture_output=True, text=True, timeout=PATIENCE_S)
    return [part["text"] for part in json.loads(shown.stdout)]


def test_the_hook_never_fails(tmp_path: object) -> None:
    for arguments in ([], ["claude-code"], ["claude-code", "prompt", "more"], ["../../x", "prompt"]):
        done = subprocess.run(
            [*COMMAND, "hook", *arguments],
            input="not json",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=os.environ,
        )
        assert (done.returncode, done.stdout) == (0, "")
