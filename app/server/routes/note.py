"""Notes over HTTP: S5's three endpoints with its exact bodies, and ours beside them. Owns names of parameters and fields only.

Source: S5 "New Admin API Endpoints".
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Path as PathParameter
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from app.api import Engine
from app.server.routes.requests import PathText, RowId
from app.server.routes.routing import Routes, answer
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


def _seconds(at: datetime) -> str:
    """As S5 writes an instant."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


_SEED = "/apps/{name}/memories"
routes = Routes()


@routes("GET", _SEED, Scope.READ, "Notes of an app", answers=SeedNotes)
def list_seed_notes(engine: Engine, name: Name) -> Response:
    """The notes of an app, the newest update first, at most ten."""
    memories = [
        {"id": number, "content": content, "createdAt": _seconds(created), "updatedAt": _seconds(updated)}
        for number, content, created, updated in engine.notes.newest(name)
    ]
    return answer({"memories": memories})


@routes("DELETE", _SEED, Scope.WRITE, "Delete the notes of an app")
def purge_notes(engine: Engine, name: Name) -> SeedPurged:
    """Deletes all notes of an app."""
    return SeedPurged(True, engine.notes.purge(name))


@routes("DELETE", f"{_SEED}/{{note_id}}", Scope.WRITE, "Delete a note of an app")
def delete_seed_note(engine: Engine, name: Name, note_id: RowId) -> SeedDone:
    """Deletes one note of an app."""
    engine.notes.delete(note_id, app=name)
    return SeedDone(True)


@routes("GET", "/v1/notes", Scope.READ, "List notes")
def list_notes(engine: Engine, app: AppQuery = "", q: WordsQuery = "") -> NoteList:
    """All notes, or those of one app, with their details; `q` searches them."""
    return NoteList(engine.notes.list(app=app, query=q))


@routes("POST", "/v1/notes", Scope.ADMIN, "Add a note", status=201)
def add_note(engine: Engine, body: NewNoteBody) -> MadeNote:
    """Adds a note by the person."""
    made = engine.notes.add(body.app, body.content, project_path=body.project, importance=body.importance)
    return MadeNote(made)


@routes("GET", "/v1/notes/stats", Scope.READ, "Figures of notes")
def note_stats(engine: Engine) -> NoteStats:
    """How many notes are written, merged and given, and what they cost."""
    return engine.notes.stats()


@routes("GET", "/v1/notes/context", Scope.READ, "Notes as they are given")
def note_context(
    engine: Engine, app: AppQuery, project: Annotated[str | None, Query(max_length=4_096)] = None, q: WordsQuery = ""
) -> NoteContext:
    """The notes of an app as an assistant is given them, with a receipt."""
    return engine.notes.give(app, project_path=project, query=q)


@routes("PATCH", "/v1/notes/{note_id}", Scope.ADMIN, "Change a note")
def edit_note(engine: Engine, note_id: RowId, body: NoteEditBody) -> None:
    """Changes a note."""
    engine.notes.edit(note_id, content=body.content, importance=body.importance, tags=body.tags)


@routes("DELETE", "/v1/notes/{note_id}", Scope.ADMIN, "Delete a note")
def delete_note(engine: Engine, note_id: RowId) -> None:
    """Deletes a note."""
    engine.notes.delete(note_id)


@routes("POST", "/v1/notes/{note_id}/promote", Scope.ADMIN, "Turn it into a memory", status=201)
def promote_note(engine: Engine, note_id: RowId) -> Promoted:
    """Turns a note into a memory."""
    return Promoted(engine.notes.promote(note_id))


@routes("PUT", "/v1/apps/{name}/notes/expiry", Scope.ADMIN, "When notes go")
def set_note_expiry(engine: Engine, name: Name, body: ExpiryBody) -> None:
    """A note of this app is deleted after this many days without a change; 0: never."""
    engine.notes.set_expiry(name, body.days)


@routes("GET", "/v1/conversations/{conversation_id}/notes", Scope.READ, "Notes to review with")
def review_notes(engine: Engine, conversation_id: RowId) -> NoteContext:
    """The notes that are given when a conversation is opened for review, with a receipt."""
    return engine.notes.review(conversation_id)
