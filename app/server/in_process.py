"""Asks the application without a socket: the same routes, rules and answers, for a command line that owns the store.

Owns driving ASGI for one request at a time. Knows no route.
"""

import asyncio
import secrets
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from app.server.batcher import CaptureBatcher
from app.server.callers import Callers
from app.server.changes_feed import ChangesFeed
from app.server.context import ServerContext
from app.server.front import build_app
from app.server.offload import Offload

if TYPE_CHECKING:
    from app.api import Engine

_STOP_TIMEOUT_S = 2.0


class InProcess:
    """A client with the admin scope over an engine in this process."""

    def __init__(self, engine: "Engine") -> None:
        self._token = secrets.token_urlsafe(32)
        self._offload = Offload()
        context = ServerContext(
            engine=engine,
            offload=self._offload,
            batcher=CaptureBatcher(engine, self._offload),
            feed=ChangesFeed(),
            callers=Callers(engine.check_token, self._token),
            secret=secrets.token_hex(32),
            is_in_process=True,
        )
        self._app, _prepare = build_app(context)

    def request(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and body of the answer; `target` is path and query as on the wire."""
        return asyncio.run(self._request(method, target, body))

    def close(self) -> None:
        self._offload.stop(_STOP_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _request(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        from urllib.parse import unquote

        path, _, query = target.partition("?")
        headers = [(b"host", b"localhost"), (b"authorization", b"Bearer " + self._token.encode())]
        if body is not None:
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": headers,
            "client": None,
            "server": ("in-process", None),
            "state": {},
        }
        status = 500
        parts: list[bytes] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body or b"", "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, b"".join(parts)
