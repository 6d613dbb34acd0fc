"""What is written to the store and not yet to the index, searched beside it: a new memory is found at once.

Small by design (the indexer takes its entries away about every second), so a plain inverted list in memory does. Scores are
BM25 as the index computes it, so that both lists can be merged. A reader keeps the one that fits its snapshot: another reader's
older or newer snapshot takes nothing from it. Source: STACK 1.2 "overlay".
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from app.store.search.values import STEMS, WORDS, IndexDocument, Scope, Term

_K1, _B = 1.2, 0.75  # tantivy's


class Overlay:
    """Never changed once it is made. Documents by id; `gone` ids are hidden from what the index finds.

    `uncounted` is shared with the indexer, who takes out what its index counts from then on.
    """

    def __init__(self, uncounted: AbstractSet[int] = frozenset()) -> None:
        self._uncounted = uncounted
        self._documents: Mapping[int, IndexDocument] = {}
        self._frequencies: Mapping[int, Counter[str]] = {}
        self._documents_with: Counter[str] = Counter()  # stem → how many of the documents here hold it
        self._gone: frozenset[int] = frozenset()

    def change(self, kept: Collection[int], documents: Iterable[IndexDocument], gone: Iterable[int]) -> "Overlay":
        """What is left of this one when only `kept` waits, with `documents` put into it or in place of what was there."""
        new = {document.id: document for document in documents}
        made = Overlay(self._uncounted)
        left = {key: document for key, document in self._documents.items() if key in kept and key not in new}
        frequencies = {key: self._frequencies[key] for key in left}
        frequencies |= {key: Counter(document.stems) for key, document in new.items()}
        made._documents, made._frequencies = left | new, frequencies
        made._gone = (self._gone & frozenset(kept)).union(gone).difference(new)
        for one in frequencies.values():
            made._documents_with.update(one.keys())
        return made

    def ids(self) -> AbstractSet[int]:
        """Whoever waits, the deleted ones too: what the index says of these is old."""
        return self._gone.union(self._documents)

    @property
    def new_count(self) -> int:
        """How many documents are here that the index does not count."""
        return sum(key in self._uncounted for key in self._documents)

    def add_counts(self, stems: Sequence[str], indexed: Sequence[int]) -> list[int]:
        """In how many documents each stem stands, `indexed` of them in the index: what is new beside it is added.

        At least as many as hold it here: an edit may have brought it in.
        """
        if not self._documents:
            return list(indexed)
        new = [one for key, one in self._frequencies.items() if key in self._uncounted]
        return [
            max(count + sum(stem in one for one in new), self._documents_with[stem])
            for stem, count in zip(stems, indexed, strict=True)
        ]

    def words_with_prefix(self, prefix: str) -> list[str]:
        words = {word for document in self._documents.values() for word in document.words if word.startswith(prefix)}
        return sorted(words)

    def find(self, terms: Sequence[Term], counts: Sequence[int], total: int, scope: Scope) -> list[tuple[int, float]]:
        """Ids with BM25 scores, best first. `counts`: in how many documents each term stands, `total` of them in the index."""
        if not self._documents:
            return []
        size = total + self.new_count
        mean = sum(len(document.stems) for document in self._documents.values()) / len(self._documents) or 1.0
        found = []
        for key, document in self._documents.items():
            if not _is_inside(document, scope):
                continue
            score = _score(document, self._frequencies[key], terms, counts, size, mean)
            if score > 0:
                found.append((key, score))
        return sorted(found, key=lambda pair: -pair[1])


def _score(
    document: IndexDocument,
    frequencies: Counter[str],
    terms: Sequence[Term],
    counts: Sequence[int],
    size: int,
    mean: float,
) -> float:
    score = 0.0
    norm = _K1 * (1 - _B + _B * len(document.stems) / mean)
    for term, count in zip(terms, counts, strict=True):
        if term.field == STEMS:
            often = frequencies.get(term.text, 0)
        elif term.field == WORDS:
            often = sum(word.startswith(term.text) if term.is_prefix else word == term.text for word in document.words)
        else:
            often = int(term.text in document.tags)
        if often:
            # an index counts what it replaced until its files are merged: more than there are
            weight = math.log(1 + (max(size - count, 0) + 0.5) / (count + 0.5)) if not term.is_prefix else 1.0
            score += term.weight * weight * often * (_K1 + 1) / (often + norm)
    return score


def _is_inside(document: IndexDocument, scope: Scope) -> bool:
    if scope.from_at is not None and document.recorded_at < scope.from_at:
        return False
    if scope.to_at is not None and document.recorded_at >= scope.to_at:
        return False
    return all(any(tag in document.tags for tag in group) for group in scope.groups)
