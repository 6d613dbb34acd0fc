"""Several memories made one: texts, quotes, versions, links of all are kept, trust is the lowest, one undo reverts it."""

import pytest

from app.api import Engine, FrozenClock, InvalidError, Origin
from app.values import ArtifactKind, LinkType, MemoryDraft, MemoryEdit, MemoryFilter, MemoryStatus, Trust, Visibility
from tests.conftest import Say
from tests.dump import dump_store


def add(engine: Engine, text: str, **more: object) -> int:
    return engine.memories.create(MemoryDraft(text, **more))  # type: ignore[arg-type]


@pytest.fixture
def two(engine: Engine, clock: FrozenClock) -> tuple[int, int]:
    first = add(engine, "Backups run at night.", tags=("ops",), importance=0.4)
    clock.advance(days=1)
    second = add(engine, "Backups of the warehouse run at two.", tags=("ops", "warehouse"), is_pinned=True)
    return first, second


def test_one_stays_with_the_new_text_and_the_most_of_both(engine: Engine, two: tuple[int, int]) -> None:
    keep, other = two
    engine.memories.attach(other, ArtifactKind.ADR, "ADR-7")
    third = add(engine, "The warehouse is in Oslo.")
    engine.memories.link(third, other, LinkType.CAUSED_BY)
    engine.memories.edit(other, MemoryEdit(category="ops"))
    given = engine.memories.merge([other, keep], text="Backups of the warehouse run at night, at two.", keep_id=keep)
    assert given == keep
    stays, gone = engine.memories.get(keep), engine.memories.get(other)
    assert stays.memory.levels.full.text == "Backups of the warehouse run at night, at two."
    assert (stays.memory.tags, stays.memory.is_pinned) == (("ops", "warehouse"), True)
    assert stays.memory.importance == max(0.4, gone.memory.importance)
    assert stays.memory.valid_from == min(stays.memory.valid_from, gone.memory.valid_from)
    assert [one.reference for one in stays.artifacts] == ["ADR-7"]
    assert {(one.type, one.other_id, one.is_outgoing) for one in stays.links} == {
        (LinkType.MERGED_FROM, other, True),
        (LinkType.CAUSED_BY, third, False),
    }
    assert gone.memory.status is MemoryStatus.ARCHIVED
    assert gone.memory.levels.full.text == "Backups of the warehouse run at two."
    assert gone.versions[0].label.startswith("merged into “")
    assert stays.versions[0].full == "Backups run at night."
    assert engine.memories.list(MemoryFilter(tags=("ops",))).total == 1


def test_quotes_of_all_are_kept_and_trust_is_the_lowest(engine: Engine, say: Say) -> None:
    say("We decided to use Redis for sessions.")
    spoken = engine.memories.list().cards[0]
    mine = add(engine, "Sessions lie in Redis.")
    assert spoken.trust is Trust.SPOKEN
    engine.memories.merge([mine, spoken.id], keep_id=mine)
    stays = engine.memories.get(mine)
    assert stays.memory.trust is Trust.SPOKEN
    assert [source.quote for source in stays.sources] == [
        source.quote for source in engine.memories.get(spoken.id).sources
    ]
    assert stays.sources


def test_what_was_never_to_be_told_stays_so_and_what_was_private_too(engine: Engine, two: tuple[int, int]) -> None:
    keep, other = two
    engine.context.withhold([other])
    engine.memories.move([keep], visibility=Visibility.PROJECT_SHARED)
    engine.memories.merge([keep, other])
    assert [one.memory_id for one in engine.context.placements() if one.is_withheld] == [keep, other]
    assert engine.memories.get(keep).memory.visibility is Visibility.USER_PRIVATE


def test_a_contradiction_between_them_is_settled(engine: Engine) -> None:
    first = add(engine, "We use MySQL as the database.")
    second = add(engine, "We use PostgreSQL as the database.")
    assert engine.memories.get(first).contradiction_ids == (second,)
    engine.memories.merge([second, first], text="We use PostgreSQL as the database, MySQL for reports.")
    assert engine.memories.get(second).contradiction_ids == ()
    assert engine.memories.count(MemoryFilter(has_contradiction=True)) == 0


def test_one_with_a_third_stands_against_the_one_that_stays(engine: Engine) -> None:
    mysql = add(engine, "We use MySQL as the database.")
    postgres = add(engine, "We use PostgreSQL as the database.")
    other = add(engine, "Reports are made at night.")
    engine.memories.merge([other, postgres], keep_id=other)
    assert engine.memories.get(mysql).contradiction_ids == (other,)


def test_undo_takes_it_all_back(engine: Engine, two: tuple[int, int]) -> None:
    before = dump_store(engine.places.store_path)
    engine.memories.merge(two, text="Backups run at night, at two.")
    assert engine.journal.undo_label().startswith("Merged 2 memories into “")
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == before
    engine.journal.redo()
    assert engine.memories.get(two[1]).memory.status is MemoryStatus.ARCHIVED


def test_what_cannot_be_merged_says_why(engine: Engine, two: tuple[int, int]) -> None:
    waiting = engine.memories.create(MemoryDraft("Deploys run on Fridays."), origin=Origin.API)
    with pytest.raises(InvalidError, match="is not in use"):
        engine.memories.merge([two[0], waiting])
    with pytest.raises(InvalidError, match="2 to 20"):
        engine.memories.merge([two[0]])
    with pytest.raises(InvalidError, match="not among"):
        engine.memories.merge(two, keep_id=waiting)
    with pytest.raises(InvalidError, match="by merging"):
        engine.memories.link(two[0], two[1], LinkType.MERGED_FROM)


def test_erasing_it_erases_what_was_merged_into_it(engine: Engine, two: tuple[int, int]) -> None:
    engine.memories.merge(two, text="Backups run at night.")
    report = engine.memories.erase([two[0]])
    assert report.memory_count == 2
    assert "warehouse" not in str(dump_store(engine.places.store_path))


def test_erasing_what_was_merged_away_leaves_nothing_of_it_where_it_went(engine: Engine, say: Say) -> None:
    say("We decided to use Redis for the heron sessions.")
    spoken = engine.memories.list().cards[0].id
    mine = add(engine, "Sessions lie in memory.")
    engine.memories.merge([mine, spoken], text="Sessions lie in memory.", keep_id=mine)
    assert engine.memories.get(mine).sources
    engine.memories.erase([spoken], erase_messages=True)
    assert engine.memories.get(mine).sources == ()
    assert engine.memories.get(mine).versions[0].label == "merged with one that was erased since"
    assert "heron" not in str(dump_store(engine.places.store_path))


def test_filing_under_a_project_and_out_of_it(engine: Engine, two: tuple[int, int]) -> None:
    engine.memories.move(two, project="/w/shop")
    assert {engine.memories.get(one).memory.project for one in two} == {"shop"}
    engine.memories.move([two[0]], project="")
    assert engine.memories.get(two[0]).memory.project == ""
    engine.journal.undo()
    assert engine.memories.get(two[0]).memory.project == "shop"
