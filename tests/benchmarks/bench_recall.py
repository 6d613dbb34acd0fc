"""Recall end to end (query → hits with texts and reasons) at 1k, 10k, 100k, 1M memories, beside SQLite FTS5 alone in one run.

Run with `python -m tests.benchmarks.bench_recall [sizes…]`; prints a table, asserts no times (QUALITY P1, P11). FTS5 ranks the same
texts by bm25 with OR of the question's words and reads the twenty texts. CPU is of this process, wall of the clock.
"""

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pysqlite3

from app.cli.process import prefer_latency
from app.clock import SystemClock
from app.deciders.recall.ranking.recipes import load_recipes
from app.deciders.recall.rules import load_recall_rules
from app.language.likeness import text_key
from app.places import Places
from app.retrieval.indexing import Indexing
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.after_write import follow_memories
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.memory import MemoryRow, MemorySourceRow
from app.values import Origin, RecallQuery
from tests.benchmarks.material.made_texts import make_questions, make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

_SIZES = (1_000, 10_000, 100_000)
_ASKED = 200
_BATCH = 20_000
_TALK = 10  # memories of one conversation


def main() -> None:
    prefer_latency()  # as `serve` and the window do
    sizes = [int(size) for size in sys.argv[1:]] or list(_SIZES)
    print(
        "size | build s | index MB | store+index bytes/memory | wall p50 / p95 ms | cpu p50 / p95 ms | new findable ms | FTS5 wall p50 / p95 ms | ratio p50"
    )
    for size in sizes:
        _measure(size)


def _measure(size: int) -> None:
    texts = list(make_texts(size))
    questions = make_questions(texts, _ASKED)
    with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
        places = Places.under(Path(folder))
        store = Store(places, SystemClock(), owner="serve")
        store.after_write = follow_memories
        indexing = Indexing(store)
        recall = Recall(store, indexing, Settings, load_recall_rules(), load_recipes())
        fill(store, texts)
        started = time.perf_counter()
        indexing.rebuild()
        built_s = time.perf_counter() - started
        wall, cpu = _time(lambda question: recall.search(RecallQuery(question, is_counted=False)), questions)
        new_ms = _find_new(store, recall)
        with store.database.lock:
            store.database.writer_connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        index_bytes = indexing.index.size_bytes()
        each = (places.store_path.stat().st_size + index_bytes) / size
        indexing.stop()
        store.close()
        fts, _ = _time(_make_fts(Path(folder) / "fts.db", texts), questions)
    ratio = statistics.median(wall) / statistics.median(fts)
    print(
        f"{size:,} | {built_s:.1f} | {index_bytes / 1e6:.1f} | {each:.0f} | {_two(wall)} | {_two(cpu)} | {new_ms:.1f} | {_two(fts)} | {ratio:.2f}",
        flush=True,
    )


def memory_record(number: int, text: str, at: object) -> dict[str, object]:
    return {
        "id": number, "kind": "fact", "type": "fact", "title": text[:60], "full": text, "summary": text[:50],
        "compressed": text[:30], "index_text": text[:15], "details": {}, "tags": [], "edited_levels": [], "valid_from": at,
        "recorded_at": at, "updated_at": at, "full_tokens": len(text) // 4, "status": "active", "importance": 0.5,
        "confidence": 0.8, "trust": 2, "revision": 1, "value": "", "category": "", "reason": "", "is_pinned": False,
        "is_negated": False, "retrieved_count": 0, "cited_count": 0, "ignored_count": 0, "subject": "", "key": "", "scope": "",
        "slot_key": "", "text_key": text_key(text), "visibility": "user-private", "user_id": "", "summary_tokens": 0,
        "compressed_tokens": 0, "index_tokens": 0,
    }  # fmt: skip


def fill(store: Store, texts: Sequence[str], first: int = 1) -> None:
    """Rows as they would be, without the journal: a million acts would take the whole day."""
    now = store.clock.now()
    memory, source = table_of(MemoryRow), table_of(MemorySourceRow)
    for start in range(0, len(texts), _BATCH):
        part = list(enumerate(texts[start : start + _BATCH], first + start))
        with store.database.transaction(is_durable=False) as connection:
            at = {number: now - timedelta(minutes=first + len(texts) - number) for number, _ in part}
            connection.execute(memory.insert(), [memory_record(number, text, at[number]) for number, text in part])
            connection.execute(
                source.insert(),
                [
                    {"memory_id": number, "message_id": number, "conversation_id": number // _TALK, "at": at[number],
                     "quote": "", "start": 0, "end": 0, "app": "", "conversation_title": ""}
                    for number, _ in part
                ],
            )  # fmt: skip


def _find_new(store: Store, recall: Recall) -> float:
    """Milliseconds from the commit of a new memory until a search has returned it."""
    at = store.clock.now()
    record = memory_record(10**9, "The quetzalcoatl switch is kept in the drawer.", at)
    with store.write(origin=Origin.PERSON, kind="bench", label="") as write:
        write.insert(MemoryRow, record)
    started = time.perf_counter()
    found = recall.search(RecallQuery("where is the quetzalcoatl switch", is_counted=False))
    if not any(hit.card.id == 10**9 for hit in found.hits):
        raise SystemExit("a new memory was not found")
    return (time.perf_counter() - started) * 1000


def _make_fts(path: Path, texts: Sequence[str]) -> Callable[[str], object]:
    connection = pysqlite3.connect(str(path))
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id')")
    connection.executemany("INSERT INTO t VALUES (?, ?)", enumerate(texts, 1))
    connection.execute("INSERT INTO f(f) VALUES ('rebuild')")
    connection.commit()

    def ask(question: str) -> object:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        return connection.execute(
            "SELECT t.id, t.text FROM f JOIN t ON t.id = f.rowid WHERE f MATCH ? ORDER BY bm25(f) LIMIT 20", (match,)
        ).fetchall()

    return ask


def _time(ask: Callable[[str], object], questions: Sequence[str]) -> tuple[list[float], list[float]]:
    for question in questions[:20]:
        ask(question)
    wall, cpu = [], []
    for question in questions:
        started, used = time.perf_counter(), time.thread_time()
        ask(question)
        wall.append((time.perf_counter() - started) * 1000)
        cpu.append((time.thread_time() - used) * 1000)
    return wall, cpu


def _two(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95)]:.2f}"


if __name__ == "__main__":
    tell_stolen_at_exit()
    main()
