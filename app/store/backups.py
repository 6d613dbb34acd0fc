"""Verified copies of the store: made with SQLite's backup call, opened and checked, thinned.

Owns file names `remanence-<UTC>-<reason>.db`. A copy that fails its check is removed and said.
Restoring keeps the present file beside it. Source: QUALITY R5, STACK section 3.
"""

import contextlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pysqlite3

from app.clock import Clock
from app.errors import DiskProblem, InvalidError, NotFoundError
from app.places import Places, open_private
from app.store.tables import SCHEMA_VERSION
from app.values import Backup

_NAME = re.compile(r"remanence-(\d{8}T\d{6})(\d{6})Z-([a-z-]+)\.db")
_PAGES = 256
_OURS = frozenset({"conversation", "message", "operation"})  # tables of every version
_WHICH = "remanence backup --list shows the backups; nothing was changed."
_REASON_CHARS = 60


class Backups:
    def __init__(self, places: Places, clock: Clock) -> None:
        self._places = places
        self._clock = clock
        self._making: set[Path] = set()

    def list(self) -> tuple[Backup, ...]:
        """All copies, newest first. Each was verified when it was made."""
        found = []
        for path in self._places.backups_dir.glob("remanence-*.db"):
            parts = _NAME.fullmatch(path.name)
            if parts:
                at = datetime.strptime(parts[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC, microsecond=int(parts[2]))
                found.append(Backup(path, at, path.stat().st_size, parts[3].replace("-", " "), is_verified=True))
        return tuple(sorted(found, key=lambda backup: backup.at, reverse=True))

    def create(self, reason: str) -> Backup:
        """A verified copy of the store as it is now. Raises DiskProblem."""
        at = self._clock.now()
        slug = re.sub(r"[^a-z]+", "-", reason[:_REASON_CHARS].lower()).strip("-") or "copy"
        path = self._places.backups_dir / f"remanence-{at:%Y%m%dT%H%M%S%f}Z-{slug}.db"
        partial = path.with_suffix(".partial")
        self._making.add(partial)
        try:
            partial.unlink(missing_ok=True)
            os.close(open_private(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL))
            with (
                contextlib.closing(_connect(self._places.store_path)) as source,
                contextlib.closing(_connect(partial)) as target,
            ):
                source.backup(target, pages=_PAGES)
                target.execute("PRAGMA journal_mode=DELETE")
            check_store_file(partial)
            _sync(partial)
            partial.replace(path)
        except InvalidError:
            partial.unlink(missing_ok=True)
            raise
        except (OSError, pysqlite3.dbapi2.DatabaseError) as error:
            partial.unlink(missing_ok=True)
            raise DiskProblem(
                f"The backup could not be made: {error}.", hint="Free some space; the store itself is untouched."
            ) from error
        finally:
            self._making.discard(partial)
        return Backup(path, at, path.stat().st_size, reason, is_verified=True)

    def remove_leftovers(self) -> None:
        """Half-made copies that a kill or a full disk left behind: no backup, and nobody's to keep."""
        for path in self._places.backups_dir.glob("*.partial*"):
            if path not in self._making:
                path.unlink(missing_ok=True)

    def restore(self, path: Path) -> Path:
        """Puts a checked copy in the store's place; returns where the present store was kept.

        The store must be closed. Raises InvalidError when the copy fails its check: nothing is changed then.
        """
        if not path.is_file():
            raise NotFoundError(f"There is no backup {path}.", hint="remanence backup --list shows them.")
        check_store_file(path)
        store = self._places.store_path
        kept = store.with_name(f"remanence-before-restore-{self._clock.now():%Y%m%dT%H%M%S%f}.db")
        fresh = store.with_suffix(".restoring")
        fresh.unlink(missing_ok=True)
        os.close(open_private(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        with contextlib.closing(_connect(path)) as source, contextlib.closing(_connect(fresh)) as target:
            source.backup(target, pages=_PAGES)
        _sync(fresh)
        if store.exists():
            for suffix in ("-wal", "-shm"):  # a damaged store is kept whole, with what its log still holds
                log = store.with_name(store.name + suffix)
                if log.exists():
                    log.replace(kept.with_name(kept.name + suffix))
            store.replace(kept)
        fresh.replace(store)
        return kept

    def thin(self, keep: int) -> int:
        """Removes old copies: the newest `keep // 2` stay, then one a day; returns how many went."""
        copies = self.list()
        kept, days = list(copies[: max(1, keep // 2)]), set()
        for copy in copies[len(kept) :]:
            if copy.at.date() not in days and len(kept) < keep:
                days.add(copy.at.date())
                kept.append(copy)
        gone = [copy for copy in copies if copy not in kept]
        for copy in gone:
            copy.path.unlink(missing_ok=True)
        return len(gone)


def check_store_file(path: Path) -> None:
    """Opens a store file and checks it whole. Raises InvalidError with the reason."""
    try:
        with contextlib.closing(_connect(path)) as connection:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except pysqlite3.dbapi2.DatabaseError as error:
        raise InvalidError(f"{path.name} is not a readable store: {error}.", hint=_WHICH) from error
    if verdict != "ok":
        raise InvalidError(f"{path.name} is damaged: {verdict}.", hint=_WHICH)
    if not tables >= _OURS:
        raise InvalidError(f"{path.name} is a database of another program.", hint=_WHICH)
    if version > SCHEMA_VERSION:
        raise InvalidError(
            f"{path.name} has store version {version}; this Remanence knows 1 to {SCHEMA_VERSION}.",
            hint="Update Remanence, then try again.",
        )
    if version < 1:
        raise InvalidError(f"{path.name} is no finished store.", hint=_WHICH)


def _connect(path: Path) -> Any:
    return pysqlite3.connect(str(path))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
