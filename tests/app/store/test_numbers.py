"""Numbers of rows are never given twice: not after an erasure, not after the journal was let go, not after a restart.

The base of all tables: what would check a row is not built while the tables are read, which every start waits for.
"""

from collections.abc import Callable
from contextlib import closing

import pytest
from sqlmodel import SQLModel

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.store.tables.core import JOURNALLED
from app.store.tables.types import TableRow

Forget = Callable[[Engine, int], object]


@pytest.mark.parametrize(
    "forget",
    [
        lambda engine, newest: engine.memories.erase([newest]),
        lambda engine, _: (engine.journal.undo(), engine._core.store.prune_journal(-1)),
    ],
    ids=["erased", "undone and let go"],
)
def test_the_newest_number_is_not_given_again(places: Places, clock: FrozenClock, forget: Forget) -> None:
    first = Engine.open(places, clock=clock)
    first.memories.create(MemoryDraft("Deploys are on Tuesday."))
    newest = first.memories.create(MemoryDraft("The search runs on port 9200."))
    forget(first, newest)
    first.close()
    with closing(Engine.open(places, clock=clock)) as second:
        assert second.memories.create(MemoryDraft("Backups run at night.")) > newest


@pytest.mark.parametrize("name", sorted(JOURNALLED))
def test_tables_put_off_what_checks_their_rows(name: str) -> None:
    rows = {str(row.__tablename__): row for row in TableRow.__subclasses__()}
    assert rows[name].model_config.get("defer_build") is True
    assert "defer_build" not in SQLModel.model_config, "the control: the library builds at once"
