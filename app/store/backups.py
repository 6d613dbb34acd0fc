"""Verified copies of the store: made with SQLite's backup call, opened and checked, thinned.

Owns file names `remanence-<UTC>-<reason>.db`. A copy that fails its check is removed and said.
Restoring keeps what was there beside it, and is all or nothing. Source: QUALITY R5, STACK section 3.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pysqlite3

from app.clock import Clock
from app.errors import DiskProblem, InvalidError, NotFoundError
from app.places import Places, check_path, open_private, sync_folder
from app.store.missing_store import UNREADABLE, Numbers, StoreRecord, connect_existing
from app.store.tables.core import SCHEMA_VERSION
from app.values import Backup

_NAME = re.compile(r"remanence-(\d{8}T\d{6})(\d{6})Z-([a-z-]+)\.db")
_BESIDE = ("-wal", "-shm", "-journal")  # of a store; they belong to that file alone
TABLES_OF_EVERY_VERSION = frozenset({"conversation", "message", "operation"})
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
                contextlib.closing(connect_existing(self._places.store_path)) as source,
                contextlib.closing(connect_existing(partial)) as target,
            ):
                source.backup(target)  # at one stroke: in parts, every write begins it again
                target.execute("PRAGMA journal_mode=DELETE")
            check_store_file(partial)
            _sync(partial)
            partial.replace(path)
            sync_folder(path.parent)
        except InvalidError:
            _drop(partial)
            raise
        except (OSError, pysqlite3.dbapi2.DatabaseError) as error:
            _drop(partial)
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

    def restore(self, path: Path) -> Path | None:
        """Puts a checked copy in the store's place; returns where what was there is kept. The store must be closed.

        Raises NotFoundError, InvalidError, DiskProblem: nothing is changed then. Killed anywhere, the old store or the new one
        is there whole at the next start.
        """
        return self.put_in_place(self.prepare(path))

    def prepare(self, path: Path) -> Path:
        """A checked copy of a backup, ready for `put_in_place`. Raises NotFoundError, InvalidError, DiskProblem."""
        check_path(path)
        if not path.is_file():
            raise NotFoundError(f"There is no backup {path}.", hint="remanence backup --list shows them.")
        if self._places.store_path.exists() and path.samefile(self._places.store_path):
            raise InvalidError(f"{path} is the store itself.", hint=_WHICH)
        check_store_file(path)
        with _explained(f"{path.name} could not be restored"), contextlib.closing(connect_existing(path)) as source:
            return self.copy_beside(source)

    def copy_beside(self, source: Any) -> Path:
        """A checked copy of what this connection of the driver sees, beside the store and on the disk."""
        fresh = self._places.next_store_path.with_suffix(".partial")
        try:
            fresh.unlink(missing_ok=True)
            os.close(open_private(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL))
            with contextlib.closing(connect_existing(fresh)) as target:
                source.backup(target)  # at one stroke: in parts, every write begins it again
                target.execute("PRAGMA journal_mode=DELETE")
            check_store_file(fresh)
            _sync(fresh)
        except BaseException:
            _drop(fresh)
            raise
        return fresh

    def put_in_place(self, fresh: Path) -> Path | None:
        """`fresh` becomes the store; returns where what was there is kept. The store must be closed.

        What is decided is said by a name, given at one stroke: before it the old store is untouched, after it `finish_restore`
        carries on, now or at the next start.
        """
        with _explained("The store could not be put in place"):
            kept = self._keep_aside()
            sync_folder(self._places.data_dir)
            fresh.replace(self._places.next_store_path)
            sync_folder(self._places.data_dir)
            try:
                self._forget_numbers()
            except OSError:  # nothing of the present store was touched yet: it continues
                self._places.next_store_path.unlink()
                raise
            self.finish_restore()
        return kept

    def finish_restore(self) -> bool:
        """Carries out what a restore had decided when it was killed; True when there was something."""
        store, decided = self._places.store_path, self._places.next_store_path
        if not decided.exists():
            self._forget_undecided()
            return False
        self._forget_numbers()
        for suffix in _BESIDE:  # the old log would be read into the new store
            store.with_name(store.name + suffix).unlink(missing_ok=True)
        sync_folder(self._places.data_dir)
        decided.replace(store)
        sync_folder(self._places.data_dir)
        return True

    def _forget_numbers(self) -> None:
        """What was confirmed before may be newer than the store that comes."""
        StoreRecord(self._places.record_path).begin(Numbers())

    def _keep_aside(self) -> Path | None:
        """Second names for the present store and its log: damaged or not, it is kept whole."""
        store = self._places.store_path
        log = store.with_name(store.name + "-wal")
        if not _has_content(store) and not _has_content(log):
            return None
        at = self._clock.now()
        while True:  # nothing that was put aside is overwritten, also where the clock stands or goes back
            kept = store.with_name(f"remanence-before-restore-{at:%Y%m%dT%H%M%S%f}.db")
            if not kept.exists() or _is_same(kept, store):
                break
            at += timedelta(microseconds=1)
        for path, name in ((store, kept), (log, kept.with_name(kept.name + "-wal"))):
            if _has_content(path):
                _name_again(path, name)
        return kept

    def _forget_undecided(self) -> None:
        """What a killed restore leaves: half a copy, which an erase would not find, and second names of the store in use."""
        for half in self._places.data_dir.glob(
            f"{self._places.next_store_path.stem}.[pe]*"
        ):  # .partial, .empty, their logs
            if half.suffix.partition("-")[0] in {".partial", ".empty"}:
                half.unlink()
        store = self._places.store_path
        for kept in self._places.data_dir.glob("remanence-before-restore-*.db"):
            if _is_same(kept, store):
                kept.unlink()
                kept.with_name(kept.name + "-wal").unlink(missing_ok=True)

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
        if gone:
            sync_folder(self._places.backups_dir)
        return len(gone)


def check_store_file(path: Path) -> None:
    """Opens a store file and checks it whole. Raises InvalidError with the reason."""
    try:
        with contextlib.closing(connect_existing(path)) as connection:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except UNREADABLE as error:
        raise InvalidError(f"{path.name} is not a readable store: {error}.", hint=_WHICH) from error
    if verdict != "ok":
        raise InvalidError(f"{path.name} is damaged: {verdict}.", hint=_WHICH)
    if not tables >= TABLES_OF_EVERY_VERSION:
        raise InvalidError(f"{path.name} is a database of another program.", hint=_WHICH)
    if version > SCHEMA_VERSION:
        raise InvalidError(
            f"{path.name} has store version {version}; this Remanence knows 1 to {SCHEMA_VERSION}.",
            hint="Update Remanence, then try again.",
        )
    if version < 1:
        raise InvalidError(f"{path.name} is no finished store.", hint=_WHICH)


@contextlib.contextmanager
def _explained(what: str) -> Iterator[None]:
    """A disk that fails, in words."""
    try:
        yield
    except (OSError, pysqlite3.dbapi2.DatabaseError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DiskProblem(f"{what}: {reason}.", hint="Free some space, then try again.") from error


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _is_same(one: Path, other: Path) -> bool:
    """Two names of one file."""
    return one.exists() and other.exists() and one.samefile(other)


def _name_again(path: Path, name: Path) -> None:
    """A second name for a file; a copy on a disk that gives none. A restore that was broken off may have given it already."""
    if _is_same(path, name):
        return
    name.unlink(missing_ok=True)
    try:
        name.hardlink_to(path)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, name)
        name.chmod(0o600)
        _sync(name)


def _drop(path: Path) -> None:
    """Removes half a copy; on a disk that fails the next start does."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
