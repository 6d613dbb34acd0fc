"""`remanence mcp [APP]`: the memory over stdin and stdout, for assistants that start a program of their own for it.

A thin pipe to the running app, one JSON line in, one out; where no app runs, it starts `remanence serve` as its child and ends it
with itself. Every call is answered in less than two seconds whatever the app does: what a session asks at its start (who
we are, which tools there are) here, the rest by the app, or else by a sentence. Owns stdout: nothing but answers is written there. Does not import the
protocol's library, so it is up in a tenth of a second. Source: DESIGN section 3 "the MCP stdio shim", INTEROP section 11.
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
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from app import __version__
from app.assistant_instructions import INSTRUCTION
from app.cli.client import RunningApp, SilentAppProblem, read_endpoint
from app.errors import EnvironmentProblem
from app.places import Places
from app.resources import resource_path

LAUNCHER = Path(__file__).with_name("remanence_cli.py")
LINE_BYTES_MAX = 1_048_576
_ANSWER_S = (
    1.2  # an assistant waits at most two seconds, whatever the app does; of them it takes up to half a second itself
)
_HELLO_S = 0.5  # of it, to see that the app answers at all
_END_S = 1.5  # hosts wait two seconds before they end us by force
_LAST_HAND_IN_S = 0.5
_LATER = "Call once more in a while."
_START_S = 30.0  # a cold disk, a store to migrate
_START_ATTEMPTS = 2  # once more, because another of us may have been quicker and be gone by now
_HAND_IN_EVERY_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # the last one again and again
_AT_ONCE = 64
_KEPT_MAX = 100
_KEPT_TOOL = "remember"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN_HEADER = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_PLAIN_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_PING = b'{"jsonrpc":"2.0","id":0,"method":"ping"}'
_PARSE_ERROR, _INVALID, _FAILED = -32700, -32600, -32000
VERSION_MARK = "(version)"
_SWITCH = "is_asking_to_remember"
_OFF = frozenset({"0", "false", "off", "no", "n", "f"})
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def run_mcp(arguments: Sequence[str]) -> int:
    """Serves until stdin ends; returns the exit code."""
    parser = argparse.ArgumentParser(prog="remanence mcp", description="The memory over stdin and stdout.")
    parser.add_argument("app", nargs="?", default="", help="The connected assistant whose token is used.")
    parser.add_argument("--home", default="", help="Keep everything below this folder (REMANENCE_HOME).")
    parser.add_argument("--project", default="", help="Folder or name of the project; left out: this folder.")
    parser.add_argument("--wait", type=float, default=_ANSWER_S, metavar="SECONDS", help="Longest wait for an answer.")
    given = parser.parse_args(list(arguments))
    places = Places.under(Path(given.home).expanduser().absolute()) if given.home else Places.find()
    app = App(places, given.app, given.home)
    app.start()
    try:
        project = given.project or project_here(os.environ)
        asks = is_asking(places.config_path, os.environ)
        Pipe(app, project=project, wait_s=given.wait, is_asking=asks).serve(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        app.close()
    return 0


def project_here(env: Mapping[str, str]) -> str:
    """The folder that the host works in; "" where that is no project, as for hosts that start us from anywhere."""
    folder = Path(env.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    return "" if folder in {Path.home(), Path(folder.anchor)} else str(folder)


class App:
    """The running app, found again when it went; started below us where there is none.

    A thread of its own looks and starts, so that no call waits longer for it than it may.
    """

    def __init__(self, places: Places, name: str, home: str) -> None:
        self._places = places
        self._name = name
        self._home = home
        self._child: subprocess.Popen[bytes] | None = None
        self._state = threading.Condition()
        self._running: RunningApp | None = None
        self._problem: EnvironmentProblem | None = None  # why the last look found none
        self._is_wanted = False
        self._is_silent = False  # it is there, holds the store, and does not answer
        self._is_closed = False

    def start(self) -> None:
        """Begins to look for the app, since the first call comes soon."""
        with self._state:
            self._is_wanted = True
        threading.Thread(target=self._look, name="mcp-look", daemon=True).start()

    def post(self, body: bytes, headers: Mapping[str, str], wait_s: float) -> tuple[int, bytes]:
        """Status and body of the answer. Raises EnvironmentProblem when none can be had within `wait_s`."""
        until_s = time.monotonic() + wait_s
        for is_last in (False, True):
            running = self._await(until_s)
            sent = {**headers, "Authorization": f"Bearer {self._token(running)}"}
            try:
                return running.exchange("POST", "/mcp", body, sent, until_s - time.monotonic())
            except SilentAppProblem:
                raise  # it is there and slow: asking twice would not help
            except EnvironmentProblem:
                self._forget(running)  # the window may have taken the store over: ask again there
                if is_last:
                    raise
        raise AssertionError

    def answers(self, wait_s: float) -> bool:
        """Does the app answer just now? Asks nothing that it would have to do later."""
        try:
            return self._await(time.monotonic() + wait_s).is_ours(wait_s)
        except SilentAppProblem:
            return False
        except EnvironmentProblem:
            with self._state:
                self._running = None
            return False

    def close(self) -> None:
        """Ends what we started. It sees its stdin end, so it also ends when we are killed."""
        with self._state:
            self._is_closed = True
            self._state.notify_all()
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
        from app.assistants.connecting import connectors  # late: only for who has no token

        name = self._name
        if name in {one.name for one in connectors()}:
            return f"remanence connect {name} gives it a token."
        conf = self._places.hook_dir / f"{name}.conf"
        return (
            f"Remanence cannot set {name} up automatically. remanence apps create {name} --scope capture --scope read prints a "
            f"token; write the line “token” and that token into {conf}."
        )

    def _await(self, until_s: float) -> RunningApp:
        with self._state:
            self._is_wanted, self._problem = True, None
            self._state.notify_all()
            self._state.wait_for(lambda: self._running or self._problem, max(0.0, until_s - time.monotonic()))
            if self._running is not None:
                return self._running
            if self._problem is None and self._is_silent:
                raise SilentAppProblem("The running app does not answer in time.", hint=_LATER)
            raise self._problem or StartingProblem("Remanence is just starting.", hint=_LATER)

    def _forget(self, gone: RunningApp) -> None:
        with self._state:
            if self._running is gone:
                self._running = None

    def _look(self) -> None:
        """Looks whenever somebody waits; ends with us."""
        while True:
            with self._state:
                self._state.wait_for(lambda: self._is_closed or (self._is_wanted and self._running is None))
                if self._is_closed:
                    return
            problem, running = None, None
            try:
                running = self._find()
            except EnvironmentProblem as error:
                problem = error
            with self._state:
                self._is_wanted, self._running, self._problem = False, running, problem
                self._state.notify_all()
            if running is not None:
                threading.Thread(target=self._wake, args=(running,), name="mcp-wake", daemon=True).start()

    def _wake(self, running: RunningApp) -> None:
        """Has the app load the protocol's library, which takes longer than a call may last: now, before one waits for it."""
        with suppress(EnvironmentProblem):
            sent = {**_PLAIN_HEADERS, "Authorization": f"Bearer {self._token(running)}"}
            running.exchange("POST", "/mcp", _PING, sent, _START_S)

    def _find(self) -> RunningApp:
        """The app that listens, after starting one where there is none."""
        end = time.monotonic() + _START_S
        start_count = 0
        while not self._is_closed:
            named = read_endpoint(self._places)
            self._is_silent = self._is_silent and named is not None
            if named is not None and self._is_ours(named):
                return named
            if not self._is_silent and (self._child is None or self._child.poll() is not None):
                if start_count == _START_ATTEMPTS:
                    raise _unreachable()
                start_count += 1
                self._start()
            if time.monotonic() > end:
                raise _unreachable()
            time.sleep(0.05)
        raise _unreachable()

    def _is_ours(self, named: RunningApp) -> bool:
        is_silent = False
        try:
            return named.is_ours(_HELLO_S)
        except SilentAppProblem:
            is_silent = bool(named.socket_path)  # nobody else can listen there: it hangs
        except EnvironmentProblem:
            pass  # it went
        finally:
            self._is_silent = is_silent
        return False

    def _start(self) -> None:
        home = ["--home", self._home] if self._home else []
        command = [sys.executable, "-P", str(LAUNCHER), *home, "serve", "--while-stdin"]
        with self._state:
            if self._is_closed:
                return
            if self._child is not None and self._child.stdin is not None:
                self._child.stdin.close()
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self._places.data_dir.anchor
            )


class StartingProblem(EnvironmentProblem):
    """The app is starting and does not listen yet."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A call that adds to the memory and got no answer."""

    line: bytes
    headers: Mapping[str, str]


class Pipe:
    """Lines of JSON-RPC to POSTs and back. Answers may overtake each other; each is one line.

    What an assistant wanted remembered and nobody answered is sent again until it is: the app adds a sentence that it
    has already no second time, so it is there once.
    """

    def __init__(self, app: App, *, project: str, wait_s: float = _ANSWER_S, is_asking: bool = True) -> None:
        self.app = app
        self._is_asking = is_asking
        self._project = project
        self._wait_s = wait_s
        self._version = ""  # what an older client agreed on
        self._output_lock = threading.Lock()
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        self._is_broken = False
        self._kept: list[_Kept] = []
        self._kept_lock = threading.Lock()
        self._is_handing_in = False

    def serve(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Until `source` ends or nobody reads `sink` any more."""
        for line in _lines(source):
            if self._is_broken:
                return
            self._free.acquire()
            threading.Thread(target=self._handle, args=(line, sink), name="mcp-request", daemon=True).start()
        end = time.monotonic() + self._wait_s + _HELLO_S
        for _ in range(_AT_ONCE):
            self._free.acquire(timeout=max(0.0, end - time.monotonic()))
        self._hand_in_once(_LAST_HAND_IN_S)

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
        said = answer_by_itself(message, is_bound=bool(self._project), is_asking=self._is_asking)
        if said is not None:
            if message["method"] == "initialize":
                self._version = _header(str(said.get("protocolVersion", "")))
            return _line({"jsonrpc": "2.0", "id": message["id"], "result": said})
        headers = self._headers(message)
        try:
            status, body = self.app.post(line, headers, self._wait_s)
        except (SilentAppProblem, StartingProblem) as error:
            is_kept = _tool_of(message) == _KEPT_TOOL and self._keep(_Kept(line, headers))
            return _refusal(message, _words_of_silence(error, message, is_kept=is_kept))
        except EnvironmentProblem as error:
            return _refusal(message, f"{error} {error.hint}".strip())
        return self._read(message, status, body)

    def _keep(self, kept: _Kept) -> bool:
        with self._kept_lock:
            if len(self._kept) >= _KEPT_MAX:
                return False
            self._kept.append(kept)
            if not self._is_handing_in:
                self._is_handing_in = True
                threading.Thread(target=self._hand_in, name="mcp-hand-in", daemon=True).start()
            return True

    def _hand_in(self) -> None:
        """Until nothing is kept, ever more seldom: each look waits in the line of an app that hangs."""
        attempts = 0
        while True:
            with self._kept_lock:
                if not self._kept:
                    self._is_handing_in = False
                    return
            time.sleep(_HAND_IN_EVERY_S[min(attempts, len(_HAND_IN_EVERY_S) - 1)])
            attempts += 1
            if self._hand_in_once(_HELLO_S):
                attempts = 0

    def _hand_in_once(self, wait_s: float) -> bool:
        """Hands all in when the app answers; True when something was taken."""
        with self._kept_lock:
            waiting = tuple(self._kept)
        if not waiting or not self.app.answers(wait_s):
            return False
        for kept in waiting:
            with suppress(EnvironmentProblem):
                status, _ = self.app.post(kept.line, kept.headers, max(wait_s, self._wait_s))
                if status < 500:
                    with self._kept_lock, suppress(ValueError):
                        self._kept.remove(kept)
                    continue
            return False
        return True

    def _headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        """What HTTP wants said beside the message: version, method and name are in headers too."""
        headers = dict(_PLAIN_HEADERS)
        if self._project:
            headers["Remanence-Project"] = quote(self._project)
        parameters = message.get("params")
        version = version_named(message)
        method = str(message["method"])
        if version:
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
            found["id"] = message["id"]
            return _line(found)
        said = found if isinstance(found, dict) else {}
        text = f"{said.get('detail') or f'The app answered with status {status}.'} {said.get('hint', '')}"
        return _refusal(message, text.strip())


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


def _tool_of(message: Mapping[str, Any]) -> str:
    """The tool that is called; "" for what is no call."""
    parameters = message.get("params") if message["method"] == "tools/call" else None
    return str(parameters.get("name", "")) if isinstance(parameters, dict) else ""


def _words_of_silence(error: EnvironmentProblem, message: Mapping[str, Any], *, is_kept: bool) -> str:
    """What the assistant's model is answered: what happened, what becomes of its call, and what to do now."""
    what = str(error) if isinstance(error, StartingProblem) else "Remanence did not answer in time."
    if is_kept:
        return (
            f"{what} Your sentence is kept and handed in as soon as Remanence answers, if that is before this session ends. "
            "Do not send it again; go on without waiting."
        )
    if _tool_of(message) == _KEPT_TOOL:
        return f"{what} Your sentence was not kept. Send it again later, and go on without waiting."
    return f"{what} Go on without it: nothing is known of what it would have said. You may call once more in a while."


def _refusal(message: Mapping[str, Any], text: str) -> bytes:
    """A sentence for the model where a tool was called, since it does not see errors of the protocol; else such an error."""
    if message["method"] != "tools/call":
        return _error(message["id"], _FAILED, text)
    result: dict[str, object] = {"content": [{"type": "text", "text": text}], "isError": True}
    if version_named(message):
        result["resultType"] = "complete"
    return _line({"jsonrpc": "2.0", "id": message["id"], "result": result})


def _error(request_id: object, code: int, text: str) -> bytes:
    return _line({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})


def _line(message: object) -> bytes:
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode()


def _unreachable() -> EnvironmentProblem:
    return EnvironmentProblem(
        "Remanence is not running and could not be started.", hint="remanence doctor says what is in the way."
    )


def version_named(message: Mapping[str, Any]) -> str:
    """The version of the newer protocol, which every request names; "" in the older one."""
    parameters = message.get("params")
    meta = parameters.get("_meta") if isinstance(parameters, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""


def is_asking(config_path: Path, env: Mapping[str, str]) -> bool:
    """Whether assistants are told when to call `remember`: the app's own setting, read without the app.

    >>> is_asking(Path("/nowhere"), {}), is_asking(Path("/nowhere"), {"REMANENCE_IS_ASKING_TO_REMEMBER": "false"})
    (True, False)
    """
    said: object = env.get(f"REMANENCE_{_SWITCH.upper()}")
    if said is None:
        try:
            said = tomllib.loads(config_path.read_text(encoding="utf-8")).get(_SWITCH, True)
        except (OSError, ValueError):
            return True  # the app says what is wrong with its file
    return str(said).lower() not in _OFF


def answer_by_itself(message: Mapping[str, Any], *, is_bound: bool, is_asking: bool = True) -> dict[str, Any] | None:
    """The result for a request that needs no app; None for all others. `is_bound`: the connection has its project."""
    method, version = message["method"], version_named(message)
    listing = _listing()
    if method == "initialize" and not version:
        parameters = message.get("params")
        wanted = parameters.get("protocolVersion") if isinstance(parameters, dict) else None
        versions = listing["versions"]
        agreed = wanted if wanted in versions else versions[-1]
        return _as_asked({**listing["initialize"], "protocolVersion": agreed}, is_asking=is_asking)
    if method == "ping" and not version:
        return {}
    if version and version not in listing["discover"]["supportedVersions"]:
        return None  # the app says what is wrong with it
    if method == "server/discover" and version:
        return _as_asked(dict(listing["discover"]), is_asking=is_asking)
    if method == "tools/list":
        found = listing["list" if version else "list_before"]
        return {**found, "tools": [_tool(tool, is_bound=is_bound) for tool in listing["tools"]]}
    return None


def _as_asked(result: dict[str, Any], *, is_asking: bool) -> dict[str, Any]:
    """The result, its instructions without the line that asks to remember where the person wants none."""
    said = result.get("instructions")
    return result if is_asking or not said else {**result, "instructions": said.replace(INSTRUCTION, "")}


def _tool(tool: dict[str, Any], *, is_bound: bool) -> dict[str, Any]:
    """A tool as it is listed; where the connection says which project, no call does."""
    if not is_bound:
        return tool
    schema = tool["inputSchema"]
    properties = {name: value for name, value in schema["properties"].items() if name != "project"}
    return {**tool, "inputSchema": {**schema, "properties": properties}}


@cache
def _listing() -> dict[str, Any]:
    text = resource_path("mcp_listing.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace(VERSION_MARK, __version__))
    return found
