"""S9: what an assistant is told beside the frame — suggestions too — says nothing of what may not be given there.

An earlier time, asked by number and one after the other: the words of then, today's walls, nothing that was put
away.
"""

from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, MemoryEdit, Origin
from app.values import ContextRequest, ContextSignals, Visibility
from tests.conftest import START
from tests.crowd import remember_all

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
    given = engine.answers.recall(f"when is {SLIP} released?", engine.answers.place("/w/here"))
    said = given.text + given.note
    assert ("zanzibarite" in said) == is_told, said


@pytest.mark.parametrize("topic", ["word " * 5_000, "%_" * 2_000])
def test_a_topic_of_any_length_is_answered(engine: Engine, topic: str) -> None:
    assert engine.answers.timeline(engine.answers.place("/w/here"), topic=topic).text == ""


def test_a_topic_is_found_in_titles_too_now_and_then(engine: Engine, clock: FrozenClock) -> None:
    draft = MemoryDraft("We write to Postgres.", project_path="/w/here", title="Harbour database")
    made = engine.memories.create(draft)
    here, at = engine.answers.place("/w/here"), clock.now() + timedelta(hours=1)
    clock.advance(days=1)
    assert engine.answers.timeline(here, topic="harbour").memory_ids == (made,)
    engine.memories.edit(made, MemoryEdit(title="Store of orders"))
    assert engine.answers.timeline(here, topic="harbour").memory_ids == ()
    assert engine.answers.timeline(here, topic="harbour", at=at).memory_ids == (made,)


def test_a_list_says_short_memories_in_their_own_words(engine: Engine) -> None:
    """A summary saves words, and may save those that matter: never to the log is not never."""
    text = "Never write card numbers to the log."
    engine.memories.create(MemoryDraft(text, project_path="/w/here"))
    here = engine.answers.place("/w/here")
    assert text in engine.answers.timeline(here, topic="").text
    assert text in engine.answers.list_hits("card numbers", here, limit=3)[0].text


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
    here = engine.answers.place("/w/here")
    now = engine.answers.recall("heron pump", here)
    then = engine.answers.recall("heron pump", here, at=clock.now() - timedelta(days=15))
    assert "current" in now.text
    assert "October" in now.text
    assert "diesel" not in now.text
    assert set(then.memory_ids) == {over_time["closed"], over_time["edited"]}
    assert "diesel" in then.text
    assert "in May" in then.text
    assert "As of" in then.note
    assert engine.answers.recall("heron pump", here, at=clock.now() - timedelta(days=50)).text == ""
    assert engine.answers.recall("heron pump", here, at=clock.now()).text.count("- [") == 2


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
    here, at = engine.answers.place(HERE), START + timedelta(days=5)
    given = engine.answers.expand(known.values(), here, at=at)
    assert given.memory_ids == (known["closed"], known["edited"])
    assert "paraffin" in given.text
    assert "on Mondays" in given.text
    for name in ("archived", "elsewhere", "later"):
        assert str(known[name]) in given.note
    assert f"As of {at:%Y-%m-%d}" in given.note
    now = engine.answers.expand(known.values(), here)
    assert now.memory_ids == (known["edited"], known["later"])
    assert "As of" not in now.note


def test_before_anything_was_known_nothing_is_told(engine: Engine, known: dict[str, int]) -> None:
    here, at = engine.answers.place(HERE), START - timedelta(days=1)
    assert engine.answers.expand(known.values(), here, at=at).text == ""
    given = engine.answers.timeline(here, at=at)
    assert (given.text, given.note) == ("", "")


def test_the_timeline_of_then_knows_neither_what_came_nor_what_ended_later(
    engine: Engine, known: dict[str, int]
) -> None:
    here, at = engine.answers.place(HERE), START + timedelta(days=5)
    given = engine.answers.timeline(here, at=at)
    assert given.memory_ids == (known["closed"], known["edited"])
    assert " to " not in given.text
    assert "Mondays" in given.text
    later = engine.answers.timeline(here, at=START + timedelta(days=15))
    assert later.memory_ids[-1] == known["later"]
    assert f" to {START + timedelta(days=10):%Y-%m-%d}" in later.text
    assert "Fridays" in later.text


def test_a_topic_is_looked_for_in_the_words_of_then(engine: Engine, known: dict[str, int]) -> None:
    here, at = engine.answers.place(HERE), START + timedelta(days=5)
    assert engine.answers.timeline(here, topic="LAMP mondays", at=at).memory_ids == (known["edited"],)
    assert engine.answers.timeline(here, topic="lantern", at=at).memory_ids == ()
    assert engine.answers.timeline(here, topic="lantern").memory_ids == (known["edited"],)
    assert len(engine.answers.timeline(here, at=at, limit=1).memory_ids) == 1


def test_asking_of_the_past_counts_as_no_use(engine: Engine, known: dict[str, int]) -> None:
    here = engine.answers.place(HERE)
    engine.answers.expand([known["edited"]], here, at=START + timedelta(days=5))
    engine._core.indexing.usage.flush()
    assert engine.memories.get(known["edited"]).memory.retrieved_count == 0
    engine.answers.expand([known["edited"]], here)
    engine._core.indexing.usage.flush()
    assert engine.memories.get(known["edited"]).memory.retrieved_count == 1


@pytest.mark.seed("S4", "tier4.pointers", "assemble.tier4")
@pytest.mark.parametrize("category", ["", "plumbing"])
def test_a_type_is_no_topic_to_ask_about(engine: Engine, category: str) -> None:
    texts = [
        "An invoice field is checked before it is printed.",
        *(f"Pump {at} stands in hall {at}." for at in range(30)),
    ]
    remember_all(engine, [MemoryDraft(one, project_path="/w/mill", category=category) for one in texts])
    signals = ContextSignals(prompt="How is an invoice field checked?", project_path="/w/mill")
    said = engine.context.assemble(ContextRequest(signals, is_kept=False)).text
    assert "invoice field" in said
    assert ("Ask about: plumbing (30)" in said) == ("Ask about" in said) == bool(category)


def test_what_shares_only_a_word_with_the_question_is_not_told_beside_what_answers_it(engine: Engine) -> None:
    here = "/w/here"
    answer = engine.memories.create(MemoryDraft("The nightly export stops at 500 rows.", project_path=here))
    engine.memories.create(MemoryDraft("Rows of the overview are striped in grey.", project_path=here))
    engine.memories.create(MemoryDraft("The nightly backup goes to the second disk.", project_path=here))
    given = engine.answers.recall("At how many rows does the nightly export stop?", engine.answers.place(here), limit=8)
    assert given.memory_ids == (answer,)
    assert len(engine.answers.recall("nightly", engine.answers.place(here), limit=8).memory_ids) == 2
