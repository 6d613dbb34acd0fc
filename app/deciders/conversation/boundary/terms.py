"""The content words of a message, stemmed and counted: what two messages are compared by.

Must not know of boundaries or stores. Source: S1, Entity Overlap; Hearst 1997 (TextTiling) for comparing a message with what stands before it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from app.language.stems import stem

MAX_READ_CHARS = 4000  # more of a pasted wall adds cost, not topic
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:'[a-z]+)?|\d{3,}")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@lru_cache(maxsize=512)
def extract_terms(text: str, stop_words: frozenset[str]) -> Mapping[str, int]:
    """Stemmed content words of `text` with their counts; identifiers count whole and in parts.

    >>> sorted(extract_terms("Rename the parseRows helper", frozenset({"the"})))
    ['helper', 'pars', 'parserow', 'renam', 'row']
    """
    counts: dict[str, int] = {}
    for word in _WORD.findall(text[:MAX_READ_CHARS].replace("_", " ")):
        lower = word.lower()
        if lower in stop_words:
            continue
        parts = {stem(lower)}
        if lower[1:] != word[1:]:
            parts.update(stem(part.lower()) for part in _CAMEL.findall(word) if len(part) > 2)
        for part in parts - stop_words:
            counts[part] = counts.get(part, 0) + 1
    return counts
