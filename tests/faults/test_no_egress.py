"""R19, S13: a whole session of serve, hook, import, commands and window speaks to nobody but this machine."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.processes import ROOT, environment
from tests.flows.test_from_hook_to_store import connect_hook

SESSION = """
import json, os, signal, subprocess, sys, time, pathlib
home = pathlib.Path(os.environ["REMANENCE_HOME"])
def run(*words, said=""):
    return subprocess.run([sys.executable, *words], input=said, text=True, capture_output=True, timeout=PATIENCE_S, check=True)
prompt = json.dumps({"session_id": "s", "prompt": "see https://example.org/x and file://etc, then mail a@example.org"})
hook = ["-I", "-S", "-E", "app/hook/remanence_hook.py", "--home", str(home), "claude-code", "prompt"]
run(*hook, said=prompt)
serve = subprocess.Popen([sys.executable, "-m", "app.cli", "serve"], stdout=subprocess.DEVNULL)
while not (home / "state" / "endpoint").exists():
    time.sleep(0.1)
run(*hook, said=prompt)
run("-m", "app.cli", "conversations", "list")
ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\\n"
assert '"result"' in run("-m", "app.cli", "mcp", said=ping).stdout
(home / "state" / "capture.sock").unlink()
run("-m", "app.cli", "window", "log", "over the port")
run("-m", "app.cli", "import", "claude-code", sys.argv[1])
run("-m", "app.cli", "doctor")
time.sleep(3)
serve.send_signal(signal.SIGTERM)
serve.wait(30)
assert '"result"' in run("-m", "app.cli", "mcp", said=ping).stdout
run("-m", "app.cli", "gui", "--offscreen-smoke")
"""
CONTROL = "import socket; s = socket.socket(); s.settimeout(0.2); s.connect_ex(('192.0.2.1', 80))"
QUIET = re.compile(r"AF_UNIX|AF_NETLINK|sin_addr=inet_addr\(\"127\.|sendto\(\d+, .*, NULL, 0\)|AF_UNSPEC")


def calls(tmp_path: Path, *words: str) -> list[str]:
    """Every connect, sendto and sendmsg of the command and all that it starts, which names an address."""
    log = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=connect,sendto,sendmsg,sendmmsg", sys.executable]
    env = {**environment(tmp_path / "home"), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([*command, *words], env=env, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [line for line in log.read_text(errors="replace").splitlines() if "sa_family" in line]


def abroad(lines: list[str]) -> list[str]:
    return [line for line in lines if not QUIET.search(line)]


@pytest.mark.seed("S2", "privacy.local")
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_session_connects_to_nobody_else(tmp_path: Path) -> None:
    connect_hook(tmp_path / "home")
    line = {
        "type": "user", "uuid": "u1", "sessionId": "old", "cwd": "/w", "timestamp": "2026-01-05T09:00:00.000Z",
        "message": {"role": "user", "content": "fetch https://example.org/logo.png"},
    }  # fmt: skip
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "old.jsonl").write_text(json.dumps(line) + "\n")
    seen = calls(tmp_path, "-c", SESSION, str(tmp_path / "projects"))
    assert any("AF_UNIX" in line for line in seen), "the hook spoke to the app"
    assert any("127.0.0.1" in line for line in seen), "and the command line by the port"
    assert abroad(seen) == []


@pytest.mark.slow
def test_the_search_would_see_a_connection(tmp_path: Path) -> None:
    assert abroad(calls(tmp_path, "-c", CONTROL))
