"""Gives an assistant its context with the answer to a captured prompt or session start, if that takes no noticeable time.

Owns when something is told and how long it may take; what is told is the engine's. A context that comes too late is not sent, and
if it has left a receipt by then, that says so. Source: DESIGN section 5 "assemble", QUALITY P2, INTEROP rule 1.
"""

import asyncio
import threading
from typing import TYPE_CHECKING

from starlette.requests import Request

from app.assistants.hook_answers import MAX_CHARS
from app.injected import find_file_at_hand, strip_injected
from app.server.context import caller_of, context_of
from app.server.offload import Offload
from app.values import CaptureRequest, Context, ContextRequest, ContextSignals, Scope

if TYPE_CHECKING:
    from app.api import Engine

WITHIN_MS = 150.0  # of the hook's 400
_IN_PROCESS_MS = 20_000.0  # a command line that plays a history waits for nobody's prompt: its figures do not hang on the machine's load
_GRACE_S = 0.02


async def give_context(request: Request, event: CaptureRequest, *, delivery: str, budget_tokens: int) -> Context | None:
    """What the caller's assistant gets now; None when nothing fits, it may not read, or it would take too long."""
    begun = begin_context(request, event, delivery=delivery, budget_tokens=budget_tokens)
    return await begun.finish() if begun is not None else None


def begin_context(
    request: Request, event: CaptureRequest, *, delivery: str, budget_tokens: int
) -> "BegunContext | None":
    """A context on its way, for whom has something else to wait for meanwhile; None when the caller gets none."""
    context, caller = context_of(request), caller_of(request)
    if not context.engine.settings.current.is_giving_context or not caller.may(Scope.READ):
        return None
    signals = ContextSignals(
        project_path=event.project_root or event.cwd,
        app=event.app,
        session=event.session,
        prompt=strip_injected(event.text),
        current_file=find_file_at_hand(event.text),
        branch=event.git_branch,
    )
    wanted = ContextRequest(
        signals,
        budget_tokens=budget_tokens,
        delivery=delivery,
        max_chars=MAX_CHARS if delivery.startswith("hook:") else None,
        within_ms=_within_ms(request),
        is_text_only=True,
    )
    return BegunContext(request, wanted)


def _within_ms(request: Request) -> float:
    return _IN_PROCESS_MS if context_of(request).is_in_process else WITHIN_MS


class BegunContext:
    """Either `finish` or `give_up` is called, once."""

    def __init__(self, request: Request, wanted: ContextRequest) -> None:
        self._request = request
        self._within_s = _within_ms(request) / 1000 + _GRACE_S
        self._offload = context_of(request).offload
        self._attempt = _Attempt(context_of(request).engine)
        self._working = asyncio.ensure_future(self._offload.run(self._attempt.make, wanted))

    async def finish(self) -> Context | None:
        """The context; None when nothing fits, it took too long, or nobody is there any more to take it."""
        try:
            found = await asyncio.wait_for(asyncio.shield(self._working), self._within_s)
        except TimeoutError:
            found = None
        if found is None or await self._request.is_disconnected():
            await self._attempt.give_up(self._offload)
            return None
        return None if found.is_empty else found

    async def give_up(self) -> None:
        """Nobody gets it, whenever it comes."""
        self._working.add_done_callback(_take_error)
        await self._attempt.give_up(self._offload)


def _take_error(done: "asyncio.Future[Context]") -> None:
    """Nobody waits for it any more, so nobody has to hear of it."""
    if not done.cancelled():
        done.exception()


class _Attempt:
    """One context on its way. Whoever is the later one, its maker or who gave it up, says that nobody got it."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._receipt_id: int | None = None
        self._is_given_up = False

    def make(self, wanted: ContextRequest) -> Context:
        made = self._engine.context.assemble(wanted)
        with self._lock:
            self._receipt_id = made.receipt_id
            is_given_up = self._is_given_up
        if is_given_up and made.receipt_id is not None:
            self._engine.context.mark_undelivered(made.receipt_id)
        return made

    async def give_up(self, offload: Offload) -> None:
        with self._lock:
            self._is_given_up = True
            receipt_id = self._receipt_id
        if receipt_id is not None:
            await offload.run(self._engine.context.mark_undelivered, receipt_id)
