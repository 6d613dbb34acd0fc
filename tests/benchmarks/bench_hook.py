"""P4: the hook as the assistant waits for it, from starting the process to its end.

Prints milliseconds with the app up, closed and hung; asserts nothing about time, but that every prompt arrived. The
control is the same interpreter doing nothing, measured in the same run: no hook in Python can be faster.

P4 under load: the hook beside a bare Python that is started next to it, while twenty processes eat the processors.

Source: QUALITY P4, issue 15 point 5.
"""

import json
import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.api import Engine, MemoryDraft, Places, Scope, write_endpoint
from app.capture.hook_files import write_hook_conf
from app.connect.base import ConnectContext
from app.connect.launcher import write_launcher
from app.server import start_server
from tests.flows.processes import serving, wait_for

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

HOOK = Path(__file__).resolve().parents[2] / "app" / "hook" / "remanence_hook.py"
PYTHON = [sys.executable, "-I", "-S", "-E"]
COUNT = 60


def quantiles(took_ms: list[float]) -> str:
    ordered = sorted(took_ms)
    p50, p95 = (ordered[int(len(ordered) * share)] for share in (0.5, 0.95))
    return f"p50 {p50:6.1f}  p95 {p95:6.1f}  max {ordered[-1]:6.1f} ms  (n {len(ordered)})"


def run(command: list[str], stdin: str) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=30)
    took_ms = (time.perf_counter() - started) * 1000
    assert (done.returncode, done.stdout) == (0, "")
    return took_ms


def run_hooks(home: Path, count: int = COUNT) -> str:
    command = [*PYTHON, str(HOOK), "--home", str(home), "claude-code", "prompt"]
    run(command, "{}")  # the first one compiles
    body = {"session_id": "s", "cwd": str(home), "hook_event_name": "UserPromptSubmit"}
    return quantiles([run(command, json.dumps({**body, "prompt": f"add a retry to part {n}"})) for n in range(count)])


def test_nothing() -> None:
    print(
        f"\ncontrol: python -ISE -c pass         {quantiles([run([*PYTHON, '-c', 'pass'], '') for _ in range(COUNT)])}"
    )


def test_app_up(tmp_path: Path) -> None:
    engine = Engine.open(Places.under(tmp_path))
    server = start_server(engine, port=0)
    try:
        engine.warm_up()
        _, token = engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE}))
        write_hook_conf(engine.places.state_dir, "claude-code", {"token": token})
        print(f"\napp up                               {run_hooks(tmp_path)}")
        assert engine.events.wait_idle(60)
        assert engine.stats.now().message_count == COUNT
        assert not (engine.places.spool_dir / "events.jsonl").exists()
    finally:
        server.stop()
        engine.close()


def test_app_closed(tmp_path: Path) -> None:
    engine = Engine.open(Places.under(tmp_path))  # leaves the rules by which the hook takes secrets out
    engine.close()
    print(f"\napp closed                           {run_hooks(tmp_path)}")
    engine = Engine.open(Places.under(tmp_path))
    assert engine.events.wait_idle(60)
    assert engine.stats.now().message_count == COUNT
    engine.close()


def test_app_hung(tmp_path: Path) -> None:
    places = Places.under(tmp_path)
    engine = Engine.open(places)
    write_hook_conf(places.state_dir, "claude-code", {"token": "x"})
    engine.close()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        write_endpoint(places.state_dir, socket=None, port=port, secret="ab" * 32, pid=os.getpid())
        print(f"\napp hung, budget 400 ms              {run_hooks(tmp_path, 10)}")
    engine = Engine.open(places)
    assert engine.events.wait_idle(60)
    assert engine.stats.now().message_count == 10
    engine.close()


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


def run_under_load(command: list[str], stdin: bytes) -> tuple[float, bytes]:
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
    run_under_load(hook, b"{}")  # the first one compiles
    bare, hooked, told = [], [], 0
    with busy_machine():
        end = time.monotonic() + WITHIN_S
        while len(bare) < PAIRS and time.monotonic() < end:
            bare.append(run_under_load([*PYTHON, "-c", "pass"], b"")[0])
            prompt = json.dumps(
                {**body, "session_id": f"s{len(bare)}", "prompt": f"what is called heron in part {len(bare)}?"}
            ).encode()
            took_ms, stdout = run_under_load(hook, prompt)
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
    with closing(Engine.open(Places.under(home))) as engine:
        assert engine.events.wait_idle(60)
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
