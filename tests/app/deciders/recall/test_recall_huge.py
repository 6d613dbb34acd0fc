"""What is pasted into a search box: a megabyte, one endless word, a thousand quotes. Read as far as it says anything, never further."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from app.api import Engine, MemoryDraft, RecallQuery
from app.deciders.recall.ranking.grammar import parse_search
from app.deciders.recall.ranking.query import MOST_GUESSED, make_query_terms, parse_query
from app.deciders.recall.rules import load_recall_rules
from tests.table import table

NOW = datetime(2026, 3, 11, 15, 0, tzinfo=UTC)
MEGABYTE = 1_000_000
HUGE = {
    "one word": "a" * MEGABYTE,
    "camels": "aB" * (MEGABYTE // 2),
    "snake": "_".join(f"word{number}" for number in range(100_000)),
    "digits": "1" * MEGABYTE,
    "a script without spaces": "".join(map(chr, range(0x4E00, 0x4E00 + 20_000))) * (MEGABYTE // 20_000),
    "many words": " ".join(f"w{number}x" for number in range(150_000)),
    "phrases": '"one two" "three four%d" ' * 40_000,
    "open quotes": '"a' * (MEGABYTE // 2),
    "stars": "abc* " * 200_000,
    "brackets": "(" * MEGABYTE,
    "blanks after before": "before" + " " * MEGABYTE + "in March",
    "filters": " ".join(f"#tag{number}" for number in range(100_000)),
    "times": "since March " * 80_000,
}


@table("name", HUGE)
def test_a_query_is_read_as_far_as_it_says_anything(name: str) -> None:
    text = HUGE[name]
    asked: list[str] = []

    def words_near(word: str) -> Sequence[str]:
        asked.append(word)
        return ()

    query = parse_query(text, NOW)
    query_terms = make_query_terms(query, {}, 1_000, load_recall_rules(), words_near)
    assert len(query_terms) <= 512
    assert len(query.phrases) <= 16
    assert len(asked) <= MOST_GUESSED
    words, found = parse_search(text, NOW)
    assert len(found.tags) <= 100
    assert len(words) + len(found.tags) * 10 >= len(" ".join(text.split())) // 2


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_query_is_answered(name: str, engine: Engine) -> None:
    engine.memories.create(MemoryDraft(text="Deploys go out on Tuesdays."))
    assert engine.search.search(RecallQuery(HUGE[name])).hits == ()
    assert engine.search.search(RecallQuery(f"deploys {HUGE[name]}")).candidate_count >= 0


def test_ages_before_the_calendar_stay_words() -> None:
    assert parse_search("cache since:9999y", NOW)[0] == "cache since:9999y"
    assert parse_search("cache since:900y", NOW)[1].from_at is not None
