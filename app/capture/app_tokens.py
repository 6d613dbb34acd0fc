"""Which app a bearer token belongs to (only its hash is kept), and which apps are paused.

What is paused is remembered between captures: asking the store would cost as much as taking the event in. Source: DESIGN section 6,
QUALITY S1.
"""

import hashlib
import hmac
from datetime import datetime

from sqlalchemy import Connection

from app.store.store import Store
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow
from app.understanding.message_rows import AnyRow
from app.values import AppCard, Changes, DataKind, Scope
from app.values.fast_values import value_of

TOKEN_MARK = "rmn_"  # noqa: S105 (the public beginning of our tokens, not one of them)


class PausedApps:
    """Reads again after every commit that changed an app."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, datetime | None] | None = None
        self._change_count = 0
        store.subscribe(self._on_changes)

    def at(self, now: datetime) -> frozenset[str]:
        """Names of the apps that are paused at `now`."""
        known = self._known
        if known is None:
            before = self._change_count
            with self._store.read() as connection:
                known = {
                    row.name: row.paused_until
                    for row in rows_with(connection, AppRow, "name", "paused_until", is_paused=True)
                }
            if before == self._change_count:  # else a commit came between: this may be the state before it
                self._known = known
        return frozenset(name for name, until in known.items() if until is None or until > now)

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.APPS in changes.kinds:
            self._change_count += 1
            self._known = None


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def find_app_of_token(store: Store, token: str) -> AppCard | None:
    """The app that the token belongs to; None when it is unknown or revoked. Constant time per app."""
    if not token.startswith(TOKEN_MARK):
        return None
    wanted = hash_token(token)
    with store.read() as connection:
        rows = [row for row in rows_with(connection, AppRow) if row.token_hash]
    found = None
    for row in rows:
        if hmac.compare_digest(row.token_hash, wanted) and not row.is_revoked:
            found = row
    return None if found is None else app_of(found, 0)


def find_app_id(connection: Connection, name: str) -> int | None:
    """The number of an app that is known."""
    return next(iter(ids_with(connection, AppRow, name=name)), None)


def app_of(row: AnyRow, message_count: int, arrived_at: datetime | None = None) -> AppCard:
    return value_of(
        AppCard,
        row,
        scopes=frozenset(Scope(scope) for scope in row.scopes),
        last_seen_at=max(filter(None, (row.last_seen_at, arrived_at)), default=None),
        message_count=message_count,
        projects=tuple(row.projects),
    )
