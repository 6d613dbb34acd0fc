"""Gathers captures that arrive while one is being written, so that many clients share one call and one commit.

Owns the waiting line. What comes alone goes at once; nothing is ever held back to wait for more. Without it, 64
clients mean 64 threads that fight for one lock. Knows nothing of HTTP. Source: QUALITY P3.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.errors import RemanenceError, UserError
from app.server.offload import Offload
from app.values import CaptureRequest, CaptureResult

if TYPE_CHECKING:
    from app.api import Engine

_Requests = Sequence[CaptureRequest]
_Outcome = tuple[CaptureResult, ...] | RemanenceError


class CaptureBatcher:
    """Belongs to the event loop; the engine is called in one thread of the pool for captures."""

    def __init__(self, engine: "Engine", offload: Offload) -> None:
        self._engine = engine
        self._offload = offload
        self._waiting: list[tuple[_Requests, asyncio.Future[tuple[CaptureResult, ...]]]] = []
        self._run: asyncio.Task[None] | None = None

    async def capture(self, requests: _Requests) -> tuple[CaptureResult, ...]:
        """One result per request, all durable. Raises what the engine says of these requests, not of others."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[CaptureResult, ...]] = loop.create_future()
        self._waiting.append((requests, answer))
        if self._run is None:
            self._run = loop.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._take(batch)
        finally:
            self._run = None

    async def _take(self, batch: list[tuple[_Requests, asyncio.Future[tuple[CaptureResult, ...]]]]) -> None:
        try:
            outcomes = await self._offload.capture(self._capture_all, [requests for requests, _ in batch])
        except asyncio.CancelledError:
            for _, answer in batch:
                answer.cancel()
            raise
        except Exception as error:  # noqa: BLE001 (everybody who waits must hear of it; the route presents it)
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (_, answer), outcome in zip(batch, outcomes, strict=True):
            if answer.done():
                continue  # the client went away
            if isinstance(outcome, RemanenceError):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)

    def _capture_all(self, parts: list[_Requests]) -> list[_Outcome]:
        """One call for all; when one of them is refused, one call each, so that it alone hears of it."""
        try:
            results = self._engine.events.capture([request for part in parts for request in part], wait_s=0.0)
        except UserError:
            return [self._capture_one(part) for part in parts]
        rest = iter(results)
        return [tuple(next(rest) for _ in part) for part in parts]

    def _capture_one(self, part: _Requests) -> _Outcome:
        try:
            return self._engine.events.capture(part, wait_s=0.0)
        except RemanenceError as error:
            return error
