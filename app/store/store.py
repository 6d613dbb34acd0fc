"""The store as the flows see it: reads, journalled writes, announcements after commit.

Owns the order *lock → database → counters* and the one `Changes` per commit. Knows no flow.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pysqlite3.dbapi2 import DatabaseError
from sqlalchemy import Connection, delete, func, select

from app.actor import actor, bound_actor, program
from app.clock import Clock
from app.errors import DiskProblem, RemanenceError
from app.journal_rights import Need
from app.places import Places, refuse_link
from app.store.backups import Backups
from app.store.database import Database
from app.store.deferred_writes import WriteBehind
from app.store.journal import IdCounter, Write, table_of
from app.store.lock import OwnerKind, StoreLock
from app.store.migrations import migrate_if_old
from app.store.missing_store import StoreRecord, check_is_there, check_is_whole
from app.store.tables.core import ChangeRow, OperationRow
from app.store.visibility import is_walled, views_for
from app.values import Changes, DataKind, Origin

_log = logging.getLogger(__name__)
LOOK_EVERY_S = (
    1.0  # at most so long we go on in a file that was removed while nothing is captured; a capture looks itself
)
MOVE_LOG_EVERY_S = 5.0  # what a short history would lose with its log; moving it costs two syncs in a thread of its own


class StoreKeeper:
    def __init__(self, look: Callable[[], object], move_log: Callable[[], bool]) -> None:
        self._look = look
        self._move_log = move_log
        self._is_stopping = threading.Event()
        self._moved_s = -MOVE_LOG_EVERY_S  # what is written first is moved at once
        self._thread = threading.Thread(target=self._run, name="remanence-store", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping.wait(LOOK_EVERY_S):
            try:
                self._look()
                if time.monotonic() - self._moved_s >= MOVE_LOG_EVERY_S and self._move_log():
                    self._moved_s = time.monotonic()
            except RemanenceError as error:  # the disk; the banner says it, and the next round tries again
                _log.debug("the store's thread: %s", error)
            except Exception:  # noqa: BLE001 (this thread must outlive everything; the next round tries again)
                _log.exception("the store's thread failed")


Listener = Callable[[Changes], None]
_OPENED_LATER = (
    "Free some space: it is opened as soon as there is room, and nothing is lost. What comes meanwhile is not kept."
)
_TAKEN_AWAY = (
    "The file of the memory was moved or deleted while Remanence had it open. It was put back; nothing is lost."
)


@contextmanager
def without_room(places: Places) -> Iterator[None]:
    """A disk that takes no file of ours at the start, in words: it is no damage, and no backup helps.

    Raises DiskProblem.
    """
    try:
        yield
    except OSError as error:
        raise DiskProblem(
            f"The folder {places.data_dir} cannot be written: {(error.strerror or str(error)).lower()}.",
            hint="Free some space, then start again; everything saved so far is safe.",
        ) from error


class Store:
    """One open store. Every write is `with store.write(...) as write`."""

    def __init__(self, places: Places, clock: Clock, *, owner: OwnerKind) -> None:
        places.prepare()
        for suffix in ("", "-wal", "-shm", "-journal"):
            refuse_link(places.store_path.with_name(places.store_path.name + suffix))
        refuse_link(places.lock_path)
        self.places = places
        self.clock = clock
        self.lock = StoreLock(places.lock_path)
        with without_room(places):
            self.lock.acquire(owner)
        try:
            self.backups = Backups(places, clock)
            self.backups.remove_leftovers()  # the lock is ours: nobody makes one now
            self.record = StoreRecord(places.record_path)
            with without_room(places):
                self._check_is_there()
                self.database = Database(places.store_path)
                self._open()
        except BaseException:
            self.lock.release()
            raise
        self._owner = owner
        self.disk_problem = ""
        self.notice = ""  # what happened to the store's files while they were open, and was mended
        self.last_seq = 0  # of the newest operation since the start: whoever saw another one saw another store
        self.after_write: Callable[[Write], None] = lambda _write: None  # rebuilds derived columns, set by the flows
        self.settings_changed: Callable[[Iterable[int]], None] = lambda _ids: None
        self._listeners: list[Listener] = []
        self._listeners_lock = threading.Lock()
        self.behind = WriteBehind(lambda: self.database, self.announce)
        # How often something was erased or a receipt taken back: who remembers such things forgets them then.
        self.removed_count = 0
        self._keeper = StoreKeeper(self.keep_in_place, self._move_log)
        self._keeper.start()

    def _check_is_there(self) -> None:
        """Before SQLite touches a file. Raises StoreMissingError, StoreNewerError, StoreCorruptError, DiskProblem."""
        self.backups.finish_restore()
        check_is_there(self.places, self.record.load(), len(self.backups.list()))
        migrate_if_old(self.places.store_path, self.backups)

    def _open(self) -> None:
        """Opens the files that are there, and continues with the record. Raises StoreBehindError among others."""
        self.database.open()
        try:
            with self.database.transaction() as connection:
                self.ids = IdCounter(connection)
                found = self.database.newest()
            check_is_whole(self.places, self.record.load(), found, len(self.backups.list()))
            self.record.begin(found)
        except BaseException:
            self.database.close()
            raise
        self.database.on_commit = self.record.note

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        with self._listeners_lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._listeners_lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    @contextmanager
    def read(self) -> Iterator[Connection]:
        self.behind.settle()
        self._look_at_files()
        with self.database.read() as connection:
            yield connection

    def _look_at_files(self) -> None:
        if not self.database.is_in_place():
            with suppress(DiskProblem):  # the store reports it; what is open can still be read
                self.keep_in_place()

    @contextmanager
    def read_for_caller(self) -> Iterator[Connection]:
        """As `read`, behind the wall of the program that acts: for answers, never for what is kept for everybody."""
        who = bound_actor() or program()
        if who is None or not who.projects:
            with self.read() as connection:
                if who is None or not is_walled(connection, who):
                    yield connection
                    return
        self.behind.settle()
        self._look_at_files()
        with self.database.read_walled(lambda connection: views_for(connection, who)) as connection:
            yield connection

    @contextmanager
    def write(
        self, *, origin: Origin, kind: str, label: str, is_undoable: bool = True, is_durable: bool = True
    ) -> Iterator[Write]:
        """One operation: transaction, journal, derived columns, commit, one announcement.

        Not `is_durable` is for what would be done again after a power cut: reading an event that is on disk.
        """
        self.behind.settle()
        with self._watched(), self.database.transaction(is_durable=is_durable) as connection:
            who = actor()
            is_for_itself = who is not None and not who.is_admin
            by = Origin.API if is_for_itself and origin is Origin.PERSON else origin
            write = Write(connection, self.ids, at=self.clock.now(), origin=by, kind=kind, label=label)
            write.app = who.app if who is not None else ""
            write.is_undoable = is_undoable
            yield write
            self.after_write(write)
            write.finish()
            self.last_seq = write.seq or self.last_seq
        self.keep_in_place()
        self.removed_count += write.is_recorded
        if DataKind.SETTINGS in write.touched:
            self.settings_changed(write.touched[DataKind.SETTINGS])
        self.announce(_changes_of(write))

    @contextmanager
    def write_inbox(self) -> Iterator[Any]:
        """A cursor of the driver for rows of the inbox: durable when it ends, neither journalled nor announced."""
        with self._watched(), self.database.driver_transaction() as cursor:
            yield cursor
        self.keep_in_place()  # before it is confirmed: what was taken into a file without a name is kept, or refused

    @contextmanager
    def write_log(self) -> Iterator[Connection]:
        """For what is counted or logged: not journalled, not announced; the next durable commit makes it outlive a power cut."""
        self.behind.settle()
        with self._watched(), self.database.transaction(is_durable=False) as connection:
            yield connection

    def keep_in_place(self) -> None:
        """Puts the store back that was removed, or replaced, while it was open: all that is open is copied and opened again.

        What was in its place is kept. Raises DiskProblem when that cannot be; then nothing may be confirmed.
        """
        if self.database.is_in_place():
            return
        with self.database.lock:
            if self.database.is_in_place() or not self.database.is_open or self.database.is_writing:
                return
            with self._watched():
                kept = self._put_back()
        self.notice = _TAKEN_AWAY + (f" What was in its place is kept as {kept}." if kept else "")
        _log.warning("%s", self.notice)
        self.announce(Changes(seq=0, kinds=frozenset(DataKind)))

    def _put_back(self) -> Path | None:
        try:
            self.places.prepare()
            self.lock.renew(self._owner)
            fresh = self.backups.copy_beside(self.database.open_driver)
        except (OSError, DatabaseError) as error:
            raise DiskProblem(
                f"The store {self.places.store_path} was moved or deleted and could not be put back: {error}.",
                hint="Free some space; do not quit Remanence before that, or what is new is lost.",
            ) from error
        kept = self.backups.put_in_place(fresh)  # while it is open: should this fail, what is new is still held
        self.database.close()
        self._open()
        return kept

    def _move_log(self) -> bool:
        is_moved = self.database.move_log()
        if not self.record.is_in_place:
            with self.database.lock:
                self.record.again()
        if is_moved:
            self.record.sync()
        return is_moved

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except DiskProblem as problem:
            self.note_disk(f"{problem} {problem.hint}")
            raise
        if self.disk_problem:
            self.note_disk("")

    def note_disk(self, problem: str) -> None:
        """Remembers and announces that the disk failed, or ("") that it works again."""
        if problem == self.disk_problem:
            return
        self.disk_problem = problem
        self.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))

    def announce(self, changes: Changes) -> None:
        """Notifies every listener; a listener's own error is logged and stops nobody."""
        if not changes.kinds:
            return
        with self._listeners_lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            try:
                listener(changes)
            except Exception:  # noqa: BLE001 (a listener is foreign code; its fault must not undo a commit)
                _log.exception("a listener failed")

    def prune_journal(self, keep_days: int) -> int:
        """Lets go of images older than `keep_days`; returns how many operations lost their undo.

        Counted from the newest operation, not from the wall clock: a clock jump forgets nothing.
        """
        operation, change = table_of(OperationRow), table_of(ChangeRow)
        with self.database.transaction() as connection:
            newest: datetime | None = connection.execute(select(func.max(operation.c.at))).scalar()
            if newest is None:
                return 0
            old = select(operation.c.id).where(operation.c.at < newest - timedelta(days=keep_days))
            self.ids.keep(connection)
            connection.execute(delete(change).where(change.c.operation_id.in_(old)))
            gone = connection.execute(delete(operation).where(operation.c.id.in_(old)))
            return int(gone.rowcount)

    def restore(self, path: Path) -> Path | None:
        """Puts a checked copy in the store's place and opens it; returns where the present store is kept.

        Raises NotFoundError, InvalidError, DiskProblem: nothing is changed then.
        """
        self.behind.settle()
        with self.database.lock:
            fresh = self.backups.prepare(path)
            self.backups.create("before restore")
            self.database.close()
            try:
                kept = self.backups.put_in_place(fresh)
            finally:  # the new one, or the old one when the disk was in the way
                self._reopen()
        self.announce(Changes(seq=0, kinds=frozenset(DataKind)))
        return kept

    def _reopen(self) -> None:
        """Opens what is there. Raises DiskProblem where the disk is full even for that: then whoever writes next tries again."""
        self.database.reopen = None
        try:
            self._check_is_there()
            self._open()
        except (OSError, DatabaseError, DiskProblem) as error:
            self.database.reopen = self._reopen_later
            reason = str(getattr(error, "strerror", None) or error)
            problem = DiskProblem(f"The store could not be opened again: {reason.rstrip('.')}.", hint=_OPENED_LATER)
            self.note_disk(f"{problem} {problem.hint}")
            raise problem from error
        if self.disk_problem:
            self.note_disk("")

    def _reopen_later(self) -> None:
        self._reopen()
        self.announce(Changes(seq=0, kinds=frozenset(DataKind)))

    def close(self) -> None:
        self.database.reopen = None
        self._keeper.stop()
        self.behind.stop()
        try:
            self.keep_in_place()
            self.database.close()
        finally:
            self.record.sync()
            self.record.close()
            self.lock.release()


def _changes_of(write: Write) -> Changes:
    ids: dict[DataKind, tuple[int, ...]] = {kind: tuple(sorted(found)) for kind, found in write.touched.items()}
    return Changes(
        seq=write.seq,
        kinds=frozenset(ids),
        ids=ids,
        origin=write.origin,
        operation_id=write.operation_id,
        label=write.label,
        is_undoable=write.is_undoable and write.operation_id is not None,
        held_ids=tuple(sorted(write.held_ids)),
        app=write.app,
        is_private=write.need is Need.PERSON,
    )
