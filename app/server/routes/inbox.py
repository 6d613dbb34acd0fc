"""The inbox: what is pending or failed, trying again, giving up. Knows nothing of how events come in."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import CaptureResult, EventState, InboxEvent, Scope

LimitQuery = Annotated[int, Query(ge=1, le=1_000)]


async def list_events(request: Request, state: EventState | None = None, limit: LimitQuery = 100) -> Response:
    """The inbox, newest first: what is pending, failed or was ignored."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.events.inbox, state=state, limit=limit))


async def retry_event(request: Request, event_id: RowId) -> Response:
    """Tries a failed event again."""
    context = context_of(request)
    return answer(await context.offload.capture(context.engine.events.retry, event_id))


async def discard_event(request: Request, event_id: RowId) -> Response:
    """Gives a failed event up; undoable."""
    context = context_of(request)
    await context.offload.run(context.engine.events.discard, event_id)
    return Response(status_code=204)


ROUTES = (
    RouteSpec("GET", "/v1/events", Scope.READ, list_events, "List the inbox", tuple[InboxEvent, ...]),
    RouteSpec("POST", "/v1/events/{event_id}/retry", Scope.WRITE, retry_event, "Retry an event", CaptureResult),
    RouteSpec("DELETE", "/v1/events/{event_id}", Scope.WRITE, discard_event, "Give an event up", status=204),
)
