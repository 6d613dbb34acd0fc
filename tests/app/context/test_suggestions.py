"""A suggestion says only words that the asker's own search would find: none of what is put away, held back or of another project."""

import pytest

from app.api import Engine, MemoryDraft, Origin, RecallQuery
from app.values import MemoryFilter, MemoryStatus

WORD = "quasarbridge"


def suggested(engine: Engine, **filters: object) -> str:
    asked = RecallQuery("quasarbrigde", filters=MemoryFilter(**filters))  # type: ignore[arg-type]
    answer = engine.search.search(asked)
    return f"{answer.suggestion}{''.join(hit.text for hit in answer.hits)}"


@pytest.fixture
def number(engine: Engine) -> int:
    return engine.memories.create(MemoryDraft(f"The {WORD} listens on port 80.", project_path="/w/shop"))


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_word_that_stands_only_in_what_is_put_away_is_not_suggested(
    engine: Engine, number: int, is_indexed: bool
) -> None:
    assert WORD in suggested(engine)
    engine.memories.archive([number])
    if is_indexed:
        engine.search.rebuild()
    assert WORD not in suggested(engine)
    assert WORD in suggested(engine, statuses=(MemoryStatus.ARCHIVED,))


def test_a_word_of_what_waits_or_of_another_project_is_not_suggested(engine: Engine, number: int) -> None:
    assert WORD not in suggested(engine, projects=("/w/other",))
    assert WORD in suggested(engine, projects=("/w/shop",))
    engine.memories.erase([number])
    engine.memories.create(MemoryDraft(f"The {WORD} moved to port 90."), origin=Origin.API)
    assert WORD not in suggested(engine)


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_word_is_completed_from_what_is_in_use_only(engine: Engine, number: int, is_indexed: bool) -> None:
    others = [engine.memories.create(MemoryDraft(f"The quasar{letter}ox hums.")) for letter in "abcdefghijkl"]

    def settle() -> None:
        if is_indexed:
            engine.search.rebuild()

    settle()
    assert WORD in engine.search.suggest("quasarbr", 1)
    engine.memories.archive([number, *others[1:]])
    settle()
    assert engine.search.suggest("quasar", 3) == ("quasaraox",)
    assert engine.search.suggest("quasarbr") == ()
    engine.memories.unarchive([number])
    settle()
    assert set(engine.search.suggest("quasar", 3)) == {WORD, "quasaraox"}
    engine.memories.create(MemoryDraft("The quasarling waits."), origin=Origin.API)
    settle()
    assert engine.search.suggest("quasarli") == ()


def test_a_suggestion_leaves_words_that_are_looked_for_as_one_as_they_were_typed(engine: Engine, number: int) -> None:
    assert engine.search.search(RecallQuery(f"{WORD} logged in")).suggestion == "", "the control: nothing is misspelt"
    answer = engine.search.search(RecallQuery("quasarbrigde logged in"))
    assert f"{answer.suggestion}{''.join(hit.text for hit in answer.hits)}"
    assert "logge " not in answer.suggestion
    assert answer.suggestion in {"", f"{WORD} logged in"}


def test_no_word_is_replaced_by_a_short_one_that_it_holds(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("The kettle stands in the kitchen, the oven is in there too."))
    assert engine.search.search(RecallQuery("kubernetes ingress overlay")).suggestion == ""
