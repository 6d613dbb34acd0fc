"""The step that looks for contradictions: what was never held against each other, once, and with a way back."""

import pytest

from app.api import Engine, Places
from tests.app.consolidation.memories import remember
from tests.dump import dump_store


@pytest.mark.seed("S4", "con.contradictions")
def test_a_run_opens_what_the_rules_see_and_undo_closes_it(engine: Engine, places: Places) -> None:
    remember(engine, "Mail of the shop goes through Falcon.")
    remember(engine, "Mail of the shop is sent with Kestrel.")
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    assert card.report.contradictions_found == 1
    [found] = engine.contradictions.list()
    assert (found.kind, found.reason) == ("replaced", "one says Falcon, the other Kestrel")
    [action] = [one for one in engine.consolidation.actions(card.id) if one.kind == "open_contradiction"]
    assert "Falcon" not in action.why
    assert engine.consolidation.undo(card.id) == (1, 0)
    assert dump_store(places.store_path) == before


def test_a_second_run_proposes_nothing(engine: Engine) -> None:
    remember(engine, "Mail of the shop goes through Falcon.")
    remember(engine, "Mail of the shop is sent with Kestrel.")
    engine.consolidation.run()
    assert engine.consolidation.run().report.contradictions_found == 0
    assert len(engine.contradictions.list()) == 1
