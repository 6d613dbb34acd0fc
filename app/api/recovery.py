"""Ways out when the store cannot be opened: a backup in its place, an empty one on purpose, or going on with what is there.

Each for a store that nobody has open, also for one too damaged to open, or gone. Owns taking the lock for that moment.
Source: QUALITY R4, R5.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.clock import SystemClock
from app.errors import DiskProblem, NotFoundError
from app.places import Places
from app.store.backups import Backups, check_store_file
from app.store.database import Database
from app.store.lock import StoreLock
from app.store.presence import StoreRecord, read_numbers


def restore_closed_store(places: Places, path: Path) -> Path | None:
    """Where what lay in the store's place is kept. Raises StoreLockedError, NotFoundError, InvalidError, DiskProblem; then nothing
    changed. Killed anywhere, the old store or the new one is there whole at the next start.
    """
    with _alone(places) as backups:
        return backups.restore(path)


def begin_anew(places: Places) -> Path | None:
    """An empty store in place of whatever lies there; returns where that is kept. Raises StoreLockedError, DiskProblem."""
    with _alone(places) as backups:
        fresh = places.next_store_path.with_suffix(".empty")
        try:
            fresh.unlink(missing_ok=True)
            database = Database(fresh)
            database.open()
            database.close()
            return backups.put_in_place(fresh)
        except OSError as error:
            raise DiskProblem(f"{fresh} cannot be written: {error.strerror}.", hint="Free some space.") from error


def accept_store(places: Places) -> None:
    """From now on the store that lies there is the one, whatever is missing in it.

    Raises StoreLockedError, NotFoundError, and InvalidError when it is damaged.
    """
    with _alone(places):
        if not places.store_path.is_file():
            raise NotFoundError(
                f"There is no store at {places.store_path}.",
                hint="remanence restore --anew begins with an empty memory.",
            )
        check_store_file(places.store_path)
        StoreRecord(places.record_path).begin(read_numbers(places.store_path))


@contextmanager
def _alone(places: Places) -> Iterator[Backups]:
    places.prepare()
    lock = StoreLock(places.lock_path)
    lock.acquire("command")
    try:
        backups = Backups(places, SystemClock())
        backups.finish_restore()
        yield backups
    finally:
        lock.release()
