"""The outermost ASGI layer: refuses what must never reach a route, before a byte of body is read.

Owns Host, Origin, encoding, content type, size and the token of every path but the public ones, so that a new
route is closed unless it is opened on purpose. Source: QUALITY S1, S2, R8, R10; STYLE trap "foreign Host".
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from app.actor import Actor, acting_as
from app.errors import RemanenceError
from app.server.callers import Caller
from app.server.problems import Refusal, problem_of

AsgiScope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, Receive, Send], Awaitable[None]]

PUBLIC_PATHS = frozenset({"/healthz", "/v1/hello"})
_ONCE = frozenset({b"host", b"authorization", b"content-length", b"content-type", b"transfer-encoding"})
_JSON_TYPE = re.compile(rb'application/json(?:\s*;\s*charset="?utf-8"?)?\s*', re.IGNORECASE)
_LOCAL_NAME = re.compile(rb"(?:localhost|127\.0\.0\.1)(?::\d{1,5})?")  # on the Unix socket, which no browser reaches


class Guard:
    """Wraps `inner`; every answer that it gives itself is a problem."""

    def __init__(
        self,
        inner: AsgiApp,
        *,
        identify: Callable[[bytes | None], Awaitable[Caller]],
        max_body_bytes: Callable[[], int],
    ) -> None:
        self._inner = inner
        self._identify = identify
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        try:
            headers = _headers(scope)
            _check_host(headers.get(b"host"), scope.get("server"))
            _check_browser(headers)
            if scope["path"] not in PUBLIC_PATHS:
                scope["state"]["caller"] = await self._identify(headers.get(b"authorization"))
            limit = self._max_body_bytes()
            _check_body_headers(headers, limit)
        except RemanenceError as error:
            await problem_of(error)(scope, receive, send)
            return
        with acting_as(_acting(scope)):
            await self._inner(scope, _Limited(receive, limit), send)


def _acting(scope: AsgiScope) -> Actor | None:
    """The program behind a token; None for the person's own command line."""
    caller = scope["state"].get("caller")
    return caller.actor if isinstance(caller, Caller) else None


class _Limited:
    """Counts the body as it streams in, whatever Content-Length claimed."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit
        self._limit = limit

    async def __call__(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise too_large(self._limit)
        return message


def too_large(limit: int) -> Refusal:
    return Refusal(413, "too_large", f"The request is larger than {limit} bytes.", hint="Send it in parts.")


def _headers(scope: AsgiScope) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in found and name in _ONCE:
            raise Refusal(
                400, "headers", f"The header {name.decode('latin-1')} came more than once.", hint="Send it once."
            )
        found[name] = value
    return found


def _check_host(host: bytes | None, server: tuple[str, int | None] | None) -> None:
    """Loopback names with our port only: a page that rebinds its own name to 127.0.0.1 sends that name."""
    port = server[1] if server else None
    if host is not None and port is None and _LOCAL_NAME.fullmatch(host):
        return  # the Unix socket has no port; only this user can open it
    if host is not None and port is not None and host in _loopback_names(port):
        return
    raise Refusal(421, "host", "This address is not served here.", hint="Use http://127.0.0.1 and the right port.")


def _loopback_names(port: int) -> tuple[bytes, ...]:
    return (b"127.0.0.1:%d" % port, b"localhost:%d" % port, b"[::1]:%d" % port)


def _check_browser(headers: dict[bytes, bytes]) -> None:
    if b"origin" in headers or any(name.startswith(b"sec-fetch-") for name in headers):
        raise Refusal(403, "browser", "Requests from web pages are refused.", hint="Use a program, not a browser.")


def _check_body_headers(headers: dict[bytes, bytes], limit: int) -> None:
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise Refusal(415, "encoding", "Compressed requests are not accepted.", hint="Send the JSON as it is.")
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refusal(400, "headers", "Content-Length is not a number.", hint="Send the body's size in bytes.")
    if len(length) > 15 or int(length) > limit:
        raise too_large(limit)
    has_body = int(length) > 0 or b"transfer-encoding" in headers
    if (has_body or b"content-type" in headers) and not _JSON_TYPE.fullmatch(headers.get(b"content-type", b"")):
        raise Refusal(415, "content_type", "Only application/json is accepted.", hint="Set Content-Type.")
