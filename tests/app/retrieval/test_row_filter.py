"""Recall's check of the rows it has read lets through what the filter's conditions in SQL find, field by field."""

from dataclasses import replace

from sqlalchemy import select

from app.api import Engine, FrozenClock
from app.retrieval.row_filter import RowFilter
from app.store import memory_filters
from app.store.journal import table_of
from app.store.search.memories import load_rank_rows
from app.store.tables.memory import MemoryRow
from app.values import MemoryFilter, MemoryStatus
from tests.app.memories.test_memory_lists import act, fill, questions, store_of


def test_rows_are_let_through_as_the_conditions_of_the_filter_find_them(engine: Engine, clock: FrozenClock) -> None:
    ids = fill(engine, clock, 60)
    for one in ids[:12]:  # so many undos in a row would else take the memories themselves away
        engine.memories.pin([one])
    for _ in range(12):
        act(engine, ids)
    memory, now = table_of(MemoryRow), clock.now()
    sizes = set()
    with store_of(engine).read() as connection:
        for where in questions(20):
            wanted = where if where.statuses else _active(where)
            conditions = memory_filters.clauses(connection, wanted, now)
            found = set(connection.execute(select(memory.c.id).where(*conditions)).scalars())
            fit = RowFilter(connection, where, now)
            rows = load_rank_rows(connection, ids, fit.columns)
            assert {row.id for row in fit.choose(rows)} == found, where
            sizes.add(len(found))
    assert len(sizes) > 5  # the filters differ in what they let through


def _active(where: MemoryFilter) -> MemoryFilter:
    return replace(where, statuses=(MemoryStatus.ACTIVE,))
