"""What only the person at this machine does: apps and tokens, assistants, settings, backups, files, pausing.

All need the admin scope. Owns parameter names and the wire form of file edits. Source: DESIGN section 6.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Path as PathParameter
from fastapi import Query

from app.api import Engine
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
from app.server.routes.routing import Routes
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


def _views(edits: tuple[FileEdit, ...]) -> tuple[EditView, ...]:
    return tuple(EditView(edit.path, edit.before is None, edit.after is None, edit.diff) for edit in edits)


_APP = "/v1/apps/{name}"
_ASSISTANT = "/v1/assistants/{name}"
routes = Routes()


@routes("GET", "/v1/apps", Scope.ADMIN, "List apps")
def list_apps(engine: Engine) -> tuple[AppCard, ...]:
    """Every assistant and program that has a token."""
    return engine.apps.list()


@routes("POST", "/v1/apps", Scope.ADMIN, "Make an app", status=201)
def create_app(engine: Engine, body: AppBody) -> NewToken:
    """Makes an app and its token; the token is shown once."""
    card, token = engine.apps.create(body.name, body.title, frozenset(body.scopes))
    return NewToken(card.name, token)


@routes("POST", f"{_APP}/token", Scope.ADMIN, "Renew a token")
def renew_token(engine: Engine, name: Name) -> NewToken:
    """Gives an app a new token; the old one stops working."""
    return NewToken(name, engine.apps.renew_token(name))


@routes("POST", f"{_APP}/pause", Scope.ADMIN, "Pause an app")
def pause_app(engine: Engine, name: Name, body: PauseBody | None = None) -> None:
    """Captures nothing from an app until then, or until resumed."""
    engine.apps.pause(name, body.until if body else None)


@routes("POST", f"{_APP}/resume", Scope.ADMIN, "Resume an app")
def resume_app(engine: Engine, name: Name) -> None:
    """Captures from a paused app again."""
    engine.apps.resume(name)


@routes("POST", f"{_APP}/keep", Scope.ADMIN, "Keep answers or not")
def keep_answers(engine: Engine, name: Name, body: KeepBody) -> None:
    """Says whether an app's answers are kept too."""
    engine.apps.set_keeps_answers(name, keeps=body.keeps_answers)


@routes("PUT", f"{_APP}/projects", Scope.ADMIN, "Bind to projects")
def bind_app(engine: Engine, name: Name, body: ProjectsBody) -> AppCard:
    """Says which projects an app's token may read and change; an empty list: all."""
    return engine.apps.bind(name, body.projects)


@routes("DELETE", _APP, Scope.ADMIN, "Revoke an app")
def revoke_app(engine: Engine, name: Name, purge: PurgeQuery = False) -> None:
    """Ends an app's access for good; its notes stay unless `purgeMemories`."""
    engine.apps.revoke(name)
    if purge:
        engine.notes.purge(name)


@routes("GET", "/v1/assistants", Scope.ADMIN, "List assistants")
def list_assistants(engine: Engine) -> tuple[AssistantCard, ...]:
    """The assistants that can be connected."""
    return engine.apps.assistants()


@routes("GET", f"{_ASSISTANT}/notes", Scope.ADMIN, "Notes on connecting")
def list_connect_notes(engine: Engine, name: Name) -> tuple[str, ...]:
    """What the person has to do themselves after connecting. Read it before: afterwards there is no plan to ask."""
    return engine.apps.connect_notes(name)


@routes("GET", f"{_ASSISTANT}/connect", Scope.ADMIN, "Preview connecting")
def preview_connect(engine: Engine, name: Name) -> tuple[EditView, ...]:
    """What connecting would change."""
    return _views(engine.apps.preview_connect(name))


@routes("POST", f"{_ASSISTANT}/connect", Scope.ADMIN, "Connect")
def connect(engine: Engine, name: Name) -> AppCard:
    """Puts our hook into an assistant's configuration."""
    return engine.apps.connect(name)


@routes("GET", f"{_ASSISTANT}/disconnect", Scope.ADMIN, "Preview disconnecting")
def preview_disconnect(engine: Engine, name: Name) -> tuple[EditView, ...]:
    """What disconnecting would change."""
    return _views(engine.apps.preview_disconnect(name))


@routes("POST", f"{_ASSISTANT}/disconnect", Scope.ADMIN, "Disconnect")
def disconnect(engine: Engine, name: Name, purge: PurgeQuery = False) -> None:
    """Removes our hook from an assistant's configuration; its notes stay unless `purgeMemories`."""
    engine.apps.disconnect(name)
    if purge:
        engine.notes.purge(name)


@routes("POST", "/v1/capture/pause", Scope.ADMIN, "Pause capture")
def pause_capture(engine: Engine, body: PauseBody | None = None) -> None:
    """Captures nothing until then, or until resumed."""
    engine.events.pause(body.until if body else None)


@routes("POST", "/v1/capture/resume", Scope.ADMIN, "Resume capture")
def resume_capture(engine: Engine) -> None:
    """Captures again."""
    engine.events.resume()


@routes("GET", "/v1/settings", Scope.ADMIN, "List settings")
def list_settings(engine: Engine) -> tuple[SettingCard, ...]:
    """Every option with value, default, range and source."""
    return engine.settings.list()


@routes("PUT", "/v1/settings/{name}", Scope.ADMIN, "Change a setting")
def set_setting(engine: Engine, name: Name, body: SettingBody) -> None:
    """Changes one option; can be undone."""
    engine.settings.set(name, body.value)


@routes("DELETE", "/v1/settings/{name}", Scope.ADMIN, "Reset a setting")
def reset_setting(engine: Engine, name: Name) -> None:
    """Resets one option to its default; can be undone."""
    engine.settings.reset(name)


@routes("GET", "/v1/import", Scope.ADMIN, "Find histories")
def list_sources(engine: Engine) -> tuple[FoundSource, ...]:
    """Histories of assistants on this computer."""
    return engine.transfer.found()


@routes("POST", "/v1/import", Scope.ADMIN, "Import a history")
def import_history(engine: Engine, body: ImportBody) -> ImportReport:
    """Imports a history; with an empty source it is recognised from the file."""
    transfer, path = engine.transfer, Path(body.path)
    source = body.source or (transfer.recognise(path)).source
    return transfer.import_history(source, path)


@routes("POST", "/v1/export", Scope.ADMIN, "Export")
def export_history(engine: Engine, body: ExportBody) -> Exported:
    """Writes a file. It never replaces one, unless `is_replacing`, and never writes into our own folders."""
    path = Path(body.path)
    export, is_replacing = engine.transfer.export, body.is_replacing
    return Exported(path, export(body.kind, path, is_replacing=is_replacing))


@routes("GET", "/v1/backups", Scope.ADMIN, "List backups")
def list_backups(engine: Engine) -> tuple[Backup, ...]:
    """Backups, newest first."""
    return engine.backups.list()


@routes("POST", "/v1/backups", Scope.ADMIN, "Back up now", status=201)
def create_backup(engine: Engine, body: BackupBody | None = None) -> Backup:
    """Makes a backup now and checks it."""
    reason = body.reason if body else "by hand"
    return engine.backups.create(reason)


@routes("POST", "/v1/backups/restore", Scope.ADMIN, "Restore a backup")
def restore_backup(engine: Engine, body: RestoreBody) -> Restored:
    """Goes back to a backup; the present store is backed up first."""
    path = Path(body.path)
    return Restored(path, engine.backups.restore(path))
