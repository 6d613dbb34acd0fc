"""Cuts English endings off a word, so that "tests", "tested" and "testing" are one, for search, likeness and boundaries alike.

Snowball's English stemmer does it; irregular forms are in `recall.yaml`. Words with digits or of another script pass unchanged.
Source: M. Porter, "An algorithm for suffix stripping" (1980), in its second form.
"""

from functools import cache, lru_cache

import Stemmer

from app.resources import load_rules

_ENGLISH = Stemmer.Stemmer("english", 0)  # no cache of its own: ours holds more and serves threads


@cache
def load_irregular() -> dict[str, str]:
    """Forms that no rule of endings leads back. Never a person's own: the index is built with them."""
    return {str(form): str(base) for form, base in load_rules("recall")["irregular"].items()}


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """The stem of a lower-case word; equal stems mean one word for the search.

    >>> [stem(word) for word in ("migrations", "migrated", "migrating", "ids", "3.11")]
    ['migrat', 'migrat', 'migrat', 'id', '3.11']
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    return str(_ENGLISH.stemWord(load_irregular().get(word, word)))
