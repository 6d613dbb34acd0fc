"""Which apps are paused, remembered between captures: asking the store would cost as much as taking the event in."""

from datetime import datetime

from sqlalchemy import select

from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.core import AppRow
from app.values import Changes, DataKind

_app = table_of(AppRow)
_PAUSED = select(_app.c.name, _app.c.paused_until).where(_app.c.is_paused)


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
                known = {row.name: row.paused_until for row in connection.execute(_PAUSED)}
            if before == self._change_count:  # else a commit came between: this may be the state before it
                self._known = known
        return frozenset(name for name, until in known.items() if until is None or until > now)

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.APPS in changes.kinds:
            self._change_count += 1
            self._known = None
