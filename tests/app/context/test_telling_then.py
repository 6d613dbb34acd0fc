"""An earlier time, asked by number and one after the other: the words of then, today's walls, nothing that was put away."""

from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock, MemoryDraft
from app.values import MemoryEdit
from tests.conftest import START

HERE, THERE = "/w/here", "/w/there"


@pytest.fixture
def known(engine: Engine, clock: FrozenClock) -> dict[str, int]:
    """What was known on the first day, and what became of it ten days later."""
    made = {
        name: engine.memories.create(MemoryDraft(text, project_path=THERE if name == "elsewhere" else HERE))
        for name, text in (
            ("closed", "The lighthouse lamp burns paraffin."),
            ("edited", "The lighthouse lamp is cleaned on Mondays."),
            ("archived", "The lighthouse lamp is a secret."),
            ("elsewhere", "The lighthouse lamp of others is broken."),
        )
    }
    clock.advance(days=10)
    engine.memories.edit(made["closed"], MemoryEdit(valid_to=clock.now()))
    engine.memories.edit(made["edited"], MemoryEdit(full="The lighthouse lantern is cleaned on Fridays."))
    engine.memories.archive([made["archived"]])
    made["later"] = engine.memories.create(MemoryDraft("The lighthouse lamp is electric.", project_path=HERE))
    clock.advance(days=10)
    return made


def test_a_number_is_told_as_it_was(engine: Engine, known: dict[str, int]) -> None:
    here, at = engine.telling.place(HERE), START + timedelta(days=5)
    told = engine.telling.expand(known.values(), here, at=at)
    assert told.memory_ids == (known["closed"], known["edited"])
    assert "paraffin" in told.text
    assert "on Mondays" in told.text
    for name in ("archived", "elsewhere", "later"):
        assert str(known[name]) in told.note
    assert f"As of {at:%Y-%m-%d}" in told.note
    now = engine.telling.expand(known.values(), here)
    assert now.memory_ids == (known["edited"], known["later"])
    assert "As of" not in now.note


def test_before_anything_was_known_nothing_is_told(engine: Engine, known: dict[str, int]) -> None:
    here, at = engine.telling.place(HERE), START - timedelta(days=1)
    assert engine.telling.expand(known.values(), here, at=at).text == ""
    told = engine.telling.timeline(here, at=at)
    assert (told.text, told.note) == ("", "")


def test_the_timeline_of_then_knows_neither_what_came_nor_what_ended_later(
    engine: Engine, known: dict[str, int]
) -> None:
    here, at = engine.telling.place(HERE), START + timedelta(days=5)
    told = engine.telling.timeline(here, at=at)
    assert told.memory_ids == (known["closed"], known["edited"])
    assert " to " not in told.text
    assert "Mondays" in told.text
    later = engine.telling.timeline(here, at=START + timedelta(days=15))
    assert later.memory_ids[-1] == known["later"]
    assert f" to {START + timedelta(days=10):%Y-%m-%d}" in later.text
    assert "Fridays" in later.text


def test_a_topic_is_looked_for_in_the_words_of_then(engine: Engine, known: dict[str, int]) -> None:
    here, at = engine.telling.place(HERE), START + timedelta(days=5)
    assert engine.telling.timeline(here, topic="LAMP mondays", at=at).memory_ids == (known["edited"],)
    assert engine.telling.timeline(here, topic="lantern", at=at).memory_ids == ()
    assert engine.telling.timeline(here, topic="lantern").memory_ids == (known["edited"],)
    assert len(engine.telling.timeline(here, at=at, limit=1).memory_ids) == 1


def test_asking_of_the_past_counts_as_no_use(engine: Engine, known: dict[str, int]) -> None:
    here = engine.telling.place(HERE)
    engine.telling.expand([known["edited"]], here, at=START + timedelta(days=5))
    engine._core.indexing.usage.flush()
    assert engine.memories.get(known["edited"]).memory.retrieved_count == 0
    engine.telling.expand([known["edited"]], here)
    engine._core.indexing.usage.flush()
    assert engine.memories.get(known["edited"]).memory.retrieved_count == 1
