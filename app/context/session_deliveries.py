"""What a session was given already, so that nothing is given twice: read from its receipts and kept; only newer ones are read again.

Memories by number and revision, and lines that are no memories by their words. A compaction takes all of it away. Thread-safe.
Source: DESIGN section 5 "inside one session an item is not sent twice", QUALITY P2.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from sqlalchemy import Connection

from app.store.rows.context import fetch
from app.store.store import Store
from app.values import Level

_SESSIONS_KEPT = 32
_COMPACTED = "SELECT max(received_at) FROM event WHERE session = :session AND kind = 'compaction'"
_COMPACTED_SINCE = "SELECT max(received_at) FROM event WHERE id > :seen AND +session = :session AND kind = 'compaction'"
_NEWEST_EVENT = "SELECT coalesce(max(id), 0) FROM event"
_RECEIPTS = (
    "SELECT id FROM receipt WHERE app = :app AND session = :session AND id > :newest AND at > :after AND is_delivered"
)
_ITEMS = (
    "SELECT memory_id, level = :named, revision, CASE WHEN memory_id THEN '' WHEN level = :named THEN text ELSE title END "
    "FROM receipt_item WHERE receipt_id = :receipt"
)


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
        newest = fetch(connection, _NEWEST_EVENT, {})[0][0]
        values = {"session": session} | ({"seen": known.seen_event} if known.seen_event else {})
        compacted = fetch(connection, _COMPACTED_SINCE if known.seen_event else _COMPACTED, values)[0][0]
        if compacted is not None:
            known.after, known.newest, known.deliveries = max(compacted, known.after), 0, Deliveries()
        known.seen_event = newest

    @staticmethod
    def _read_newer(connection: Connection, app: str, session: str, known: _Remembered) -> None:
        values = {"app": app, "session": session, "newest": known.newest, "after": known.after}
        lines: set[str] = set()
        for (receipt_id,) in fetch(connection, _RECEIPTS, values):
            for row in fetch(connection, _ITEMS, {"receipt": receipt_id, "named": Level.INDEX.value}):
                _note(known.deliveries, row, lines)
            known.newest = max(known.newest, receipt_id)
        known.deliveries.lines |= lines


def _note(deliveries: Deliveries, row: tuple[int, int, int, str], lines: set[str]) -> None:
    memory_id, is_named, revision, line = row
    if not memory_id:
        lines.add(line)
        return
    revisions = deliveries.named if is_named else deliveries.given
    revisions[memory_id] = max(revision, revisions.get(memory_id, revision))
