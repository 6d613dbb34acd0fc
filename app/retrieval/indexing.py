"""Keeps the search index in step with the store: one thread, the waiting list, the check at start, the rebuild.

Order of every step: the index commits, then the waiting entries go. What waits is searched in the overlay meanwhile. The index
is derived: it is thrown away and written anew whenever it does not agree with the store. Source: STACK 1.2, QUALITY R-rows.
"""

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.errors import RemanenceError
from app.language import search_words as words
from app.memories.ranking_terms import cut_some, make_missing_terms
from app.places import write_private
from app.retrieval.prompt_index import PromptIndex
from app.retrieval.usage_counts import Usage
from app.store.search import memories as rows
from app.store.search.fts5_index import FallbackIndex
from app.store.search.index import SearchIndex, is_tantivy_here
from app.store.search.overlay import Overlay
from app.store.search.values import SHARED, IndexDocument, MemoryIndex, Scope, Term
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.core import OperationRow
from app.values import Changes, DataKind, IndexStatus, Progress, Visibility

_log = logging.getLogger(__name__)
_ROUND_S = 1.0  # changes gather so long, unless there are many
_BATCH = 4_096
_REBUILD_BATCH = 4_096  # memories read at a time
_PURGED_AT_ONCE = 20_000
_FIRST_SHOWN, _SHOWN = 20_000, 50_000  # so many can be found after the first commit, and after each later one
_OVERLAY_MOST = 512
_SAMPLE = 128
_CUT_AFTER_S = 20.0  # after the start: till then the window loads its screens, and both at once would make it stutter
_PROBLEM_PAUSE_S = 2.0
_MANIFEST = "manifest.json"


def make_document(row: rows.DocumentRow) -> IndexDocument:
    """How a memory is found: its text, and what its title, tags and slot add to it."""
    stems, written = words.split_stems(row.full), words.split_words(row.full)
    extra = " ".join((row.title, *json.loads(row.tags), row.category, row.subject, row.key, row.value, row.scope))
    known, seen = set(stems), set(written)
    stems += [stem for stem in dict.fromkeys(words.split_stems(extra)) if stem not in known]
    written += [word for word in words.split_words(extra) if word not in seen]
    tags = [f"status:{row.status}", f"kind:{row.kind}", f"type:{row.type}"]
    tags += [f"project:{row.project_id or 0}", f"app:{row.app_id or 0}"]
    if row.project_id is None or row.visibility != Visibility.USER_PRIVATE:
        tags.append(SHARED)
    return IndexDocument(row.id, stems, tuple(dict.fromkeys(written)), tags, row.recorded_at, row.revision)


class _Writing:
    """All memories as documents, newest first, a few thousand in memory at a time: each commit makes a part of the index of its
    own, and a search asks all parts, so commits are few."""

    def __init__(self, store: Store, go_on: Callable[[int], bool]) -> None:
        self._store = store
        self._go_on = go_on
        self._before: int | None = None
        self._written: list[int] = []
        self.done_count = 0
        self.is_whole = self.is_over = False

    def documents(self, most: int) -> Iterator[IndexDocument]:
        """About `most` more; fewer when there are no more or it is to stop."""
        until = self.done_count + most
        while not self.is_over and self.done_count < until:
            with self._store.read() as connection:
                found = rows.load_documents_before(connection, self._before, _REBUILD_BATCH)
            self.is_whole = self.is_over = not found
            for row in found:
                yield make_document(row)
            self._written += [row.id for row in found]
            self.done_count += len(found)
            self._before = found[-1].id if found else None
            self.is_over = self.is_over or not self._go_on(self.done_count)

    def take_written(self) -> list[int]:
        written, self._written = self._written, []
        return written


def _progress_of(done_count: int, total: int) -> Progress:
    return Progress("reindex", "Writing the search index", done_count, total)


class Indexing:
    """The index with its overlay and its thread. `find` may be called from any thread."""

    def __init__(
        self,
        store: Store,
        *,
        is_tantivy_wanted: bool = True,
        yield_to_foreground: Callable[[], object] = lambda: None,
        spends: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """`yield_to_foreground` returns when nobody waits for an answer, or soon: what is written is found before it is indexed."""
        self._store = store
        self._yield = yield_to_foreground
        self._spends = spends  # books what is done inside
        self._folder = store.places.index_dir
        self._is_tantivy = is_tantivy_wanted and is_tantivy_here()
        self._uncounted: set[int] = set()  # of what waits, what the index does not count
        self.overlay = Overlay(self._uncounted)  # of the reader that came last
        self._overlay_revisions: dict[int, int | None] = {}
        self._overlay_lock = threading.Lock()
        self._index: MemoryIndex | None = None
        self._open_lock = threading.Lock()
        self._write_lock = threading.RLock()  # one of: the thread's round, a rebuild
        self._condition = threading.Condition()
        self._is_stopping = False
        self._has_changes = False
        self._must_check = True
        self._is_outdated = False  # it was made of another store, whatever its manifest says
        self.is_rebuilding = self._is_partial = False
        self.prompts = PromptIndex(store, is_tantivy_wanted=is_tantivy_wanted)
        self.usage = Usage(store)
        self.usage.wake = self._wake
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    @property
    def index(self) -> MemoryIndex:
        """Opened by whoever needs it first: the start of the app waits for no index."""
        with self._open_lock:
            if self._index is None:
                self._index = self._open()
            return self._index

    def _open(self) -> MemoryIndex:
        folder = self._folder / ("tantivy" if self._is_tantivy else "fts5")
        make = SearchIndex if self._is_tantivy else FallbackIndex
        try:
            return make(folder)
        except Exception as error:  # noqa: BLE001 (whatever is wrong with derived files: they are written anew)
            _log.warning("the search index is damaged and is written anew: %s", error)
            make.remove(folder)
            return make(folder)

    @property
    def is_whole(self) -> bool:
        """Whether everything can be found; not while it is written anew, nor after that was stopped."""
        return not self._is_partial

    # the thread ---------------------------------------------------------------------------------

    def start(self, *, is_store_swapped: bool = False) -> None:
        self._is_stopping = False
        self._must_check = True
        if is_store_swapped:
            self._is_outdated = True
            with suppress(OSError):  # the disk: this process writes it anew in any case
                self._manifest_path().unlink(missing_ok=True)
            self.prompts.invalidate()
        self._unsubscribe = self._store.subscribe(self._on_changes)
        self._thread = threading.Thread(target=self._run, name="remanence-indexing", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self.usage.flush()
        with self._open_lock:
            if self._index is not None:
                self._index.close()
                self._index = None
        self.prompts.close()

    def _on_changes(self, changes: Changes) -> None:
        if not {DataKind.MEMORIES, DataKind.MESSAGES}.isdisjoint(changes.kinds):
            self._wake()

    def _wake(self) -> None:
        with self._condition:
            self._has_changes = True
            self._condition.notify_all()

    def _run(self) -> None:
        cut_at_s = time.monotonic() + _CUT_AFTER_S
        while True:
            try:
                with self._spends():
                    cut_at_s = self._round(cut_at_s)
            except Exception as error:  # noqa: BLE001 (this thread must outlive everything; the waiting list is kept)
                _log.warning("indexing waits: %s", error, exc_info=not isinstance(error, RemanenceError))
                with self._condition:
                    self._condition.wait_for(lambda: self._is_stopping, _PROBLEM_PAUSE_S)
            if not self._wait(None if cut_at_s == math.inf else max(0.0, cut_at_s - time.monotonic())):
                return

    def _round(self, cut_at_s: float) -> float:
        """All that is to do now; returns when what is worked out beforehand is due."""
        if self._must_check:
            if self._is_outdated or not self.agrees():
                self.rebuild()
            self._must_check = self._is_outdated = False  # what failed is tried again
        self._yield()
        while not self._is_stopping and self.catch_up():
            self._yield()
        while not self._is_stopping and self.prompts.catch_up(lambda: self._is_stopping):
            self._yield()
        self.usage.flush()
        if time.monotonic() >= cut_at_s:
            make_missing_terms(self._store, self._is_wanted)
            return 0.0 if self._is_wanted() else math.inf
        return cut_at_s

    def _is_wanted(self) -> bool:
        """Whether there is more to do than what is worked out beforehand."""
        return self._is_stopping or self._has_changes or self._must_check

    def _wait(self, at_most_s: float | None) -> bool:
        """Until there is something to do; False when it is to stop."""
        with self._condition:
            self._condition.wait_for(self._is_wanted, at_most_s)
            if not self._is_stopping and not self._must_check:
                self._condition.wait_for(lambda: self._is_stopping, _ROUND_S)
            self._has_changes = False
            return not self._is_stopping

    # keeping up ---------------------------------------------------------------------------------

    def catch_up(self) -> int:
        """Takes what waits into the index; returns how many entries went."""
        with self._write_lock:
            with self._store.read() as connection:
                waiting = rows.load_oldest_waiting(connection, _BATCH)
                if not waiting:
                    return 0
                ids = list(dict.fromkeys(memory_id for _, memory_id in waiting))
                documents = [make_document(row) for row in rows.load_documents(connection, ids)]
            gone = set(ids) - {document.id for document in documents}
            self.index.put(documents, gone=gone, showing=self._showing(lambda: ids))
            self._forget_waiting([seq for seq, _ in waiting])
        cut_some(self._store, [document.id for document in documents])
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.INDEX})))
        return len(waiting)

    @contextmanager
    def _showing(self, list_ids: Callable[[], Iterable[int]]) -> Iterator[None]:
        """What becomes visible in the index is counted beside it no longer: one instant for whoever counts both."""
        with self._overlay_lock:
            yield
            self._uncounted.difference_update(list_ids())

    def _forget_waiting(self, seqs: Sequence[int]) -> None:
        with self._store.database.transaction(is_durable=False) as connection:
            rows.delete_waiting(connection, seqs)
            newest = newest_id(connection, OperationRow)
        self._save_manifest(newest, is_whole=not self._is_partial)

    # agreement ----------------------------------------------------------------------------------

    def agrees(self) -> bool:
        """Whether the index holds what the store holds, but for what waits: version, age, number, a sample."""
        manifest = self._load_manifest()
        self._is_partial = manifest.get("is_whole") is False
        if manifest.get("words") != words.VERSION or not manifest.get("is_whole"):
            return False
        with self._store.read() as connection:
            if newest_id(connection, OperationRow) < int(manifest.get("operation", 0)):
                return False  # an older copy of the store was put in its place
            waiting = rows.load_waiting(connection, _OVERLAY_MOST)
            if abs(rows.count_memories(connection) - self.index.count()) > len({entry[1] for entry in waiting}):
                return len(waiting) == _OVERLAY_MOST
            sample = rows.sample_revisions(connection, _SAMPLE)
        return self.index.revisions(list(sample)) == sample

    def _manifest_path(self) -> Path:
        return self._folder / _MANIFEST

    def _load_manifest(self) -> dict[str, Any]:
        try:
            loaded = json.loads(self._manifest_path().read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return loaded if isinstance(loaded, dict) and loaded.get("kind") == self.index.kind else {}

    def _save_manifest(self, operation: int, *, is_whole: bool) -> None:
        content = {"kind": self.index.kind, "words": words.VERSION, "operation": operation, "is_whole": is_whole}
        write_private(self._manifest_path(), json.dumps(content).encode())

    def rebuild(self, progress: Callable[[Progress], bool] | None = None) -> int:
        """Writes the index anew, newest memories first; returns how many. `progress` returning False stops it.

        What is written can be found at once. A stopped one goes on at the next start.
        """
        with self._write_lock:
            self.is_rebuilding = True
            try:
                return self._rebuild(progress)
            finally:
                self.is_rebuilding = False

    def _rebuild(self, progress: Callable[[Progress], bool] | None) -> int:
        with self._store.read() as connection:
            total = rows.count_memories(connection)
            newest = newest_id(connection, OperationRow)
        self._save_manifest(newest, is_whole=False)
        self._is_partial = True
        self.index.clear()
        writing = _Writing(
            self._store,
            lambda done: not self._is_stopping and (progress is None or progress(_progress_of(done, total))),
        )
        while not self._is_stopping and not writing.is_over:
            some = writing.documents(_SHOWN if writing.done_count else _FIRST_SHOWN)
            self.index.put(some, showing=self._showing(writing.take_written), is_many=True)
        if writing.is_whole:
            self._save_manifest(newest, is_whole=True)
            self._is_partial = False
            make_missing_terms(self._store, lambda: self._is_stopping, is_waited_for=True)
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.INDEX})))
        return writing.done_count

    def purge(self, *, is_gone_only: bool = False) -> None:
        """Leaves no byte in the index's folder of what is gone from the store.

        The index keeps a deleted word until its files are merged, and earlier texts of an edited memory with it. When it is about
        memories that are gone (`is_gone_only`), the files that hold them are replaced; else all are thrown away and written anew:
        seconds for a hundred thousand memories, and rare.
        """
        with self._overlay_lock:
            self.overlay = Overlay(self._uncounted)
            self._overlay_revisions = {}
        self.prompts.purge(is_gone_only=is_gone_only)
        if not (is_gone_only and self._purge_gone()):
            self.rebuild()

    def _purge_gone(self) -> bool:
        """Puts everything anew that lies in one file with a memory that is gone; False when some of it is left even so."""
        with self._write_lock:
            while self.catch_up():
                pass
            parts = self.index.parts()
            gone = self._gone_of(parts)
            mixed = sorted({one for ids in parts.values() if not gone.isdisjoint(ids) for one in ids} - gone)
            self.index.put([], gone=gone)
            for start in range(0, len(mixed), _PURGED_AT_ONCE):
                with self._store.read() as connection:
                    found = rows.load_documents(connection, mixed[start : start + _PURGED_AT_ONCE])
                self.index.put(make_document(row) for row in found)
            after = self.index.parts()
            return bool(after) and not self._gone_of(after)

    def _gone_of(self, parts: Mapping[str, Sequence[int]]) -> set[int]:
        """Memories that an index's files hold and the store does not."""
        with self._store.read() as connection:
            return {one for ids in parts.values() for one in rows.find_missing(connection, ids)}

    # asking -------------------------------------------------------------------------------------

    def find(
        self, overlay: Overlay, terms: Sequence[Term], beside: Sequence[tuple[Term, int]], scope: Scope, limit: int
    ) -> list[tuple[int, float]]:
        """Ids with scores, best first: the index asked for `terms`, what waits for all of `beside` (with their counts).

        `overlay` is what `refresh` gave in the reader's snapshot: the index is asked after the waiting list was read, so that
        nothing falls between the two.
        """
        waiting = overlay.ids()
        if not waiting:
            return self.index.find(terms, scope, limit)
        counts = [count for _, count in beside]
        new = overlay.find([term for term, _ in beside], counts, self.index.count(), scope)
        found = [pair for pair in self.index.find(terms, scope, limit) if pair[0] not in waiting]
        return sorted(found + new, key=lambda pair: -pair[1])[: limit + len(new)]

    def refresh(self, connection: Connection) -> tuple[Overlay, int]:
        """What the snapshot of `connection` lists as waiting, and how many memories can be found."""
        waiting = rows.load_waiting(connection, _OVERLAY_MOST)
        with self._overlay_lock:
            now: dict[int, int | None] = {}
            for _, memory_id, revision in waiting:
                now.setdefault(memory_id, revision)
            if now != self._overlay_revisions:
                changed = [key for key, revision in now.items() if self._overlay_revisions.get(key, -1) != revision]
                documents = [make_document(row) for row in rows.load_documents(connection, changed)]
                found = {document.id for document in documents}
                self._uncounted |= found.difference(self.index.revisions(changed))
                self.overlay = self.overlay.change(now, documents, set(changed) - found)
                self._overlay_revisions = now
            return self.overlay, self.index.count() + self.overlay.new_count

    def status(self) -> IndexStatus:
        with self._store.read() as connection:
            waiting = rows.count_waiting(connection)
        return IndexStatus(self.index.count(), waiting, self.is_rebuilding, self.index.kind, self.index.size_bytes())
