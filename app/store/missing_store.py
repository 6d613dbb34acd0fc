"""Tells a first start from a store that is gone, and a whole store from one whose newest changes are gone.

Owns the record: a small file that says that there was a store, and the newest event and operation in it that were durable.
It is written over in place after each durable commit and synced with the log: a kill leaves it exact, a power cut leaves it
older than the store and never newer. Knows no flow. Source: QUALITY R1, R4.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

import pysqlite3

from app.errors import StoreBehindError, StoreMissingError
from app.places import Places, open_private, write_private

_FORM = "remanence store\nevent %020d\noperation %020d\n"
_READ = re.compile(_FORM.replace("%020d", r"(\d{20})"))
NEWEST = "SELECT coalesce((SELECT max(id) FROM event), 0), coalesce((SELECT max(id) FROM operation), 0)"
UNREADABLE = (pysqlite3.dbapi2.DatabaseError, UnicodeDecodeError)  # the second when SQLite quotes a damaged name
_ANEW = "remanence restore --anew starts with an empty store."


class Numbers(NamedTuple):
    """The newest event and the newest operation of a store."""

    event: int = 0
    operation: int = 0


class StoreRecord:
    """Not thread-safe: for whoever holds the lock of the database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._newest = Numbers()

    def load(self) -> Numbers | None:
        """What was written last; None where no store ever was; zeros when it cannot be read."""
        try:
            found = _READ.fullmatch(self._path.read_bytes().decode("ascii", "replace"))
        except FileNotFoundError:
            return None
        except OSError:
            return Numbers()
        return Numbers(*map(int, found.groups())) if found else Numbers()

    def begin(self, numbers: Numbers) -> None:
        """From now on there is a store, with these. Synced; also where there was none before."""
        self.close()
        self._newest = numbers
        write_private(self._path, (_FORM % numbers).encode())

    def note(self, numbers: Numbers, is_durable: bool) -> None:
        """A commit left these as the newest: fewer than before when something was erased, and then never more than are durable."""
        if not is_durable:
            numbers = Numbers(*map(min, numbers, self._newest))
        if numbers == self._newest:
            return
        self._newest = numbers
        with contextlib.suppress(OSError):  # without it less is noticed, and nothing lost
            if self._descriptor is None:
                self._descriptor = open_private(self._path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, (_FORM % self._newest).encode())

    @property
    def is_in_place(self) -> bool:
        return self._path.exists()

    def again(self) -> None:
        """Writes it once more: somebody has deleted it."""
        self.begin(self._newest)

    def sync(self) -> None:
        """Brings it to the disk; needs no lock."""
        with contextlib.suppress(OSError):
            if self._descriptor is not None:
                os.fsync(self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def check_is_there(places: Places, record: Numbers | None, backup_count: int) -> None:
    """Raises StoreMissingError where a store has been and is not, or is empty. To be asked before SQLite touches anything.

    SQLite itself would make a new store, and delete the log that is beside an empty one.
    """
    store = places.store_path
    has_log = _size_of(store.with_name(f"{store.name}-wal")) > 0
    if record is None and not backup_count and not (has_log and not _size_of(store)):
        return
    if _size_of(store) and not _has_no_tables(store):
        return
    state = "is empty" if store.exists() else "is missing"
    seen = f"{backup_count:,} backups are beside it" if backup_count != 1 else "there is a backup beside it"
    if not backup_count:
        seen = "its log is still beside it" if has_log else "Remanence has kept one there before"
    raise StoreMissingError(f"The store {store} {state}, but {seen}.", hint=f"{_back(backup_count)} {_ANEW}")


def check_is_whole(places: Places, record: Numbers | None, found: Numbers, backup_count: int) -> None:
    """Raises StoreBehindError when the store holds less than was confirmed: its log was lost, or it is an older copy.

    Raises StoreMissingError for one without any content beside backups, when nothing says that it may be new.
    """
    if record is None:
        if backup_count and found == Numbers():
            raise StoreMissingError(
                f"The store {places.store_path} is empty, but backups are beside it.",
                hint=f"{_back(backup_count)} {_ANEW}",
            )
        return
    events, changes = max(0, record.event - found.event), max(0, record.operation - found.operation)
    if not events and not changes:
        return
    counted = ((events, "captured event"), (changes, "change"))
    lacks = [f"{count:,} {name}{'s' * (count != 1)}" for count, name in counted if count]
    raise StoreBehindError(
        f"The store {places.store_path} lacks its newest content: up to {' and '.join(lacks)} that Remanence had confirmed. "
        "Its log (remanence.db-wal) was deleted, or an older copy was put in its place.",
        hint=f"Put the missing file back if you can. {_back(backup_count)} remanence restore --as-it-is continues with what is there.",
    )


def _back(backup_count: int) -> str:
    """What to do about a store that is gone.

    >>> _back(0)
    'There is no backup; put a copy of the file back if you have one.'
    """
    if backup_count:
        return "remanence restore --latest puts the newest backup in place."
    return "There is no backup; put a copy of the file back if you have one."


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _has_no_tables(store: Path) -> bool:
    """Whether the file is a database in which nothing was ever made. What cannot be read is not empty."""
    try:
        with contextlib.closing(connect_existing(store)) as connection:
            return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except UNREADABLE:
        return False


def read_numbers(store: Path) -> Numbers:
    """What a whole store holds; zeros when it cannot be read."""
    try:
        with contextlib.closing(connect_existing(store)) as connection:
            return Numbers(*connection.execute(NEWEST).fetchone())
    except UNREADABLE:
        return Numbers()


def connect_existing(path: Path) -> pysqlite3.dbapi2.Connection:
    """A connection of the driver that never makes a file."""
    return pysqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
