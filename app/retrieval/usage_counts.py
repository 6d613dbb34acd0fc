"""Counts what recall gave: one event per memory, its counters beside it. Counted, never journalled, never waited for.

Kept in memory until the thread that keeps the index writes it down: losing the last second to a crash loses a count, no content.
Source: DESIGN section 4 `UsageEvent`, S3 "Access Recording".
"""

import threading
from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import bindparam, update

from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.memory import MemoryRow, UsageEventRow
from app.values import Changes, DataKind, UsageKind

_memory, _usage = table_of(MemoryRow), table_of(UsageEventRow)
_COUNTED = (
    update(_memory)
    .where(_memory.c.id == bindparam("which"))
    .values(retrieved_count=_memory.c.retrieved_count + 1, last_accessed_at=bindparam("seen_at"))
)


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
            counted = [
                (memory_id, at)
                for memory_id, at in waiting
                if connection.execute(_COUNTED, {"which": memory_id, "seen_at": at}).rowcount
            ]
            if counted:
                events = [{"memory_id": one, "at": at, "kind": UsageKind.RETRIEVED.value} for one, at in counted]
                connection.execute(_usage.insert(), events)
        ids = tuple(sorted({memory_id for memory_id, _ in counted}))
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.MEMORIES}), ids={DataKind.MEMORIES: ids}))
        return len(counted)
