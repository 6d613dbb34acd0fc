"""The one search (memories and prompts, texts and reasons) over a prompt archive of 10k, 100k, 1M prompts.

Run with `python -m tests.benchmarks.bench_archive [sizes…]`; prints a table, asserts no times (QUALITY P1). "prompts" is the share of
the search that looks for prompts; "store" and "index" are bytes a prompt; the texts are made up, so they pack better than real ones.
"""

import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places
from app.cli.process import prefer_latency
from app.store.journal import insert_rows, table_of
from app.store.tables.core import ArchivedPromptRow
from app.values import MemoryDraft, RecallQuery
from tests.benchmarks.material.made_texts import make_questions, make_texts

_SIZES = (10_000, 100_000, 1_000_000)
_ASKED, _BATCH = 200, 20_000


def main() -> None:
    prefer_latency()
    print(
        "prompts | index s | find p50 / p95 ms | prompts alone p50 / p95 ms | new findable ms | store, index bytes each"
    )
    for size in [int(one) for one in sys.argv[1:]] or _SIZES:
        with tempfile.TemporaryDirectory(prefix="remanence-bench-") as folder:
            _measure(Places.under(Path(folder)), size)


def _measure(places: Places, size: int) -> None:
    texts = list(make_texts(size))
    questions = make_questions(texts, _ASKED)
    with contextlib.closing(Engine.open(places, flags={"archive": "forever"})) as engine:
        _fill(engine, texts)
        prompts = engine._core.indexing.prompts
        started = time.perf_counter()
        while prompts.catch_up():
            pass
        built_s = time.perf_counter() - started
        found = _time(
            lambda text: engine.search.find(RecallQuery(text, is_counted=False, is_suggesting=False)), questions
        )
        alone = _time(lambda text: engine.search.find_messages(RecallQuery(text)), questions)
        started = time.perf_counter()
        _keep(engine, [f"the qzheron{size} export stops"], size + 10)
        assert engine.search.find_messages(RecallQuery(f"qzheron{size}"))
        new_ms = (time.perf_counter() - started) * 1_000
        status = engine.archive.status()
        each = f"{status.byte_count / size:.0f}, {status.index_byte_count / size:.0f}"
        print(f"{size:,} | {built_s:.1f} | {found} | {alone} | {new_ms:.1f} | {each}", flush=True)


def _fill(engine: Engine, texts: Sequence[str]) -> None:
    request = CaptureRequest("codex", EventKind.PROMPT, "first", "s", "hello", cwd="/w/shop", project_root="/w/shop")
    engine.events.capture([request], wait_s=60)
    engine.memories.create(MemoryDraft("Exports are CSV.", project_path="/w/shop"))
    for start in range(0, len(texts), _BATCH):
        _keep(engine, texts[start : start + _BATCH], start + 10)


def _keep(engine: Engine, texts: Sequence[str], first: int) -> None:
    now = engine.clock.now()
    with engine._core.store.database.transaction() as connection:
        rows = [
            {"id": first + at, "conversation_id": 1, "stream_id": 1, "at": now, "is_imported": False, "text": text}
            for at, text in enumerate(texts)
        ]
        insert_rows(connection, table_of(ArchivedPromptRow), rows)


def _time(ask: Callable[[str], object], questions: Sequence[str]) -> str:
    for question in questions[:20]:
        ask(question)
    took = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        took.append((time.perf_counter() - started) * 1_000)
    return f"{statistics.median(took):.1f} / {statistics.quantiles(took, n=20)[-1]:.1f}"


if __name__ == "__main__":
    main()
