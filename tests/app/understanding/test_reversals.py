"""What the person gives up in so many words closes the memory that speaks of it, without any judge."""

from app.api import Engine, MemoryFilter
from app.values import MemoryStatus
from tests.conftest import Say


def test_a_memory_that_is_given_up_is_closed_by_that_message(engine: Engine, say: Say) -> None:
    say("From now on the nightly job writes CSV exports.")
    (card,) = engine.memories.list().cards
    given_up = say("please remove the nightly CSV exports", session="b")
    memory = engine.memories.get(card.id).memory
    assert (memory.closed_by_message_id, memory.valid_to is not None) == (given_up.message_id, True)


def test_a_memory_that_denies_something_else_is_closed_too(engine: Engine, say: Say) -> None:
    say("From now on the exports are not sent at once - wait five minutes before each mail.")
    (card,) = engine.memories.list().cards
    given_up = say("remove the wait of five minutes before each mail", session="b")
    assert engine.memories.get(card.id).memory.closed_by_message_id == given_up.message_id


def test_what_the_person_pinned_stays(engine: Engine, say: Say) -> None:
    say("From now on the nightly job writes CSV exports.")
    (card,) = engine.memories.list().cards
    engine.memories.pin([card.id])
    say("please remove the nightly CSV exports", session="b")
    assert engine.memories.get(card.id).memory.valid_to is None


def test_a_question_closes_nothing_and_a_message_not_what_it_teaches(engine: Engine, say: Say) -> None:
    say("From now on the nightly job writes CSV exports.")
    say("should we remove the nightly CSV exports?", session="b")
    cards = engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).cards
    assert all(engine.memories.get(card.id).memory.valid_to is None for card in cards)


def test_what_is_only_reported_gone_is_asked_and_closes_nothing(engine: Engine, say: Say) -> None:
    say("From now on the nightly job writes CSV exports.")
    (card,) = engine.memories.list().cards
    say("the nightly CSV exports were removed by the last merge", session="b")
    assert engine.memories.get(card.id).memory.valid_to is None
    (asked,) = engine.contradictions.list()
    assert (asked.a.id, asked.b.status) == (card.id, MemoryStatus.PROPOSED)


def test_a_report_makes_no_memory_where_none_are_learned(engine: Engine, say: Say) -> None:
    say("From now on the nightly job writes CSV exports.")
    engine.settings.set("is_learning_memories", False)
    say("the nightly CSV exports were removed by the last merge", session="b")
    assert (engine.contradictions.list(), engine.memories.list().total) == ((), 1)


def test_a_proposal_that_is_given_up_waits_no_more_and_keeps_its_place_in_the_history(engine: Engine, say: Say) -> None:
    say("Every import should wait for 10 seconds between two files.")
    (card,) = engine.memories.review()
    say("remove the wait of 10 seconds between two files", session="b")
    assert engine.memories.get(card.memory_id).memory.valid_to is not None
    assert engine.memories.review() == ()
    assert engine.memories.counts().to_review == 0
    assert [one.id for one in engine.memories.list().cards] == [card.memory_id]
    engine.journal.undo(engine.journal.list(limit=1)[0].id)
    assert [one.memory_id for one in engine.memories.review()] == [card.memory_id]
    assert engine.memories.counts().to_review == 1
