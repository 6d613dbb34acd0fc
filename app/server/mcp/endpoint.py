"""The way to `/mcp`: who may come in, how large a request may be, and loading the protocol's library at the first one.

Knows no tool and does not import the SDK: that takes seconds, which neither the first paint nor the first acknowledgement waits
for. Source: DESIGN section 6, QUALITY P3, S1, S2.
"""

import threading
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from starlette.requests import ClientDisconnect, Request

from app.errors import InvalidError, RemanenceError
from app.interop.safe_json import parse_json
from app.server.context import ServerContext, caller_of
from app.server.guard import AsgiScope, Receive, Send, too_large
from app.server.problems import Refusal, on_bug, problem_of
from app.server.routes.routing import MAX_JSON_DEPTH
from app.values import Scope

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MCP_PATH = "/mcp"
MAX_REQUEST_BYTES = 262_144


class McpEndpoint:
    """Answers requests to `/mcp` behind the guard. Loads itself when first asked, in a thread."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._servers: dict[bool, Server[dict[str, Any]]] = {}  # by whether it asks to remember
        self._lock = threading.Lock()

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            body = await self._admit(request)
        except RemanenceError as error:
            await problem_of(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return  # nobody is there to read an answer
        try:
            await self._answer(scope, body, receive, send)
        except Exception as error:  # noqa: BLE001 (a presenter: the sender gets an answer, the log the traceback)
            await (await on_bug(request, error))(scope, receive, send)

    async def _admit(self, request: Request) -> bytes:
        """The request's body as clean JSON. Raises Refusal."""
        caller = caller_of(request)
        caller.need(Scope.READ)
        if caller.may(Scope.CAPTURE):
            self._context.engine.events.hear_tools(caller.app)
        if request.method != "POST":
            raise Refusal(
                405, "method", "Only POST is accepted here.", hint="No stream is kept.", headers={"Allow": "POST"}
            )
        raw = bytearray()
        async for part in request.stream():
            raw += part
            if len(raw) > MAX_REQUEST_BYTES:
                raise too_large(MAX_REQUEST_BYTES)
        try:
            return to_json(parse_json(bytes(raw), max_bytes=MAX_REQUEST_BYTES, max_depth=MAX_JSON_DEPTH))
        except InvalidError as error:
            raise Refusal(400, "json", str(error), hint=error.hint) from error

    async def _answer(self, scope: AsgiScope, body: bytes, receive: Receive, send: Send) -> None:
        is_asking = self._context.engine.settings.current.is_asking_to_remember
        if is_asking not in self._servers:
            await self._context.offload.run(self._load, is_asking)
        from app.server.mcp.sdk import answer  # loaded by now

        is_given = False

        async def replay() -> MutableMapping[str, Any]:
            nonlocal is_given
            if is_given:
                return await receive()
            is_given = True
            return {"type": "http.request", "body": body, "more_body": False}

        headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
        clean = {**scope, "headers": [*headers, (b"content-length", b"%d" % len(body))]}
        await answer(self._servers[is_asking], clean, replay, send, hosts=_hosts(scope))

    def _load(self, is_asking: bool) -> None:
        with self._lock:
            if is_asking not in self._servers:
                from app.server.mcp.sdk import build_server

                self._servers[is_asking] = build_server(is_asking=is_asking)


def _hosts(scope: AsgiScope) -> list[str]:
    """The exact names of this very socket, as the guard has them; without a port on the Unix socket."""
    server = scope.get("server")
    port = server[1] if server else None
    names = ("127.0.0.1", "localhost", "[::1]")
    if port is not None:
        return [f"{name}:{port}" for name in names]
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return [*names, host]  # only this user can open the Unix socket; the guard has seen the name
