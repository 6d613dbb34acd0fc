"""Writes that nobody waits for: in order, seen by whoever reads next, done at a clean stop, no trap inside a transaction."""

import contextlib
import threading
from collections.abc import Callable, Iterator

import pysqlite3
import pytest
from sqlalchemy.exc import OperationalError

from app.api import FrozenClock, Places
from app.errors import DiskProblem
from app.store.database import Database
from app.store.store import Store
from app.values import Changes, DataKind, Origin
from tests.patience import PATIENCE_S

_DONE = Changes(seq=0, kinds=frozenset({DataKind.STATE}))


@pytest.fixture
def store(places: Places, clock: FrozenClock) -> Iterator[Store]:
    opened = Store(places, clock, owner="serve")
    yield opened
    opened.close()


def note(store: Store, name: str) -> Callable[[], Callable[[], Changes]]:
    """Prepares a line of `meta`, which stands for a log here."""

    def write() -> Changes:
        with store.write_log() as connection:
            connection.exec_driver_sql("INSERT INTO meta (name, value) VALUES (?, ?)", (name, ""))
        return _DONE

    return lambda: write


def read(store: Store) -> list[str]:
    with store.read() as connection:
        return [
            row[0] for row in connection.exec_driver_sql("SELECT name FROM meta WHERE name LIKE 'n%' ORDER BY rowid")
        ]


def test_who_reads_finds_all_of_it_in_its_order(store: Store) -> None:
    heard: list[Changes] = []
    store.subscribe(heard.append)
    for number in range(3):
        store.behind.later(note(store, f"n{number}"))
    assert read(store) == ["n0", "n1", "n2"]
    assert heard == [_DONE] * 3


def test_a_clean_stop_does_what_waits(places: Places, clock: FrozenClock) -> None:
    first = Store(places, clock, owner="serve")
    first.behind.later(note(first, "n0"))
    first.close()
    second = Store(places, clock, owner="serve")
    assert read(second) == ["n0"]
    second.close()


def test_one_that_fails_stops_none_after_it(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.behind.later(note(store, "n0"))
    store.behind.later(note(store, "n0"))  # the name is taken
    store.behind.later(note(store, "n1"))
    assert read(store) == ["n0", "n1"]
    assert [record.getMessage().split(":")[0] for record in caplog.records] == ["a record was not written"]
    caplog.clear()


def test_inside_a_transaction_nothing_is_begun(store: Store) -> None:
    with store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        store.behind.later(note(store, "n0"))
        assert read(store) == []
        write.connection.exec_driver_sql("INSERT INTO meta (name, value) VALUES ('n1', '')")
    assert read(store) == ["n1", "n0"]


def test_the_log_is_moved_before_a_reader_has_to_wait_for_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself lets the writer move it after 8,000 pages, and the writer of a receipt is whoever reads next."""
    store._keeper.stop()  # it looks only every few seconds
    moved = threading.Event()
    move = Database.move_log

    def move_and_tell(database: Database) -> bool:
        is_moved = move(database)
        moved.set()
        return is_moved

    monkeypatch.setattr(Database, "move_log", move_and_tell)

    def write_many_rows() -> Callable[[], Changes]:
        def write() -> Changes:
            with store.write_log() as connection:
                connection.connection.cursor().executemany(
                    "INSERT INTO meta (name, value) VALUES (?, ?)",
                    [(f"n{number}", "x" * 200) for number in range(3000)],
                )
            return _DONE

        return write

    store.behind.later(write_many_rows)
    assert moved.wait(PATIENCE_S)
    with contextlib.closing(store.database.raw()) as connection:
        _, in_log, in_file = connection.execute("PRAGMA wal_checkpoint=NOOP").fetchone()
    assert in_file == in_log


def test_a_log_that_cannot_be_moved_ends_no_thread_and_is_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store._keeper.stop()
    tried = threading.Event()

    def fail(_database: Database) -> None:
        tried.set()
        raise RuntimeError("all readers are lent")

    monkeypatch.setattr(Database, "move_log_if_large", fail)
    for name in ("n0", "n1"):  # the second one is for a thread that saw the first one fail
        written = threading.Event()

        def write(name: str = name, written: threading.Event = written) -> Changes:
            changes = note(store, name)()()
            written.set()
            return changes

        tried.clear()
        store.behind.later(lambda write=write: write)  # type: ignore[misc]
        assert written.wait(PATIENCE_S)
        assert tried.wait(PATIENCE_S)
    caplog.clear()


def test_a_log_that_could_not_be_moved_still_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store._keeper.stop()
    with store.write_log() as connection:
        connection.exec_driver_sql("INSERT INTO meta (name, value) VALUES ('n0', '')")

    def fail() -> None:
        raise OperationalError("PRAGMA", None, pysqlite3.OperationalError("disk I/O error"))

    with monkeypatch.context() as patch:
        patch.setattr(store.database._reader, "connect", fail)
        with pytest.raises(DiskProblem):
            store.database.move_log()
    assert store.database.move_log()
    assert not store.database.move_log()
