"""`remanence mcp` as an assistant runs it: through a running app, without one, when it goes, and when we are killed."""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from app.api import Engine, MemoryDraft, MemoryFilter, MemoryStatus, Places, Scope
from app.cli.mcp import LAUNCHER
from app.services.hook_files import write_hook_conf
from tests.app.server.mcp_client import text_of
from tests.flows.processes import PATIENCE_S, environment, serving, wait_for

PING = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n'


def prepare(home: Path, here: Path, scopes: frozenset[Scope]) -> None:
    """An assistant with a token, and one memory in its project and in another."""
    (here / ".git").mkdir(parents=True)
    engine = Engine.open(Places.under(home))
    _, token = engine.apps.create("claude-code", "Claude Code", scopes)
    write_hook_conf(engine.places.state_dir, "claude-code", {"token": token})
    engine.memories.create(MemoryDraft("The stage manager is called heron", project_path=str(here)))
    engine.memories.create(MemoryDraft("The lighting desk is called heron", project_path=str(here.parent / "other")))
    engine.close()


def program(home: Path, *more: str) -> list[str]:
    return [sys.executable, "-P", str(LAUNCHER), "mcp", "--home", str(home), *more]


def running_below(home: Path) -> list[psutil.Process]:
    """Processes of ours that keep their things below `home`."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if str(home) in process.cmdline() and str(LAUNCHER) in process.cmdline():
                found.append(process)
    return found


@contextlib.contextmanager
def piped(home: Path, here: Path) -> Iterator[subprocess.Popen[bytes]]:
    env = {**environment(home), "PYTHONPATH": ""}
    process = subprocess.Popen(program(home), env=env, cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_through_the_running_app_and_on_when_it_goes(tmp_path: Path, mode: str) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.READ, Scope.CAPTURE}))
    env = {name: value for name, value in environment(home).items() if name in {"HOME", "REMANENCE_PORT"}}
    command, *args = program(home, "claude-code")
    server = StdioServerParameters(command=command, args=args, cwd=here, env=env)
    said: list[CallToolResult] = []

    async def talk() -> list[str]:
        with contextlib.ExitStack() as app:
            app.enter_context(serving(home))
            async with Client(server, mode=mode) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                said.append(await client.call_tool("recall", {"query": "what is called heron"}))
                said.append(await client.call_tool("remember", {"text": "The curtain is operated from the left"}))
                assert len(running_below(home)) == 1, "the pipe alone: the app was there"
                await asyncio.to_thread(app.close)
                said.append(await client.call_tool("recall", {"query": "what is called heron"}))
                assert len(running_below(home)) == 2, "now it has an app of its own"
            return names

    assert asyncio.run(talk())[0] == "recall"
    wait_for(lambda: running_below(home) == [])
    assert [result.is_error for result in said] == [False, False, False]
    assert "stage manager" in text_of(said[0])
    assert text_of(said[0]) != ""
    assert "lighting" not in text_of(said[0]) + text_of(said[2])
    assert "stage manager" in text_of(said[2])
    engine = Engine.open(Places.under(home))
    try:
        (card,) = engine.memories.list(MemoryFilter(statuses=(MemoryStatus.PROPOSED,))).cards
        assert (card.app, card.project) == ("claude-code", "orchard")
    finally:
        engine.close()


def test_a_token_without_the_right_scope_is_told_so(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.CAPTURE}))
    with serving(home):
        done = subprocess.run(
            program(home, "claude-code"),
            input=PING,
            env=environment(home),
            cwd=here,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 0
    (answer,) = done.stdout.splitlines()
    assert "may not read" in json.loads(answer)["error"]["message"]


def test_without_an_app_it_brings_one_and_takes_it_with_it(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    here.mkdir()
    with piped(home, here) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"hello\n" + PING)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert sorted(str(one["id"]) for one in answers) == ["7", "None"]
        assert answers[1] == {"jsonrpc": "2.0", "id": 7, "result": {}}
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout.read() == b"", "nothing but answers"
    wait_for(lambda: running_below(home) == [])
    assert not (home / "state" / "endpoint").exists()
    assert (home / "data" / "remanence.lock").read_text() == ""


def test_killed_it_leaves_nothing_running(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    here.mkdir()
    with piped(home, here) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(PING)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 7
        assert len(running_below(home)) == 2
    wait_for(lambda: running_below(home) == [])
    assert not (home / "state" / "endpoint").exists()
