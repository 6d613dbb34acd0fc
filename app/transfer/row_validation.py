"""Whether a row from a file may be in the store: every column holds what the store itself would have written there; how a row
is written into a file, and under which number it comes back.

A file is anybody's: a number too large, a word that is none of ours or half a version would break whoever reads the row later,
so such a row is left out. Knows tables and no flow. Source: QUALITY S12, E9.
"""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from app.memories.new_memory import TITLE_CHARS
from app.memories.versions import STATE_COLUMNS
from app.store.journal import Record, table_of
from app.store.table_queries import ids_with
from app.store.tables.memory import ArtifactRow, ContradictionRow, LinkRow, MemoryRow, MemoryVersionRow
from app.store.tables.types import Instant, TableRow, from_microseconds, to_microseconds
from app.understanding.message_rows import AnyRow
from app.values import ArtifactKind, FactType, Level, LinkType, MemoryKind, MemoryStatus, Visibility

TEXT_CHARS_MAX = 200_000  # as for a memory written by hand
_NUMBERS = range(-(2**63), 2**63)  # what SQLite holds
_ROW_NUMBERS = range(2**48)  # rows that come after need numbers too
_INSTANTS = range(-62_135_596_800_000_000, 253_402_300_800_000_000)  # the years 1 to 9999
_SHORT_CHARS = {"title": TITLE_CHARS, "category": 500, "reference": 500}
_BAD = object()
_ADDED: Mapping[str, str] = {
    "worded_by": "rules",
    "kind": "",
    "judged_by": "rules",
    "holds": "",
    "resolved_by": "",
}  # columns that older files do not have
_memory = table_of(MemoryRow)
_LISTED: Mapping[str, frozenset[str] | None] = {"tags": None, "edited_levels": frozenset(Level)}
_RATIOS = frozenset({"importance", "confidence", "strength"})
_WORDS: Mapping[tuple[str, str], frozenset[str]] = {
    ("memory", "kind"): frozenset(MemoryKind),
    ("memory", "type"): frozenset(FactType) | {""},
    ("memory", "status"): frozenset(MemoryStatus),
    ("memory", "visibility"): frozenset(Visibility),
    (table_of(ArtifactRow).name, "kind"): frozenset(ArtifactKind),
    (table_of(LinkRow).name, "type"): frozenset(LinkType),
    (table_of(ContradictionRow).name, "state"): frozenset({"open", "resolved", "dismissed"}),
}


def check_row(kind: type[TableRow], image: Mapping[str, Any]) -> Record | None:
    """The columns of a row from a file; None when one is missing or is not what the column holds."""
    table = table_of(kind)
    record = {
        column.name: _checked(table.name, column, image.get(column.name, _ADDED.get(column.name)))
        for column in table.columns
    }
    if any(value is _BAD for value in record.values()):
        return None
    if kind is MemoryVersionRow and not _is_state(record["state"]):
        return None
    return record


def plain_columns(row: AnyRow) -> Record:
    """A row as a file holds it."""
    return {
        name: to_microseconds(value) if isinstance(value, datetime) else value for name, value in row._mapping.items()
    }


def own_number(connection: Connection, kind: type[TableRow], number: int) -> Record:
    """The number that the row had, when it is free."""
    if number <= 0 or ids_with(connection, kind, id=number):
        return {}
    return {"id": number}


def clean_texts(value: Any, clean: Callable[[str], str]) -> Any:
    """The value with each of its texts as `clean` leaves it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_texts(one, clean) for one in value]
    if isinstance(value, dict):
        return {name: clean_texts(one, clean) for name, one in value.items()}
    return value


def _checked(table: str, column: Any, value: Any) -> Any:
    if value is None and column.nullable:
        return None
    if isinstance(column.type, Instant):
        is_instant = isinstance(value, int) and value in _INSTANTS
        return from_microseconds(value) if is_instant else _BAD
    if column.name in _LISTED:
        return value if _is_list(value, _LISTED[column.name]) else _BAD
    kind = column.type.python_type
    if kind is float and isinstance(value, int) and value in _NUMBERS:
        value = float(value)
    return value if isinstance(value, kind) and _is_fit(table, column, value) else _BAD


def _is_fit(table: str, column: Any, value: Any) -> bool:
    if isinstance(value, str):
        words = _WORDS.get((table, column.name))
        return len(value) <= _SHORT_CHARS.get(column.name, TEXT_CHARS_MAX) and (words is None or value in words)
    if isinstance(value, float):
        return math.isfinite(value) and (column.name not in _RATIOS or 0 <= value <= 1)
    if isinstance(value, int):
        is_number = column.name == "id" or column.name.endswith("_id")
        return value in (_ROW_NUMBERS if is_number else _NUMBERS) and (column.name != "trust" or value in range(4))
    return True


def _is_list(value: Any, words: frozenset[str] | None) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and (words is None or one in words) for one in value)


def _is_state(state: Any) -> bool:
    """Whether an earlier state has every column that a version is made of, each as a memory would hold it."""
    if not isinstance(state, dict) or set(state) != set(STATE_COLUMNS):
        return False
    return not any(_checked(_memory.name, _memory.c[name], value) is _BAD for name, value in state.items())
