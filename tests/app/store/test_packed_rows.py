"""Columns that SQLite packs are the ones that it would give row by row: order, exact numbers, any word."""

import random
from collections.abc import Iterator
from typing import Any

import pysqlite3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.store.memory_columns import PackedRows

NUMBERS = (
    ("id", "i8", "id"),
    ("at", "i8", "ifnull(at, 4611686018427387904)"),
    ("small", "i4", "small"),
    ("share", "f8", "share"),
)
WORDS = ("kind", "category")


@pytest.fixture(scope="module")
def cursor() -> Iterator[Any]:
    connection = pysqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, small INTEGER, share REAL, kind TEXT, category TEXT)"
    )
    yield connection.cursor()
    connection.close()


def packed(cursor: Any) -> list[tuple[Any, ...]]:
    """All rows as the packed parts give them."""
    rows: list[tuple[Any, ...]] = []
    words: list[tuple[str, ...]] = []
    for numbers, new, places in PackedRows("t", NUMBERS, WORDS).parts(cursor, lambda: False):
        words += new
        columns = [numbers[name].tolist() for name, _, _ in NUMBERS]
        rows += [(*values, *words[place]) for *values, place in zip(*columns, places.tolist(), strict=True)]
    return rows


def plain(cursor: Any) -> list[tuple[Any, ...]]:
    columns = ", ".join([sql for _, _, sql in NUMBERS] + list(WORDS))
    return list(cursor.execute(f"SELECT {columns} FROM t ORDER BY id").fetchall())


row = st.tuples(
    st.integers(1, 2**52),
    st.none() | st.integers(-(2**62), 2**62),
    st.integers(0, 2**31 - 1) | st.integers(-(2**31), -1),
    st.integers(0, 1000).map(lambda number: number / 1000),
    st.sampled_from(("fact", "episode", "")),
    st.text(st.sampled_from("ab\x1e\x1f, ü"), max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(row, max_size=30, unique_by=lambda one: one[0]))
def test_packed_rows_are_the_rows(cursor: Any, rows: list[tuple[Any, ...]]) -> None:
    cursor.execute("DELETE FROM t")
    cursor.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
    assert packed(cursor) == plain(cursor)


def test_more_rows_than_one_part_with_gaps_and_random_shares(cursor: Any) -> None:
    chance = random.Random(2)
    cursor.execute("DELETE FROM t")
    rows = [(number * 3, number, number % 7, chance.random(), "fact", f"c{number % 900}") for number in range(1, 5001)]
    cursor.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
    found = packed(cursor)
    assert found == plain(cursor)
    assert len(found) == 5000


def test_reading_ends_when_it_is_cancelled(cursor: Any) -> None:
    cursor.execute("DELETE FROM t")
    cursor.executemany("INSERT INTO t VALUES (?, 0, 0, 0, '', '')", [(number,) for number in range(1, 5001)])
    asked = iter([False, True])
    [(numbers, _, _)] = PackedRows("t", NUMBERS, WORDS).parts(cursor, lambda: next(asked))
    assert 0 < len(numbers["id"]) < 5000
