"""Questions about the work itself: the newest episode answers them, in the search, to an assistant and with a first prompt."""

import pytest

from app.api import Engine, FrozenClock, MemoryDraft
from app.values import ContextRequest, ContextSignals, MemoryFilter, MemoryKind, RecallQuery

SHOP = "/w/shop"


@pytest.fixture
def episodes(engine: Engine, clock: FrozenClock) -> list[int]:
    """The oldest first, each a day later; beside them what is known."""
    engine.warm_up()
    made = []
    for text in ("The export was built; its tests are open.", "Invoices were numbered, because gaps are forbidden.",
                 "The calendar counts guests; printing it is left."):  # fmt: skip
        made.append(engine.memories.create(MemoryDraft(text, kind=MemoryKind.EPISODE, project_path=SHOP)))
        clock.advance(days=1)
    engine.memories.create(MemoryDraft("We talk of what we did last on Mondays.", project_path=SHOP))
    other = MemoryDraft("The lantern was lit.", kind=MemoryKind.EPISODE, project_path="/w/lantern")
    engine.memories.create(other)
    return made


@pytest.mark.parametrize("question", ["What did we do last?", "what's left?", "where did we stop?"])
def test_the_newest_of_the_project_answers(engine: Engine, episodes: list[int], question: str) -> None:
    found = engine.search.find(RecallQuery(question, filters=MemoryFilter(projects=(SHOP,)))).hits
    assert [(hit.kind, hit.card.id) for hit in found[:2] if hit.card] == [
        ("episode", episodes[2]),
        ("episode", episodes[1]),
    ]
    answer = engine.answers.recall(question, engine.answers.place(SHOP))
    assert answer.memory_ids[:2] == (episodes[2], episodes[1])
    assert "lantern" not in answer.text
    signals = ContextSignals(SHOP, app="claude-code", session="new", prompt=question)
    given = engine.context.assemble(ContextRequest(signals, delivery="hook:prompt", is_kept=False))
    assert "printing it is left" in given.text


def test_a_reason_is_looked_for_among_what_was_done_first(engine: Engine, episodes: list[int]) -> None:
    engine.memories.create(MemoryDraft("Invoices have a number in the footer.", project_path=SHOP))
    question = "why did we number the invoices?"
    assert engine.answers.recall(question, engine.answers.place(SHOP)).memory_ids[0] == episodes[1]
    found = engine.search.find(RecallQuery(question, filters=MemoryFilter(projects=(SHOP,)))).hits
    assert found[0].card is not None
    assert found[0].card.id == episodes[1]


def test_any_other_question_is_searched_as_ever(engine: Engine, episodes: list[int]) -> None:
    found = engine.search.find(RecallQuery("who counts guests?", filters=MemoryFilter(projects=(SHOP,)))).hits
    assert next(hit.card.id for hit in found if hit.card) == episodes[2]
