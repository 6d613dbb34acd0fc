"""Notes over HTTP: S5's three endpoints with its exact bodies, and ours beside them. Owns names of parameters and fields only.

Source: S5 "New Admin API Endpoints".
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Path as PathParameter
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import PathText, RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import Scope
from app.values.notes import Note, NoteContext, NoteStats

Name = Annotated[str, PathParameter(max_length=64)]
AppQuery = Annotated[str, Query(max_length=64)]
WordsQuery = Annotated[str, Query(max_length=300)]


@dataclass(frozen=True, slots=True)
class SeedNote:
    """A note as S5 writes it."""

    id: int
    content: str
    createdAt: datetime  # noqa: N815 (S5's own names)
    updatedAt: datetime  # noqa: N815


@dataclass(frozen=True, slots=True)
class SeedNotes:
    memories: tuple[SeedNote, ...]


@dataclass(frozen=True, slots=True)
class SeedPurged:
    success: bool
    deletedCount: int  # noqa: N815


@dataclass(frozen=True, slots=True)
class SeedDone:
    success: bool


@dataclass(frozen=True, slots=True)
class NoteList:
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class MadeNote:
    id: int


@dataclass(frozen=True, slots=True)
class Promoted:
    memory_id: int


class _NoteBody(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NewNoteBody(_NoteBody):
    app: Annotated[str, Field(max_length=64)]
    content: Annotated[str, Field(max_length=10_000)]
    project: PathText = ""
    importance: Annotated[float, Field(ge=0, le=10)] = 5.0


class NoteEditBody(_NoteBody):
    content: Annotated[str, Field(max_length=10_000)] | None = None
    importance: Annotated[float, Field(ge=0, le=10)] | None = None
    tags: Annotated[tuple[str, ...], Field(max_length=50)] | None = None


class ExpiryBody(_NoteBody):
    days: Annotated[int, Field(ge=0, le=3_650)]


async def list_seed_notes(request: Request, name: Name) -> Response:
    """The notes of an app, the newest update first, at most ten."""
    context = context_of(request)
    found = await context.offload.run(context.engine.notes.newest, name)
    memories = [
        {"id": number, "content": content, "createdAt": _seconds(created), "updatedAt": _seconds(updated)}
        for number, content, created, updated in found
    ]
    return answer({"memories": memories})


async def purge_notes(request: Request, name: Name) -> Response:
    """Deletes all notes of an app."""
    context = context_of(request)
    return answer(SeedPurged(True, await context.offload.run(context.engine.notes.purge, name)))


async def delete_seed_note(request: Request, name: Name, note_id: RowId) -> Response:
    """Deletes one note of an app."""
    context = context_of(request)
    await context.offload.run(context.engine.notes.delete, note_id, app=name)
    return answer(SeedDone(True))


async def list_notes(request: Request, app: AppQuery = "", q: WordsQuery = "") -> Response:
    """All notes, or an app's, with all that is known of them; `q` finds by words."""
    context = context_of(request)
    return answer({"notes": await context.offload.run(context.engine.notes.list, app=app, query=q)})


async def add_note(request: Request, body: NewNoteBody) -> Response:
    """Adds a note of the person's own."""
    context = context_of(request)
    add = context.engine.notes.add
    made = await context.offload.run(add, body.app, body.content, project_path=body.project, importance=body.importance)
    return answer(MadeNote(made), 201)


async def edit_note(request: Request, note_id: RowId, body: NoteEditBody) -> Response:
    """Changes a note."""
    context = context_of(request)
    await context.offload.run(
        context.engine.notes.edit, note_id, content=body.content, importance=body.importance, tags=body.tags
    )
    return Response(status_code=204)


async def delete_note(request: Request, note_id: RowId) -> Response:
    """Deletes a note."""
    context = context_of(request)
    await context.offload.run(context.engine.notes.delete, note_id)
    return Response(status_code=204)


async def promote_note(request: Request, note_id: RowId) -> Response:
    """Makes a memory of a note."""
    context = context_of(request)
    return answer(Promoted(await context.offload.run(context.engine.notes.promote, note_id)), 201)


async def set_note_expiry(request: Request, name: Name, body: ExpiryBody) -> Response:
    """After so many days without a change a note of this app goes; 0: never."""
    context = context_of(request)
    await context.offload.run(context.engine.notes.set_expiry, name, body.days)
    return Response(status_code=204)


async def note_context(
    request: Request, app: AppQuery, project: Annotated[str | None, Query(max_length=4_096)] = None, q: WordsQuery = ""
) -> Response:
    """The notes of an app as an assistant is given them, whole, with a receipt."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.notes.give, app, project_path=project, query=q))


async def review_notes(request: Request, conversation_id: RowId) -> Response:
    """The notes that go with a conversation that is opened to review, with a receipt."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.notes.review, conversation_id))


async def note_stats(request: Request) -> Response:
    """How many notes are made, compacted and given, and what they take."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.notes.stats))


def _seconds(at: datetime) -> str:
    """As S5 writes an instant."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


_SEED = "/apps/{name}/memories"
ROUTES = (
    RouteSpec("GET", _SEED, Scope.READ, list_seed_notes, "Notes of an app", SeedNotes),
    RouteSpec("DELETE", _SEED, Scope.WRITE, purge_notes, "Delete the notes of an app", SeedPurged),
    RouteSpec("DELETE", f"{_SEED}/{{note_id}}", Scope.WRITE, delete_seed_note, "Delete a note of an app", SeedDone),
    RouteSpec("GET", "/v1/notes", Scope.READ, list_notes, "List notes", NoteList),
    RouteSpec("POST", "/v1/notes", Scope.ADMIN, add_note, "Add a note", MadeNote, status=201),
    RouteSpec("GET", "/v1/notes/stats", Scope.READ, note_stats, "Figures of notes", NoteStats),
    RouteSpec("GET", "/v1/notes/context", Scope.READ, note_context, "Notes as they are given", NoteContext),
    RouteSpec("PATCH", "/v1/notes/{note_id}", Scope.ADMIN, edit_note, "Change a note", status=204),
    RouteSpec("DELETE", "/v1/notes/{note_id}", Scope.ADMIN, delete_note, "Delete a note", status=204),
    RouteSpec(
        "POST", "/v1/notes/{note_id}/promote", Scope.ADMIN, promote_note, "Make a memory of it", Promoted, status=201
    ),
    RouteSpec("PUT", "/v1/apps/{name}/notes/expiry", Scope.ADMIN, set_note_expiry, "When notes go", status=204),
    RouteSpec(
        "GET",
        "/v1/conversations/{conversation_id}/notes",
        Scope.READ,
        review_notes,
        "Notes to review with",
        NoteContext,
    ),
)
