"""What a list draws of each memory, read by number in the order asked for, and the tier that each is given in. Never writes.

Plain SQL on purpose: a page is 128 rows, and what the library does per row takes longer than the database does for all. Source:
QUALITY P9.
"""

from collections.abc import Sequence
from functools import partial
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
    given_tier: str | None  # where it was in the newest context that was given


_make_row = partial(tuple.__new__, CardRow)  # of what was read, which is all of it
_TEXT_CHARS = 240
_OWN = ", ".join(f"m.{name}" for name in CardRow._fields[:17]) + f", substr(m.full, 1, {_TEXT_CHARS})"
_GIVEN_TIER = (  # by the index of both: the newest line about a memory is found at once
    "SELECT t.tier FROM receipt_item t CROSS JOIN receipt r ON r.id = t.receipt_id "
    "WHERE t.memory_id = m.id AND r.is_delivered ORDER BY t.id DESC LIMIT 1"
)
_CARDS = (  # "+": found by the memory, not among all that are open
    f"SELECT {_OWN}, coalesce(p.name, ''), coalesce(a.name, ''), "  # noqa: S608 (constants only)
    "EXISTS (SELECT 1 FROM contradiction c WHERE c.memory_a_id = m.id AND +c.state = 'open') "
    "OR EXISTS (SELECT 1 FROM contradiction c WHERE c.memory_b_id = m.id AND +c.state = 'open'), "
    f"({_GIVEN_TIER}) "
    "FROM json_each(?) w CROSS JOIN memory m ON m.id = w.value "
    "LEFT JOIN project p ON p.id = m.project_id LEFT JOIN app a ON a.id = m.app_id"
)
_PLACED = (  # at the index level means in the index tier
    "SELECT data ->> '$.memory_id', coalesce(nullif(data ->> '$.tier', ''), "
    "CASE data ->> '$.level' WHEN 'index' THEN 'index' ELSE '' END), data ->> '$.is_withheld' FROM rule WHERE kind = ?"
)
_GIVEN_TIERS = (
    "SELECT t.memory_id, t.tier, max(t.id) FROM receipt_item t CROSS JOIN receipt r ON r.id = t.receipt_id "
    "WHERE t.memory_id > 0 AND r.is_delivered GROUP BY t.memory_id"
)


def load_placed(connection: Connection) -> dict[int, tuple[str, bool]]:
    """(tier or "", is withheld) of the memories of which a person chose how they are given; few, found by the kind of their rule."""
    cursor = connection.connection.driver_connection.execute(_PLACED, (PLACEMENT_RULE,))  # type: ignore[union-attr]
    return {int(row[0]): (str(row[1]), bool(row[2])) for row in cursor.fetchall()}


def load_tiers(connection: Connection) -> dict[int, str]:
    """The tier of every memory that a person placed in one, or that was in one when it was last given."""
    placed = {one: tier for one, (tier, _) in load_placed(connection).items() if tier}
    cursor = connection.connection.driver_connection.execute(_GIVEN_TIERS)  # type: ignore[union-attr]
    return {int(row[0]): str(row[1]) for row in cursor.fetchall()} | placed


def load_card_rows(connection: Connection, ids: Sequence[int]) -> list[CardRow]:
    """One row per memory that is there, in the order of `ids`."""
    cursor = connection.connection.driver_connection.execute(_CARDS, (str(list(ids)),))  # type: ignore[union-attr]
    found = {
        row[0]: row for row in cursor.fetchall()
    }  # ordered here: the database would keep all of it aside to sort it
    return [_make_row(found[one]) for one in ids if one in found]
