"""Writes that nobody waits for: in order, seen by whoever reads next, done at a clean stop, no trap inside a transaction."""

from collections.abc import Callable, Iterator

import pytest

from app.api import FrozenClock, Places
from app.store.store import Store
from app.values import Changes, DataKind, Origin

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
