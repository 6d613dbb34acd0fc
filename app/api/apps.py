"""Apps and their tokens, and connecting assistants: what would be written is shown first.

Owns that a token is kept only as its hash, that a connected assistant gets its own token file, and that both are taken
back together. How a configuration is changed is `app.connect`'s. Source: DESIGN section 6, INTEROP rule 9.
"""

import logging
import math
import os
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.assistants.connecting import (
    ConfigPlan,
    ConnectContext,
    apply_plan,
    connector,
    connectors,
    preview_connect,
    preview_disconnect,
    refresh_launcher,
)
from app.assistants.discover import find_histories
from app.capture.app_tokens import TOKEN_MARK, find_app_id, find_app_of_token, hash_token
from app.capture.caller_project import find_place
from app.capture.hook_files import write_hook_conf
from app.capture.streams import new_app, title_of_app
from app.connect.base import FoundAssistant
from app.connect.file_connector import record_dir
from app.errors import InvalidError, NotFoundError, RemanenceError, UserError
from app.store.tables.core import AppRow
from app.understanding.conversations.queries import list_apps
from app.values import AppCard, AssistantCard, FileEdit, Origin, Scope

log = logging.getLogger(__name__)
_UNHEARD_AFTER = timedelta(hours=1)
_LOOK_EVERY_S = 60.0  # at the transcripts of assistants, a list of some thousand files


@cleans_arguments
class Apps:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._written_at: Mapping[str, datetime] = {}  # by assistant: when a session of it was written last
        self._looked_s = -math.inf

    def list(self) -> tuple[AppCard, ...]:
        with self._core.store.read() as connection:
            return list_apps(connection)

    def create(self, name: str, title: str, scopes: frozenset[Scope]) -> tuple[AppCard, str]:
        """A new app and its token, shown this once. Raises InvalidError when the name is taken."""
        if not name or len(name) > 64 or not name.replace("-", "").isalnum() or not name.isascii():
            raise InvalidError("An app's name is letters, digits and dashes.", hint="For example: my-editor.")
        token = _new_token()
        with self._core.store.write(origin=Origin.PERSON, kind="create_app", label=f"Added the app {name}") as write:
            row_id = find_app_id(write.connection, name)
            if row_id is not None and write.get(AppRow, row_id).token_hash:
                raise InvalidError(f"There is an app called {name} already.", hint="Renew its token instead.")
            values = {"token_hash": hash_token(token), "scopes": sorted(scopes), "title": title or title_of_app(name)}
            if row_id is None:
                row_id = write.insert(AppRow, {**new_app(name, title, write.at), **values})
            else:
                write.update(AppRow, row_id, {**values, "is_revoked": False})
        return self._card(name), token

    def check_token(self, token: str) -> AppCard | None:
        """The app that the token belongs to; None when it is unknown or revoked. Constant time per app."""
        return find_app_of_token(self._core.store, token)

    def pause(self, name: str, until: datetime | None = None) -> None:
        """Stops capturing from this app; what it sends meanwhile is not kept."""
        self._set(name, {"is_paused": True, "paused_until": until}, kind="pause_app", label=f"Paused {name}")

    def resume(self, name: str) -> None:
        self._set(name, {"is_paused": False, "paused_until": None}, kind="resume_app", label=f"Resumed {name}")

    def revoke(self, name: str) -> None:
        """Its token no longer opens anything."""
        self._set(name, {"is_revoked": True}, kind="revoke_app", label=f"Revoked the token of {name}")

    def renew_token(self, name: str) -> str:
        """A fresh token, shown this once; the old one is void."""
        token = _new_token()
        label = f"Renewed the token of {name}"
        self._set(name, {"token_hash": hash_token(token), "is_revoked": False}, kind="renew_token", label=label)
        conf = self._core.places.hook_dir / f"{name}.conf"
        if conf.exists():
            write_hook_conf(self._core.places.state_dir, name, {"token": token})
        return token

    def bind(self, name: str, projects: Iterable[str]) -> AppCard:
        """From now on the app's token reads and changes these projects only, and what belongs to none; none: all again.

        A project is its folder or its name; a folder may be new. Raises NotFoundError and AmbiguousError for a name.
        """
        with self._core.store.read() as connection:
            folders = sorted({find_place(connection, one).path for one in projects if one.strip()})
        label = f"Bound {name} to {', '.join(folders)}" if folders else f"{name} may read every project again"
        self._set(name, {"projects": folders}, kind="bind_app", label=label)
        return self._card(name)

    def set_keeps_answers(self, name: str, *, keeps: bool) -> None:
        label = f"{'Keeps' if keeps else 'Drops'} the answers of {name}"
        self._set(name, {"keeps_answers": keeps}, kind="keeps_answers", label=label)

    def refresh_hook(self) -> None:
        """Keeps what assistants run at their events true to where this program is now."""
        try:
            refresh_launcher(self._context())
        except RemanenceError as error:  # what the assistants have still runs, or is shown as not connected
            log.warning("The hook's launcher could not be written: %s", error)

    # assistants --------------------------------------------------------------------------------------

    def assistants(self) -> tuple[AssistantCard, ...]:
        """Every assistant that we know how to connect, found or not."""
        apps = {card.name: card for card in self.list()}
        cards = (_assistant(one.name, one.title, self._find(one.name), apps.get(one.name)) for one in connectors())
        return tuple(
            replace(
                card, is_unheard=self._is_unheard(card), waiting="" if self._has_asked_since(card) else card.waiting
            )
            for card in cards
        )

    def _has_asked_since(self, card: AssistantCard) -> bool:
        """Has a hook of it spoken since its configuration was written? Then it runs them, whatever the configuration says."""
        last_request_at = self._core.last_request_at.get(card.name)
        if last_request_at is None or not card.config_paths:
            return False
        try:
            return last_request_at.timestamp() > card.config_paths[0].stat().st_mtime
        except OSError:
            return False

    def _is_unheard(self, card: AssistantCard) -> bool:
        """Were sessions of a connected assistant written for an hour, up to now, while nothing came from it?"""
        if not card.is_connected or card.is_paused or self._core.is_paused:
            return False
        written_at = self._transcripts_written_at().get(card.name)
        last_request_at = self._core.last_request_at
        known = (last_request_at[""], last_request_at.get(card.name), card.last_seen_at, self._connected_at(card.name))
        since = max(at for at in known if at is not None)
        now = self._core.clock.now()
        return written_at is not None and written_at - since >= _UNHEARD_AFTER and now - written_at < _UNHEARD_AFTER

    def _connected_at(self, name: str) -> datetime | None:
        try:
            return datetime.fromtimestamp(record_dir(self._context(), name).stat().st_mtime, UTC)
        except OSError:
            return None

    def _transcripts_written_at(self) -> Mapping[str, datetime]:
        if time.monotonic() - self._looked_s > _LOOK_EVERY_S:
            found = find_histories(Path.home(), os.environ)
            self._written_at = {one.source: one.newest_at for one in found if one.newest_at is not None}
            self._looked_s = time.monotonic()
        return self._written_at

    def preview_connect(self, name: str) -> tuple[FileEdit, ...]:
        """The files as they would be written; nothing is. Raises UserError for a broken configuration."""
        return self._plan(name, is_removal=False).edits

    def connect_notes(self, name: str) -> tuple[str, ...]:
        """What the person has to do themselves after connecting; often nothing."""
        return self._plan(name, is_removal=False).notes

    def connect(self, name: str) -> AppCard:
        """Writes what the preview shows, and gives the hook its token."""
        plan = self._plan(name, is_removal=False)
        token = _new_token()
        with self._core.store.write(
            origin=Origin.PERSON, kind="connect", label=f"Connected {title_of_app(name)}", is_undoable=False
        ) as write:
            row_id = find_app_id(write.connection, name)
            if row_id is None:
                row_id = write.insert(AppRow, new_app(name, title_of_app(name), write.at))
            values = {
                "token_hash": hash_token(token),
                "scopes": [Scope.CAPTURE.value, Scope.READ.value],
                "is_revoked": False,
            }
            write.update(AppRow, row_id, values)
            write_hook_conf(self._core.places.state_dir, name, {"token": token})
            apply_plan(plan, self._context())
        return self._card(name)

    def preview_disconnect(self, name: str) -> tuple[FileEdit, ...]:
        return self._plan(name, is_removal=True).edits

    def disconnect(self, name: str) -> None:
        """Takes our entries out again; the files are byte for byte as before when nobody else changed them."""
        plan = self._plan(name, is_removal=True)
        with self._core.store.write(
            origin=Origin.PERSON, kind="disconnect", label=f"Disconnected {title_of_app(name)}", is_undoable=False
        ) as write:
            apply_plan(plan, self._context())
            row_id = find_app_id(write.connection, name)
            if row_id is not None:
                write.update(AppRow, row_id, {"is_revoked": True})
        (self._core.places.hook_dir / f"{name}.conf").unlink(missing_ok=True)

    def _plan(self, name: str, *, is_removal: bool) -> ConfigPlan:
        return (preview_disconnect if is_removal else preview_connect)(name, self._context())

    def _find(self, name: str) -> FoundAssistant | str | None:
        try:
            return connector(name).find(self._context())
        except UserError as error:
            return str(error)

    def _context(self) -> ConnectContext:
        return ConnectContext.here(self._core.places.state_dir)

    def _card(self, name: str) -> AppCard:
        card = next((one for one in self.list() if one.name == name), None)
        if card is None:
            known = ", ".join(one.name for one in self.list())
            raise NotFoundError(f"There is no app called {name}.", hint=f"Known are: {known}." if known else "")
        return card

    def _set(self, name: str, values: dict[str, object], *, kind: str, label: str) -> None:
        with self._core.store.write(origin=Origin.PERSON, kind=kind, label=label) as write:
            row_id = find_app_id(write.connection, name)
            if row_id is None:
                known = ", ".join(card.name for card in self.list()) or "none yet"
                raise NotFoundError(f"There is no app called {name}.", hint=f"Apps that there are: {known}.")
            write.update(AppRow, row_id, values)


def _assistant(name: str, title: str, found: FoundAssistant | str | None, app: AppCard | None) -> AssistantCard:
    place = found if isinstance(found, FoundAssistant) else None
    problem = found if isinstance(found, str) else (place.problem if place else "")
    return AssistantCard(
        name=name,
        title=title,
        is_found=found is not None,
        is_connected=place is not None and place.is_connected,
        config_paths=place.config_paths if place else (),
        problem=problem,
        last_seen_at=app.last_seen_at if app else None,
        message_count=app.message_count if app else 0,
        is_paused=app.is_paused if app else False,
        waiting=place.waiting if place else "",
    )


def _new_token() -> str:
    return TOKEN_MARK + secrets.token_urlsafe(32)
