"""Cuts English endings off a word, so that "tests", "tested" and "testing" are one. Knows nothing else.

A light stemmer of our own: it undoes plural, past, gerund, adverb and the common noun endings, and leaves alone what would
become too short to tell apart. Words with digits or of another script pass unchanged. Source: the idea of suffix rules with a
measure of what is left goes back to M. Porter, "An algorithm for suffix stripping" (1980).
"""

import re
from functools import cache, lru_cache

from app.resources import load_rules

_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
# ending → what takes its place, when at least so many letters with a vowel are left
_ENDINGS: tuple[tuple[str, str, int], ...] = (
    ("ization", "ize", 3),
    ("isation", "ize", 3),
    ("ational", "ate", 3),
    ("fulness", "", 3),
    ("ousness", "", 3),
    ("iveness", "", 3),
    ("ingly", "", 3),
    ("ation", "", 4),
    ("ement", "", 4),
    ("ment", "", 4),
    ("ness", "", 3),
    ("ibly", "", 4),
    ("ably", "", 4),
    ("able", "", 4),
    ("ible", "", 4),
    ("ally", "", 4),
    ("ance", "", 4),
    ("ence", "", 4),
    ("ator", "", 4),
    ("tion", "t", 3),
    ("sion", "s", 4),
    ("ful", "", 4),
    ("ity", "", 4),
    ("ive", "", 4),
    ("ize", "", 4),
    ("ise", "", 4),
    ("ate", "", 4),
    ("ous", "", 4),
    ("al", "", 5),
    ("er", "", 4),
    ("or", "", 5),
    ("ly", "", 3),
)
_BY_LAST = {
    letter: tuple(entry for entry in _ENDINGS if entry[0].endswith(letter))
    for letter in {one[0][-1] for one in _ENDINGS}
}


@cache
def load_irregular() -> dict[str, str]:
    """Forms that no rule of endings leads back. Never a person's own: the index is built with them."""
    return {str(form): str(base) for form, base in load_rules("recall")["irregular"].items()}


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case word; equal stems mean one word for the search.

    >>> [stem(word) for word in ("migrations", "migrated", "migrating", "ids", "3.11")]
    ['migr', 'migr', 'migr', 'id', '3.11']
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    base = load_irregular().get(word, word)
    cut = base if base != word else _without_past(_without_plural(word))
    for ending, instead, least in _BY_LAST.get(cut[-1], ()):
        if cut.endswith(ending):
            left = cut[: -len(ending)]
            if len(left) >= least and _VOWEL.search(left):
                cut = left + instead
                break
    return _smoothed(cut)


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 or _VOWEL.search(word[:-1]) else word


def _without_past(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) >= 3 and _VOWEL.search(left) and not word.endswith("eed"):
            return _DOUBLED.sub(r"\1", left)
    return word


def _smoothed(word: str) -> str:
    """One spelling for what is left: "migrate" and "migrat", "reply" and "repli"."""
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 5 and word.endswith("at"):
        word = word[:-2]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return _DOUBLED.sub(r"\1", word) if len(word) > 4 else word
