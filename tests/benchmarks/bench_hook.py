"""P4: the hook as the assistant waits for it, from starting the process to its end.

Prints milliseconds with the app up, closed and hung; asserts nothing about time, but that every prompt arrived. The control
is the same interpreter doing nothing, measured in the same run: no hook in Python can be faster.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.api import Engine, Places, Scope
from app.api.endpoint import write_endpoint
from app.capture.hook_files import write_hook_conf
from app.server import start_server

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
