"""Reading connections are kept for the next reader: each read is a snapshot of its own, and none outlives its file."""

import contextlib
import threading
from pathlib import Path

import pytest
from sqlalchemy import Connection, column, select, text
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler

from app.store.database import Database
from tests.patience import PATIENCE_S

_VALUES = text("(SELECT 1 AS never_asked_before)")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = Database(tmp_path / "a.db")
    opened.open()
    return opened


def count(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT count(*) FROM setting").scalar_one())


def add(database: Database, name: str) -> None:
    with database.transaction() as connection:
        connection.execute(text("INSERT INTO setting (name, value) VALUES (:name, '1')"), {"name": name})


@pytest.mark.parametrize("is_library_asked", [True, False])
def test_a_read_sees_what_was_committed_before_it_and_nothing_later(database: Database, is_library_asked: bool) -> None:
    def see(connection: Connection) -> int:
        if is_library_asked:
            return count(connection)
        return int(Database.cursor_of(connection).execute("SELECT count(*) FROM setting").fetchone()[0])

    seen = []
    for name in ("one", "two"):
        with database.read() as connection:
            seen.append(see(connection))
            add(database, name)
            seen.append(see(connection))
    with database.read() as connection:
        seen.append(see(connection))
    database.close()
    assert seen == [0, 0, 1, 1, 2]


def test_what_one_connection_put_into_words_no_other_compiles_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []
    real = SQLiteCompiler.visit_select
    monkeypatch.setattr(SQLiteCompiler, "visit_select", lambda *a, **k: compiled.append(1) or real(*a, **k))
    for name in ("a.db", "b.db"):
        opened = Database(tmp_path / name)
        opened.open()
        with opened.transaction() as connection:
            assert connection.execute(select(column("never_asked_before")).select_from(_VALUES)).scalar_one() == 1
        with opened.read() as connection:
            assert connection.execute(select(column("never_asked_before")).select_from(_VALUES)).scalar_one() == 1
        opened.close()
    assert compiled == [1]


def test_a_read_that_failed_leaves_no_snapshot_behind(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.read() as connection:
        raise ZeroDivisionError(count(connection))
    add(database, "one")
    with database.read() as connection:
        assert count(connection) == 1
    database.close()


def test_many_readers_at_once_are_served_and_few_connections_stay(database: Database) -> None:
    met, left = threading.Barrier(8), threading.Barrier(8)

    def look() -> None:
        with database.read() as connection:
            count(connection)
            met.wait(PATIENCE_S)
        left.wait(PATIENCE_S)

    readers = [threading.Thread(target=look) for _ in range(8)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert 0 < len(database._idle) <= 4
    database.close()
    assert database._idle == []


def test_a_reader_that_ends_after_its_file_was_closed_is_not_used_again(database: Database, tmp_path: Path) -> None:
    with database.read() as connection:
        count(connection)
        database.close()
        (tmp_path / "a.db").rename(tmp_path / "old.db")
    database.open()
    add(database, "one")
    with database.read() as fresh:
        assert count(fresh) == 1
    database.close()


def test_a_reader_of_the_moment_in_which_another_file_is_put_in_place_is_not_used_again(
    database: Database, tmp_path: Path
) -> None:
    """A restore while somebody reads: between close and open the old file can still be read, and must not be afterwards."""
    add(database, "one")
    database.close()
    with database.read() as late:
        assert count(late) == 1
    (tmp_path / "a.db").rename(tmp_path / "old.db")
    database.open()
    with database.read() as fresh:
        assert count(fresh) == 0
    database.close()


def test_a_reader_that_was_lent_in_that_moment_and_ends_later_is_not_used_again(
    database: Database, tmp_path: Path
) -> None:
    add(database, "one")
    database.close()
    with database.read() as late:
        for suffix in ("", "-wal", "-shm"):  # as a restore does
            (tmp_path / f"a.db{suffix}").rename(tmp_path / f"old.db{suffix}")
        database.open()
        assert count(late) == 1
    with database.read() as fresh:
        assert count(fresh) == 0
    database.close()


def test_all_connections_together_cache_little(database: Database) -> None:
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(database.read()) for _ in range(4)]
        sizes = [int(one.exec_driver_sql("PRAGMA cache_size").scalar_one()) for one in readers]
    sizes.append(int(database.writer_connection.exec_driver_sql("PRAGMA cache_size").scalar_one()))
    assert all(size < 0 for size in sizes), "in KiB"
    assert -sum(sizes) <= 32_768, "of each connection it was this much"
