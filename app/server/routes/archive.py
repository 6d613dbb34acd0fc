"""The prompt archive over HTTP: how it stands, its prompts, and the person's choice. Owns parameter names only.

Source: issue 16 point 13.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import ArchiveBody, RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import ArchivedMessage, ArchiveStatus, Scope


@dataclass(frozen=True, slots=True)
class ArchiveChosen:
    deleted_count: int  # prompts that were deleted for good


async def get_archive(request: Request) -> Response:
    """What is chosen for prompts that leave the queue, and how much is kept of them."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.archive.status))


async def choose_archive(request: Request, body: ArchiveBody) -> Response:
    """Sets what happens to prompts that leave the queue. A choice that deletes prompts needs their number confirmed."""
    context = context_of(request)
    deleted = await context.offload.run(
        context.engine.archive.choose,
        body.archive,
        confirmed_count=body.confirmed_count,
        includes_backups=body.includes_backups,
    )
    return answer(ArchiveChosen(deleted))


async def list_archived(
    request: Request,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Archived prompts by date, the newest first; `before` is the number of the last one of the page before."""
    archive = context_of(request).engine.archive
    last = None if before is None else await context_of(request).offload.run(archive.get, before)
    return answer(await context_of(request).offload.run(archive.list, before=last, limit=limit))


async def get_archived(request: Request, message_id: RowId) -> Response:
    """One archived prompt."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.archive.get, message_id))


ROUTES = (
    RouteSpec("GET", "/v1/archive", Scope.READ, get_archive, "The prompt archive", ArchiveStatus),
    RouteSpec("PUT", "/v1/archive", Scope.ADMIN, choose_archive, "Choose what is kept", ArchiveChosen),
    RouteSpec(
        "GET", "/v1/archive/prompts", Scope.ADMIN, list_archived, "List archived prompts", tuple[ArchivedMessage, ...]
    ),
    RouteSpec(
        "GET", "/v1/archive/prompts/{message_id}", Scope.ADMIN, get_archived, "One archived prompt", ArchivedMessage
    ),
)
