"""P4 under load: the hook beside a bare Python that is started next to it, while twenty processes eat the processors.

Prints medians and their ratio for the app up, closed and hung; pairs alternate, so that both meet the same load. Asserts nothing about
time, but that every prompt arrived. Goal: at most 3 × a bare Python; hung at most 150 ms on a quiet machine.
`REMANENCE_BENCH_BUSY=0` measures a quiet machine. Source: QUALITY P4, issue 15 point 5.
"""

import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.api import Engine, MemoryDraft, Places, Scope
from app.capture.hook_files import write_hook_conf
from app.connect.base import ConnectContext
from app.connect.launcher import write_launcher
from tests.benchmarks.bench_hook import HOOK, PYTHON
from tests.flows.processes import serving, wait_for

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]

BUSY = int(os.environ.get("REMANENCE_BENCH_BUSY", "20"))
PAIRS = 25
WITHIN_S = 45.0
APP = "claude-code"


@contextmanager
def busy_machine() -> Iterator[None]:
    eaters = [subprocess.Popen([sys.executable, "-ISE", "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        time.sleep(0.5 if BUSY else 0)
        yield
    finally:
        for eater in eaters:
            eater.kill()
        for eater in eaters:
            eater.wait()


def run(command: list[str], stdin: bytes) -> tuple[float, bytes]:
    begun = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60)
    took_ms = (time.perf_counter() - begun) * 1000
    assert (done.returncode, done.stderr) == (0, b"")
    return took_ms, done.stdout


def measure(home: Path, title: str) -> int:
    """Prints the pairs' figures; returns how many prompts were given to the hook."""
    body = {"cwd": str(home), "hook_event_name": "UserPromptSubmit"}
    ctx = ConnectContext(home, os.environ, Places.under(home).state_dir, Path(sys.executable), HOOK)
    write_launcher(ctx)
    hook = list(ctx.command(APP, "prompt").words)
    run(hook, b"{}")  # the first one compiles
    bare, hooked, told = [], [], 0
    with busy_machine():
        end = time.monotonic() + WITHIN_S
        while len(bare) < PAIRS and time.monotonic() < end:
            bare.append(run([*PYTHON, "-c", "pass"], b"")[0])
            prompt = json.dumps(
                {**body, "session_id": f"s{len(bare)}", "prompt": f"what is called heron in part {len(bare)}?"}
            ).encode()
            took_ms, stdout = run(hook, prompt)
            hooked.append(took_ms)
            told += bool(stdout)
    ratio = statistics.median(hooked) / statistics.median(bare)
    worst = sorted(hooked)[int(len(hooked) * 0.95)]
    print(
        f"\n{title:22} load {BUSY:2}: bare Python {statistics.median(bare):6.1f} ms, hook {statistics.median(hooked):6.1f} ms "
        f"(p95 {worst:6.1f}), ratio {ratio:4.2f}, contexts {told} of {len(bare)}"
    )
    return len(bare)


def prepare(home: Path) -> None:
    engine = Engine.open(Places.under(home))
    _, token = engine.apps.create(APP, "Claude Code", frozenset({Scope.CAPTURE, Scope.READ}))
    write_hook_conf(engine.places.state_dir, APP, {"token": token})
    for index in range(300):
        text = f"The service of part {index} is called heron and listens on port {7_000 + index}"
        engine.memories.create(MemoryDraft(text, project_path=str(home)))
    engine.close()


def kept(home: Path) -> int:
    engine = Engine.open(Places.under(home))
    try:
        assert engine.events.wait_idle(60)
    finally:
        engine.close()
    store = sqlite3.connect(Places.under(home).store_path)
    try:
        return int(store.execute("SELECT count(*) FROM event WHERE kind = 'prompt'").fetchone()[0])
    finally:
        store.close()


def test_up(tmp_path: Path) -> None:
    prepare(tmp_path)
    with serving(tmp_path):
        time.sleep(4)  # warm
        count = measure(tmp_path, "app up")
    assert kept(tmp_path) == count


def test_closed(tmp_path: Path) -> None:
    prepare(tmp_path)
    count = measure(tmp_path, "app closed")
    assert kept(tmp_path) == count


@pytest.mark.skipif(os.name != "posix", reason="stopping a process is POSIX's")
def test_hung(tmp_path: Path) -> None:
    prepare(tmp_path)
    with serving(tmp_path) as app:
        time.sleep(4)
        app.send_signal(signal.SIGSTOP)
        try:
            count = measure(tmp_path, "app hung")
        finally:
            app.send_signal(signal.SIGCONT)
        wait_for(lambda: not any((Places.under(tmp_path).spool_dir).glob("late-*")), 60)
    assert kept(tmp_path) == count
