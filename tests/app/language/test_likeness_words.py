"""Plain words of texts of ASCII alone are read in a shorter way: it must find what the long way finds."""

import pytest

from app.language.likeness import Phrases, plain_words

TEXTS = (
    "Debounce is set to 50MS, retries to 3.",
    "Use `pnpm` for 1,000.5kb: it's FAST -- isn't it?",
    "see ~/src/app.py:12, v2.0.1 and C++17 (50% / -q)",
    "...  --- ''' 7",
)


@pytest.mark.parametrize("text", TEXTS)
def test_ascii_is_read_as_any_other_text(text: str) -> None:
    assert [*plain_words(text), "é"] == plain_words(f"{text} É")


def test_phrases_of_one_word_are_folded_in_their_order() -> None:
    phrases = Phrases.of([("on call person", "pager"), ("on call", "oncall"), ("call back", "callback")])
    assert phrases.fold(["the", "on", "call", "person"]) == ["the", "pager"]
    assert phrases.fold(["call", "back", "whoever", "is", "on", "call"]) == ["callback", "whoever", "is", "oncall"]
