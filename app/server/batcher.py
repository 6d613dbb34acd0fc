"""Gathers captures that arrive together, so that many clients share one call and one commit.

Owns the waiting line. What comes alone goes at once; nothing is ever held back to wait for more. Small captures are
written by the event loop itself while the disk is quick and nobody else writes: handing them to a thread and back
takes longer than the writing. A long text waits in no line: a thread works it through, and only what comes later in the
same session waits for it. Knows nothing of HTTP. Source: QUALITY P3, issue 15 "redaction stalls everybody".
"""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.errors import RemanenceError, UserError
from app.server.offload import Offload
from app.values import CaptureRequest, CaptureResult, EventKind

if TYPE_CHECKING:
    from app.api import Engine

LET_OUT_S = 0.001  # acknowledgements leave before understanding takes the interpreter
_INLINE_COUNT = 128
_INLINE_CHARACTERS = 16_384  # redacting more than this would hold up the other clients
_SLOW_S = 0.005  # a disk that takes longer is waited for in a thread, until it is quick again
_SLOW_S_PER_EVENT = 0.0005

_Requests = Sequence[CaptureRequest]
_Session = tuple[str, str]  # an app's
_Outcome = tuple[CaptureResult, ...] | RemanenceError


class CaptureBatcher:
    """Belongs to the event loop; the engine is called in one thread of the pool for captures."""

    def __init__(self, engine: "Engine", offload: Offload) -> None:
        self._engine = engine
        self._offload = offload
        self._waiting: list[tuple[_Requests, asyncio.Future[tuple[CaptureResult, ...]]]] = []
        self._taken: list[tuple[_Requests, asyncio.Future[tuple[CaptureResult, ...]]]] = []
        self._long: dict[_Session, asyncio.Future[None]] = {}  # sessions whose long text is being worked through
        self._run: asyncio.Task[None] | None = None
        self._waking: asyncio.Task[None] | None = None
        self._is_slow = False

    async def capture(self, requests: _Requests) -> tuple[CaptureResult, ...]:
        """One result per request, all durable. Raises what the engine says of these requests, not of others."""
        loop = asyncio.get_running_loop()
        sessions = _sessions(requests)
        if _is_long(requests) or not self._long.keys().isdisjoint(sessions):
            return await self._capture_apart(requests, sessions)
        answer: asyncio.Future[tuple[CaptureResult, ...]] = loop.create_future()
        self._waiting.append((requests, answer))
        if self._run is None:
            self._run = loop.create_task(self._work())
        return await answer

    async def _capture_apart(self, requests: _Requests, sessions: set[_Session]) -> tuple[CaptureResult, ...]:
        """The same for what would hold up the line, and for what follows it in its session."""
        in_line = [
            answer for them, answer in (*self._taken, *self._waiting) if not sessions.isdisjoint(_sessions(them))
        ]
        earlier: set[asyncio.Future[Any]] = {
            *in_line,
            *(self._long[session] for session in sessions if session in self._long),
        }
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._long.update(dict.fromkeys(sessions, done))
        try:
            if earlier:
                await asyncio.wait(earlier)
            outcome = await self._offload.capture(self._capture_one, requests)
        finally:
            done.set_result(None)
            for session in sessions:
                if self._long.get(session) is done:
                    del self._long[session]
        if isinstance(outcome, RemanenceError):
            raise outcome
        return outcome

    async def _work(self) -> None:
        try:
            while self._waiting:
                self._taken, self._waiting = self._waiting, []
                await self._take(self._taken)
        finally:
            self._run, self._taken = None, []

    async def _take(self, batch: list[tuple[_Requests, asyncio.Future[tuple[CaptureResult, ...]]]]) -> None:
        parts = [requests for requests, _ in batch]
        try:
            outcomes = self._take_inline(parts)
            if outcomes is None:
                outcomes = await self._offload.capture(self._capture_all, parts)
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

    def _take_inline(self, parts: list[_Requests]) -> list[_Outcome] | None:
        """The outcomes, when nothing that takes long stands in the way; else None, and nothing was done."""
        requests = [request for part in parts for request in part]
        characters = sum(len(request.text) for request in requests)
        if self._is_slow or len(requests) > _INLINE_COUNT or characters > _INLINE_CHARACTERS:
            return None
        if any(request.kind is EventKind.TOOL for request in requests):  # what a tool did is worked through first
            return None
        begun = time.perf_counter()
        try:
            results = self._engine.events.capture_if_free(requests)
        except UserError:
            return None  # one of them is refused; it alone shall hear of it
        self._note_pace(time.perf_counter() - begun, len(requests))
        if results is None:
            return None
        if self._waking is None:
            self._waking = asyncio.get_running_loop().create_task(self._wake())
        return _shared(results, parts)

    async def _wake(self) -> None:
        try:
            await asyncio.sleep(LET_OUT_S)
        finally:  # also when the loop ends meanwhile
            self._waking = None
            self._engine.events.understand_soon()

    def _note_pace(self, took_s: float, count: int) -> None:
        self._is_slow = took_s > _SLOW_S + count * _SLOW_S_PER_EVENT

    def _capture_all(self, parts: list[_Requests]) -> list[_Outcome]:
        """One call for all; when one of them is refused, one call each, so that it alone hears of it."""
        requests = [request for part in parts for request in part]
        begun = time.perf_counter()
        try:
            results = self._engine.events.capture(requests, wait_s=0.0)
        except UserError:
            return [self._capture_one(part) for part in parts]
        self._note_pace(time.perf_counter() - begun, len(requests))
        return _shared(results, parts)

    def _capture_one(self, part: _Requests) -> _Outcome:
        try:
            return self._engine.events.capture(part, wait_s=0.0)
        except RemanenceError as error:
            return error


def _sessions(requests: _Requests) -> set[_Session]:
    return {(request.app, request.session) for request in requests}


def _is_long(requests: _Requests) -> bool:
    return sum(len(request.text) for request in requests) > _INLINE_CHARACTERS


def _shared(results: Sequence[CaptureResult], parts: list[_Requests]) -> list[_Outcome]:
    """Each part's own results."""
    rest = iter(results)
    return [tuple(next(rest) for _ in part) for part in parts]
