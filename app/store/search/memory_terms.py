"""Cuts beside the memories: which are missing, and writing them. What a cut is made of is for the flows to know.

Derived: each holds for one revision of its memory and for one form of cutting, and is ignored otherwise. Source: QUALITY P2.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

TERMS_VERSION = 2  # raised by whoever changes how stems are cut, lines are made harmless or tokens are counted


class TermsSource(NamedTuple):
    """What a cut is made of."""

    id: int
    revision: int
    title: str
    full: str
    summary: str
    compressed: str
    index_text: str


class RankingTerms(NamedTuple):
    """A row of the table. `stems` with a space between two."""

    memory_id: int
    revision: int
    stems: str
    speaker: str
    full_line: int
    summary_line: int
    compressed_line: int
    index_line: int


_SOURCE = f"SELECT {', '.join(f'm.{name}' for name in TermsSource._fields)} FROM"
_HAS = f"k.memory_id = m.id AND k.cut_revision = m.revision AND k.cut_form = {TERMS_VERSION}"
_OF = f"{_SOURCE} json_each(?) j CROSS JOIN memory m ON m.id = j.value"
_MISSING = f"{_SOURCE} memory m LEFT JOIN memory_cut k ON {_HAS} WHERE m.id < ? AND k.memory_id IS NULL ORDER BY m.id DESC LIMIT ?"


def first_place(name: str, memory: str) -> str:
    """Where a memory was said first, as SQL: its `conversation_id` or `message_id`."""
    return f"(SELECT {name} FROM memory_source WHERE memory_id = {memory} ORDER BY id LIMIT 1)"  # noqa: S608 (names of columns)


# only for a memory that is still what it was when it was read: nothing of an erased one comes back
_PUT = (
    "INSERT OR REPLACE INTO memory_cut (memory_id, cut_revision, cut_form, stems, speaker, full_line, summary_line, "  # noqa: S608
    "compressed_line, index_line, place_conversation_id, place_message_id) "
    f"SELECT ?1, ?2, {TERMS_VERSION}, ?3, ?4, ?5, ?6, ?7, ?8, {first_place('conversation_id', '?1')}, {first_place('message_id', '?1')} "
    "WHERE EXISTS (SELECT 1 FROM memory WHERE id = ?1 AND revision = ?2)"
)
_FIT_COUNT = f"SELECT count(*) FROM memory_cut WHERE cut_form = {TERMS_VERSION}"  # noqa: S608 (constants only)


def _cursor(connection: Connection) -> Any:
    return connection.connection.driver_connection.cursor()  # type: ignore[union-attr]


def load_terms_sources(connection: Connection, ids: Sequence[int]) -> list[TermsSource]:
    return [TermsSource._make(row) for row in _cursor(connection).execute(_OF, (str(list(ids)),))]


def load_without_terms(connection: Connection, before_id: int, limit: int) -> list[TermsSource]:
    """Memories below this number that have no cut which holds, newest first."""
    return [TermsSource._make(row) for row in _cursor(connection).execute(_MISSING, (before_id, limit))]


def count_terms(connection: Connection) -> int:
    """How many there are of today's form."""
    return int(_cursor(connection).execute(_FIT_COUNT).fetchone()[0])


def put_terms(connection: Connection, cuts: Iterable[RankingTerms]) -> None:
    """Writes these, but for memories that have changed since."""
    _cursor(connection).executemany(_PUT, cuts)
