"""Gives an assistant its context with the answer to a captured prompt or session start, if that takes no noticeable time.

Owns when something is told and how long it may take; what is told is the engine's. A context that comes too late is not
sent and leaves no receipt. Source: DESIGN section 5 "assemble", QUALITY P2, INTEROP rule 1.
"""

import asyncio

from starlette.requests import Request

from app.interop.hook_answers import MAX_CHARS
from app.server.context import caller_of, context_of
from app.values import CaptureRequest, Context, ContextRequest, ContextSignals, Scope

WITHIN_MS = 150.0  # of the hook's 400
_GRACE_S = 0.02


async def give_context(request: Request, event: CaptureRequest, *, delivery: str, budget_tokens: int) -> Context | None:
    """What the caller's assistant gets now; None when nothing fits, it may not read, or it would take too long."""
    context, caller = context_of(request), caller_of(request)
    if not context.engine.settings.current.is_giving_context or not caller.may(Scope.READ):
        return None
    signals = ContextSignals(
        project_path=event.project_root or event.cwd,
        app=event.app,
        session=event.session,
        prompt=event.text,
        branch=event.git_branch,
    )
    wanted = ContextRequest(
        signals,
        budget_tokens=budget_tokens,
        delivery=delivery,
        max_chars=MAX_CHARS if delivery.startswith("hook:") else None,
        within_ms=WITHIN_MS,
    )
    working = context.offload.run(context.engine.context.assemble, wanted)
    try:
        found = await asyncio.wait_for(asyncio.shield(working), WITHIN_MS / 1000 + _GRACE_S)
    except TimeoutError:
        return None
    return None if found.is_empty else found
