"""A word of one letter is that word first, and only then the option of a command that is written with it."""

import pytest

from app.api import Engine, MemoryDraft, RecallQuery

TEXTS = (
    "Use single quotes in Python strings.",
    "Run pytest with -q in the hooks.",
    "Press q to leave the viewer.",
    "The build takes -q --no-color on CI.",
    "We write the parser in C.",
    "Call make -C from the root.",
)


@pytest.fixture
def known(engine: Engine) -> Engine:
    for text in TEXTS:
        engine.memories.create(MemoryDraft(text))
    return engine


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("q", "Press q"),
        ("single q", "Use single quotes"),
        ("press q", "Press q"),
        ("pytest -q", "Run pytest"),
        ("pytest q", "Run pytest"),
        ("parser c", "We write"),
        ("make -C", "Call make"),
        ('"with -q"', "Run pytest"),
    ],
)
def test_the_word_as_typed_comes_first(known: Engine, query: str, first: str) -> None:
    hits = known.search.search(RecallQuery(query)).hits
    assert hits[0].text.startswith(first)


def test_each_still_finds_the_other(known: Engine) -> None:
    for query in ("q", "-q"):
        hits = known.search.search(RecallQuery(query)).hits
        assert {hit.text.split()[0] for hit in hits} == {"Press", "Run", "The"}
        assert all(hit.spans for hit in hits)
    assert not known.search.search(RecallQuery("-q")).hits[0].text.startswith("Press")
