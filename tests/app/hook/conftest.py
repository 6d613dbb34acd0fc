"""The hook as an assistant runs it: a process of its own, with a tiny engine (or none) on the other side."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.capture.hook_files import hello_proof, write_endpoint, write_hook_conf
from app.privacy.hook_rules import write_hook_rules
from app.privacy.redaction import SecretRules
from app.resources import load_rules
from tests.patience import PATIENCE_S

HOOK = Path(__file__).resolve().parents[3] / "app" / "hook" / "remanence_hook.py"
SECRET = "5e" * 32
TOKEN = "made-up-app-token"


@dataclass
class Hook:
    """Runs the hook in its own home; `run` gives the finished process."""

    home: Path

    @property
    def state(self) -> Path:
        return self.home / "state"

    def start(self, *words: str, **options: object) -> "subprocess.Popen[bytes]":
        environment = {"HOME": str(self.home / "nobody"), "REMANENCE_HOME": str(self.home), "PATH": ""}
        command = [sys.executable, "-I", "-S", "-E", str(HOOK), *words]
        pipe = subprocess.PIPE
        settings = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "env": environment, "cwd": self.home} | options
        return subprocess.Popen(command, **settings)

    def run(self, body: bytes, *words: str) -> "subprocess.CompletedProcess[bytes]":
        process = self.start(*(words or ("claude-code", "prompt")))
        out, err = process.communicate(body, timeout=PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def spooled(self) -> bytes:
        return b"".join(path.read_bytes() for path in sorted(self.state.glob("spool/*")))

    def wait_for_spool(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while not self.spooled().endswith(b"\n"):
            assert time.monotonic() < until
            time.sleep(0.02)


@dataclass
class TinyEngine:
    """Answers like the engine; keeps every byte that it was sent."""

    listener: socket.socket
    answer: Callable[["TinyEngine", socket.socket, bytes], None]
    received: list[bytes] = field(default_factory=list)

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(PATIENCE_S)
                self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        data = b""
        while True:
            try:
                part = connection.recv(65536)
            except OSError:
                return
            if not part:
                return
            self.received.append(part)
            data += part
            head, found, body = data.partition(b"\r\n\r\n")
            if not found or len(body) < content_length(head):
                continue
            data = b""
            try:
                self.answer(self, connection, head + b"\r\n\r\n" + body)
            except OSError:
                return


def content_length(head: bytes) -> int:
    return next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0
    )


def http(status: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def answer_well(engine: TinyEngine, connection: socket.socket, request: bytes) -> None:
    """Proves itself, then answers with context."""
    if request.startswith(b"GET /v1/hello?nonce="):
        nonce = request.split(b"=", 1)[1].split(b" ")[0].decode()
        connection.sendall(http("200 OK", f"proof {hello_proof(SECRET, nonce)}".encode()))
    else:
        connection.sendall(http("200 OK", b'{"hookSpecificOutput":{"additionalContext":"x"}}'))


@pytest.fixture(scope="session")
def secret_rules() -> SecretRules:
    return SecretRules.parse(load_rules("secrets"))


@pytest.fixture(scope="session")
def rules_file(secret_rules: SecretRules, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("rules") / "rules.marshal"
    write_hook_rules(path, secret_rules)
    return path.read_bytes()


@pytest.fixture
def hook(tmp_path: Path, rules_file: bytes) -> Hook:
    made = Hook(tmp_path / "hook-home")
    made.home.mkdir(mode=0o700)
    write_hook_conf(made.state, "claude-code", {"token": TOKEN})
    (made.state / "hook" / "rules.marshal").write_bytes(rules_file)
    (made.state / "hook" / "rules.marshal").chmod(0o600)
    return made


@pytest.fixture
def serve(hook: Hook) -> Iterator[Callable[..., TinyEngine]]:
    """Starts a tiny engine on a port or on the Unix socket, and writes the endpoint file for it."""
    listeners = []

    def start(
        answer: Callable[[TinyEngine, socket.socket, bytes], None] = answer_well, *, unix: bool = False
    ) -> TinyEngine:
        if unix:
            listener = socket.socket(socket.AF_UNIX)
            path = hook.state / "capture.sock"
            listener.bind(str(path))
            write_endpoint(hook.state, socket=path, port=None, secret=SECRET, pid=1)
        else:
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            write_endpoint(hook.state, socket=None, port=listener.getsockname()[1], secret=SECRET, pid=1)
        listener.listen()
        listeners.append(listener)
        engine = TinyEngine(listener, answer)
        threading.Thread(target=engine.serve, daemon=True).start()
        return engine

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def prompt(text: str) -> bytes:
    return json.dumps({"session_id": "s1", "prompt": text}, ensure_ascii=False).encode()
