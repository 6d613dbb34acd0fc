"""A memory that a person wants never given goes out on no way, and is found by them as before."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.deciders.recall.context.chosen_placement import NEVER_GIVEN
from app.errors import NotFoundError
from app.values import ContextRequest, ContextSignals, Level, Placement, RecallQuery

MILL = "/w/mill"
TEXT = "The heron pump is serviced by Quentin on Fridays."


@pytest.fixture
def withheld(engine: Engine) -> int:
    memory_id = engine.memories.create(MemoryDraft(TEXT, project_path=MILL, is_pinned=True))
    engine.context.withhold([memory_id])
    return memory_id


def test_it_goes_out_on_no_way(engine: Engine, withheld: int) -> None:
    place = engine.answers.place(MILL)
    signals = ContextSignals(MILL, prompt="Who services the heron pump?")
    made = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    now = engine.clock.now()
    said = [
        made.text,
        *(engine.answers.recall("heron pump", place, at=at).text for at in (None, now)),
        *(engine.answers.expand([withheld], place, at=at).text for at in (None, now)),
        *(engine.answers.timeline(place, at=at).text for at in (None, now)),
        engine.answers.recall("herom pump", place).note,
        str(engine.answers.list_hits("heron pump", place)),
    ]
    assert not [one for one in said if "heron" in one.lower()]
    assert {one.memory_id: one.reason for one in made.left_out} == {withheld: NEVER_GIVEN}
    with pytest.raises(NotFoundError):
        engine.answers.fetch(withheld, place)


def test_the_person_finds_it_and_takes_it_back(engine: Engine, withheld: int) -> None:
    assert [hit.card.id for hit in engine.search.search(RecallQuery("heron pump")).hits] == [withheld]
    assert engine.context.placements() == (Placement(withheld, is_withheld=True),)
    assert engine.journal.list()[0].label.endswith("will never be given")
    engine.context.place_at_level([withheld], Level.FULL)
    engine.context.withhold([withheld], is_withheld=False)
    assert engine.context.placements() == (Placement(withheld, Level.FULL),)
    assert "Quentin" in engine.answers.recall("heron pump", engine.answers.place(MILL)).text
    engine.journal.undo()
    assert "Quentin" not in engine.answers.recall("heron pump", engine.answers.place(MILL)).text


def test_no_question_tells_of_it(engine: Engine) -> None:
    first, second = (
        engine.memories.create(MemoryDraft(f"We decided to use {name} for caching", project_path=MILL))
        for name in ("Redis", "Memcached")
    )
    engine.context.withhold([first])
    given = engine.answers.recall("caching", engine.answers.place(MILL))
    assert given.memory_ids == (second,)
    assert "Redis" not in given.text
    signals = ContextSignals(MILL, prompt="How do we do caching?")
    assert "Redis" not in engine.context.assemble(ContextRequest(signals, is_kept=False)).text


def test_it_goes_along_into_a_file_and_back(engine: Engine, withheld: int, tmp_path: Path, clock: FrozenClock) -> None:
    engine.transfer.export_memories(tmp_path / "out.jsonl")
    with closing(Engine.open(Places.under(tmp_path / "fresh"), clock=clock)) as fresh:
        fresh.transfer.import_memories(tmp_path / "out.jsonl", is_own=True)
        assert [one.is_withheld for one in fresh.context.placements()] == [True]


def test_what_does_not_hold_yet_is_in_no_timeline(engine: Engine) -> None:
    now = engine.clock.now()
    for text, since in (("The weir opens on Mondays.", now), ("The weir opens on Fridays.", now + timedelta(days=30))):
        engine.memories.create(MemoryDraft(text, project_path=MILL, valid_from=since))
    place = engine.answers.place(MILL)
    for at in (None, now + timedelta(seconds=30)):
        said = engine.answers.timeline(place, topic="weir", at=at).text
        assert "Mondays" in said
        assert "Fridays" not in said
