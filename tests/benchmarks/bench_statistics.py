"""Issue 18: a year at a glance over many memories: each count, and all of them as the screen asks for them.

Run: `python -m tests.benchmarks.bench_statistics [memories…]`. Three times as many uses as memories, a conversation for every thirty
of them, all spread over the last year. Prints milliseconds; asserts nothing about time.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy import text

from app.api import Places, SystemClock
from app.memories.lists import MemoryLists
from app.store.rows import statistics as statistics_rows
from app.store.store import Store
from app.store.tables.types import to_microseconds
from app.upkeep.statistics import load_statistics
from app.values import MemoryFilter, MemoryStatus
from tests.benchmarks.bench_capture import machine
from tests.benchmarks.bench_capture import tell_quantiles as quantiles
from tests.benchmarks.bench_lists import fill
from tests.benchmarks.material.stolen import tell_stolen_at_exit

_YEAR_US = 365 * 86_400_000_000
_ROUNDS = 15
_USES = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count) INSERT INTO usage_event (memory_id, at, kind, receipt_id) "
    "SELECT 1 + abs(random()) % :memories, :since + i * (:year / :count), CASE i % 9 WHEN 0 THEN 'cited' WHEN 1 THEN 'ignored' ELSE 'retrieved' END, i / 20 FROM n"
)
_TALKS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count) INSERT INTO conversation (stream_id, queue_key, title, "
    "is_title_edited, state, is_outcome_edited, started_at, auto_title, outcome_reason, message_count, topics, intents, files, related_ids) "
    "SELECT 1, i, '', 0, 'evicted', 0, :since + i * (:year / :count), 'Talk ' || i, '', 12, '[]', '[]', '[]', '[]' FROM n"
)


def main() -> None:
    tell_stolen_at_exit()
    print(machine())
    for count in [int(one) for one in sys.argv[1:]] or [100_000]:
        with tempfile.TemporaryDirectory(prefix="remanence-statistics-") as folder:
            store = Store(Places.under(Path(folder)), SystemClock(), owner="command")
            try:
                _fill(store, count)
                _measure(store, count)
            finally:
                store.close()


def _fill(store: Store, count: int) -> None:
    fill(store, count)
    since = to_microseconds(datetime.now(UTC)) - _YEAR_US
    with store.database.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO app (id, name, title, token_hash, scopes, is_paused, keeps_answers, created_at, is_revoked, projects) VALUES (1, 'codex', 'Codex', '', '[]', 0, 0, 0, 0, '[]')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO project (id, path, name) SELECT value, '/w/' || value, 'p' || value FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12]')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO stream (id, app_id, project_id, session, git_branch, started_at) VALUES (1, 1, 1, 's', '', 0)"
            )
        )
        connection.execute(
            text(
                "UPDATE memory SET recorded_at = :since + id * (:year / :count), project_id = 1 + id % 12, worded_by = CASE id % 3 WHEN 0 THEN 'codex' ELSE 'rules' END"
            ),
            {"since": since, "year": _YEAR_US, "count": count},
        )
        connection.execute(text(_USES), {"count": 3 * count, "memories": count, "since": since, "year": _YEAR_US})
        connection.execute(text(_TALKS), {"count": max(1, count // 30), "since": since, "year": _YEAR_US})


def _measure(store: Store, count: int) -> None:
    now = datetime.now(UTC)
    bounds = [to_microseconds(now - timedelta(days=back)) for back in range(371, -1, -1)]
    months = [bounds[0], *bounds[30:-1:30], bounds[-1]]
    lists = MemoryLists(store)
    lists.wait_ready()
    learned = partial(lists.learned_in, MemoryFilter(statuses=(MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED)))
    print(f"\n{count:,} memories, {3 * count:,} uses")
    with store.read() as connection:
        parts: dict[str, Callable[[], object]] = {
            "learned, columns": lambda: learned(bounds, months),
            "learned, SQL": lambda: statistics_rows.count_learned(connection, bounds, months),
            "conversations": lambda: statistics_rows.count_conversations(connection, bounds),
            "usage": lambda: statistics_rows.count_usage(connection, bounds),
            "judged": lambda: statistics_rows.count_judged(connection, bounds[-31]),
            "all, as the screen asks": lambda: load_statistics(
                connection, now, year=None, journal_days=30, learned=learned
            ),
        }
        for name, run in parts.items():
            took_ms: list[float] = []
            cpu_ms: list[float] = []
            for _ in range(_ROUNDS):
                began, cpu = time.perf_counter(), time.thread_time()
                run()
                took_ms.append((time.perf_counter() - began) * 1_000)
                cpu_ms.append((time.thread_time() - cpu) * 1_000)
            print(f"{name:<26}{quantiles(took_ms)}; processor {sorted(cpu_ms)[_ROUNDS // 2]:7.2f} ms")
    lists.close()


if __name__ == "__main__":
    main()
