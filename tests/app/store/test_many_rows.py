"""Rows written in bulk are the rows that the library would have written, and an act of thousands goes and comes back whole."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, select

from app.api import Engine, Origin
from app.store.journal import insert_rows, table_of
from app.store.tables.core import OperationRow, RuleRow
from tests.dump import dump_store

AT = datetime(2026, 3, 2, 9, 0, 0, 125, tzinfo=UTC)
RULE = {"kind": "k", "pattern": "naïve “words”", "data": {"list": [1, None, "ü"]}, "created_at": AT}
MANY = 4_500  # more than one page of the journal


@pytest.mark.parametrize("given", [{}, {"confidence": 0.25, "learned_from": 3}], ids=["with defaults", "complete"])
def test_a_row_is_what_the_library_would_have_written(engine: Engine, given: dict[str, float]) -> None:
    table = table_of(RuleRow)
    with engine._core.store.database.transaction() as connection:
        connection.execute(insert(table), {"id": 1, **RULE, **given})
        insert_rows(connection, table, [{"id": number, **RULE, **given} for number in (2, 3)])
        insert_rows(connection, table, [{"id": 4, **RULE, **given}])
        raw = connection.exec_driver_sql("SELECT * FROM rule ORDER BY id").all()
        read = connection.execute(select(table.c.data, table.c.created_at).where(table.c.id == 4)).one()
    assert len({tuple(row)[1:] for row in raw}) == 1
    assert (read.data, read.created_at) == (RULE["data"], AT)


def test_an_act_of_thousands_is_undone_and_done_again_to_the_last_row(engine: Engine) -> None:
    store = engine._core.store
    empty = dump_store(engine.places.store_path)
    with store.write(origin=Origin.PERSON, kind="rules", label="Many rules") as write:
        numbers = write.insert_many(RuleRow, [RULE | {"confidence": 0.5, "learned_from": 1} for _ in range(MANY)])
        for number in numbers[:10]:
            write.update(RuleRow, number, {"pattern": f"changed {number}"})
    full = dump_store(engine.places.store_path)
    undone = engine.journal.undo(write.operation_id)
    assert (undone.change_count, undone.label) == (MANY + 10, "Undone: Many rules")
    assert dump_store(engine.places.store_path) == empty
    engine.journal.redo()
    assert dump_store(engine.places.store_path) == full
    with store.read() as connection:
        counts = connection.execute(select(table_of(OperationRow).c.change_count)).scalars().all()
        kept = connection.exec_driver_sql("SELECT count(*) FROM change GROUP BY operation_id").scalars().all()
    assert counts == kept == [MANY + 10] * 3
