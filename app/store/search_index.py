"""The derived search index of memories: what waits for it, and (from here on) the index itself.

SQLite is the truth. A memory's change and its entry in the waiting list are one transaction; the indexer's thread commits
the index first and only then takes the entries out, so that a crash replays and never hides a memory. Source: STACK 1.2.
"""

from collections.abc import Iterable

from app.store.journal import Write, table_of
from app.store.memory_tables import IndexWaitRow

_wait = table_of(IndexWaitRow)


def note_changed(write: Write, memory_ids: Iterable[int]) -> None:
    """Puts memories on the waiting list of the search index, inside the transaction that changes (or deletes) them."""
    rows = [{"memory_id": memory_id} for memory_id in dict.fromkeys(memory_ids)]
    if rows:
        write.connection.execute(_wait.insert(), rows)
