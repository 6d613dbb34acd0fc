"""How a person wants memories given: one journalled act each, honoured by every context, undone, kept, erased with them."""

from contextlib import closing

import pytest

from app.api import Engine, FactType, FrozenClock, MemoryDraft, Places
from app.errors import InvalidError, NotFoundError
from app.values import Context, ContextItem, ContextRequest, ContextSignals, Level, Placement, Tier

SHOP = "/w/shop"
LONG = (
    "The nightly export of the shop writes one file for each customer, compresses all of them, and uploads the archive to the "
    "partner at two in the morning. When the upload fails it is tried again every ten minutes until six. After that the "
    "people on duty get a message, and the export of the day is sent by hand from the office before noon."
)
RULE = "Never run the nightly export of the shop against production."


@pytest.fixture
def ids(engine: Engine) -> tuple[int, int]:
    long = engine.memories.create(MemoryDraft(LONG, type=FactType.PROCEDURE, project_path=SHOP))
    rule = engine.memories.create(MemoryDraft(RULE, type=FactType.CONSTRAINT, project_path=SHOP))
    return long, rule


def assemble(
    engine: Engine, prompt: str = "the nightly export", budget_tokens: int = 2_000, session: str = ""
) -> Context:
    signals = ContextSignals(SHOP, app="claude-code", session=session, prompt=prompt)
    return engine.context.assemble(
        ContextRequest(signals, budget_tokens=budget_tokens, delivery="hook:prompt", is_kept=bool(session))
    )


def item_of(context: Context, memory_id: int) -> ContextItem:
    return next(one for one in context.items if one.memory_id == memory_id)


def last_label(engine: Engine) -> str:
    return engine.journal.list(limit=1)[0].label


def test_what_a_person_chose_is_told_so_and_says_so(engine: Engine, ids: tuple[int, int]) -> None:
    long, rule = ids
    for level in Level:
        engine.context.place_at_level([long], level)
        given = item_of(assemble(engine), long)
        assert given.level is level
        assert "as you chose" in given.reason
    engine.context.place_in_tier([rule], Tier.BACKGROUND)
    given = item_of(assemble(engine), rule)
    assert given.tier is Tier.BACKGROUND
    assert given.reason.endswith("; in the tier Background, as you chose")


def test_it_is_one_act_told_in_words_undone_and_done_again(engine: Engine, ids: tuple[int, int]) -> None:
    long, rule = ids
    engine.context.place_at_level([long], Level.COMPRESSED)
    assert last_label(engine).endswith("” will be given in short, where there is room")
    engine.context.place_in_tier([long], Tier.CRITICAL)
    assert last_label(engine).endswith("” will be given in the tier Critical, where there is room")
    both = Placement(long, Level.COMPRESSED, Tier.CRITICAL)
    assert engine.context.placements() == (both,)
    engine.journal.undo()
    assert engine.context.placements() == (Placement(long, Level.COMPRESSED),)
    assert item_of(assemble(engine), long).tier is not Tier.CRITICAL
    engine.journal.redo()
    assert engine.context.placements() == (both,)
    assert item_of(assemble(engine), long).tier is Tier.CRITICAL
    engine.context.place_at_level([long, rule], Level.SUMMARY)
    assert last_label(engine) == "2 memories will be given as a summary, where there is room"


def test_back_to_automatic_leaves_nothing_behind(engine: Engine, ids: tuple[int, int]) -> None:
    long, _ = ids
    before = item_of(assemble(engine), long)
    engine.context.place_at_level([long], Level.INDEX)
    engine.context.place_at_level([long], None)
    assert last_label(engine).endswith("” will be given in the size that fits, where there is room")
    assert engine.context.placements() == ()
    after = item_of(assemble(engine), long)
    assert (after.level, after.tier, after.reason) == (before.level, before.tier, before.reason)
    engine.journal.undo()
    assert engine.context.placements() == (Placement(long, Level.INDEX),)


def test_the_index_holds_only_lines_to_ask_by(engine: Engine, ids: tuple[int, int]) -> None:
    long, _ = ids
    engine.context.place_at_level([long], Level.FULL)
    engine.context.place_in_tier([long], Tier.INDEX)
    assert engine.context.placements() == (Placement(long, None, Tier.INDEX),)
    assert last_label(engine).endswith("” will be given in the tier Index, in the size that fits, where there is room")
    engine.context.place_at_level([long], Level.FULL)
    assert engine.context.placements() == (Placement(long, Level.FULL),)
    assert last_label(engine).endswith("” will be given in full, in the tier that fits, where there is room")


def test_what_fits_nowhere_as_wanted_is_left_out_and_says_why(engine: Engine, ids: tuple[int, int]) -> None:
    long, _ = ids
    assert item_of(assemble(engine, budget_tokens=140), long).level is not Level.FULL
    engine.context.place_at_level([long], Level.FULL)
    context = assemble(engine, budget_tokens=140)
    assert context.token_count <= 140
    (out,) = [one for one in context.left_out if one.memory_id == long]
    assert out.reason.endswith("over in full, as you chose")


def test_a_choice_of_how_is_not_said_to_tell_what_stays_out(engine: Engine, ids: tuple[int, int]) -> None:
    long, rule = ids
    engine.context.place_at_level([long], Level.FULL)
    assert last_label(engine).endswith("” will be given in full, where there is room")
    assert long in {one.memory_id for one in assemble(engine, budget_tokens=140).left_out}
    engine.context.withhold([rule], is_withheld=True)
    engine.context.place_in_tier([rule], Tier.CRITICAL)
    assert last_label(engine).endswith("” will be given in the tier Critical, once it may be given again")
    assert rule not in {one.memory_id for one in assemble(engine).items}
    engine.context.withhold([long], is_withheld=True)
    engine.context.place_at_level([long, rule], Level.SUMMARY)
    assert last_label(engine).endswith("as a summary, once they may be given again")
    engine.context.withhold([long], is_withheld=False)
    engine.context.place_at_level([long, rule], Level.FULL)
    assert last_label(engine) == "2 memories will be given in full, where there is room"


def test_what_a_person_placed_goes_last_when_the_host_takes_less(engine: Engine) -> None:
    made = [
        engine.memories.create(MemoryDraft(f"Crane number {n} in the yard lifts {n} tons.", project_path=SHOP))
        for n in range(10, 50)
    ]
    request = ContextRequest(ContextSignals(SHOP, prompt="crane yard"), is_kept=False, max_chars=900)
    lost = {one.memory_id for one in engine.context.assemble(request).left_out if one.memory_id in made}
    engine.context.place_at_level(sorted(lost)[:1], Level.FULL)
    assert item_of(engine.context.assemble(request), min(lost)).level is Level.FULL


def test_what_was_told_shorter_in_this_session_is_told_again_as_wanted(engine: Engine, ids: tuple[int, int]) -> None:
    long, _ = ids
    engine.context.place_at_level([long], Level.COMPRESSED)
    assert item_of(assemble(engine, session="s1"), long).level is Level.COMPRESSED
    assert long not in {one.memory_id for one in assemble(engine, session="s1").items}
    engine.context.place_at_level([long], Level.FULL)
    assert item_of(assemble(engine, session="s1"), long).level is Level.FULL


def test_it_holds_after_a_restart(engine: Engine, ids: tuple[int, int], places: Places, clock: FrozenClock) -> None:
    long, _ = ids
    engine.context.place_at_level([long], Level.INDEX)
    engine.close()
    with closing(Engine.open(places, clock=clock)) as again:
        assert again.context.placements() == (Placement(long, Level.INDEX),)
        assert item_of(assemble(again), long).level is Level.INDEX
        again.journal.undo()
        assert again.context.placements() == ()


def test_a_choice_is_not_a_rule_that_learning_follows(engine: Engine, ids: tuple[int, int]) -> None:
    engine.context.place_in_tier(ids, Tier.RELEVANT)
    assert engine.memories.rules() == ()
    assert engine.memories.get(ids[0]).versions == (), "the memory itself did not change"


def test_a_memory_that_is_taken_back_has_no_choice_until_it_is_there_again(
    engine: Engine, ids: tuple[int, int]
) -> None:
    _, rule = ids
    created = engine.journal.list(limit=1)[0]
    engine.context.place_in_tier([rule], Tier.INDEX)
    engine.journal.undo(created.id)
    assert engine.context.placements() == ()
    engine.journal.redo()
    assert engine.context.placements() == (Placement(rule, tier=Tier.INDEX),)


def test_erasing_a_memory_takes_the_choice_along(engine: Engine, ids: tuple[int, int]) -> None:
    long, rule = ids
    engine.context.place_at_level([long], Level.FULL)
    engine.context.place_at_level([long], None)
    engine.context.place_in_tier([long, rule], Tier.RELEVANT)
    engine.memories.erase([long])
    assert engine.context.placements() == (Placement(rule, tier=Tier.RELEVANT),)
    labels = [one.label for one in engine.journal.list(limit=20) if one.kind == "place_memory"]
    assert labels
    assert all("nightly" not in label.lower() for label in labels)


def test_what_is_not_there_cannot_be_placed(engine: Engine) -> None:
    with pytest.raises(NotFoundError):
        engine.context.place_at_level([77], Level.FULL)
    with pytest.raises(InvalidError):
        engine.context.place_in_tier([], Tier.CRITICAL)
    assert engine.journal.list(limit=1) == ()
