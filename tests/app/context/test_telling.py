"""S9: what an assistant is told beside the frame — suggestions too — says nothing of what may not be told there."""

from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, MemoryEdit, Origin
from app.values import Visibility

NAMED = "The zanzibarite is rolled out on Fridays."
SLIP = "zanzibarit"


@pytest.mark.parametrize(
    ("draft", "origin", "is_told"),
    [
        (MemoryDraft(NAMED, project_path="/w/here"), Origin.PERSON, True),
        (MemoryDraft(NAMED), Origin.PERSON, True),
        (MemoryDraft(NAMED, project_path="/w/there", visibility=Visibility.PROJECT_SHARED), Origin.PERSON, True),
        (MemoryDraft(NAMED, project_path="/w/there"), Origin.PERSON, False),
        (MemoryDraft(NAMED, project_path="/w/here"), Origin.API, False),
    ],
    ids=["own", "of no project", "shared", "of another project", "proposed"],
)
def test_a_slip_is_corrected_only_by_words_that_may_be_told(
    engine: Engine, draft: MemoryDraft, origin: Origin, *, is_told: bool
) -> None:
    engine.memories.create(MemoryDraft("We indent by two.", project_path="/w/here"))
    engine.memories.create(draft, origin=origin)
    told = engine.telling.recall(f"when is {SLIP} released?", engine.telling.place("/w/here"))
    said = told.text + told.note
    assert ("zanzibarite" in said) == is_told, said


@pytest.mark.parametrize("topic", ["word " * 5_000, "%_" * 2_000])
def test_a_topic_of_any_length_is_answered(engine: Engine, topic: str) -> None:
    assert engine.telling.timeline(engine.telling.place("/w/here"), topic=topic).text == ""


def test_a_topic_is_found_in_titles_too_now_and_then(engine: Engine, clock: FrozenClock) -> None:
    draft = MemoryDraft("We write to Postgres.", project_path="/w/here", title="Harbour database")
    made = engine.memories.create(draft)
    here, at = engine.telling.place("/w/here"), clock.now() + timedelta(hours=1)
    clock.advance(days=1)
    assert engine.telling.timeline(here, topic="harbour").memory_ids == (made,)
    engine.memories.edit(made, MemoryEdit(title="Store of orders"))
    assert engine.telling.timeline(here, topic="harbour").memory_ids == ()
    assert engine.telling.timeline(here, topic="harbour", at=at).memory_ids == (made,)


@pytest.fixture
def over_time(engine: Engine, clock: FrozenClock) -> dict[str, int]:
    """What was decided on the first day, edited, closed and put away later."""
    made = {}
    for name, text in (
        ("closed", "The heron pump runs on diesel."),
        ("edited", "The heron pump is serviced in May."),
        ("archived", "The heron pump is painted green."),
    ):
        made[name] = engine.memories.create(MemoryDraft(text, project_path="/w/here"))
    made["elsewhere"] = engine.memories.create(MemoryDraft("The heron pump of others leaks.", project_path="/w/there"))
    clock.advance(days=10)
    engine.memories.edit(made["closed"], MemoryEdit(valid_to=clock.now()))
    engine.memories.edit(made["edited"], MemoryEdit(full="The heron pump is serviced in October."))
    engine.memories.archive([made["archived"]])
    engine.memories.create(MemoryDraft("The heron pump runs on current.", project_path="/w/here"))
    clock.advance(days=10)
    return made


def test_what_was_known_then_is_told_in_the_words_of_then(
    engine: Engine, clock: FrozenClock, over_time: dict[str, int]
) -> None:
    here = engine.telling.place("/w/here")
    now = engine.telling.recall("heron pump", here)
    then = engine.telling.recall("heron pump", here, at=clock.now() - timedelta(days=15))
    assert "current" in now.text
    assert "October" in now.text
    assert "diesel" not in now.text
    assert set(then.memory_ids) == {over_time["closed"], over_time["edited"]}
    assert "diesel" in then.text
    assert "in May" in then.text
    assert "As of" in then.note
    assert engine.telling.recall("heron pump", here, at=clock.now() - timedelta(days=50)).text == ""
    assert engine.telling.recall("heron pump", here, at=clock.now()).text.count("- [") == 2
