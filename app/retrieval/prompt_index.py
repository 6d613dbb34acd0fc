"""The search index of the prompt archive: derived, in a folder of its own beside the store, thrown away and rebuilt at any time.

Works in the indexer's thread. What waits is searched beside it, the newest of it at once; a crash replays the waiting list. Erasing
leaves no byte in its files, as in the index of memories. Source: issue 16 point 13, QUALITY P1, S10.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from app.language import search_words as words
from app.places import make_private_dir, write_private
from app.store.rows import archived_prompts as rows
from app.store.search.fts5_index import FallbackIndex
from app.store.search.index import SearchIndex, is_tantivy_here
from app.store.search.values import IndexDocument, MemoryIndex, Scope, Term
from app.store.store import Store

_log = logging.getLogger(__name__)
_BATCH, _FIRST_BATCH = 50_000, 4_096  # each commit makes a part of the index, and a search asks all parts
_READ_AT_ONCE = 4_096
_WAITING_SEARCHED = 512
_SAMPLE = 64
_MANIFEST = "manifest.json"


class PromptCandidates(NamedTuple):
    """Prompts that hold a word asked for; how many the archive has; in how many of them each word stands."""

    prompts: list[rows.ArchivedPrompt]
    total: int
    holding: dict[str, int]


NO_CANDIDATES = PromptCandidates([], 0, {})


class PromptIndex:
    """`find` may be called from any thread."""

    def __init__(self, store: Store, *, is_tantivy_wanted: bool = True) -> None:
        self._store = store
        self._folder = store.places.index_dir / "prompts"
        self._is_tantivy = is_tantivy_wanted and is_tantivy_here()
        self._index: MemoryIndex | None = None
        self._open_lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._is_checked = False
        self._is_outdated = False  # it was made of another store, whatever its manifest says

    @property
    def is_made(self) -> bool:
        """Whether there is an index at all: without an archive there is none."""
        return self._folder.is_dir()

    @property
    def _the_index(self) -> MemoryIndex:
        with self._open_lock:
            if self._index is None:
                make_private_dir(self._folder.parent)
                make_private_dir(self._folder)
                folder = self._folder / ("tantivy" if self._is_tantivy else "fts5")
                make = SearchIndex if self._is_tantivy else FallbackIndex
                try:
                    self._index = make(folder)
                except Exception as error:  # noqa: BLE001 (derived files: they are written anew)
                    _log.warning("the index of archived prompts is damaged and is written anew: %s", error)
                    make.remove(folder)
                    self._manifest_path.unlink(missing_ok=True)
                    self._is_checked = False
                    self._index = make(folder)
            return self._index

    def close(self) -> None:
        with self._open_lock:
            self._is_checked = False
            if self._index is not None:
                self._index.close()
                self._index = None

    def invalidate(self) -> None:
        """Another store lies there: the index is compared, and written anew."""
        self._is_outdated = True
        self._is_checked = False
        with suppress(OSError):  # the disk: this process writes it anew in any case
            self._manifest_path.unlink(missing_ok=True)

    # keeping up ---------------------------------------------------------------------------------

    def catch_up(self, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Takes what waits into the index; returns how many entries went."""
        with self._write_lock:
            with self._store.read() as connection:
                waiting = rows.load_waiting(connection, _BATCH)
                is_empty = not waiting and not rows.has_archived(connection)
            if is_empty:
                if self.is_made and self._the_index.count():
                    self._start_anew()
                return 0
            if not self._is_checked:
                if self._is_outdated or not self._agrees():
                    self.rebuild(is_stopping)
                self._is_checked, self._is_outdated = True, False  # what failed is tried again
            if not waiting:
                return 0
            ids = list(dict.fromkeys(number for _, number in waiting))
            self._the_index.put(self._documents(ids), gone=self._gone_among(ids))
            with self._store.database.transaction(is_durable=False) as connection:
                for start in range(0, len(waiting), _READ_AT_ONCE):
                    rows.forget_waiting(connection, [seq for seq, _ in waiting[start : start + _READ_AT_ONCE]])
            return len(waiting)

    def _gone_among(self, ids: Sequence[int]) -> set[int]:
        with self._store.read() as connection:
            return rows.find_missing_prompts(connection, ids)

    def _documents(self, ids: Sequence[int]) -> Iterable[IndexDocument]:
        for start in range(0, len(ids), _READ_AT_ONCE):
            with self._store.read() as connection:
                found = rows.load_prompts(connection, ids[start : start + _READ_AT_ONCE])
            yield from map(make_document, found)

    def rebuild(self, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Writes the index anew from the store; returns how many prompts. A stopped one begins again at the next start."""
        with self._write_lock:
            with self._store.read() as connection:
                if not rows.has_archived(connection):
                    if self.is_made:
                        self._start_anew()
                    return 0
            self._start_anew()
            after = done = 0
            size = _FIRST_BATCH
            while not is_stopping():
                part: list[rows.ArchivedPrompt] = []
                while len(part) < size:
                    with self._store.read() as connection:
                        found = rows.load_prompts_after(connection, after, _READ_AT_ONCE)
                    if not found:
                        break
                    part += found
                    after = found[-1].id
                if not part:
                    self._save_manifest()
                    return done
                self._the_index.put(map(make_document, part), is_many=True)
                done += len(part)
                size = _BATCH
            return done

    def _start_anew(self) -> None:
        try:
            self._manifest_path.unlink(missing_ok=True)
        except OSError:  # then it says that it agrees with nothing
            write_private(self._manifest_path, b"{}")
        self._the_index.clear()

    def _agrees(self) -> bool:
        """Whether the index holds what the store holds, but for what waits: version, number, a sample."""
        try:
            manifest = json.loads(self._manifest_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        if manifest != {"kind": self._the_index.kind, "words": words.VERSION}:
            return False
        with self._store.read() as connection:
            waiting = len({number for _, number in rows.load_waiting(connection, _BATCH)})
            sample = [one.id for one in rows.load_newest_prompts(connection, None, _SAMPLE)]
            difference = abs(rows.count_prompts(connection) - self._the_index.count())
        return difference <= waiting and len(set(sample) - set(self._the_index.revisions(sample))) <= waiting

    @property
    def _manifest_path(self) -> Path:
        return self._folder / _MANIFEST

    def _save_manifest(self) -> None:
        content = {"kind": self._the_index.kind, "words": words.VERSION}
        write_private(self._manifest_path, json.dumps(content).encode())

    def purge(self, *, is_gone_only: bool = False) -> None:
        """Leaves no byte in the index's files of prompts that are gone, by replacing the files that hold one; else of any older text."""
        if not self.is_made:
            return
        with self._write_lock:
            with self._store.read() as connection:
                is_empty = not rows.has_archived(connection)
            if is_empty:
                self._start_anew()
                return
            while self.catch_up():
                pass
            if not is_gone_only:
                self.rebuild()
                return
            parts = self._the_index.parts()
            gone = self._gone_among(sorted({one for ids in parts.values() for one in ids}))
            if parts and not gone:
                return
            mixed = sorted({one for ids in parts.values() if not gone.isdisjoint(ids) for one in ids} - gone)
            self._the_index.put(self._documents(mixed), gone=gone)
            after = self._the_index.parts()
            if not after or self._gone_among(sorted({one for ids in after.values() for one in ids})):
                self.rebuild()

    # asking -------------------------------------------------------------------------------------

    def find(self, connection: Connection, stems: Sequence[str], scope: Scope, limit: int) -> PromptCandidates:
        """Prompts that hold any of these words, within the scope, what waits among them; `connection` says which may be seen."""
        waiting = [number for _, number in rows.load_waiting(connection, _WAITING_SEARCHED, is_newest_first=True)]
        if not waiting and not rows.has_archived(connection):
            return NO_CANDIDATES
        terms = [Term(stem) for stem in stems]
        index = self._the_index
        unsure = set(waiting)
        ids = [number for number, _ in index.find(terms, scope, limit)]
        found = rows.load_prompts(connection, dict.fromkeys([*ids, *waiting]))
        wanted = set(stems)
        kept = [
            one for one in found
            if one.id not in unsure or (_is_in(one, scope) and not wanted.isdisjoint(words.split_stems(one.text)))
        ]  # fmt: skip
        counts = index.document_counts(terms)
        return PromptCandidates(kept, index.count() + len(unsure), dict(zip(stems, counts, strict=True)))

    def size_bytes(self) -> int:
        return self._the_index.size_bytes() if self.is_made else 0


def make_document(prompt: rows.ArchivedPrompt) -> IndexDocument:
    tags = [f"project:{prompt.project_id or 0}", f"app:{prompt.app_id}"]
    return IndexDocument(prompt.id, words.split_stems(prompt.text), (), tags, prompt.at, 0)


def _is_in(prompt: rows.ArchivedPrompt, scope: Scope) -> bool:
    tags = {f"project:{prompt.project_id or 0}", f"app:{prompt.app_id}"}
    is_late = scope.from_at is not None and prompt.at < scope.from_at
    is_early = scope.to_at is not None and prompt.at >= scope.to_at
    return not (is_late or is_early) and all(not tags.isdisjoint(group) for group in scope.groups)
