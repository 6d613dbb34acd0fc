"""How much a message shares with the messages before it: weighted term vectors and their cosine.

Owns tokens, a light stem, inverse frequencies from the history itself and the cosine. Must not know of
boundaries or stores. Plain Python: the vectors are tiny and no numeric library may load before the window.
Source: S1, Entity Overlap; Hearst 1997 (TextTiling) for comparing a message with what stands before it.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from app.language.stems import stem

MAX_READ_CHARS = 4000  # more of a pasted wall adds cost, not topic
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:'[a-z]+)?|\d{3,}")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_DAMPED = (0.0, *(1 + math.log(count) for count in range(1, 65)))

Terms = Mapping[str, int]


@lru_cache(maxsize=512)
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
        parts = {stem(lower)}
        if lower[1:] != word[1:]:
            parts.update(stem(part.lower()) for part in _CAMEL.findall(word) if len(part) > 2)
        for part in parts - stop_words:
            counts[part] = counts.get(part, 0) + 1
    return counts


@dataclass(frozen=True, slots=True)
class ComparedMessages:
    """The messages a new one is compared with: in how many of them each term occurs."""

    spread: Counter[str]
    rarity: tuple[float, ...]  # by spread: ln((n + 1) / (spread + 0.5)), at least 0.1

    @classmethod
    def of(cls, documents: Sequence[Terms]) -> "ComparedMessages":
        total = len(documents) + 1
        return cls(
            spread=Counter(chain.from_iterable(documents)),  # counted in C: this runs for every message typed
            rarity=tuple(max(0.1, math.log(total / (spread + 0.5))) for spread in range(total)),
        )

    def novel_ratio(self, terms: Terms) -> float:
        """Share of `terms` that no earlier message holds; 0 when there are none."""
        return sum(term not in self.spread for term in terms) / len(terms) if terms else 0.0

    def cosine_ratio(self, left: Terms, right: Terms) -> float:
        """Cosine 0..1 of two messages, vectors (1 + ln tf) * rarity; 0 when they share nothing."""
        product = self._product(left, right)
        return product / (self._norm(left) * self._norm(right)) if product else 0.0

    def total_cosine_ratio(self, terms: Terms) -> float:
        """The same against all messages together, a term counted once a message."""
        product = self._product(terms, self.spread)
        if not product:
            return 0.0
        sizes = Counter(self.spread.values())
        norm = math.sqrt(sum(n * (_damp(spread) * self.rarity[spread]) ** 2 for spread, n in sizes.items()))
        return product / (self._norm(terms) * norm)

    def _product(self, left: Terms, right: Terms) -> float:
        if len(left) > len(right):
            left, right = right, left
        return sum(
            _damp(count) * _damp(right[term]) * self.rarity[self.spread[term]] ** 2
            for term, count in left.items()
            if term in right
        )

    def _norm(self, terms: Terms) -> float:
        return math.sqrt(
            sum((_damp(count) * self.rarity[self.spread.get(term, 0)]) ** 2 for term, count in terms.items())
        )


def _damp(count: int) -> float:
    return _DAMPED[count] if count < len(_DAMPED) else 1 + math.log(count)
