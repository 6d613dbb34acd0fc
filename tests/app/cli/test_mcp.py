"""The pipe of `remanence mcp`: lines in, lines out, and nothing else on stdout; no process needed.

What the stdio program says by itself is what the server says.
"""

import io
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from app.api import Engine, Scope
from app.assistant_instructions import INSTRUCTION
from app.cli.client import SilentAppProblem
from app.cli.mcp import LINE_BYTES_MAX, App, Pipe, answer_by_itself, is_asking, project_here
from app.errors import EnvironmentProblem
from app.places import Places
from app.server import start_server
from tests.app.cli.made_listing import request, said_by_server
from tests.patience import PATIENCE_S

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class FakeApp(App):
    """Remembers what was sent and answers what it was told to."""

    def __init__(self, *answers: tuple[int, object] | EnvironmentProblem) -> None:
        self.sent: list[tuple[dict[str, Any], dict[str, str]]] = []
        self._answers = list(answers)
        self._order = threading.Lock()

    def post(self, body: bytes, headers: Mapping[str, str], _wait_s: float) -> tuple[int, bytes]:
        with self._order:
            self.sent.append((json.loads(body), dict(headers)))
            answer = self._answers.pop(0) if self._answers else (200, {"jsonrpc": "2.0", "id": 0, "result": {}})
        if isinstance(answer, EnvironmentProblem):
            raise answer
        return answer[0], answer[1] if isinstance(answer[1], bytes) else json.dumps(answer[1]).encode()


def ask(app: FakeApp, message: object, *, project: str = "") -> Any:
    said = Pipe(app, project=project).answer(json.dumps(message).encode())
    return json.loads(said) if said else None


def call(method: str, request_id: object = 1, **parameters: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": parameters}


def test_the_project_goes_along_and_the_number_comes_back() -> None:
    app = FakeApp((200, {"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "no"}}))
    answer = ask(app, call("prompts/list", "abc"), project="/home/jo/täst app")
    assert (answer["id"], answer["error"]["code"]) == ("abc", -32601)
    assert app.sent[0][1]["Remanence-Project"] == "/home/jo/t%C3%A4st%20app"


def test_what_the_newer_protocol_wants_in_headers_is_there() -> None:
    app = FakeApp()
    ask(app, call("tools/call", name="recall", _meta=META))
    ask(app, call("tools/call", name="é\n", _meta=META))
    ask(app, call("prompts/list", _meta=META))
    first, second, third = (headers for _, headers in app.sent)
    assert first["MCP-Protocol-Version"] == "2026-07-28"
    assert (first["Mcp-Method"], first["Mcp-Name"]) == ("tools/call", "recall")
    assert second["Mcp-Name"].startswith("=?base64?")
    assert third["Mcp-Method"] == "prompts/list"
    assert "Mcp-Name" not in third


def test_the_version_agreed_on_is_said_from_then_on() -> None:
    app = FakeApp()
    pipe = Pipe(app, project="")
    agreed = json.loads(pipe.answer(json.dumps(call("initialize", protocolVersion="2025-06-18")).encode()))
    assert agreed["result"]["protocolVersion"] == "2025-06-18"
    pipe.answer(json.dumps(call("tools/call", name="recall")).encode())
    assert app.sent[0][1]["MCP-Protocol-Version"] == "2025-06-18"


@pytest.mark.parametrize("method", ["initialize", "server/discover", "tools/list", "ping"])
def test_what_is_asked_before_a_tool_is_called_needs_no_app(method: str) -> None:
    app = FakeApp()
    newer = {"_meta": META} if method == "server/discover" else {}
    assert "result" in ask(app, call(method, **newer))
    assert app.sent == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b" " * LINE_BYTES_MAX + b"{}", -32600),
    ],
)
def test_what_is_no_message_is_told_so(line: bytes, code: int) -> None:
    app = FakeApp()
    answer = json.loads(Pipe(app, project="").answer(line))
    assert (answer["id"], answer["error"]["code"]) == (None, code)
    assert app.sent == []


@pytest.mark.parametrize(
    "message",
    [{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 4, "result": {}}],
    ids=["notice", "answer"],
)
def test_what_wants_no_answer_gets_none(message: dict[str, object]) -> None:
    app = FakeApp()
    assert ask(app, message) is None
    assert app.sent == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            (401, {"detail": "A valid token is needed.", "hint": "Connect again."}),
            "A valid token is needed. Connect again.",
        ),
        ((500, b"<html>"), "status 500"),
        ((200, b""), "status 200"),
        (EnvironmentProblem("The app went.", hint="Start it."), "The app went. Start it."),
    ],
)
def test_a_failure_is_an_error_with_a_sentence(answer: tuple[int, object] | EnvironmentProblem, said: str) -> None:
    error = ask(FakeApp(answer), call("prompts/list", 7))
    assert error["id"] == 7
    assert said in error["error"]["message"]
    answered = ask(FakeApp(answer), call("tools/call", 8, name="recall"))
    assert answered["result"]["isError"]
    assert said in answered["result"]["content"][0]["text"]


def test_stdout_holds_answers_only_each_on_one_line() -> None:
    app = FakeApp((200, {"jsonrpc": "2.0", "id": 1, "result": {"text": "two\nlines \u2028 and é"}}))
    source = io.BytesIO(
        b"\n  \nnot json\n" + json.dumps(call("ping")).encode() + b"\n" + b"x" * (LINE_BYTES_MAX * 2) + b"\n{"
    )
    sink = io.BytesIO()
    Pipe(app, project="").serve(source, sink)
    lines = sink.getvalue().split(b"\n")
    assert lines.pop() == b""
    found = [json.loads(line) for line in lines]
    assert sorted(str(one["id"]) for one in found) == ["1", "None", "None", "None"]
    assert all(line.isascii() for line in lines)


class GoneReader(io.BytesIO):
    def write(self, _data: object) -> int:
        raise BrokenPipeError


def test_it_ends_when_nobody_reads_any_more() -> None:
    source = io.BytesIO(json.dumps(call("ping")).encode() + b"\n")
    Pipe(FakeApp(), project="").serve(source, GoneReader())


def test_an_assistant_that_is_not_connected_is_told_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(Places.under(tmp_path), "codex", "")
    monkeypatch.setattr(app, "_await", lambda _until_s: None)
    error = json.loads(Pipe(app, project="").answer(json.dumps(call("prompts/list")).encode()))["error"]
    assert error["message"] == "codex is not connected to Remanence. remanence connect codex gives it a token."


class FakeRunning:
    """An app that fails so often before it answers."""

    admin_token = "t"

    def __init__(self, *failures: EnvironmentProblem) -> None:
        self.failures = list(failures)
        self.count = 0

    def exchange(self, *_request: object) -> tuple[int, bytes]:
        self.count += 1
        if self.failures:
            raise self.failures.pop(0)
        return 200, b"{}"


class Woken(FakeRunning):
    """An app that says when it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = threading.Event()

    def exchange(self, *request: object) -> tuple[int, bytes]:
        self.request = request
        self.is_asked.set()
        return super().exchange(*request)


def test_an_app_that_is_found_loads_the_library_before_a_call_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Woken()
    app = App(Places.under(tmp_path), "", "")
    monkeypatch.setattr(app, "_find", lambda: running)
    app.start()
    try:
        assert running.is_asked.wait(PATIENCE_S)
        assert running.request[:2] == ("POST", "/mcp")
    finally:
        app.close()


WENT, SILENT = EnvironmentProblem("no answer"), SilentAppProblem("no answer")


@pytest.mark.parametrize(
    ("failures", "count", "is_answered"), [([WENT], 2, True), ([SILENT], 1, False), ([WENT, WENT], 2, False)]
)
def test_an_app_that_went_is_looked_for_once_more_a_slow_one_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failures: list[EnvironmentProblem],
    count: int,
    is_answered: bool,
) -> None:
    running = FakeRunning(*failures)
    app = App(Places.under(tmp_path), "", "")
    monkeypatch.setattr(app, "_await", lambda _until_s: running)
    if is_answered:
        assert app.post(b"{}", {}, 60.0) == (200, b"{}")
    else:
        with pytest.raises(EnvironmentProblem):
            app.post(b"{}", {}, 60.0)
    assert running.count == count


def test_home_and_root_are_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_here({}) == str(tmp_path)
    assert project_here({"CLAUDE_PROJECT_DIR": "/w/app"}) == "/w/app"
    assert project_here({"CLAUDE_PROJECT_DIR": str(Path.home())}) == ""
    assert project_here({"CLAUDE_PROJECT_DIR": "/"}) == ""


def test_one_that_cannot_be_set_up_by_us_is_not_sent_in_a_circle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places.under(tmp_path)
    app = App(places, "copilot", "")
    monkeypatch.setattr(app, "_await", lambda _until_s: None)
    said = json.loads(Pipe(app, project="").answer(json.dumps(call("prompts/list")).encode()))["error"]["message"]
    assert "remanence connect copilot" not in said
    assert "remanence apps create copilot --scope capture --scope read" in said
    assert str(places.hook_dir / "copilot.conf") in said


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Places.under(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def door(engine: Engine) -> Iterator[tuple[str, str]]:
    """Address and token of a running socket."""
    server = start_server(engine, port=0)
    try:
        _, token = engine.apps.create("lister", "Lister", frozenset({Scope.READ}))
        yield f"http://127.0.0.1:{server.endpoint.port}", token
    finally:
        server.stop()


ASKED = [
    *(
        ("initialize", False, version)
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, "1999-01-01")
    ),
    ("ping", False, ""),
    ("tools/list", False, ""),
    ("tools/list", True, ""),
    ("server/discover", True, ""),
]


def test_it_says_what_the_server_says(door: tuple[str, str]) -> None:
    for method, is_newer, version in ASKED:
        for project in ("", "/w/orchard"):
            message = request(method, is_newer=is_newer, version=version)
            said = answer_by_itself(message, is_bound=bool(project))
            server = said_by_server(*door, message, project=project)
            assert said == server, "python -m tests.app.cli.made_listing writes resources/mcp_listing.json anew"


def test_one_switch_takes_the_line_that_asks_out_of_both(engine: Engine, door: tuple[str, str]) -> None:
    config = engine.places.config_path
    message = request("initialize", is_newer=False, version=HANDSHAKE_PROTOCOL_VERSIONS[-1])
    assert is_asking(config, {})
    assert INSTRUCTION in said_by_server(*door, message)["instructions"]
    engine.settings.set("is_asking_to_remember", False)
    assert not is_asking(config, {})
    assert is_asking(config, {"REMANENCE_IS_ASKING_TO_REMEMBER": "true"})
    quiet = answer_by_itself(message, is_bound=True, is_asking=False)
    assert quiet == said_by_server(*door, message)
    assert quiet is not None
    assert "`remember`" not in quiet["instructions"]
    config.write_text("is_asking_to_remember = [", encoding="utf-8")
    assert is_asking(config, {})  # the app says what is wrong with it


@pytest.mark.parametrize(
    "message",
    [
        {"method": "tools/call", "params": {"name": "recall"}},
        {"method": "prompts/list"},
        {"method": {"not": "text"}, "params": ["no", "object"]},
        {"method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}},
    ],
    ids=json.dumps,
)
def test_everything_else_is_left_to_the_app(message: dict[str, object]) -> None:
    assert answer_by_itself(message, is_bound=False) is None
