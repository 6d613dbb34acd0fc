"""What the index counts is what it holds: after more was put in, and after something was taken out."""

from pathlib import Path

import pytest

from app.store.index_values import WORDS, IndexDocument, MemoryIndex, Term
from app.store.search_fallback import FallbackIndex
from app.store.search_index import SearchIndex

_ASKED = [Term("port"), Term("cache"), Term("ports", field=WORDS)]


def _document(number: int, *stems: str) -> IndexDocument:
    return IndexDocument(number, stems, [f"{stem}s" for stem in stems], ["status:active"], number, 1)


@pytest.mark.parametrize("kind", [SearchIndex, FallbackIndex])
def test_counts_follow_what_is_put_in_and_taken_out(tmp_path: Path, kind: type[SearchIndex | FallbackIndex]) -> None:
    index: MemoryIndex = kind(tmp_path / "index")
    try:
        assert index.document_counts(_ASKED) == [0, 0, 0]
        index.put([_document(1, "port"), _document(2, "port", "cache")])
        assert index.document_counts(_ASKED) == [2, 1, 2]
        assert index.document_counts(_ASKED) == [2, 1, 2]
        index.put([_document(3, "cache")])
        assert index.document_counts(_ASKED) == [2, 2, 2]
        index.clear()
        assert index.document_counts(_ASKED) == [0, 0, 0]
    finally:
        index.close()
