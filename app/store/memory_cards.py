"""What a list draws of each memory, read by number in the order asked for. Never writes.

Plain SQL on purpose: a page is 128 rows, and what the library does per row takes longer than the database does for all. Source:
QUALITY P9.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from app.store.journal import PLACEMENT_RULE


class CardRow(NamedTuple):
    """Instants are microseconds since 1970, `tags` is JSON."""

    id: int
    kind: str
    type: str
    title: str
    summary: str
    status: str
    trust: int
    confidence: float
    importance: float
    is_pinned: int
    valid_from: int
    valid_to: int | None
    full_tokens: int
    tags: str
    updated_at: int
    last_accessed_at: int | None
    retrieved_count: int
    text: str  # the beginning of the full text
    project: str
    app: str
    is_disputed: int


_TEXT_CHARS = 240
_OWN = ", ".join(f"m.{name}" for name in CardRow._fields[:17]) + f", substr(m.full, 1, {_TEXT_CHARS})"
_CARDS = (
    f"SELECT {_OWN}, coalesce(p.name, ''), coalesce(a.name, ''), "  # noqa: S608 (constants only)
    "EXISTS (SELECT 1 FROM contradiction c WHERE c.memory_a_id = m.id AND c.state = 'open') "
    "OR EXISTS (SELECT 1 FROM contradiction c WHERE c.memory_b_id = m.id AND c.state = 'open') "
    "FROM json_each(?) w CROSS JOIN memory m ON m.id = w.value "
    "LEFT JOIN project p ON p.id = m.project_id LEFT JOIN app a ON a.id = m.app_id ORDER BY w.key"
)


_WITHHELD = "SELECT json_extract(data, '$.memory_id') FROM rule WHERE kind = ? AND json_extract(data, '$.is_withheld')"


def load_withheld_ids(connection: Connection) -> frozenset[int]:
    """Memories that a person never wants told; few, and found by the kind of their rule."""
    cursor = connection.connection.driver_connection.execute(_WITHHELD, (PLACEMENT_RULE,))  # type: ignore[union-attr]
    return frozenset(int(row[0]) for row in cursor.fetchall())


def load_card_rows(connection: Connection, ids: Sequence[int]) -> list[CardRow]:
    """One row per memory that is there, in the order of `ids`."""
    cursor = connection.connection.driver_connection.execute(_CARDS, (json.dumps(list(ids)),))  # type: ignore[union-attr]
    return [CardRow._make(row) for row in cursor.fetchall()]
