"""The inbox: what is pending or failed, trying again, giving up. Knows nothing of how events come in."""

from typing import Annotated

from fastapi import Query

from app.api import Engine
from app.server.routes.requests import RowId
from app.server.routes.routing import Routes
from app.values import CaptureResult, EventState, InboxEvent, Scope

LimitQuery = Annotated[int, Query(ge=1, le=1_000)]
routes = Routes()


@routes("GET", "/v1/events", Scope.READ, "List the inbox")
def list_events(engine: Engine, state: EventState | None = None, limit: LimitQuery = 100) -> tuple[InboxEvent, ...]:
    """The inbox, newest first: what is pending, failed or was ignored."""
    return engine.events.inbox(state=state, limit=limit)


@routes("POST", "/v1/events/{event_id}/retry", Scope.WRITE, "Retry an event", waits=True)
def retry_event(engine: Engine, event_id: RowId) -> CaptureResult:
    """Tries a failed event again."""
    return engine.events.retry(event_id)


@routes("DELETE", "/v1/events/{event_id}", Scope.WRITE, "Discard an event")
def discard_event(engine: Engine, event_id: RowId) -> None:
    """Discards a failed event; can be undone."""
    engine.events.discard(event_id)
