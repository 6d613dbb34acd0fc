"""Rows of one table by the values of their columns: one value, none, any of many, in the order of their numbers."""

from app.api import Engine, MemoryDraft
from app.store.chunked_parameters import SLICE
from app.store.table_queries import ids_with, rows_with
from app.store.tables.memory import MemoryRow


def test_rows_are_read_by_one_value_by_none_and_by_any_of_more_than_a_statement_takes(engine: Engine) -> None:
    numbers = [engine.memories.create(MemoryDraft(f"The meter {n} is read hourly", tags=("m",))) for n in range(3)]
    engine.memories.archive(numbers[:1])
    many = [*reversed(numbers), *range(10_000, 10_000 + 2 * SLICE)]
    with engine._core.store.read() as connection:
        assert ids_with(connection, MemoryRow, status="active") == numbers[1:]
        assert ids_with(connection, MemoryRow, id=many) == numbers
        assert ids_with(connection, MemoryRow, id=many, retired_at=None) == numbers[1:]
        assert ids_with(connection, MemoryRow, id=()) == []
        (row,) = rows_with(connection, MemoryRow, "full", "tags", id=numbers[0], status={"archived", "proposed"})
    assert (row.full, row.tags, row._fields) == ("The meter 0 is read hourly", ["m"], ("full", "tags"))
