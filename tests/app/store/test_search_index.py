"""What the index counts is what it holds: after more was put in, and after something was taken out."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.store.search.fts5_index import FallbackIndex
from app.store.search.index import SearchIndex
from app.store.search.values import WORDS, IndexDocument, MemoryIndex, Term

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


@pytest.mark.parametrize(("kind", "before"), [(SearchIndex, 0), (FallbackIndex, 1)])
def test_what_is_put_in_becomes_visible_while_it_is_shown(
    tmp_path: Path, kind: type[SearchIndex | FallbackIndex], before: int
) -> None:
    """The fallback shows it a moment sooner: it may hold no lock while it waits for whoever counts."""
    index: MemoryIndex = kind(tmp_path / "index")
    seen: list[int] = []

    @contextmanager
    def showing() -> Iterator[None]:
        seen.append(index.count())
        yield
        seen.append(index.count())

    try:
        index.put([_document(1, "port")], showing=showing())
        assert seen == [before, 1]
    finally:
        index.close()


def test_a_writer_is_opened_although_a_child_still_holds_the_lock_of_the_last(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "index")
    index.put([_document(1, "port")])
    locks = [int(path.name) for path in Path("/proc/self/fd").iterdir() if _is_lock_in(path, tmp_path)]
    child = subprocess.Popen(["sleep", "0.5"], pass_fds=locks)
    assert locks
    index.parts()  # closes the writer and opens another one
    child.wait()
    index.put([_document(2, "port")])
    assert index.count() == 2
    index.close()


def _is_lock_in(descriptor: Path, folder: Path) -> bool:
    try:
        target = descriptor.readlink()
    except OSError:
        return False
    return target.is_relative_to(folder) and target.name.endswith("writer.lock")
