"""What only the person at this machine does: apps and tokens, assistants, settings, backups, files, pausing.

All need the admin scope. Owns parameter names and the wire form of file edits. Source: DESIGN section 6.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Path as PathParameter
from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import (
    AppBody,
    BackupBody,
    ExportBody,
    ImportBody,
    KeepBody,
    PauseBody,
    ProjectsBody,
    RestoreBody,
    SettingBody,
)
from app.server.routes.routing import RouteSpec, answer
from app.settings_sources import SettingCard
from app.values import AppCard, AssistantCard, Backup, FileEdit, FoundSource, ImportReport, Scope

Name = Annotated[str, PathParameter(max_length=64)]
PurgeQuery = Annotated[bool, Query(alias="purgeMemories")]


@dataclass(frozen=True, slots=True)
class NewToken:
    """Shown once."""

    name: str
    token: str


@dataclass(frozen=True, slots=True)
class EditView:
    """One file before and after, as a person reads it."""

    path: Path
    is_new: bool
    is_removed: bool
    diff: str


@dataclass(frozen=True, slots=True)
class Exported:
    path: Path
    line_count: int


@dataclass(frozen=True, slots=True)
class Restored:
    """`kept_path` is where the store is kept that was there before."""

    path: Path
    kept_path: Path | None


async def list_apps(request: Request) -> Response:
    """Every assistant that talks to us."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.apps.list))


async def create_app(request: Request, body: AppBody) -> Response:
    """Makes an app and its token; the token is shown once."""
    context = context_of(request)
    card, token = await context.offload.run(context.engine.apps.create, body.name, body.title, frozenset(body.scopes))
    return answer(NewToken(card.name, token), 201)


async def renew_token(request: Request, name: Name) -> Response:
    """Gives an app a new token; the old one ends."""
    context = context_of(request)
    return answer(NewToken(name, await context.offload.run(context.engine.apps.renew_token, name)))


async def pause_app(request: Request, name: Name, body: PauseBody | None = None) -> Response:
    """Takes nothing from an app until then, or until resumed."""
    context = context_of(request)
    await context.offload.run(context.engine.apps.pause, name, body.until if body else None)
    return Response(status_code=204)


async def resume_app(request: Request, name: Name) -> Response:
    """Takes from a paused app again."""
    context = context_of(request)
    await context.offload.run(context.engine.apps.resume, name)
    return Response(status_code=204)


async def revoke_app(request: Request, name: Name, purge: PurgeQuery = False) -> Response:
    """Ends an app's token for good; its notes stay unless `purgeMemories`."""
    context = context_of(request)
    await context.offload.run(context.engine.apps.revoke, name)
    if purge:
        await context.offload.run(context.engine.notes.purge, name)
    return Response(status_code=204)


async def keep_answers(request: Request, name: Name, body: KeepBody) -> Response:
    """Says whether an app's answers are kept too."""
    context = context_of(request)
    await context.offload.run(context.engine.apps.set_keeps_answers, name, keeps=body.keeps_answers)
    return Response(status_code=204)


async def bind_app(request: Request, name: Name, body: ProjectsBody) -> Response:
    """Says which projects an app's token may read and change; an empty list: all."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.apps.bind, name, body.projects))


async def list_assistants(request: Request) -> Response:
    """The assistants that we know how to connect."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.apps.assistants))


async def preview_connect(request: Request, name: Name) -> Response:
    """What connecting would change."""
    context = context_of(request)
    return answer(_views(await context.offload.run(context.engine.apps.preview_connect, name)))


async def list_connect_notes(request: Request, name: Name) -> Response:
    """What the person has to do themselves after connecting. Read it before: afterwards there is no plan to ask."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.apps.connect_notes, name))


async def connect(request: Request, name: Name) -> Response:
    """Puts our hook into an assistant's configuration."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.apps.connect, name))


async def preview_disconnect(request: Request, name: Name) -> Response:
    """What disconnecting would change."""
    context = context_of(request)
    return answer(_views(await context.offload.run(context.engine.apps.preview_disconnect, name)))


async def disconnect(request: Request, name: Name, purge: PurgeQuery = False) -> Response:
    """Takes our hook out of an assistant's configuration; its notes stay unless `purgeMemories`."""
    context = context_of(request)
    await context.offload.run(context.engine.apps.disconnect, name)
    if purge:
        await context.offload.run(context.engine.notes.purge, name)
    return Response(status_code=204)


async def pause_capture(request: Request, body: PauseBody | None = None) -> Response:
    """Takes nothing from anybody until then, or until resumed."""
    context = context_of(request)
    await context.offload.run(context.engine.events.pause, body.until if body else None)
    return Response(status_code=204)


async def resume_capture(request: Request) -> Response:
    """Takes events again."""
    context = context_of(request)
    await context.offload.run(context.engine.events.resume)
    return Response(status_code=204)


async def list_settings(request: Request) -> Response:
    """Every option with value, default, range and source."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.settings.list))


async def set_setting(request: Request, name: Name, body: SettingBody) -> Response:
    """Changes one option; undoable."""
    context = context_of(request)
    await context.offload.run(context.engine.settings.set, name, body.value)
    return Response(status_code=204)


async def reset_setting(request: Request, name: Name) -> Response:
    """Puts one option back to its default; undoable."""
    context = context_of(request)
    await context.offload.run(context.engine.settings.reset, name)
    return Response(status_code=204)


async def list_sources(request: Request) -> Response:
    """Histories of assistants that lie on this disk."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.transfer.found))


async def import_history(request: Request, body: ImportBody) -> Response:
    """Reads a history in; an empty source is recognised from the file."""
    context = context_of(request)
    transfer, path = context.engine.transfer, Path(body.path)
    source = body.source or (await context.offload.run(transfer.recognise, path)).source
    return answer(await context.offload.run(transfer.import_history, source, path))


async def export_history(request: Request, body: ExportBody) -> Response:
    """Writes a file; never over one that is there, unless `is_replacing`, and never into our own folders."""
    context = context_of(request)
    path = Path(body.path)
    export, is_replacing = context.engine.transfer.export, body.is_replacing
    return answer(Exported(path, await context.offload.run(export, body.kind, path, is_replacing=is_replacing)))


async def list_backups(request: Request) -> Response:
    """Backups, newest first."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.backups.list))


async def create_backup(request: Request, body: BackupBody | None = None) -> Response:
    """Makes a verified backup now."""
    context = context_of(request)
    reason = body.reason if body else "by hand"
    return answer(await context.offload.run(context.engine.backups.create, reason), 201)


async def restore_backup(request: Request, body: RestoreBody) -> Response:
    """Puts a backup in place of the store; the present store is backed up first."""
    context = context_of(request)
    path = Path(body.path)
    return answer(Restored(path, await context.offload.run(context.engine.backups.restore, path)))


def _views(edits: tuple[FileEdit, ...]) -> tuple[EditView, ...]:
    return tuple(EditView(edit.path, edit.before is None, edit.after is None, edit.diff) for edit in edits)


_APP = "/v1/apps/{name}"
_ASSISTANT = "/v1/assistants/{name}"
ROUTES = (
    RouteSpec("GET", "/v1/apps", Scope.ADMIN, list_apps, "List apps", tuple[AppCard, ...]),
    RouteSpec("POST", "/v1/apps", Scope.ADMIN, create_app, "Make an app", NewToken, status=201),
    RouteSpec("POST", f"{_APP}/token", Scope.ADMIN, renew_token, "Renew a token", NewToken),
    RouteSpec("POST", f"{_APP}/pause", Scope.ADMIN, pause_app, "Pause an app", status=204),
    RouteSpec("POST", f"{_APP}/resume", Scope.ADMIN, resume_app, "Resume an app", status=204),
    RouteSpec("POST", f"{_APP}/keep", Scope.ADMIN, keep_answers, "Keep answers or not", status=204),
    RouteSpec("PUT", f"{_APP}/projects", Scope.ADMIN, bind_app, "Bind to projects", AppCard),
    RouteSpec("DELETE", _APP, Scope.ADMIN, revoke_app, "Revoke an app", status=204),
    RouteSpec("GET", "/v1/assistants", Scope.ADMIN, list_assistants, "List assistants", tuple[AssistantCard, ...]),
    RouteSpec("GET", f"{_ASSISTANT}/notes", Scope.ADMIN, list_connect_notes, "Notes on connecting", tuple[str, ...]),
    RouteSpec("GET", f"{_ASSISTANT}/connect", Scope.ADMIN, preview_connect, "Preview connecting", tuple[EditView, ...]),
    RouteSpec("POST", f"{_ASSISTANT}/connect", Scope.ADMIN, connect, "Connect", AppCard),
    RouteSpec(
        "GET",
        f"{_ASSISTANT}/disconnect",
        Scope.ADMIN,
        preview_disconnect,
        "Preview disconnecting",
        tuple[EditView, ...],
    ),
    RouteSpec("POST", f"{_ASSISTANT}/disconnect", Scope.ADMIN, disconnect, "Disconnect", status=204),
    RouteSpec("POST", "/v1/capture/pause", Scope.ADMIN, pause_capture, "Pause capture", status=204),
    RouteSpec("POST", "/v1/capture/resume", Scope.ADMIN, resume_capture, "Resume capture", status=204),
    RouteSpec("GET", "/v1/settings", Scope.ADMIN, list_settings, "List settings", tuple[SettingCard, ...]),
    RouteSpec("PUT", "/v1/settings/{name}", Scope.ADMIN, set_setting, "Change a setting", status=204),
    RouteSpec("DELETE", "/v1/settings/{name}", Scope.ADMIN, reset_setting, "Reset a setting", status=204),
    RouteSpec("GET", "/v1/import", Scope.ADMIN, list_sources, "Find histories", tuple[FoundSource, ...]),
    RouteSpec("POST", "/v1/import", Scope.ADMIN, import_history, "Import a history", ImportReport),
    RouteSpec("POST", "/v1/export", Scope.ADMIN, export_history, "Export", Exported),
    RouteSpec("GET", "/v1/backups", Scope.ADMIN, list_backups, "List backups", tuple[Backup, ...]),
    RouteSpec("POST", "/v1/backups", Scope.ADMIN, create_backup, "Back up now", Backup, status=201),
    RouteSpec("POST", "/v1/backups/restore", Scope.ADMIN, restore_backup, "Restore a backup", Restored),
)
