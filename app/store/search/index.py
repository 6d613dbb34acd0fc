"""The derived search index of memories: what waits for it, and the tantivy index in its own folder beside the store.

SQLite is the truth. A memory's change and its entry in the waiting list are one transaction; the indexer's thread commits
the index first and only then takes the entries out, so that a crash replays and never hides a memory. One writer; a value of
a wrong type kills its thread, so documents are typed values here. Source: STACK 1.2.
"""

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from app.places import make_private_dir
from app.store.file_sizes import folder_bytes
from app.store.journal import Write, table_of
from app.store.search.values import NOTHING_ELSE, STEMS, TAGS, WORDS, IndexDocument, Scope, Showing, Term
from app.store.tables.memory import IndexWaitRow

_wait = table_of(IndexWaitRow)
_PREFIXES_KEPT, _WORDS_LISTED = 64, 512  # of each beginning so many words at least, the most frequent first
_COUNTS_KEPT = 8_192  # some 1 MB
_HEAP_BYTES = 15_000_000  # the least that tantivy takes; of each commit a third is there from the start
_HEAP_OF_MANY_BYTES = 32_000_000  # else fifty thousand at once become two parts
_LOCK_WAIT_S, _LOCK_PAUSE_S = 20.0, 0.005
_META = "meta.json"  # tantivy's own list of its segments, in the order of their numbers
_SEGMENT_SUFFIXES = frozenset((".term", ".idx", ".pos", ".store", ".fast", ".fieldnorm"))


def note_changed(write: Write, memory_ids: Iterable[int]) -> None:
    """Puts memories on the waiting list of the search index, inside the transaction that changes (or deletes) them."""
    rows = [{"memory_id": memory_id} for memory_id in dict.fromkeys(memory_ids)]
    if rows:
        write.connection.execute(_wait.insert(), rows)


def is_tantivy_here() -> bool:
    """False where there is no wheel of it: Linux on ARM."""
    try:
        import tantivy  # noqa: F401
    except ImportError:
        return False
    return True


class SearchIndex:
    """A tantivy index in `folder`. Reading is thread-safe and never waits for the writer."""

    kind = "tantivy"

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._tantivy: Any = tantivy
        self._folder = folder
        self._lock = threading.Lock()
        self._writer: Any = None
        self._heap_bytes = 0  # of the writer
        make_private_dir(folder)
        self._open()

    def _open(self) -> None:
        tantivy = self._tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field(
            "id", indexed=True, fast=True
        )  # deleting by a term of an unsigned field finds nothing
        builder.add_text_field(STEMS, tokenizer_name="whitespace_only", index_option="freq")
        builder.add_text_field(WORDS, tokenizer_name="whitespace_only", index_option="basic")
        builder.add_text_field(TAGS, tokenizer_name="whitespace_only", index_option="basic")
        builder.add_integer_field("recorded_at", indexed=True, fast=True)
        builder.add_integer_field("revision", fast=True)
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema, path=str(self._folder))
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("whitespace_only", analyzer)
        self._index.config_reader("manual")
        self._take_searcher()
        self._make_private()

    @staticmethod
    def remove(folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    # writing ------------------------------------------------------------------------------------

    def put(
        self,
        documents: Iterable[IndexDocument],
        *,
        gone: Iterable[int] = (),
        showing: Showing = NOTHING_ELSE,
        is_many: bool = False,
    ) -> None:
        with self._lock:
            writer = self._the_writer(_HEAP_OF_MANY_BYTES if is_many else _HEAP_BYTES)
            try:
                for memory_id in gone:
                    writer.delete_documents_by_term("id", memory_id)
                for document in documents:
                    writer.delete_documents_by_term("id", document.id)
                    writer.add_document(self._make(document))
                writer.commit()
            except BaseException:
                self._writer = None  # its thread may be dead: the next one starts from what was committed
                raise
            self._index.reload()
            with showing:
                self._take_searcher()
            self._make_private()

    def _make(self, document: IndexDocument) -> Any:
        made = self._tantivy.Document()
        made.add_integer("id", document.id)
        made.add_text(STEMS, " ".join(document.stems))
        made.add_text(WORDS, " ".join(document.words))
        made.add_text(TAGS, " ".join(document.tags))
        made.add_integer("recorded_at", document.recorded_at)
        made.add_integer("revision", document.revision)
        return made

    def clear(self) -> None:
        """Starts with an empty folder."""
        with self._lock:
            self._shut()
            for path in self._folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            self._open()

    def close(self) -> None:
        with self._lock:
            self._shut()

    def _the_writer(self, heap_bytes: int) -> Any:
        """With so much memory, a third of which tantivy takes at once for each commit.

        A child that any thread has just started holds a copy of the last writer's lock until it runs its own program."""
        end_s = time.monotonic() + _LOCK_WAIT_S
        if self._heap_bytes != heap_bytes:
            self._shut()
        while self._writer is None:
            try:
                self._writer = self._index.writer(heap_size=heap_bytes, num_threads=1)
                self._heap_bytes = heap_bytes
            except ValueError as error:
                if "LockBusy" not in str(error) or time.monotonic() >= end_s:
                    raise
                time.sleep(_LOCK_PAUSE_S)
        return self._writer

    def _shut(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def _show(self) -> None:
        self._index.reload()
        self._take_searcher()
        self._make_private()

    def _take_searcher(self) -> None:
        self._searcher = self._index.searcher()
        self._known_words: dict[str, list[tuple[str, int]]] = {}  # after the searcher: of no older one
        self._known_counts: dict[tuple[str, str], int] = {}  # (field, text) → documents
        held = sum(int(one["max_doc"]) for one in self._list_segments())
        self._alive_ratio = min(1.0, self._searcher.num_docs / held) if held else 1.0

    def _list_segments(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads((self._folder / _META).read_text(encoding="utf-8"))["segments"]
        return listed

    def _make_private(self) -> None:
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # a merge in the background takes files away
                path.chmod(0o600)

    # reading ------------------------------------------------------------------------------------

    def find(self, terms: Sequence[Term], scope: Scope, limit: int) -> list[tuple[int, float]]:
        if not terms:
            return []
        searcher = self._searcher
        hits = searcher.search(self._query(terms, scope), limit, count=False).hits
        ids = searcher.fast_field_values("id", [address for _, address in hits])
        return [(memory_id, score) for memory_id, (score, _) in zip(ids, hits, strict=True)]

    def _query(self, terms: Sequence[Term], scope: Scope) -> Any:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        wanted = query.boolean_query([(occur.Should, self._term_query(term)) for term in terms])
        if scope.is_open:
            return wanted
        parts = [(occur.Must, wanted)]
        for group in scope.groups:
            tags = self._tags_query(group)
            parts.append((occur.Must, query.const_score_query(tags, 0.0)))
        if scope.from_at is not None or scope.to_at is not None:
            span = query.range_query(
                self._schema,
                "recorded_at",
                self._tantivy.FieldType.Integer,
                scope.from_at,
                scope.to_at,
                include_upper=scope.to_at is None,
            )
            parts.append((occur.Must, query.const_score_query(span, 0.0)))
        return query.boolean_query(parts)

    def _tags_query(self, group: Sequence[str]) -> Any:
        query = self._tantivy.Query
        if len(group) == 1:  # its list is walked beside the words'; a set is read whole first
            return query.term_query(self._schema, TAGS, group[0], "basic")
        return query.term_set_query(self._schema, TAGS, list(group))

    def _term_query(self, term: Term) -> Any:
        query = self._tantivy.Query
        if term.is_prefix:
            words = [word for word, _ in self.words_with_prefix(term.text, 32)] or [term.text]
            return query.const_score_query(query.term_set_query(self._schema, WORDS, words), term.weight)
        option = "freq" if term.field == STEMS else "basic"
        found = query.term_query(self._schema, term.field, term.text, option)
        return found if term.weight == 1.0 else query.boost_query(found, term.weight)

    def document_counts(self, terms: Sequence[Term]) -> list[int]:
        """What was replaced or deleted is counted by the index until its files are merged: the counts are lowered by its share."""
        known, searcher, alive = (
            self._known_counts,
            self._searcher,
            self._alive_ratio,
        )  # in this order: see `_take_searcher`
        if len(known) >= _COUNTS_KEPT:
            known.clear()
        counts = []
        for term in terms:
            key = (term.field, term.text)
            count = known.get(key)
            if count is None:
                count = known[key] = int(searcher.doc_freq(*key))
            counts.append(count)
        return counts if alive == 1.0 else [max(1, round(count * alive)) if count else 0 for count in counts]

    def words_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        known, searcher = self._known_words, self._searcher  # in this order: see `_take_searcher`
        for size in range(len(prefix), 0, -1):  # who types on looks further in what the letters before have found
            listed = known.get(prefix[:size])
            if listed is not None:
                found = [pair for pair in listed if pair[0].startswith(prefix)]
                if len(found) >= limit or len(listed) < _WORDS_LISTED:
                    return found[:limit]
        most = max(limit, _WORDS_LISTED)
        begun: list[tuple[str, int]] = searcher.terms_with_prefix(
            WORDS, prefix, limit=most
        )  # looks through all that begin so: up to 0.1 s
        if len(known) >= _PREFIXES_KEPT:
            known.clear()
        known[prefix] = begun
        return begun[:limit]

    def revisions(self, ids: Sequence[int]) -> dict[int, int]:
        if not ids:
            return {}
        searcher = self._searcher
        found = searcher.search(
            self._tantivy.Query.term_set_query(self._schema, "id", list(ids)), len(ids), count=False
        )
        addresses = [address for _, address in found.hits]
        known = searcher.fast_field_values("id", addresses)
        return dict(zip(known, searcher.fast_field_values("revision", addresses), strict=True))

    def parts(self) -> dict[str, list[int]]:
        """Its segments as they are on the disk once nothing is being merged; {} when they cannot be distinguished."""
        with self._lock:
            self._shut()
            self._show()
            self._the_writer(_HEAP_BYTES).garbage_collect_files()
            listed = self._list_segments()
            searcher = self._searcher
        sizes = {str(one["segment_id"]).replace("-", ""): int(one["max_doc"]) for one in listed}
        gone_count = sum(int((one["deletes"] or {}).get("num_deleted_docs", 0)) for one in listed)
        left = {path.stem for path in self._folder.iterdir() if path.suffix in _SEGMENT_SUFFIXES}
        if (
            searcher.num_segments != len(sizes)
            or sum(sizes.values()) - gone_count != searcher.num_docs
            or left - set(sizes)
        ):
            return {}
        address = self._tantivy.DocAddress
        return {
            name: searcher.fast_field_values("id", [address(at, document) for document in range(size)])
            for at, (name, size) in enumerate(sizes.items())
        }

    def count(self) -> int:
        return int(self._searcher.num_docs)

    def size_bytes(self) -> int:
        return folder_bytes(self._folder)
