"""uvicorn's HTTP protocol with a deadline: headers and body must be complete in time, else the line is closed.

Source: QUALITY R11, R12; STYLE trap "uvicorn never times out a slow request".
"""

import asyncio
from collections.abc import Callable
from itertools import cycle
from typing import Any, ClassVar, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_NOT_OURS = b"HTTP/1.1 421 Misdirected Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
# Deadlines of connections that came together are spread, so that closing a thousand is no pause for the others.
_STAGGER = cycle([1 + step / 320 for step in range(64)])


class DeadlineProtocol(HttpToolsProtocol):
    """One connection. The deadline runs from a request's first byte (the first one: from connecting) to its last."""

    read_deadline_s: ClassVar[Callable[[], float]]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._deadline: asyncio.TimerHandle | None = None
        self._is_cycle_begun = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_cycle_begun = False
        if self._deadline is None:
            self._arm()

    def on_headers_complete(self) -> None:
        if self.url[:1] not in {b"/", b"*"}:  # a proxy's form names a host beside the header that the guard checks
            self.transport.write(_NOT_OURS)
            self.transport.close()
            return
        super().on_headers_complete()
        self._is_cycle_begun = True

    def on_message_complete(self) -> None:
        self._disarm()
        super().on_message_complete()

    def _arm(self) -> None:
        self._deadline = self.loop.call_later(type(self).read_deadline_s() * next(_STAGGER), self._on_deadline)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _on_deadline(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        cycle = self.cycle
        is_answering = cycle is not None and cycle.response_started and not cycle.response_complete
        is_answered_early = self._is_cycle_begun and cycle is not None and cycle.response_complete
        if not is_answering and not is_answered_early:
            self.transport.write(_TOO_SLOW)
        self.transport.close()


def deadline_protocol(read_deadline_s: Callable[[], float]) -> type[HttpToolsProtocol]:
    """The protocol class for uvicorn, which asks `read_deadline_s` again for every request."""
    named = {"read_deadline_s": staticmethod(read_deadline_s)}
    return cast(type[HttpToolsProtocol], type("ServedProtocol", (DeadlineProtocol,), named))
