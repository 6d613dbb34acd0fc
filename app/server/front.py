"""The front of the socket: guards every request, answers the hot routes itself and hands the rest to FastAPI.

Owns the short way past FastAPI, which takes a third of an acknowledgement and a quarter of a second to import: it is
made ready behind the open socket. Knows no route's inside. Source: DESIGN section 6, QUALITY P3, P5.
"""

import re
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from app.errors import RemanenceError
from app.server.context import ServerContext
from app.server.guard import AsgiApp, AsgiScope, Guard, Receive, Send
from app.server.mcp.endpoint import MCP_PATH, McpEndpoint
from app.server.problems import on_bug, problem_of
from app.server.routes import capture as capture_routes
from app.server.routes.hello import answer_healthz, answer_hello
from app.server.routes.routing import ENVELOPE_BYTES, RouteSpec, serve

_PLAIN = {"/healthz": answer_healthz, "/v1/hello": answer_hello}
_HOT = {spec.path: spec for spec in capture_routes.ROUTES}
_HOOK = _HOT["/v1/hook/{app}/{event}"]
_HOOK_PATH = re.compile(r"/v1/hook/(?P<app>[^/]+)/(?P<event>[^/]+)")


class Front:
    """The application behind the guard. `prepare` builds what it can do without at first."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._mcp = McpEndpoint(context)
        self._api: AsgiApp | None = None
        self._lock = threading.Lock()

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["state"]["context"] = self._context
            if scope["path"] == MCP_PATH:
                await self._mcp(scope, receive, send)
                return
            response = await self._answer(scope, receive)
            if response is not None:
                await response(scope, receive, send)
                return
        if self._api is None:
            await self._context.offload.run(self.prepare)
        assert self._api is not None
        await self._api(scope, receive, send)

    def prepare(self) -> None:
        """Builds the whole API, unless it is built."""
        anyio.run(_wait_for_nothing)  # loads its backend, which else the first turn would do inside the event loop
        with self._lock:
            if self._api is None:
                from app.server.application import build_api

                self._api = build_api()

    async def _answer(self, scope: AsgiScope, receive: Receive) -> Response | None:
        """The answer of a hot route; None for all others."""
        if scope["method"] == "GET" and (plain := _PLAIN.get(scope["path"])) is not None:
            if _has_body(scope):
                return None
            return await _answered(scope, receive, plain)
        spec = _hot(scope) if scope["method"] == "POST" else None
        if spec is None:
            return None
        return await _answered(scope, receive, lambda request: serve(spec, request, spec.endpoint))


def build_app(context: ServerContext) -> tuple[AsgiApp, Callable[[], object]]:
    """The guarded application over `context`, and what makes the rest of it ready."""

    async def identify(header: bytes | None) -> Any:
        return context.callers.recall(header) or await context.offload.run(context.callers.identify, header)

    front = Front(context)
    guard = Guard(
        front,
        identify=identify,
        max_body_bytes=lambda: context.engine.settings.current.max_message_bytes + ENVELOPE_BYTES,
    )
    return guard, front.prepare


async def _wait_for_nothing() -> None:
    return None


def _hot(scope: AsgiScope) -> RouteSpec | None:
    spec = _HOT.get(scope["path"])
    if spec is None and (hook := _HOOK_PATH.fullmatch(scope["path"])) is not None:
        scope["path_params"] = hook.groupdict()
        return _HOOK
    return None if spec is _HOOK else spec


def _has_body(scope: AsgiScope) -> bool:
    return any(name in {b"content-length", b"transfer-encoding"} for name, _ in scope["headers"])


async def _answered(
    scope: AsgiScope, receive: Receive, run: Callable[[Request], Awaitable[Response | None]]
) -> Response | None:
    request = Request(scope, receive)
    try:
        return await run(request)
    except RemanenceError as error:
        return problem_of(error)
    except Exception as error:  # noqa: BLE001 (a presenter: the sender gets an answer, the log the traceback)
        return await on_bug(request, error)
