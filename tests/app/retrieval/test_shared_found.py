"""What may be given everywhere is found however many memories of one's own, or of others, say the same words."""

import pytest
from sqlalchemy import insert, select

from app.api import Engine, MemoryDraft
from app.store.journal import table_of
from app.store.tables.memory import IndexWaitRow, MemoryRow
from app.values import ContextRequest, ContextSignals, MemoryFilter, RecallQuery, Visibility

MANY = 20_000
SHARED = "Postgres upgrades wait for the yearly audit."
MARKED = "Postgres passwords are rotated by the ops team."
ASKED = "Postgres upgrades passwords"
_memory = table_of(MemoryRow)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> object:
    from app.api import FrozenClock, Places
    from tests.conftest import START

    engine = Engine.open(Places.under(tmp_path_factory.mktemp("crowded")), clock=FrozenClock(START))
    engine.memories.create(MemoryDraft(SHARED))
    engine.memories.create(MemoryDraft(MARKED, project_path="/w/ops", visibility=Visibility.PROJECT_SHARED))
    for place in ("/w/own", "/w/other"):
        model = engine.memories.create(MemoryDraft("Postgres upgrades of Postgres and passwords.", project_path=place))
        _copy(engine, model, MANY // 2)
    engine.search.rebuild()
    yield engine
    engine.close()


def _copy(engine: Engine, model: int, count: int) -> None:
    """Many rows like one, as an import of years would leave them."""
    with engine._core.store.database.transaction() as connection:
        row = dict(connection.execute(select(_memory).where(_memory.c.id == model)).one()._mapping)
        first = model + 1
        connection.execute(insert(_memory), [row | {"id": first + number} for number in range(count)])
        connection.execute(table_of(IndexWaitRow).delete())
        for _ in range(count):
            engine._core.store.ids.take("memory")


@pytest.mark.parametrize("place", ["/w/own", "/w/new", ""])
def test_it_is_told_to_whoever_asks(crowded: Engine, place: str) -> None:
    given = crowded.answers.recall(ASKED, crowded.answers.place(place)).text
    if place != "/w/own":  # there its own come first
        assert SHARED in given
        assert MARKED in given
    signals = ContextSignals(prompt=ASKED, project_path=place)
    made = crowded.context.assemble(ContextRequest(signals, delivery="api", is_kept=False))
    assert SHARED in made.text
    assert MARKED in made.text
    if place != "/w/own":
        assert "of Postgres and" not in made.text


def test_only_what_is_shared_is_found_by_the_filter(crowded: Engine) -> None:
    found = crowded.search.search(RecallQuery(ASKED, filters=MemoryFilter(is_shared=True)))
    assert {hit.text for hit in found.hits} == {SHARED, MARKED}
