"""What a session was given already, so that nothing is given twice: read from its receipts and kept; only newer ones are read again.

Memories by number and revision, and lines that are no memories by their words. A compaction takes all of it away. Thread-safe.
Source: DESIGN section 5 "inside one session an item is not sent twice", QUALITY P2.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from app.store.rows.work_history import compacted_at, lines_of_receipt, receipts_of_session
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.core import EventRow

_SESSIONS_KEPT = 32


@dataclass(slots=True)
class Deliveries:
    """What a session was given: memories with their revision then, those that were only named, and lines that are no memories."""

    given: dict[int, int] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)
    lines: frozenset[str] = frozenset()  # as they read: of failed commands and questions, of topics with their mark


@dataclass(slots=True)
class _Remembered:
    seen_event: int = 0  # the newest that was looked at for a compaction
    newest: int = 0  # receipt that was read
    after: int = 0  # microseconds: what was given before does not count
    deliveries: Deliveries = field(default_factory=Deliveries)


class SessionDeliveries:
    """What is taken out of the store for good is noticed by the store's own count of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], _Remembered] = OrderedDict()
        self._state: object = None

    def find(self, connection: Connection, app: str, session: str) -> Deliveries:
        """What this session has in the snapshot of `connection`; what a compaction took away is not counted."""
        with self._lock:
            state = (self._store.ids, self._store.removed_count)  # others stand for another store
            if state != self._state:
                self._state = state
                self._sessions.clear()
            known = self._sessions.setdefault((app, session), _Remembered())
            self._sessions.move_to_end((app, session))
            while len(self._sessions) > _SESSIONS_KEPT:
                self._sessions.popitem(last=False)
            self._see_compaction(connection, session, known)
            self._read_newer(connection, app, session, known)
            return Deliveries(known.deliveries.given.copy(), known.deliveries.named.copy(), known.deliveries.lines)

    @staticmethod
    def _see_compaction(connection: Connection, session: str, known: _Remembered) -> None:
        newest = newest_id(connection, EventRow)
        compacted = compacted_at(connection, session, known.seen_event)
        if compacted is not None:
            known.after, known.newest, known.deliveries = max(compacted, known.after), 0, Deliveries()
        known.seen_event = newest

    @staticmethod
    def _read_newer(connection: Connection, app: str, session: str, known: _Remembered) -> None:
        lines: set[str] = set()
        newer = receipts_of_session(connection, app, session, newer_than=known.newest, after=known.after)
        for receipt_id in newer:
            for row in lines_of_receipt(connection, receipt_id):
                _note(known.deliveries, row, lines)
            known.newest = max(known.newest, receipt_id)
        known.deliveries.lines |= lines


def _note(deliveries: Deliveries, row: tuple[Any, ...], lines: set[str]) -> None:
    memory_id, is_named, revision, line = row
    if not memory_id:
        lines.add(line)
        return
    revisions = deliveries.named if is_named else deliveries.given
    revisions[memory_id] = max(revision, revisions.get(memory_id, revision))
