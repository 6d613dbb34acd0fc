"""What is written to the store and not yet to the index, searched beside it: a new memory is found at once.

Small by design (the indexer takes its entries away about every second), so a plain inverted list in memory does. Scores are
BM25 as the index computes it, so that both lists can be merged. Source: STACK 1.2 "overlay".
"""

import math
import threading
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from app.store.index_values import STEMS, WORDS, IndexDocument, Scope, Term

_K1, _B = 1.2, 0.75  # tantivy's


class Overlay:
    """Thread-safe. Documents by id; `gone` ids are hidden from what the index finds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._documents: dict[int, IndexDocument] = {}
        self._counts: dict[int, Counter[str]] = {}
        self._gone: set[int] = set()
        self._documents_with: Counter[str] = Counter()  # stem → how many of the documents here hold it
        self._new: set[int] = set()  # those of which the index holds no earlier state
        self._new_with: Counter[str] = Counter()

    def put(
        self, documents: Iterable[IndexDocument], *, gone: Iterable[int] = (), indexed: Container[int] = ()
    ) -> None:
        """`indexed`: those of them that the index counts already, as they were before."""
        with self._lock:
            for document in documents:
                self._drop(document.id)
                self._documents[document.id] = document
                self._documents_with.update(set(document.stems))
                self._counts[document.id] = Counter(document.stems)
                if document.id not in indexed:
                    self._new.add(document.id)
                    self._new_with.update(self._counts[document.id].keys())
                self._gone.discard(document.id)
            for memory_id in gone:
                self._drop(memory_id)
                self._gone.add(memory_id)

    def keep_only(self, ids: Iterable[int]) -> None:
        """Forgets what no longer waits."""
        kept = set(ids)
        with self._lock:
            for memory_id in [known for known in self._documents if known not in kept]:
                self._drop(memory_id)
            self._gone &= kept

    def note_indexed(self, ids: Iterable[int]) -> None:
        """The index counts these from now on."""
        with self._lock:
            for memory_id in self._new.intersection(ids):
                self._leave_uncounted(memory_id)

    def clear(self) -> None:
        self.keep_only(())

    def _leave_uncounted(self, memory_id: int) -> None:
        self._new.discard(memory_id)
        self._new_with.subtract(self._counts[memory_id].keys())

    def _drop(self, memory_id: int) -> None:
        if memory_id in self._new:
            self._leave_uncounted(memory_id)
        if self._documents.pop(memory_id, None) is not None:
            self._documents_with.subtract(self._counts.pop(memory_id).keys())

    def ids(self) -> set[int]:
        """Whoever waits, the deleted ones too: what the index says of these is old."""
        with self._lock:
            return self._gone.union(self._documents)

    @property
    def new_count(self) -> int:
        """How many documents are here that the index does not count."""
        return len(self._new)

    def add_counts(self, stems: Sequence[str], indexed: Sequence[int]) -> list[int]:
        """In how many documents each stem stands, `indexed` of them in the index: what is new beside it is added.

        At least as many as hold it here: an edit may have brought it in.
        """
        with self._lock:
            if not self._documents:
                return list(indexed)
            held, new = self._documents_with, self._new_with
            return [max(count + new[stem], held[stem]) for stem, count in zip(stems, indexed, strict=True)]

    def words_with_prefix(self, prefix: str) -> list[str]:
        with self._lock:
            found = {
                word for document in self._documents.values() for word in document.words if word.startswith(prefix)
            }
        return sorted(found)

    def find(self, terms: Sequence[Term], counts: Sequence[int], total: int, scope: Scope) -> list[tuple[int, float]]:
        """Ids with BM25 scores, best first. `counts`: in how many documents each term stands, `total` of them in the index."""
        with self._lock:
            documents = list(self._documents.values())
            frequencies = dict(self._counts)
        if not documents:
            return []
        size = total + self.new_count
        mean = sum(len(document.stems) for document in documents) / len(documents) or 1.0
        found = []
        for document in documents:
            if not _is_inside(document, scope):
                continue
            score = _score(document, frequencies[document.id], terms, counts, size, mean)
            if score > 0:
                found.append((document.id, score))
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
            weight = math.log(1 + (size - count + 0.5) / (count + 0.5)) if not term.is_prefix else 1.0
            score += term.weight * weight * often * (_K1 + 1) / (often + norm)
    return score


def _is_inside(document: IndexDocument, scope: Scope) -> bool:
    if scope.from_at is not None and document.recorded_at < scope.from_at:
        return False
    if scope.to_at is not None and document.recorded_at >= scope.to_at:
        return False
    return all(any(tag in document.tags for tag in group) for group in scope.groups)
