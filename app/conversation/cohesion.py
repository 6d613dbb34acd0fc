"""How much a message shares with the messages before it: weighted term vectors and their cosine.

Owns tokens, a light stem, inverse frequencies from the history itself and the cosine. Must not know of
boundaries or stores. Plain Python: the vectors are tiny and no numeric library may load before the window.
Source: S1, Entity Overlap; Hearst 1997 (TextTiling) for comparing a message with what stands before it.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

MAX_READ_CHARS = 4000  # more of a pasted wall adds cost, not topic
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:'[a-z]+)?|\d{3,}")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SUFFIXES = ("ations", "ation", "ingly", "ments", "ment", "ings", "ing", "edly", "ies", "ed", "es", "ly", "s")
_MIN_STEM_CHARS = 3

Terms = Mapping[str, int]


@lru_cache(maxsize=2048)
def extract_terms(text: str, stop_words: frozenset[str]) -> Terms:
    """Stemmed content words of `text` with their counts; identifiers count whole and in parts.

    >>> sorted(extract_terms("Rename the parseRows helper", frozenset({"the"})))
    ['helper', 'pars', 'parserow', 'renam', 'row']
    """
    counts: dict[str, int] = {}
    for word in _WORD.findall(text[:MAX_READ_CHARS].replace("_", " ")):
        lower = word.lower()
        if lower in stop_words:
            continue
        parts = {stem_word(lower)}
        if lower[1:] != word[1:]:
            parts.update(stem_word(part.lower()) for part in _CAMEL.findall(word) if len(part) > 2)
        for part in parts - stop_words:
            counts[part] = counts.get(part, 0) + 1
    return counts


def stem_word(word: str) -> str:
    """`word` without its commonest endings; equal stems are taken as one term.

    >>> stem_word("tests") == stem_word("testing") == stem_word("test")
    True
    """
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM_CHARS:
            word = word[: -len(suffix)]
            break
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM_CHARS else word


def inverse_frequencies(documents: Sequence[Terms]) -> dict[str, float]:
    """How rare each term is among `documents`: ln((n + 1) / (df + 0.5)), never below 0.1."""
    seen: dict[str, int] = {}
    for terms in documents:
        for term in terms:
            seen[term] = seen.get(term, 0) + 1
    total = len(documents) + 1
    return {term: max(0.1, math.log(total / (count + 0.5))) for term, count in seen.items()}


def merge_terms(documents: Iterable[Terms]) -> dict[str, int]:
    merged: dict[str, int] = {}
    for terms in documents:
        for term, count in terms.items():
            merged[term] = merged.get(term, 0) + count
    return merged


def cosine_ratio(left: Terms, right: Terms, idf: Mapping[str, float], rarest: float) -> float:
    """Cosine 0..1 of two weighted vectors (1 + ln tf) * idf; 0 when either is empty."""
    if not left or not right:
        return 0.0
    if len(left) > len(right):
        left, right = right, left
    product = 0.0
    for term, count in left.items():
        other = right.get(term)
        if other:
            weight = idf.get(term, rarest)
            product += (1 + math.log(count)) * (1 + math.log(other)) * weight * weight
    if product == 0.0:
        return 0.0
    return product / (_norm(left, idf, rarest) * _norm(right, idf, rarest))


def _norm(terms: Terms, idf: Mapping[str, float], rarest: float) -> float:
    return math.sqrt(sum(((1 + math.log(count)) * idf.get(term, rarest)) ** 2 for term, count in terms.items()))
