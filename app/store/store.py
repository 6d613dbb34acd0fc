"""The store as the services see it: reads, journalled writes, announcements after commit.

Owns the order *lock → database → counters* and the one `Changes` per commit. Knows no flow.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, func, select

from app.acting import acting_app
from app.clock import Clock
from app.errors import DiskProblem
from app.places import Places, refuse_link
from app.store.backups import Backups
from app.store.behind import WriteBehind
from app.store.database import Database
from app.store.journal import IdCounter, Write, table_of
from app.store.lock import OwnerKind, StoreLock
from app.store.migrations import migrate_if_old
from app.store.tables import ChangeRow, OperationRow
from app.values import Changes, DataKind, Origin

_log = logging.getLogger(__name__)
Listener = Callable[[Changes], None]


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
        self.lock.acquire(owner)
        try:
            self.backups = Backups(places, clock)
            migrate_if_old(places.store_path, self.backups)
            self.database = Database(places.store_path)
            self.database.open()
            with self.database.transaction() as connection:
                self.ids = IdCounter(connection)
        except BaseException:
            self.lock.release()
            raise
        self.disk_problem = ""
        self.last_seq = 0  # of the newest operation since the start: whoever saw another one saw another store
        self.after_write: Callable[[Write], None] = lambda _write: None  # rebuilds derived columns, set by services
        self.settings_changed: Callable[[Iterable[int]], None] = lambda _ids: None
        self._listeners: list[Listener] = []
        self._listeners_lock = threading.Lock()
        self.behind = WriteBehind(lambda: self.database, self.announce)
        # How often something was erased or a receipt taken back: who remembers such things forgets them then.
        self.removed_count = 0

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
        with self.database.read() as connection:
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
            app = acting_app()
            by = Origin.API if app and origin is Origin.PERSON else origin
            write = Write(connection, self.ids, at=self.clock.now(), origin=by, kind=kind, label=label)
            write.app = app
            write.is_undoable = is_undoable
            yield write
            self.after_write(write)
            write.finish()
            self.last_seq = write.seq or self.last_seq
        self.removed_count += write.is_recorded
        if DataKind.SETTINGS in write.touched:
            self.settings_changed(write.touched[DataKind.SETTINGS])
        self.announce(_changes_of(write))

    @contextmanager
    def write_inbox(self) -> Iterator[Any]:
        """A cursor of the driver for rows of the inbox: durable when it ends, neither journalled nor announced."""
        with self._watched(), self.database.driver_transaction() as cursor:
            yield cursor

    @contextmanager
    def write_log(self) -> Iterator[Connection]:
        """For what is counted or logged: not journalled, not announced; the next durable commit makes it outlive a power cut."""
        self.behind.settle()
        with self._watched(), self.database.transaction(is_durable=False) as connection:
            yield connection

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
        """Tells every listener; a listener's own error is logged and stops nobody."""
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

    def restore(self, path: Path) -> Path:
        """Puts a checked copy in the store's place and opens it; returns where the present store is kept."""
        self.behind.settle()
        with self.database.lock:
            self.backups.create("before restore")
            self.database.close()
            try:
                kept = self.backups.restore(path)
                migrate_if_old(self.places.store_path, self.backups)
            finally:
                self.database = Database(self.places.store_path)
                self.database.open()
            with self.database.transaction() as connection:
                self.ids = IdCounter(connection)
        self.announce(Changes(seq=0, kinds=frozenset(DataKind)))
        return kept

    def close(self) -> None:
        self.behind.stop()
        self.database.close()
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
    )


def scalar(connection: Connection, statement: Any) -> int:
    return int(connection.execute(statement).scalar() or 0)
