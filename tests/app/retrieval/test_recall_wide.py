"""What saves time while somebody types changes no answer: wide filters, longer beginnings of a word, no suggestion."""

from itertools import islice

from app.api import Engine, MemoryDraft, RecallQuery
from app.values import MemoryFilter, MemoryStatus
from tests.crowd import remember_all

SHOWN = MemoryFilter(statuses=(MemoryStatus.ACTIVE, MemoryStatus.PROPOSED))


def test_what_is_put_away_hides_nothing_from_a_filter_that_lets_nearly_all_through(engine: Engine) -> None:
    kept = engine.memories.create(
        MemoryDraft("The gateway of the harbour office listens on port 80, as was agreed in spring.")
    )
    away = remember_all(engine, [MemoryDraft(f"Gateway gateway {number}.") for number in range(50)])
    engine.memories.archive(away)
    engine.search.rebuild()
    found = engine.search.search(RecallQuery("gateway", filters=SHOWN, limit=5)).hits
    assert [hit.card.id for hit in found] == [kept]


def test_a_longer_beginning_is_found_in_the_words_of_a_shorter_one(engine: Engine) -> None:
    words = ("quarry", "quarrel", "quartet", "quarto", "quay", "queue")
    for count, word in enumerate(words, 1):
        for number in range(count):
            engine.memories.create(MemoryDraft(f"{word.title()} {number} is closed."))
    engine.search.rebuild()
    indexing = engine._core.indexing
    begun = [word[:size] for word in words for size in range(1, len(word) + 1)]
    typed = {one: indexing.index.words_with_prefix(one, 3) for one in begun}
    for one in begun:
        expected = [(word, count) for count, word in reversed(list(enumerate(words, 1))) if word.startswith(one)]
        assert typed[one] == list(islice(expected, 3))


def test_who_does_not_ask_gets_no_suggestion(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("The quasarbridge listens on port 80."))
    answers = [engine.search.search(RecallQuery("quazarbrigdez", is_suggesting=wanted)) for wanted in (True, False)]
    assert [(answer.hits, answer.suggestion) for answer in answers] == [((), "quasarbridge"), ((), "")]
