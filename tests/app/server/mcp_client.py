"""The SDK's own client, over the socket and as an assistant starts us, for tests that are not async themselves."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from tests.patience import PATIENCE_S

Answer = TypeVar("Answer")
Talk = Callable[[Client], Awaitable[Answer]]


def over_http(
    url: str, token: str, talk: Talk[Answer], *, headers: dict[str, str] | None = None, mode: str = "auto"
) -> Answer:
    """What `talk(client)` returns, with a client of the socket at `url`."""

    async def run() -> Answer:
        given = {"Authorization": f"Bearer {token}", **(headers or {})}
        async with (
            httpx2.AsyncClient(headers=given, trust_env=False, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            return await talk(client)

    return asyncio.run(run())


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text
