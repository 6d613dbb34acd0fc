"""Real processes for the stories: `remanence serve`, and the hook as an assistant runs it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
HOOK = ROOT / "app" / "hook" / "remanence_hook.py"


def environment(home: Path) -> dict[str, str]:
    ours = {"REMANENCE_HOME": str(home), "REMANENCE_PORT": "18765", "REMANENCE_TOOL_DEADLINE_S": "120"}
    return {**os.environ, **ours, "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def serving(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A running `remanence serve`; ended politely when the block ends, unless it is dead already."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "serve"], env=environment(home), text=True, stdout=subprocess.PIPE
    )
    try:
        wait_for(lambda: (home / "state" / "endpoint").exists())
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        assert process.stdout is not None
        process.stdout.close()


def wait_for(is_true: object, patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if callable(is_true) and is_true():
            return
        time.sleep(0.02)
    raise AssertionError(f"waited {patience_s} s in vain")


def say(home: Path, prompt: str, *, session: str = "s1") -> subprocess.CompletedProcess[bytes]:
    """One prompt through the hook, with the JSON that Claude Code puts on its standard input."""
    body = {"session_id": session, "cwd": "/w/app", "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    return run_hook(home, "prompt", json.dumps(body).encode())


def run_hook(
    home: Path, event: str, body: bytes, *, app: str = "claude-code", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The hook with these very bytes on its standard input."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-E", str(HOOK), "--home", str(home), app, event],
        input=body, capture_output=True, check=False, timeout=PATIENCE_S, cwd=cwd,
    )  # fmt: skip


def ask(home: Path, *words: str) -> object:
    """What a command of the command line answers with --json."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", *words, "--json"],
        env=environment(home), capture_output=True, text=True, check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    return json.loads(done.stdout)
