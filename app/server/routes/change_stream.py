"""The stream of changes and the API's own description.

Owns the server-sent-events framing. Source: DESIGN section 6.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.actor import actor, bound_actor
from app.journal_rights import Act, Need, may_see
from app.server.changes_feed import FeedReader
from app.server.context import ServerContext, context_of
from app.server.problems import Refusal
from app.server.routes.routing import RouteSpec, answer
from app.values import Changes, Operation, Origin, Scope

HEARTBEAT_S = 15.0
REPLAY_BATCH = 1_000
FRAMES_PER_CHUNK = 100
_OVER = b"event: end\ndata: {}\n\n"


async def get_changes(
    request: Request,
    since: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Every commit as it happens, as server-sent events; `since` (or Last-Event-ID) first repeats what was missed."""
    context = context_of(request)
    reader = context.feed.join()
    if reader is None:
        raise Refusal(503, "busy", "Too many are listening already.", hint="Close another listener.")
    start = int(last_event_id) if last_event_id and last_event_id.isdigit() else since
    stream = _stream(context, reader, start)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def get_openapi(request: Request) -> Response:
    """This description."""
    return answer(request.app.openapi())


async def _stream(context: ServerContext, reader: FeedReader, since: int | None) -> AsyncIterator[bytes]:
    """Repeats operations after `since`, then follows the feed; commits seen in the repeat are not said twice."""
    try:
        yield b"retry: 2000\n\n"
        last = since
        while last is not None:
            missed = await context.offload.run(context.engine.events.changes_since, last, limit=REPLAY_BATCH)
            async for chunk in repeat_missed(missed):
                yield chunk
            last = max([last, *(operation.id for operation in missed)])
            if len(missed) < REPLAY_BATCH:
                break
        async for frame in _follow(reader, last or 0):
            yield frame
    finally:
        context.feed.leave(reader)


async def repeat_missed(missed: Sequence[Operation]) -> AsyncIterator[bytes]:
    """The frames of these operations, many at once, with a turn of the loop after each chunk.

    So a reader that went away is noticed before the next chunk is written; else each frame would leave a warning.
    """
    for start in range(0, len(missed), FRAMES_PER_CHUNK):
        some = missed[start : start + FRAMES_PER_CHUNK]
        yield b"".join(_frame("operation", operation.id, operation) for operation in some)
        await asyncio.sleep(0)


async def _follow(reader: FeedReader, last: int) -> AsyncIterator[bytes]:
    while True:
        try:
            changes = await asyncio.wait_for(reader.queue.get(), HEARTBEAT_S)
        except TimeoutError:
            yield b": still here\n\n"
            continue
        if changes is None:
            yield _OVER
            return
        if changes.operation_id is None or changes.operation_id > last:
            yield _frame("changes", changes.operation_id, changes if _may_hear(changes) else _without_words(changes))


def _may_hear(changes: Changes) -> bool:
    if bound_actor() is not None:
        return False  # the feed does not know whose project it is; the journal does
    need = Need.PERSON if changes.is_private else Need.WRITE
    return may_see(actor(), Act(changes.app, need, changes.origin is Origin.API))


def _without_words(changes: Changes) -> Changes:
    """That something happened, and to which kind of thing."""
    return replace(changes, ids={}, label="", app="")


def _frame(event: str, number: int | None, value: Operation | Changes) -> bytes:
    head = f"id: {number}\n".encode() if number is not None else b""
    return head + f"event: {event}\ndata: ".encode() + to_json(value) + b"\n\n"


ROUTES = (
    RouteSpec("GET", "/v1/changes", Scope.READ, get_changes, "Follow changes", media_type="text/event-stream"),
    RouteSpec("GET", "/openapi.json", Scope.READ, get_openapi, "This description", dict[str, Any]),
)
