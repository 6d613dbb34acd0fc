"""How long an assistant waits for a memory tool in every state of the app, with the SDK's own client over stdio.

Prints seconds for connecting and listing, for `recall` and for `remember`, and the first words of what came; asserts that nothing
raised. Goal: none above 2 s. Source: QUALITY P4, issue 15 point 5.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from app.api import Places, Scope
from tests.app.server.mcp_client import text_of
from tests.flows.processes import serving
from tests.flows.test_mcp_stdio import client_of, prepare

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]
State = Callable[[Path, subprocess.Popen[str]], contextlib.AbstractContextManager[None]]


@contextlib.contextmanager
def running(_home: Path, _app: subprocess.Popen[str]) -> Iterator[None]:
    yield


@contextlib.contextmanager
def busy(home: Path, _app: subprocess.Popen[str]) -> Iterator[None]:
    """Somebody else writes and does not end."""
    store = sqlite3.connect(Places.under(home).store_path, isolation_level=None)
    store.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        store.execute("ROLLBACK")
        store.close()


@contextlib.contextmanager
def hung(_home: Path, app: subprocess.Popen[str]) -> Iterator[None]:
    app.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        app.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def killed(_home: Path, app: subprocess.Popen[str]) -> Iterator[None]:
    app.kill()
    yield


@contextlib.contextmanager
def closing(_home: Path, app: subprocess.Popen[str]) -> Iterator[None]:
    app.send_signal(signal.SIGTERM)
    yield


@contextlib.contextmanager
def closed(_home: Path, app: subprocess.Popen[str]) -> Iterator[None]:
    app.send_signal(signal.SIGTERM)
    app.wait(30)
    yield


@contextlib.contextmanager
def replaced(home: Path, app: subprocess.Popen[str]) -> Iterator[None]:
    """The app was killed, its socket file is gone, and a stranger who says nothing has its port."""
    places = Places.under(home)
    found = dict(line.split(" ", 1) for line in places.endpoint_path.read_text().splitlines())
    app.kill()
    app.wait(30)
    places.socket_path.unlink()
    with socket.create_server(("127.0.0.1", int(found["port"]))):
        yield


@pytest.mark.skipif(os.name != "posix", reason="stopping a process is POSIX's")
@pytest.mark.parametrize("state", [running, busy, hung, closing, closed, killed, replaced])
@pytest.mark.parametrize("is_met_before", [False, True], ids=["first", "met"])
def test_state(tmp_path: Path, state: State, is_met_before: bool) -> None:
    home, here = tmp_path / "home", tmp_path / "orchard"
    prepare(home, here, frozenset({Scope.READ, Scope.CAPTURE}))
    name = f"{state.__name__}{', met before' if is_met_before else ''}"

    async def took(what: str, work: Awaitable[object]) -> object:
        begun = time.perf_counter()
        found = await work
        said = text_of(found)[:60].replace("\n", " ") if isinstance(found, CallToolResult) else ""
        print(f"    {what:9} {time.perf_counter() - begun:5.2f} s  {said}")
        return found

    async def ask() -> None:
        recall = {"query": "what is called heron"}
        with serving(home) as app:
            client = client_of(home, here)
            if is_met_before:
                await client.__aenter__()
                await client.call_tool("recall", recall)
            with state(home, app):
                if not is_met_before:
                    await took("connect", client.__aenter__())
                try:
                    await took("list", client.list_tools())
                    for _ in range(2):
                        await took("recall", client.call_tool("recall", recall))
                        await took(
                            "remember", client.call_tool("remember", {"text": "The trap door is locked at night"})
                        )
                finally:
                    await client.__aexit__(None, None, None)

    print(f"\n{name}")
    asyncio.run(ask())
