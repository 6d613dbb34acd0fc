"""Each adapter against a stand-in of its program or address: how it is called, how its answer and its cost are read, how it fails."""

import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from app.judge.adapter import Adapter, Call, JudgeCancelledError, JudgeError
from app.judge.answer import parse_answer
from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.codex import CodexAdapter
from app.judge.command import CommandAdapter
from app.judge.endpoint import EndpointAdapter
from app.judge.gemini import GeminiAdapter
from app.judge.registry import find_adapter
from app.judge.values import JudgeMessage, JudgeRequest
from app.settings import Settings

REQUEST = JudgeRequest("shop", (JudgeMessage(12, 1, "s", datetime(2026, 3, 2, tzinfo=UTC), "exports are CSV"),))
ANSWER = {"memories": [{"message": "m12", "quote": "exports are CSV", "statement": "Exports are CSV."}], "changes": []}
HOOK = Path(__file__).parents[3] / "app" / "hook" / "remanence_hook.py"


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def put(bin_dir: Path, name: str, code: str) -> None:
    path = bin_dir / name
    head = f"#!{sys.executable} -I\nimport json, os, pathlib, sys, time\nhere = pathlib.Path({str(bin_dir)!r})\n"
    note = "(here / 'call.json').write_text(json.dumps({'words': sys.argv[1:], 'sent': sys.stdin.read(), 'env': dict(os.environ)}))\n"
    path.write_text(head + note + code)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def called(bin_dir: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((bin_dir / "call.json").read_text())
    return found


def call(bin_dir: Path, **more: object) -> Call:
    env = {
        "PATH": f"{bin_dir}{os.pathsep}/usr/bin:/bin",
        "ANTHROPIC_API_KEY": "x",
        "OPENAI_API_KEY": "y",
        "HOME": str(bin_dir),
    }
    return Call(bin_dir / "empty", env=env, **more)  # type: ignore[arg-type]


def test_claude_code_is_called_without_tools_hooks_and_sessions(bin_dir: Path) -> None:
    result = {
        "result": json.dumps(ANSWER),
        "usage": {"input_tokens": 900, "cache_read_input_tokens": 90, "output_tokens": 30},
    }
    put(bin_dir, "claude", f"print({json.dumps(result | {'total_cost_usd': 0.004})!r})")
    reply = ClaudeCodeAdapter().ask(REQUEST, call(bin_dir, model="sonnet"))
    assert (reply.prompt_tokens, reply.answer_tokens, reply.money_usd) == (990, 30, 0.004)
    assert parse_answer(reply.text).memories[0].statement == "Exports are CSV."
    words = called(bin_dir)["words"]
    for wanted in (
        "-p",
        "--safe-mode",
        "--strict-mcp-config",
        "--no-session-persistence",
        "--json-schema",
        "--system-prompt",
    ):
        assert wanted in words
    assert words[words.index("--tools") + 1] == words[words.index("--setting-sources") + 1] == ""
    assert words[words.index("--model") + 1] == "sonnet"
    assert "exports are CSV" in str(called(bin_dir)["sent"])
    assert "exports are CSV" not in " ".join(words)  # what is typed stands in no list of processes


def test_codex_leaves_no_session_and_reads_nothing_of_the_persons(bin_dir: Path) -> None:
    put(
        bin_dir,
        "codex",
        "words = sys.argv\npathlib.Path(words[words.index('-o') + 1]).write_text("
        f"{json.dumps(ANSWER)!r})\nprint(json.dumps({{'type': 'turn.completed', 'usage': {{'input_tokens': 9000, 'output_tokens': 40}}}}))",
    )
    reply = CodexAdapter().ask(REQUEST, call(bin_dir))
    assert (reply.prompt_tokens, reply.answer_tokens) == (9_000, 40)
    words = called(bin_dir)["words"]
    for wanted in (
        "exec",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "read-only",
        "--output-schema",
        "-",
    ):
        assert wanted in words
    assert not Path(words[words.index("-o") + 1]).exists()


def test_gemini_answers_inside_of_its_json(bin_dir: Path) -> None:
    stats = {"models": {"flash": {"tokens": {"prompt": 700, "candidates": 20}}}}
    kept = bin_dir / ".gemini" / "tmp"
    for name, root in (("ours", bin_dir / "empty"), ("theirs", bin_dir / "work")):
        (kept / name / "chats").mkdir(parents=True)
        (kept / name / ".project_root").write_text(str(root))
    look = "(here / 'seen').write_text(pathlib.Path('.gemini/settings.json').read_text());"
    put(
        bin_dir,
        "gemini",
        f"{look} print('Loaded.'); print({json.dumps({'response': json.dumps(ANSWER), 'stats': stats})!r})",
    )
    reply = GeminiAdapter().ask(REQUEST, call(bin_dir))
    assert (reply.prompt_tokens, reply.answer_tokens) == (700, 20)
    assert json.loads((bin_dir / "seen").read_text())["hooksConfig"] == {"enabled": False}
    assert [path.name for path in kept.iterdir()] == ["theirs"]  # the session that it wrote down of our folder
    assert list((bin_dir / "empty").iterdir()) == []
    assert parse_answer(reply.text).memories


@pytest.mark.parametrize("adapter", [ClaudeCodeAdapter(), CodexAdapter(), GeminiAdapter()])
def test_a_program_that_is_not_there_is_named(adapter: Adapter, bin_dir: Path) -> None:
    with pytest.raises(JudgeError, match="was not found"):
        adapter.ask(REQUEST, Call(bin_dir / "empty", env={"PATH": str(bin_dir)}))


@pytest.mark.parametrize(
    ("name", "adapter"), [("claude", ClaudeCodeAdapter()), ("codex", CodexAdapter()), ("gemini", GeminiAdapter())]
)
def test_a_login_that_has_expired_is_a_refusal_and_keys_are_not_handed_on(
    name: str, adapter: Adapter, bin_dir: Path
) -> None:
    put(bin_dir, name, "sys.stderr.write('401 Unauthorized: please run /login'); sys.exit(1)")
    with pytest.raises(JudgeError) as failure:
        adapter.ask(REQUEST, call(bin_dir))
    assert failure.value.is_refused
    env = called(bin_dir)["env"]
    assert isinstance(env, dict)
    assert env["REMANENCE_JUDGE_CHILD"] == "1"
    assert not {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} & env.keys()


def test_an_error_inside_of_claudes_answer_is_one(bin_dir: Path) -> None:
    put(bin_dir, "claude", "print(json.dumps({'is_error': True, 'result': 'Credit balance is too low'}))")
    with pytest.raises(JudgeError) as failure:
        ClaudeCodeAdapter().ask(REQUEST, call(bin_dir))
    assert failure.value.is_refused


def test_a_command_is_split_as_words_and_sees_no_shell(bin_dir: Path) -> None:
    put(bin_dir, "mine", f"print({json.dumps(ANSWER)!r})")
    reply = CommandAdapter("mine 'two words' $HOME;id").ask(REQUEST, call(bin_dir))
    assert parse_answer(reply.text).memories
    assert called(bin_dir)["words"] == ["two words", "$HOME;id"]
    for bad in ("", "'", "nothing-of-that-name"):
        with pytest.raises(JudgeError):
            CommandAdapter(bad).ask(REQUEST, call(bin_dir))


def test_time_out_and_cancel_end_the_whole_group(bin_dir: Path) -> None:
    code = (
        "import subprocess\nchild = subprocess.Popen(['sleep', '3600'])\n"
        "(here / 'pid').write_text(str(child.pid))\nos.close(1)\ntime.sleep(3600)"
    )
    put(bin_dir, "mine", code)
    cancelled = threading.Event()
    failures: list[Exception] = []

    def ask() -> None:
        try:
            CommandAdapter("mine").ask(REQUEST, call(bin_dir, cancelled=cancelled))
        except JudgeError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not ((bin_dir / "pid").exists() and (bin_dir / "pid").read_text()):
        time.sleep(0.02)
    cancelled.set()
    thread.join()
    assert isinstance(failures[0], JudgeCancelledError)
    while is_running((bin_dir / "pid").read_text()):  # a killed process is gone only when its turn comes
        time.sleep(0.02)
    with pytest.raises(JudgeError, match="No answer came within"):
        CommandAdapter("sleep 3600").ask(REQUEST, call(bin_dir, timeout_s=0.2))


def is_running(pid: str) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def address(status: int, body: bytes, seen: list[tuple[str, dict[str, object]]]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append((f"{self.path} {self.headers.get('authorization')}", sent))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_endpoint_is_asked_as_openai_would_be(tmp_path: Path) -> None:
    body = {
        "choices": [{"message": {"content": json.dumps(ANSWER)}}],
        "usage": {"prompt_tokens": 800, "completion_tokens": 9},
    }
    seen: list[tuple[str, dict[str, object]]] = []
    with address(200, json.dumps(body).encode(), seen) as url:
        reply = EndpointAdapter(url, key="k").ask(REQUEST, Call(tmp_path, model="llama"))
    assert (reply.prompt_tokens, reply.answer_tokens) == (800, 9)
    assert parse_answer(reply.text).memories
    ((where, sent),) = seen
    assert where == "/v1/chat/completions Bearer k"
    assert sent["model"] == "llama"
    assert "exports are CSV" in json.dumps(sent["messages"])


@pytest.mark.parametrize(("status", "is_refused"), [(401, True), (429, True), (500, False)])
def test_an_endpoint_that_says_no(tmp_path: Path, status: int, is_refused: bool) -> None:
    with address(status, b"{}", []) as url, pytest.raises(JudgeError) as failure:
        EndpointAdapter(url).ask(REQUEST, Call(tmp_path))
    assert failure.value.is_refused is is_refused


def test_an_address_elsewhere_needs_a_yes_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="not on this machine"):
        EndpointAdapter("https://models.example.org/v1").ask(REQUEST, Call(tmp_path))
    with pytest.raises(JudgeError, match="no http address"):
        EndpointAdapter("file:///etc/passwd").ask(REQUEST, Call(tmp_path))


def test_same_means_the_program_that_had_the_conversation() -> None:
    same = Settings(judge="same")
    assert [getattr(find_adapter(same, app), "name", None) for app in ("claude-code", "codex", "gemini", "cursor")] == [
        "claude-code", "codex", "gemini", None,
    ]  # fmt: skip
    assert getattr(find_adapter(Settings(judge="codex"), "cursor"), "name", None) == "codex"
    assert find_adapter(Settings(), "claude-code") is None
    assert find_adapter(Settings(judge="same", is_learning_memories=False), "claude-code") is None


def test_our_hook_leaves_at_once_when_we_ask_ourselves(tmp_path: Path) -> None:
    words = [sys.executable, "-I", "-S", "-E", str(HOOK), "--home", str(tmp_path), "claude-code", "prompt"]
    body = json.dumps({"session_id": "s", "prompt": "hello", "cwd": "/w"}).encode()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def kept() -> list[Path]:
        return [path for path in tmp_path.rglob("*") if path.is_file()]

    subprocess.run(words, input=body, env=env | {"REMANENCE_JUDGE_CHILD": "1"}, check=True)
    assert kept() == []
    subprocess.run(words, input=body, env=env, check=True)
    assert kept() != []
