"""Where one client is played: a home, a project in git, a Remanence of its own, and what was recorded meanwhile.

Owns folders, environment and the real `remanence serve` of this checkout, which it starts, stops, hangs and kills. Reads
the store as a stranger does: read-only, by SQL. Knows no client.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HOOK = ROOT / "app" / "hook" / "remanence_hook.py"
CLI = ROOT / "app" / "cli" / "remanence_cli.py"
RECORDER = Path(__file__).with_name("recorder.py")
PATIENCE_S = 60.0
_PASSED_ON = ("LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SSL_CERT_FILE")


def wait_until(is_true: Callable[[], object], patience_s: float = PATIENCE_S) -> bool:
    """True once it is so; False when the patience is over."""
    end = time.monotonic() + patience_s
    while not is_true():
        if time.monotonic() > end:
            return bool(is_true())
        time.sleep(0.05)
    return True


@dataclass(frozen=True)
class Record:
    """One call of a hook, as the recorder wrote it."""

    event: str
    at_ns: int
    payload: dict[str, Any]


@dataclass
class Room:
    """One client's own world below `folder`."""

    folder: Path
    path: tuple[Path, ...]  # where its programs are
    extra: Mapping[str, str] = field(default_factory=dict)
    server: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        for place in (self.home, self.records_dir, self.project):
            place.mkdir(parents=True, exist_ok=True)
        self.add_project(self.project)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "work" / "shop"

    @property
    def remanence(self) -> Path:
        return self.folder / "remanence"

    @property
    def records_dir(self) -> Path:
        return self.folder / "records"

    @property
    def env(self) -> dict[str, str]:
        passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        path = os.pathsep.join([*map(str, self.path), str(Path(sys.executable).parent), "/usr/local/bin:/usr/bin:/bin"])
        own = {
            "HOME": str(self.home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
            "GIT_CONFIG_NOSYSTEM": "1", "REMANENCE_HOME": str(self.remanence),
        }  # fmt: skip
        return {**passed, **own, **self.extra}

    def add_project(self, place: Path) -> None:
        """A small git repository with something to read and to change."""
        place.mkdir(parents=True, exist_ok=True)
        (place / "README.md").write_text("# Shop\n\nA small shop.\n", encoding="utf-8")
        (place / "prices.py").write_text("TAX = 0.19\n\n\ndef gross(net):\n    return net\n", encoding="utf-8")
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-q", "-m", "Shop"]):
            subprocess.run(["git", *words], cwd=place, env=self.env, check=True, capture_output=True)

    # the app

    def start_app(self) -> None:
        """`remanence serve` of this checkout; comes back when its socket answers.

        What an assistant started for itself may still be ending, so one that finds the store taken is started again.
        """
        endpoint = self.remanence / "state" / "endpoint"
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with (self.folder / "serve.log").open("ab") as log:
                server = subprocess.Popen(
                    [sys.executable, "-m", "app.cli", "serve", "--port", "0"],
                    cwd=ROOT, env={**self.env, "PYTHONPATH": str(ROOT)}, stdout=log, stderr=log, start_new_session=True,
                )  # fmt: skip
            self.server = server
            own = f"pid {server.pid}\n".encode()
            wait_until(lambda: server.poll() is not None or (endpoint.exists() and own in endpoint.read_bytes()))  # noqa: B023
            if server.poll() is None:
                return
            time.sleep(0.5)
        raise RuntimeError("remanence serve did not come up")

    def stop_app(self) -> None:
        """A polite end, as at logout."""
        self._end_app(signal.SIGTERM)

    def kill_app(self) -> None:
        """An end without warning."""
        self._end_app(signal.SIGKILL)

    def _end_app(self, number: signal.Signals) -> None:
        if self.server is not None:
            if self.server.poll() is None:
                self.server.send_signal(number)
            self.server.wait(PATIENCE_S)
            self.server = None

    @contextlib.contextmanager
    def hung_app(self) -> Iterator[None]:
        """The app stands still: its sockets take connections, nobody answers."""
        assert self.server is not None
        self.server.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.server.send_signal(signal.SIGCONT)

    def remanence_cli(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """A command of ours, as a person types it."""
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *words],
            cwd=ROOT, env={**self.env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
            timeout=180, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if check and done.returncode:
            raise RuntimeError(
                f"remanence {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-300:]}"
            )
        return done

    def run(self, *words: str, cwd: Path | None = None, patience_s: float = 120) -> subprocess.CompletedProcess[str]:
        """A client's program without a terminal."""
        return subprocess.run(
            words, cwd=cwd or self.project, env=self.env, capture_output=True, text=True, check=False,
            timeout=patience_s, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    # what we made of it

    def query(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """Rows of the store, read while the app runs."""
        path = self.remanence / "data" / "remanence.db"
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(sql, values).fetchall()

    def spooled(self) -> list[Path]:
        """What the hook laid down while nobody answered."""
        return sorted(path for path in (self.remanence / "state" / "spool").rglob("*") if path.is_file())

    # what the client sent

    def recorder(self, event: str) -> str:
        """The command line of the person's own hook, which records."""
        return f"{sys.executable} -I -S {RECORDER} {self.records_dir} {event}"

    def records(self, event: str = "") -> list[Record]:
        """What was recorded so far, in order."""
        found = []
        for path in sorted(self.records_dir.glob("*.json")):
            value = json.loads(path.read_text(encoding="utf-8"))
            if not event or value["event"] == event:
                found.append(Record(value["event"], value["at_ns"], value["payload"] or {"raw": value["raw"]}))
        return found

    def wait_records(self, event: str, count: int, patience_s: float = PATIENCE_S) -> bool:
        """Until the client sent the event so often."""
        return wait_until(lambda: len(self.records(event)) >= count, patience_s)

    def mcp_command(self, app: str) -> tuple[str, list[str]]:
        """Our MCP server for clients whose configuration is written by hand."""
        return sys.executable, ["-P", str(CLI), "mcp", "--home", str(self.remanence), app]

    def hook_command(self, app: str, event: str) -> str:
        """Our hook for clients whose configuration is written by hand."""
        return f"{sys.executable} -I -S -E {HOOK} --home {self.remanence} {app} {event}"
