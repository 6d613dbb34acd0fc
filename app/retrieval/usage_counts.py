"""Counts what recall gave: one event per memory, its counters beside it. Counted, never journalled, never waited for.

Kept in memory until the thread that keeps the index writes it down: losing the last second to a crash loses a count, no content.
Source: DESIGN section 4 `UsageEvent`, S3 "Access Recording".
"""

import threading
from collections.abc import Callable, Iterable
from datetime import datetime

from app.store.rows.receipt import count_retrieved
from app.store.store import Store
from app.values import Changes, DataKind


class Usage:
    """Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, datetime]] = []
        self.wake: Callable[[], None] = lambda: None

    def note(self, memory_ids: Iterable[int], at: datetime) -> None:
        with self._lock:
            self._waiting += [(memory_id, at) for memory_id in memory_ids]
        self.wake()

    def flush(self) -> int:
        """Writes down what waits; returns how many uses. Of memories that are gone by now nothing is left."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return 0
        with self._store.write_log() as connection:
            counted = count_retrieved(connection, waiting)
        ids = tuple(sorted({memory_id for memory_id, _ in counted}))
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.MEMORIES}), ids={DataKind.MEMORIES: ids}))
        return len(counted)
