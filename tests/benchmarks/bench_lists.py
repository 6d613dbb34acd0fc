"""P9, P11: lists and facets of many memories: first rows, any start, filters, facets, one change; beside the database alone.

The control is the same question put to SQLite by an index walk, as a list without columns in memory would.
Run: `python -m tests.benchmarks.bench_lists [count…]`. Prints milliseconds; asserts nothing about time.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from app.api import Places, SystemClock
from app.memories.lists import MemoryLists
from app.store.after_write import follow_memories
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.memory import MemoryRow, MemoryTagRow
from app.values import FactType, MemoryFilter, MemoryGroup, MemorySort, MemoryStatus, Origin
from tests.benchmarks.bench_capture import machine
from tests.benchmarks.bench_capture import tell_quantiles as quantiles
from tests.benchmarks.material.made_texts import make_texts
from tests.benchmarks.material.stolen import tell_stolen_at_exit

START = datetime(2026, 1, 1, tzinfo=UTC)
ROWS = 128
TAGS = ("api", "database", "deploy", "style", "tests", "ui")
TYPES = [kind.value for kind in FactType]


def fill(store: Store, count: int) -> None:
    """Adds memories below the flows: what is measured is reading."""
    chance = random.Random(3)
    texts = make_texts(count)
    for first in range(0, count, 20_000):
        rows = [_row(chance, number, next(texts)) for number in range(first + 1, min(first + 20_000, count) + 1)]
        tags = [{"memory_id": row["id"], "tag": tag} for row in rows for tag in row["tags"]]  # type: ignore[attr-defined]
        with store.database.transaction() as connection:
            connection.execute(table_of(MemoryRow).insert(), rows)
            connection.execute(table_of(MemoryTagRow).insert(), tags)


def _row(chance: random.Random, number: int, text: str) -> dict[str, object]:
    at = START + timedelta(seconds=number * 7)
    return {
        "id": number, "kind": "fact", "type": chance.choice(TYPES), "title": text[:60], "full": text,
        "summary": text[:60], "compressed": f"port:{number}", "index_text": "port", "full_tokens": 17 + number % 9,
        "summary_tokens": 9, "compressed_tokens": 4, "index_tokens": 1, "edited_levels": [], "subject": "",
        "key": "port", "value": str(number), "scope": "", "slot_key": f"\x1fport\x1f{number}", "text_key": f"{number:x}",
        "is_negated": False, "details": {}, "tags": chance.sample(TAGS, number % 3), "category": "port",
        "importance": chance.choice((0.5, 0.6, 0.7)), "confidence": chance.random(), "trust": chance.choice((1, 2, 2, 3)),
        "status": "archived" if number % 10 == 0 else "active", "is_pinned": number % 500 == 0,
        "visibility": "user-private", "user_id": "", "project_id": None, "app_id": None, "valid_from": at,
        "valid_to": None, "recorded_at": at, "retired_at": None, "updated_at": at, "supersedes_id": None,
        "reason": "", "revision": 1, "last_accessed_at": None, "retrieved_count": number % 7, "cited_count": 0,
        "ignored_count": 0,
    }  # fmt: skip


def took(ask: Callable[[], object], times: int = 20) -> str:
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        ask()
        found.append((time.perf_counter() - begun) * 1000)
    return f"first {found[0]:8.2f}  {quantiles(found)}"


def measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for is_filling in (True, False):
            store = Store(Places.under(Path(folder)), SystemClock(), owner="command")
            store.after_write = follow_memories
            lists = MemoryLists(store)
            try:
                fill(store, count) if is_filling else report(store, lists, count)
            finally:
                lists.close()
                store.close()


def report(store: Store, lists: MemoryLists, count: int) -> None:
    size = store.places.store_path.stat().st_size
    print(f"\n{count:,} memories, {size / count:.0f} bytes each in the store")
    begun = time.perf_counter()
    lists.page(MemoryFilter(), MemorySort.UPDATED, 0, ROWS)
    print(f"  first rows after the start    {(time.perf_counter() - begun) * 1000:8.2f} ms")
    lists.wait_ready()
    print(f"  everything read after         {time.perf_counter() - begun:8.2f} s")
    chance = random.Random(5)

    def page(where: MemoryFilter, sort: MemorySort = MemorySort.UPDATED, start: int = 0) -> None:
        lists.page(where, sort, start, ROWS)

    def any_number() -> MemoryFilter:
        return MemoryFilter(max_confidence=chance.random())

    def in_groups(group: MemoryGroup) -> None:
        where = any_number()
        lists.groups(where, MemorySort.UPDATED, group)
        lists.page(where, MemorySort.UPDATED, 0, ROWS, group)

    decisions = MemoryFilter(types=(FactType.DECISION,), tags=("api",))
    print("  any start           ", took(lambda: page(MemoryFilter(), start=chance.randrange(count // 2))))
    for sort in (MemorySort.CONFIDENCE, MemorySort.TOKENS, MemorySort.OLDEST):
        print(f"  by {sort.value:17}", took(partial(page, MemoryFilter(), sort)))
    print("  type and tag        ", took(lambda: page(decisions, start=chance.randrange(1 + count // 50))))
    print("  new filter each time", took(lambda: page(any_number())))
    for group in (MemoryGroup.TYPE, MemoryGroup.PROJECT, MemoryGroup.TIME):
        print(f"  groups by {group.value:10}", took(partial(in_groups, group)))
    print("  facets, new filter  ", took(lambda: lists.facets(any_number())))
    print("  facets, again       ", took(lambda: lists.facets(decisions)))
    print("  after a change      ", took(lambda: _change(store, lists, chance.randrange(1, count))))

    def ask_database() -> None:
        with store.read() as connection:
            where = replace(any_number(), statuses=(MemoryStatus.ACTIVE,))
            MemoryLists._by_sql(connection, where, MemorySort.UPDATED, start=count // 4, limit=ROWS, now=START)

    print("  control: SQLite alone", took(ask_database, 3))
    print(f"  resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _change(store: Store, lists: MemoryLists, memory_id: int) -> None:
    with store.write(origin=Origin.PERSON, kind="edit", label="") as write:
        write.update(MemoryRow, memory_id, {"updated_at": write.at, "importance": 0.1})
    lists.page(MemoryFilter(), MemorySort.UPDATED, 0, ROWS)


if __name__ == "__main__":
    tell_stolen_at_exit()
    print(machine())
    for wanted in [int(text) for text in sys.argv[1:]] or [10_000, 100_000, 1_000_000]:
        measure(wanted)
