"""Issue 4, to show 4: the MCP SDK's own client over both transports: list, call each tool, wrong token, foreign Host and Origin.

`python -m tests.flows.mcp_session` prints what came back, against a real `remanence serve` and `remanence mcp`. What must hold is
asserted by `tests/app/server/test_mcp.py` and `test_mcp_stdio.py`.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from app.api import Engine, MemoryDraft, Places, Scope
from app.capture.hook_files import write_hook_conf
from app.cli.mcp import LAUNCHER
from tests.flows.processes import environment, serving
from tests.patience import PATIENCE_S

APP, WRONG = "claude-code", "rmn_this-is-no-token"
TEXTS = (
    "We decided to keep the orders in PostgreSQL because of its JSON support.",
    "Card numbers must never be written to the log.",
    "The staging server of the orders listens on port 8443.",
)
SHOWN_CHARS = 400
Open = Callable[[], AbstractAsyncContextManager[Client]]


@dataclass(frozen=True)
class Desk:
    home: Path
    project: Path
    token: str
    memory_id: int

    @property
    def port(self) -> int:
        lines = (self.home / "state" / "endpoint").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("port ")))

    def calls(self) -> Mapping[str, dict[str, Any]]:
        """Every tool with arguments that have an answer."""
        return {
            "recall": {"query": "which database holds the orders"},
            "expand": {"ids": [self.memory_id]},
            "context": {"task": "add a column to the orders table", "budget_tokens": 500},
            "timeline": {"limit": 5},
            "contradictions": {},
            "remember": {
                "quote": "archive them after seven years",
                "statement": "Orders are archived after seven years.",
            },
            "search": {"query": "staging port"},
            "fetch": {"id": str(self.memory_id)},
        }


def prepare(folder: Path) -> Desk:
    """A project with three memories, and an assistant that may read and capture."""
    home, project = folder / "remanence", folder / "shop"
    (project / ".git").mkdir(parents=True)
    with closing(Engine.open(Places.under(home))) as engine:
        _, token = engine.apps.create(APP, "Claude Code", frozenset({Scope.READ, Scope.CAPTURE}))
        write_hook_conf(engine.places.state_dir, APP, {"token": token})
        ids = [engine.memories.create(MemoryDraft(text, project_path=str(project))) for text in TEXTS]
    return Desk(home, project, token, ids[0])


def over_http(desk: Desk, mode: str, *, token: str = "", **headers: str) -> Open:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Client]:
        url = f"http://127.0.0.1:{desk.port}/mcp?project={desk.project.name}"
        given = {"Authorization": f"Bearer {token or desk.token}", **headers}
        async with (
            httpx2.AsyncClient(headers=given, trust_env=False, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            yield client

    return opened


def over_stdio(desk: Desk, mode: str) -> Open:
    args = ["-P", str(LAUNCHER), "mcp", "--home", str(desk.home), APP]
    env = {name: value for name, value in environment(desk.home).items() if name in {"HOME", "REMANENCE_PORT"}}
    return lambda: Client(
        StdioServerParameters(command=sys.executable, args=args, cwd=desk.project, env=env), mode=mode
    )


async def use(title: str, opened: Open, calls: Mapping[str, dict[str, Any]]) -> None:
    """Lists the tools and calls each of them."""
    async with opened() as client:
        tools = (await client.list_tools()).tools
        print(f"\n=== {title}: {len(tools)} tools: {', '.join(tool.name for tool in tools)}")
        for tool in tools:
            result = await client.call_tool(tool.name, dict(calls[tool.name]))
            text = "".join(part.text for part in result.content if isinstance(part, TextContent))
            print(
                f"--- {tool.name} {calls[tool.name]}{' ERROR' if result.is_error else ''}, {len(text.encode())} bytes"
            )
            print("    " + text[:SHOWN_CHARS].replace("\n", "\n    ") + ("…" if len(text) > SHOWN_CHARS else ""))


async def be_refused(title: str, opened: Open) -> None:
    """Tries to list the tools and tells what came instead."""
    try:
        async with opened() as client:
            tools = (await client.list_tools()).tools
    except (MCPError, httpx2.HTTPError, ExceptionGroup) as error:
        print(f"=== {title}: refused: {_say(error)}")
    else:
        print(f"=== {title}: NOT REFUSED, {len(tools)} tools")


def _say(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def knock(desk: Desk, title: str, **headers: str) -> None:
    """The same door without the SDK, for what its client does not tell: status, body, headers."""
    given = {"Authorization": f"Bearer {desk.token}", **headers}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx.post(
        f"http://127.0.0.1:{desk.port}/mcp", json=body, headers=given, trust_env=False, timeout=PATIENCE_S
    )
    cors = [name for name in answer.headers if name.startswith("access-control")]
    print(f"    {title}: {answer.status_code} {answer.text.strip()[:200]} (CORS headers: {cors or 'none'})")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="remanence-mcp-") as folder:
        desk = prepare(Path(folder))
        with serving(desk.home):
            for mode in ("auto", "legacy"):
                asyncio.run(use(f"HTTP, {mode}", over_http(desk, mode), desk.calls()))
                asyncio.run(use(f"stdio, {mode}", over_stdio(desk, mode), desk.calls()))
            print()
            for mode in ("auto", "legacy"):
                asyncio.run(be_refused(f"HTTP, {mode}, wrong token", over_http(desk, mode, token=WRONG)))
                asyncio.run(be_refused(f"HTTP, {mode}, foreign Host", over_http(desk, mode, Host="evil.example")))
                origin = over_http(desk, mode, Origin="https://evil.example")
                asyncio.run(be_refused(f"HTTP, {mode}, foreign Origin", origin))
            knock(desk, "wrong token", Authorization=f"Bearer {WRONG}")
            knock(desk, "foreign Host", Host="evil.example")
            knock(desk, "foreign Origin", Origin="https://evil.example")
            knock(desk, "Origin null", Origin="null")
            write_hook_conf(Places.under(desk.home).state_dir, APP, {"token": WRONG})
            for mode in ("auto", "legacy"):
                asyncio.run(be_refused(f"stdio, {mode}, wrong token", over_stdio(desk, mode)))


if __name__ == "__main__":
    main()
