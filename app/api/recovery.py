"""Puts a backup in place of a store that nobody has open, also of one too damaged to open.

Owns taking the lock for that moment. Source: QUALITY R4, R5.
"""

from pathlib import Path

from app.clock import SystemClock
from app.places import Places
from app.store.backups import Backups
from app.store.lock import StoreLock


def restore_closed_store(places: Places, path: Path) -> Path:
    """Where the present store was kept. Raises StoreLockedError, NotFoundError, InvalidError; then nothing changed."""
    places.prepare()
    lock = StoreLock(places.lock_path)
    lock.acquire("command")
    try:
        return Backups(places, SystemClock()).restore(path)
    finally:
        lock.release()
