"""The tier on a card and in a search: where the memory stood when it was last told, or where a person placed it."""

from collections import Counter
from itertools import product

from app.api import Engine
from app.values import (
    ContextRequest,
    ContextSignals,
    FactType,
    Level,
    MemoryDraft,
    MemoryFilter,
    MemoryStatus,
    RecallQuery,
    Tier,
)  # fmt: skip

PROJECT = "/w/app"


def tell(engine: Engine, session: str) -> int:
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session=session)
    given = engine.context.assemble(ContextRequest(signals, delivery="hook:start"))
    assert given.receipt_id is not None
    return given.receipt_id


def tier_of(engine: Engine, memory_id: int) -> Tier | None:
    found = engine.memories.list(MemoryFilter(ids=(memory_id,), statuses=tuple(MemoryStatus))).cards
    return found[0].tier


def test_a_card_says_where_it_was_told_last_and_a_choice_goes_before(engine: Engine) -> None:
    rule = engine.memories.create(
        MemoryDraft("Never deploy on a Friday.", type=FactType.CONSTRAINT, project_path=PROJECT)
    )
    assert tier_of(engine, rule) is None
    assert engine.memories.ids(MemoryFilter(tiers=(Tier.BACKGROUND,))) == ()
    receipt = tell(engine, "one")
    assert tier_of(engine, rule) is Tier.BACKGROUND
    assert engine.memories.ids(MemoryFilter(tiers=(Tier.BACKGROUND,))) == (rule,)  # heard without any memory changing
    engine.context.place_at_level((rule,), Level.INDEX)
    assert tier_of(engine, rule) is Tier.INDEX
    assert engine.memories.ids(MemoryFilter(tiers=(Tier.BACKGROUND,))) == ()
    engine.context.place_in_tier((rule,), Tier.CRITICAL)
    hits = engine.search.search(RecallQuery("deploy Friday", filters=MemoryFilter(tiers=(Tier.CRITICAL,)))).hits
    assert [hit.card.tier for hit in hits] == [Tier.CRITICAL]
    engine.journal.undo()
    engine.journal.undo()
    assert tier_of(engine, rule) is Tier.BACKGROUND
    engine.context.mark_undelivered(receipt)  # it came too late: nobody was told
    assert tier_of(engine, rule) is None


def test_a_session_begins_with_the_whole_of_a_small_project_and_tells_of_a_large_one_what_fits(engine: Engine) -> None:
    def begin(budget_tokens: int) -> dict[Tier, int]:
        signals = ContextSignals("/w/kiosk", app="claude-code", session="s")
        asked = ContextRequest(signals, budget_tokens=budget_tokens, delivery="hook:start", is_kept=False)
        return Counter(item.tier for item in engine.context.assemble(asked).items)

    places, things = (
        ("cellar", "attic", "yard", "office", "shed"),
        ("ladder", "drill", "lamp", "kettle", "map", "rope", "bell", "radio"),
    )
    for place, thing in product(places, things):
        text = f"The {thing} lies in the {place}, behind the second door on the left, and whoever takes it writes that down."
        engine.memories.create(MemoryDraft(text, type=FactType.FACT, project_path="/w/kiosk"))
    assert begin(8_000) == {Tier.BACKGROUND: 40}
    few = begin(500)
    assert 8 < few[Tier.BACKGROUND] <= 14
    assert few.keys() == {Tier.BACKGROUND}, "the rest is there when it is asked for"
