"""`remanence mcp [APP]`: the memory over stdin and stdout, for assistants that start a program of their own for it.

A thin pipe to the running app, one JSON line in, one out; where no app runs, it starts `remanence serve` below itself and ends it
with itself. Owns stdout: nothing but answers is written there. Does not import the protocol's library, so it is up in a tenth of a
second. Source: DESIGN section 3 "the MCP stdio shim", INTEROP section 11.
"""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from app.cli.client import RunningApp, find_running_app
from app.errors import EnvironmentProblem
from app.places import Places

LAUNCHER = Path(__file__).with_name("remanence_cli.py")
LINE_BYTES_MAX = 1_048_576
_START_S = 30.0  # a cold disk, a store to migrate
_END_S = 1.5  # hosts wait two seconds before they end us by force
_LAST_ANSWERS_S = 30.0  # `echo … | remanence mcp` waits for its answer, cold library included
_ANSWER_S = 120.0
_AT_ONCE = 8
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN_HEADER = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_PARSE_ERROR, _INVALID, _FAILED = -32700, -32600, -32000


def run_mcp(arguments: Sequence[str]) -> int:
    """Serves until stdin ends; returns the exit code."""
    parser = argparse.ArgumentParser(prog="remanence mcp", description="The memory over stdin and stdout.")
    parser.add_argument("app", nargs="?", default="", help="The connected assistant whose token is used.")
    parser.add_argument("--home", default="", help="Keep everything below this folder (REMANENCE_HOME).")
    parser.add_argument("--project", default="", help="Folder or name of the project; left out: this folder.")
    given = parser.parse_args(list(arguments))
    places = Places.under(Path(given.home).expanduser().absolute()) if given.home else Places.find()
    pipe = Pipe(App(places, given.app, given.home), project=given.project or project_here(os.environ))
    try:
        pipe.serve(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        pipe.app.close()
    return 0


def project_here(env: Mapping[str, str]) -> str:
    """The folder that the host works in; "" where that is no project, as for hosts that start us from anywhere."""
    folder = Path(env.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    return "" if folder in {Path.home(), Path(folder.anchor)} else str(folder)


class App:
    """The running app, found anew when it went; started below us where there is none."""

    def __init__(self, places: Places, name: str, home: str) -> None:
        self._places = places
        self._name = name
        self._home = home
        self._running: RunningApp | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Status and body of the answer. Raises EnvironmentProblem when nobody can be reached."""
        running = self._find()
        sent = {**headers, "Authorization": f"Bearer {self._token(running)}"}
        try:
            return running.exchange("POST", "/mcp", body, sent, _ANSWER_S)
        except EnvironmentProblem as error:
            if isinstance(error.__cause__, TimeoutError):
                raise  # it is there and slow: asking twice would not help
            with self._lock:
                self._running = None
            running = self._find()  # the window may have taken the store over: ask again there
            sent["Authorization"] = f"Bearer {self._token(running)}"
            return running.exchange("POST", "/mcp", body, sent, _ANSWER_S)

    def close(self) -> None:
        """Ends what we started. It sees its stdin end, so it also ends when we are killed."""
        child = self._child
        if child is None:
            return
        assert child.stdin is not None
        child.stdin.close()
        try:
            child.wait(_END_S)
        except subprocess.TimeoutExpired:
            child.terminate()

    def _token(self, running: RunningApp) -> str:
        if not self._name:
            return running.admin_token
        try:
            lines = (self._places.hook_dir / f"{self._name}.conf").read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            lines = []
        for line in lines:
            key, _, value = line.partition(" ")
            if key == "token":
                return value
        raise EnvironmentProblem(f"{self._name} is not connected to Remanence.", hint=self._way_to_token())

    def _way_to_token(self) -> str:
        from app.connect import connectors  # late: only for who has no token

        name = self._name
        if name in {one.name for one in connectors()}:
            return f"remanence connect {name} gives it a token."
        conf = self._places.hook_dir / f"{name}.conf"
        return (
            f"Remanence cannot set {name} up by itself. remanence apps create {name} --scope capture --scope read prints a "
            f"token; write the line “token” and that token into {conf}."
        )

    def _find(self) -> RunningApp:
        with self._lock:
            end = time.monotonic() + _START_S
            start_count = 0
            while self._running is None:
                self._running = find_running_app(self._places)
                if self._running is not None:
                    break
                if self._child is None or self._child.poll() is not None:
                    if start_count == 2:  # once more, because another of us may have been quicker and be gone by now
                        raise _unreachable()
                    start_count += 1
                    self._child = self._start()
                if time.monotonic() > end:
                    raise _unreachable()
                time.sleep(0.05)
            return self._running

    def _start(self) -> subprocess.Popen[bytes]:
        home = ["--home", self._home] if self._home else []
        command = [sys.executable, "-P", str(LAUNCHER), *home, "serve", "--while-stdin"]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self._places.data_dir.anchor
        )


class Pipe:
    """Lines of JSON-RPC to POSTs and back. Answers may overtake each other; each is one line."""

    def __init__(self, app: App, *, project: str) -> None:
        self.app = app
        self._project = project
        self._version = ""  # what an older client agreed on
        self._output_lock = threading.Lock()
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        self._is_broken = False

    def serve(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Until `source` ends or nobody reads `sink` any more."""
        for line in _lines(source):
            if self._is_broken:
                return
            self._free.acquire()
            threading.Thread(target=self._handle, args=(line, sink), name="mcp-request", daemon=True).start()
        end = time.monotonic() + _LAST_ANSWERS_S
        for _ in range(_AT_ONCE):
            self._free.acquire(timeout=max(0.0, end - time.monotonic()))

    def _handle(self, line: bytes, sink: BinaryIO) -> None:
        try:
            answer = self.answer(line)
            if answer:
                with self._output_lock:
                    sink.write(answer + b"\n")
                    sink.flush()
        except (BrokenPipeError, ValueError):  # ValueError: closed at our own end
            self._is_broken = True
        finally:
            self._free.release()

    def answer(self, line: bytes) -> bytes:
        """The line that answers `line`; b"" for what is not answered."""
        if len(line) > LINE_BYTES_MAX:
            return _error(None, _INVALID, "The message is too large.")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, _PARSE_ERROR, "The message is not JSON.")
        if not isinstance(message, dict) or "method" not in message:
            return b"" if isinstance(message, dict) else _error(None, _INVALID, "One message to a line.")
        if "id" not in message:
            return b""  # notices: nothing of a session is kept that they could change
        try:
            status, body = self.app.post(line, self._headers(message))
        except EnvironmentProblem as error:
            return _error(message["id"], _FAILED, f"{error} {error.hint}".strip())
        return self._read(message, status, body)

    def _headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        """What HTTP wants said beside the message: version, method and name stand in headers too."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._project:
            headers["Remanence-Project"] = quote(self._project)
        parameters = message.get("params")
        meta = parameters.get("_meta") if isinstance(parameters, dict) else None
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        method = str(message["method"])
        if isinstance(version, str):
            headers |= {"MCP-Protocol-Version": _header(version), "Mcp-Method": _header(method)}
            name = parameters.get(_NAMED_BY.get(method, "")) if isinstance(parameters, dict) else None
            if isinstance(name, str):
                headers["Mcp-Name"] = _header(name)
        elif self._version and method != "initialize":
            headers["MCP-Protocol-Version"] = self._version
        return headers

    def _read(self, message: Mapping[str, Any], status: int, body: bytes) -> bytes:
        try:
            found = json.loads(body) if body else None
        except ValueError:
            found = None
        if isinstance(found, dict) and "jsonrpc" in found:
            result = found.get("result")
            if message["method"] == "initialize" and isinstance(result, dict):
                self._version = _header(str(result.get("protocolVersion", "")))
            found["id"] = message["id"]
            return json.dumps(found, ensure_ascii=True, separators=(",", ":")).encode()
        said = found if isinstance(found, dict) else {}
        text = f"{said.get('detail') or f'The app answered with status {status}.'} {said.get('hint', '')}"
        return _error(message["id"], _FAILED, text.strip())


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines without blank ones; of one that is too long a part that is just as much too long."""
    while line := source.readline(LINE_BYTES_MAX + 2):
        is_whole = line.endswith(b"\n") or len(line) <= LINE_BYTES_MAX
        while not is_whole:
            rest = source.readline(LINE_BYTES_MAX)
            is_whole = not rest or rest.endswith(b"\n")
        if line.strip():
            yield line


def _header(value: str) -> str:
    """`value` as HTTP may carry it; what it may not is wrapped as the protocol has it."""
    if _PLAIN_HEADER.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode('ascii')}?="


def _error(request_id: object, code: int, text: str) -> bytes:
    body = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return json.dumps(body, separators=(",", ":")).encode()


def _unreachable() -> EnvironmentProblem:
    return EnvironmentProblem(
        "Remanence is not running and could not be started.", hint="remanence doctor says what is in the way."
    )
