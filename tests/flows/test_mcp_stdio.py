"""`remanence mcp` as an assistant runs it: through a running app, without one, when it goes, and when we are killed."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from app.api import Engine, MemoryDraft, MemoryFilter, MemoryStatus, Places, Scope
from app.capture.hook_files import write_hook_conf
from app.cli.mcp import LAUNCHER
from tests.app.server.mcp_client import text_of
from tests.flows.processes import PATIENCE_S, environment, serving, wait_for

PATIENT = ("--wait", "120")  # for whom the answer matters and not how soon it comes
CALL = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "heron"}}}\n'
REMEMBER = {"text": "The curtain is operated from the left"}


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


def client_of(home: Path, here: Path, *more: str, mode: str = "auto") -> Client:
    """The SDK's own client of `remanence mcp claude-code`, started in `here`."""
    env = {name: value for name, value in environment(home).items() if name == "HOME" or name.startswith("REMANENCE_")}
    command, *args = program(home, *more, "claude-code")
    return Client(StdioServerParameters(command=command, args=args, cwd=here, env=env), mode=mode)


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
    process = subprocess.Popen(
        program(home, *PATIENT), env=env, cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
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
    said: list[CallToolResult] = []

    async def talk() -> list[str]:
        with contextlib.ExitStack() as app:
            app.enter_context(serving(home))
            async with client_of(home, here, *PATIENT, mode=mode) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                said.append(await client.call_tool("recall", {"query": "what is called heron"}))
                said.append(await client.call_tool("remember", REMEMBER))
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
    with closing(Engine.open(Places.under(home))) as engine:
        (card,) = engine.memories.list(MemoryFilter(statuses=(MemoryStatus.PROPOSED,))).cards
        assert (card.app, card.project) == ("claude-code", "orchard")


def test_a_token_without_the_right_scope_is_told_so(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.CAPTURE}))
    with serving(home):
        done = subprocess.run(
            program(home, *PATIENT, "claude-code"),
            input=CALL,
            env=environment(home),
            cwd=here,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 0
    (answer,) = done.stdout.splitlines()
    result = json.loads(answer)["result"]
    assert result["isError"]
    assert "may not read" in result["content"][0]["text"]


def test_without_an_app_it_brings_one_and_takes_it_with_it(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    here.mkdir()
    with piped(home, here) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"hello\n" + CALL)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert sorted(str(one["id"]) for one in answers) == ["7", "None"]
        assert "No memory matches." in answers[1]["result"]["content"][0]["text"]
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
        process.stdin.write(CALL)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 7
        assert len(running_below(home)) == 2
    wait_for(lambda: running_below(home) == [])
    assert not (home / "state" / "endpoint").exists()


def proposals(home: Path) -> list[str]:
    with closing(Engine.open(Places.under(home))) as engine:
        return [card.title for card in engine.memories.list(MemoryFilter(statuses=(MemoryStatus.PROPOSED,))).cards]


@pytest.mark.skipif(os.name != "posix", reason="stopping a process is POSIX's")
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
def test_an_app_that_hangs_is_told_in_a_sentence_and_what_was_to_be_remembered_arrives_once(
    tmp_path: Path, mode: str
) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.READ, Scope.CAPTURE}))
    said: list[CallToolResult] = []

    async def talk() -> list[str]:
        with serving(home) as app:
            app.send_signal(signal.SIGSTOP)
            try:
                async with client_of(home, here, mode=mode) as client:  # connects to an app that hangs
                    names = [tool.name for tool in (await client.list_tools()).tools]
                    said.append(await client.call_tool("recall", {"query": "what is called heron"}))
                    said.append(await client.call_tool("remember", REMEMBER))
                    app.send_signal(signal.SIGCONT)
                    await asyncio.to_thread(wait_for, lambda: waiting_in(home) == 1)
                    found = await client.call_tool("recall", {"query": "what is called heron"})
                    while found.is_error:  # on a machine that is busy with other things
                        found = await client.call_tool("recall", {"query": "what is called heron"})
                    said.append(found)
                    app.send_signal(signal.SIGSTOP)  # hangs while it is known
                    said.append(await client.call_tool("recall", {"query": "what is called heron"}))
                    said.append(await client.call_tool("remember", {"text": "The trap door is locked at night"}))
                    app.send_signal(signal.SIGCONT)
                    await asyncio.to_thread(wait_for, lambda: waiting_in(home) == 2)
            finally:
                app.send_signal(signal.SIGCONT)
        return names

    names = asyncio.run(talk())
    assert {"recall", "remember"} <= set(names)
    assert [result.is_error for result in said] == [True, True, False, True, True]
    for silent in (said[0], said[3]):
        assert text_of(silent).startswith("Remanence did not answer in time. Go on without it")
    for kept in (said[1], said[4]):
        assert "is kept and handed in" in text_of(kept)
    assert "stage manager" in text_of(said[2])
    assert len(proposals(home)) == 2


def waiting_in(home: Path) -> int:
    """Proposals in the store of a running app."""
    with sqlite3.connect(f"file:{Places.under(home).store_path}?mode=ro", uri=True) as store:
        count = store.execute("SELECT count(*) FROM memory WHERE status = 'proposed'").fetchone()[0]
    store.close()
    return int(count)


def test_tools_are_listed_and_calls_answered_in_a_sentence_where_no_app_can_be_started(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.READ}))
    Places.under(home).store_path.write_bytes(b"no store at all" * 1_000)

    async def talk() -> tuple[list[str], CallToolResult]:
        async with client_of(home, here, *PATIENT) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, await client.call_tool("recall", {"query": "heron"})

    names, result = asyncio.run(talk())
    assert names[0] == "recall"
    assert result.is_error
    assert (
        text_of(result)
        == "Remanence is not running and could not be started. remanence doctor says what is in the way."
    )
