"""The prompt archive over HTTP: its state, its prompts, and the person's choice. Owns parameter names only.

Source: issue 16 point 13.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query

from app.api import Engine
from app.server.routes.requests import ArchiveBody, RowId
from app.server.routes.routing import Routes
from app.values import ArchivedMessage, ArchiveStatus, Scope


@dataclass(frozen=True, slots=True)
class ArchiveChosen:
    deleted_count: int  # prompts that were deleted for good


routes = Routes()


@routes("GET", "/v1/archive", Scope.READ, "The prompt archive")
def get_archive(engine: Engine) -> ArchiveStatus:
    """What is chosen for prompts that leave the queue, and how much is kept of them."""
    return engine.archive.status()


@routes("PUT", "/v1/archive", Scope.ADMIN, "Choose what is kept")
def choose_archive(engine: Engine, body: ArchiveBody) -> ArchiveChosen:
    """Sets what happens to prompts that leave the queue. A choice that deletes prompts needs their number confirmed."""
    deleted = engine.archive.choose(
        body.archive, confirmed_count=body.confirmed_count, includes_backups=body.includes_backups
    )
    return ArchiveChosen(deleted)


@routes("GET", "/v1/archive/prompts", Scope.ADMIN, "List archived prompts")
def list_archived(
    engine: Engine,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> tuple[ArchivedMessage, ...]:
    """Archived prompts by date, the newest first; `before` is the number of the last one of the page before."""
    archive = engine.archive
    last = None if before is None else archive.get(before)
    return archive.list(before=last, limit=limit)


@routes("GET", "/v1/archive/prompts/{message_id}", Scope.ADMIN, "One archived prompt")
def get_archived(engine: Engine, message_id: RowId) -> ArchivedMessage:
    """One archived prompt."""
    return engine.archive.get(message_id)
