"""Opens the SQLite file: driver, pragmas, one writing connection, reading connections. Knows no flow.

The driver is pysqlite3 because the WAL-reset race of SQLite before 3.51.3 can lose committed pages.
`synchronous=FULL`: acknowledged means durable. Source: STACK section 3, STYLE "Store".
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pysqlite3
from sqlalchemy import Connection, Engine, create_mock_engine, event, make_url, text
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool
from sqlalchemy.util import LRUCache
from sqlmodel import SQLModel

from app.errors import DiskProblem, EnvironmentProblem, StoreCorruptError, StoreNewerError
from app.places import open_private, sync_folder
from app.privacy.exclusion import is_in_folder
from app.store.missing_store import NEWEST, Numbers
from app.store.tables.core import SCHEMA_VERSION

APPLICATION_ID = 0x52454D4E  # "REMN"
OLDEST_SQLITE = (3, 51, 3)
_COMMITS_IN_LOG = 200  # then it is moved into the file, beside the writers
_ROWS_IN_LOG = 2_000  # some 2,000 pages: three receipts of large contexts
_IN_MEMORY_BYTES = 268_435_456  # a larger store is rewritten by way of a file, not of memory
_WRITER_CACHE_KB, _READER_CACHE_KB = 4_096, 1_024  # what falls out is in the system's own cache: see the room's README
_MOST_IDLE = 4  # readers; below what the pool can lend, or nobody else would get one
_SCRUB_WAIT_S = 120.0  # a reader on a machine that is busy; captures go on meanwhile
_SCRUB_PAUSE_S = 0.05
_SCRUB_BUSY_MS = 500  # of one try, in which nobody else writes
_BUSY_MS = 5_000
_LOG_PAGES = 8_000  # 32 MB: only when that could not be is it moved by a writer
_FILES = ("", "-wal", "-shm")  # of one store
_RESTORE = "Restore a backup: remanence restore --latest. The damaged file is kept."
_COLUMNS = "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
_DISK_WORDS = ("disk is full", "disk i/o error", "readonly database", "read-only", "unable to open database file")
# One for all connections of the process: a statement that the writer put into words is not compiled again for a reader. That
# was a third of what a short life of the engine takes (`create_engine` makes both again each time).
_DIALECT = SQLiteDialect_pysqlite(dbapi=pysqlite3.dbapi2)
_COMPILED: LRUCache[Any, Any] = LRUCache(1_000)
_CORRUPT_WORDS = (
    "malformed",
    "not a database",
    "file is encrypted",
    "corrupt",
    "could not decode",
    "unsupported file format",
)


@cache
def _schema(_table_count: int) -> tuple[str, ...]:
    """The statements that make tables, indexes and triggers, in order; put into words once, since that takes longer than making them."""
    statements: list[str] = []
    engine = create_mock_engine(
        "sqlite://", lambda one, *_, **__: statements.append(str(one.compile(dialect=_DIALECT)))
    )
    SQLModel.metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


class Database:
    """One SQLite file. `write` holds the only writing connection; `read` gives a consistent snapshot."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._check_driver()
        self._writer: Engine = self._make_engine(pool=NullPool, is_writer=True)
        self._reader: Engine = self._make_engine(pool=QueuePool, is_writer=False)
        self._walled: Engine = self._make_engine(pool=NullPool, is_writer=False)  # views of one caller never outlive it
        self._connection: Connection | None = None
        self._idle: list[Connection] = []  # of readers, ready for the next one: the pool takes as long as a small query
        self._is_durable = True
        self._commit_count = self._moved_count = self._moved_rows = 0
        self._file_ids: tuple[tuple[str, tuple[int, int]], ...] = ()
        self.reopen: Callable[[], None] | None = None  # where it could not be opened again: tried when somebody writes
        self.on_commit: Callable[[Numbers, bool], None] = lambda _newest, _is_durable: None

    def open(self) -> None:
        """Checks and prepares the file, a new one where there is none. Raises StoreNewerError, StoreCorruptError, DiskProblem."""
        if not self.path.exists():
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT))
        self._drop_readers()  # whoever read while it was closed read what was here before
        with opening(self.path):
            connection = self._writer.connect()
            version = int(connection.execute(text("PRAGMA user_version")).scalar_one())
            if version > SCHEMA_VERSION:
                connection.close()
                raise StoreNewerError(
                    f"The store {self.path} was written by a newer Remanence (version {version}, this one knows "
                    f"{SCHEMA_VERSION}). It was left untouched.",
                    hint="Update Remanence, or point REMANENCE_HOME to another folder.",
                )
            if connection.execute(text("PRAGMA quick_check(1)")).scalar_one() != "ok":
                connection.close()
                raise StoreCorruptError(f"The store {self.path} is damaged.", hint=_RESTORE)
            if version and not _has_our_columns(connection):  # the check does not read the names of tables and columns
                connection.close()
                raise StoreCorruptError(
                    f"The store {self.path} is damaged: a table or a column is missing.", hint=_RESTORE
                )
            connection.exec_driver_sql("PRAGMA shrink_memory")  # the check has read every page
            if version == 0:
                self._create(connection)
            connection.commit()
            self._connection, self._moved_rows = connection, 0
            if version == 0:  # a new store that is in its log alone is an empty file to whoever loses the log
                self._driver().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                sync_folder(self.path.parent)
            names = [f"{self.path}{suffix}" for suffix in _FILES]
            self._file_ids = tuple((name, found) for name in names if (found := _file_id(name)) is not None)

    def _create(self, connection: Connection) -> None:
        cursor = self.cursor_of(connection)  # the library in between takes twice as long as the making
        cursor.execute("BEGIN IMMEDIATE")  # else every table waits for the disk on its own
        for statement in _schema(len(SQLModel.metadata.tables)):
            cursor.execute(statement)
        cursor.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        cursor.execute(f"PRAGMA application_id={APPLICATION_ID}")
        cursor.close()

    @property
    def writer_connection(self) -> Connection:
        if self._connection is None and self.reopen is not None:
            self.reopen()
        if self._connection is None:
            raise EnvironmentProblem("The store is closed.", hint="Start Remanence again.")
        return self._connection

    @contextmanager
    def transaction(self, *, is_durable: bool = True) -> Iterator[Connection]:
        """The writing connection inside BEGIN IMMEDIATE; commits at the end, rolls back on any error.

        What is not `is_durable` is whole and in order, but waits for the next durable commit to outlive a power cut.
        """
        with self.lock, explained(self.path):
            connection = self.writer_connection
            self._set_durable(is_durable)
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                with self._whole(connection, is_durable=is_durable):
                    yield connection
            finally:
                with contextlib.suppress(pysqlite3.dbapi2.DatabaseError):  # then the next one sets it
                    self._set_durable(True)  # here nobody waits for it

    @contextmanager
    def _whole(self, connection: Connection, *, is_durable: bool) -> Iterator[None]:
        try:
            yield
            newest = self.newest()
            connection.commit()
            self._commit_count += 1
            self.on_commit(newest, is_durable)
        except BaseException:
            with contextlib.suppress(OperationalError):  # a full disk has rolled back by itself already
                connection.rollback()
            raise

    @contextmanager
    def driver_transaction(self) -> Iterator[Any]:
        """A cursor of the driver inside BEGIN IMMEDIATE, durable: for what somebody waits for."""
        with self.lock, explained(self.path):
            self._set_durable(True)
            cursor = self._driver().cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                newest = Numbers(*cursor.execute(NEWEST).fetchone())
                cursor.execute("COMMIT")
                self._commit_count += 1
                self.on_commit(newest, True)
            except BaseException:
                if self._driver().in_transaction:  # a full disk has rolled back by itself already
                    cursor.execute("ROLLBACK")
                raise
            finally:
                cursor.close()

    @contextmanager
    def part(self, connection: Connection) -> Iterator[None]:
        """A part of a transaction that may fail alone: after an error nothing of it stays, and the rest can go on."""
        cursor = self.cursor_of(connection)  # the library compiles a savepoint again each time
        cursor.execute("SAVEPOINT part")
        try:
            yield
            cursor.execute("RELEASE part")
        except BaseException:
            with contextlib.suppress(pysqlite3.dbapi2.DatabaseError):  # a full disk has rolled back all of it by itself
                cursor.execute("ROLLBACK TO part")
                cursor.execute("RELEASE part")
            raise
        finally:
            cursor.close()

    def newest(self) -> Numbers:
        """What the store holds, as the writing connection sees it: two looks at the end of an index."""
        return Numbers(*self._driver().execute(NEWEST).fetchone())

    def _set_durable(self, is_durable: bool) -> None:
        if is_durable is not self._is_durable:
            self._driver().execute(f"PRAGMA synchronous={'FULL' if is_durable else 'NORMAL'}")
            self._is_durable = is_durable

    @staticmethod
    def cursor_of(connection: Connection) -> Any:
        """A cursor of the driver inside the transaction of `connection`."""
        return connection.connection.driver_connection.cursor()  # type: ignore[union-attr]

    @property
    def is_writing(self) -> bool:
        """Whether a transaction is open; for whoever holds the lock."""
        return bool(self._driver().in_transaction)

    def _driver(self) -> Any:
        return self.writer_connection.connection.driver_connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A reading connection: one snapshot for the whole block, never waits for the writer."""
        idle = self._idle
        with explained(self.path):
            connection = _take(idle) or self._reader.connect()
            try:
                self.cursor_of(connection).execute("BEGIN")
                yield connection
                self._end(connection)
            except BaseException:
                connection.close()  # the pool rolls back what comes back to it
                raise
            if idle is not self._idle:  # it belongs to a file that was closed since
                connection.detach()
                connection.close()
            elif len(idle) < _MOST_IDLE:
                idle.append(connection)
                if idle is not self._idle:  # closed this very moment
                    _close_all(idle, is_for_good=True)
            else:  # enough are kept
                connection.close()

    @contextmanager
    def read_walled(self, put_up: Callable[[Connection], Iterable[str]]) -> Iterator[Connection]:
        """A reading connection of its own, on which the statements of `put_up` are before the tables."""
        with explained(self.path):
            connection = self._walled.connect()
            try:
                cursor = self.cursor_of(connection)
                statements = list(put_up(connection))
                self._end(connection)
                cursor.execute("PRAGMA query_only=OFF")
                for statement in statements:
                    cursor.execute(statement)
                cursor.execute("PRAGMA query_only=ON")
                cursor.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    @staticmethod
    def _end(connection: Connection) -> None:
        if connection.in_transaction():  # the library was asked, and keeps a state of its own
            connection.rollback()
        else:
            connection.connection.driver_connection.rollback()  # type: ignore[union-attr]

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    @property
    def open_driver(self) -> Any:
        """The driver's writing connection, for whoever holds the lock: it still sees a file that was removed."""
        return self._driver()

    def is_in_place(self) -> bool:
        """Whether the files that are open are still the ones that their names mean. Three looks, some microseconds."""
        return all(_file_id(name) == known for name, known in self._file_ids)

    def close(self) -> None:
        with self.lock:
            if self._connection is not None:
                if self.is_in_place():
                    with explained(self.path):
                        self._connection.exec_driver_sql("PRAGMA optimize")
                        self._connection.commit()
                self._connection.close()
                self._connection = None
            self._drop_readers()
            self._walled.dispose()
            self._writer.dispose()

    def _drop_readers(self) -> None:
        """No connection that was made till now is lent again, also none that somebody still has.

        The pool goes first: who sees the new list of idle ones finds the new pool.
        """
        pool = self._reader.pool
        self._reader.dispose()
        idle, self._idle = self._idle, []
        _close_all(idle)  # they go back to the pool they came from
        pool.dispose()

    def move_log_if_long(self) -> None:
        """Moves the log of many commits into the store's file: work of threads that nobody waits for."""
        if self._commit_count - self._moved_count >= _COMMITS_IN_LOG:
            self.move_log()

    def move_log_if_large(self) -> None:
        """The same after many rows: of a large store nearly each is in a page of its own, and the log is full before many commits."""
        if self._count_rows() - self._moved_rows >= _ROWS_IN_LOG:
            self.move_log()

    def _count_rows(self) -> int:
        """How many were written since it was opened; 0 while it is closed, also by another thread at this moment: no lock is taken."""
        connection = self._connection
        with contextlib.suppress(SQLAlchemyError, pysqlite3.dbapi2.Error):
            driver = connection.connection.driver_connection if connection is not None else None
            return int(driver.total_changes) if driver is not None else 0
        return 0

    def move_log(self) -> bool:
        """Moves the log into the store's file, if anything was written since; whether there was."""
        if self._commit_count == self._moved_count or not self.is_open:
            return False
        commits, written = self._commit_count, self._count_rows()
        with explained(self.path), self._reader.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")  # is in no writer's way
        self._moved_count, self._moved_rows = commits, written  # not before: what failed is tried again
        return True

    def scrub(self) -> None:
        """Rewrites the file, so that no page keeps what was deleted, and empties the log.

        Seconds for a large store. Raises EnvironmentProblem when readers do not let the log go.
        """
        with self.lock, explained(self.path):
            driver = self._driver()
            if self.path.stat().st_size > _IN_MEMORY_BYTES:
                driver.execute("PRAGMA temp_store=FILE")
            try:
                driver.execute("VACUUM")
            finally:
                driver.execute("PRAGMA temp_store=MEMORY")
        until_s = time.monotonic() + _SCRUB_WAIT_S
        while time.monotonic() < until_s:
            if self._empty_log():
                return
            time.sleep(_SCRUB_PAUSE_S)
        raise EnvironmentProblem(
            "The log of the store could not be emptied: something is still reading it.",
            hint="Try again in a moment; what was erased is gone from the store already.",
        )

    def _empty_log(self) -> bool:
        """Whether no reader stood in the way."""
        with self.lock, explained(self.path):
            driver = self._driver()
            driver.execute(f"PRAGMA busy_timeout={_SCRUB_BUSY_MS}")
            try:
                is_busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                driver.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        return not is_busy

    def raw(self) -> Any:
        """A fresh driver connection, for backup and checks."""
        return pysqlite3.connect(str(self.path))

    def _make_engine(self, *, pool: type[NullPool] | type[QueuePool], is_writer: bool) -> Engine:
        options: dict[str, Any] = {} if pool is NullPool else {"pool_size": 8, "max_overflow": 8, "use_lifo": True}
        engine = Engine(
            pool(self._connect, dialect=_DIALECT, **options),
            _DIALECT,
            make_url(f"sqlite:///{self.path}"),
            execution_options={"compiled_cache": _COMPILED},
        )

        @event.listens_for(engine, "handle_error")
        def _explain(context: Any) -> None:
            if isinstance(context.original_exception, UnicodeDecodeError):
                raise _damaged_name(self.path) from context.original_exception

        @event.listens_for(engine, "connect")
        def _prepare(connection: Any, _record: object) -> None:
            connection.create_function(
                "is_in_folder", 2, is_in_folder, deterministic=True
            )  # `store.visibility` asks it
            connection.isolation_level = None  # the driver must not begin on its own: we say BEGIN IMMEDIATE
            pragmas = [
                f"busy_timeout={_BUSY_MS}",
                "foreign_keys=ON",
                "temp_store=MEMORY",
                "trusted_schema=OFF",
                "synchronous=FULL",
                "secure_delete=ON",
            ]
            pragmas += (
                [
                    f"cache_size=-{_WRITER_CACHE_KB}",
                    "journal_mode=WAL",
                    "journal_size_limit=67108864",
                    f"wal_autocheckpoint={_LOG_PAGES}",
                ]
                if is_writer
                else [f"cache_size=-{_READER_CACHE_KB}", "query_only=ON", "wal_autocheckpoint=0"]
            )
            cursor = connection.cursor()
            try:
                for pragma in pragmas:
                    cursor.execute(f"PRAGMA {pragma}")
            except UnicodeDecodeError as error:
                raise _damaged_name(self.path) from error
            cursor.close()

        return engine

    def _connect(self) -> Any:
        # never a new file: one that was removed while it was open must not be answered by an empty one
        uri = f"{self.path.absolute().as_uri()}?mode=rw"
        return pysqlite3.connect(uri, uri=True, check_same_thread=False, timeout=5.0)

    @staticmethod
    def _check_driver() -> None:
        if pysqlite3.dbapi2.sqlite_version_info < OLDEST_SQLITE:
            raise EnvironmentProblem(
                f"SQLite {pysqlite3.dbapi2.sqlite_version} has a known fault that can lose data.",
                hint="Install pysqlite3 0.6.1 or newer.",
            )


def _take(idle: list[Connection]) -> Connection | None:
    try:
        return idle.pop()
    except IndexError:
        return None


def _close_all(idle: list[Connection], *, is_for_good: bool = False) -> None:
    """Back to their pool, or, when that is gone, for good."""
    while (connection := _take(idle)) is not None:
        if is_for_good:
            connection.detach()
        connection.close()


def _file_id(name: str) -> tuple[int, int] | None:
    """Device and number of the file of this name; None when there is none."""
    try:
        found = os.stat(name)  # noqa: PTH116 (asked at every commit)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def sqlite_version() -> str:
    return str(pysqlite3.dbapi2.sqlite_version)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns the database's own errors into ours, with a sentence that says what to do."""
    try:
        yield
    except (DatabaseError, pysqlite3.dbapi2.DatabaseError, sqlite3.DatabaseError) as error:
        words = str(error).lower()
        if any(word in words for word in _DISK_WORDS):
            raise DiskProblem(
                f"The store {path} cannot be written: {_short(error)}.",
                hint="Free some space or make the folder writable; everything saved so far is safe.",
            ) from error
        if any(word in words for word in _CORRUPT_WORDS):
            raise StoreCorruptError(f"The store {path} is damaged: {_short(error)}.", hint=_RESTORE) from error
        raise


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """As `explained`, where nothing but the driver reads text."""
    try:
        with explained(path):
            yield
    except UnicodeDecodeError as error:
        raise _damaged_name(path) from error


def _damaged_name(path: Path) -> StoreCorruptError:
    """The driver cannot put SQLite's words into text when they quote a damaged name."""
    return StoreCorruptError(f"The store {path} is damaged: it holds a name that is no text.", hint=_RESTORE)


def _has_our_columns(connection: Connection) -> bool:
    there = {tuple(row) for row in connection.exec_driver_sql(_COLUMNS)}
    return all(
        (table.name, column.name) in there for table in SQLModel.metadata.tables.values() for column in table.columns
    )


def _short(error: Exception) -> str:
    """What the driver says, without what the library adds.

    >>> _short(ValueError("disk I/O error\\n[SQL: …]"))
    'disk I/O error'
    """
    return str(getattr(error, "orig", error)).splitlines()[0]
