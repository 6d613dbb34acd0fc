"""Earlier states of memories: kept before each change, read, compared, and what held at an instant.

A version's `state` holds the columns of `STATE_COLUMNS` as they were, instants as microseconds. Owns which columns a
version is made of and which of them a restore brings back. Source: DESIGN section 4 `MemoryVersion`, UX 4.4 version history.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from sqlalchemy import Connection

from app.errors import NotFoundError
from app.store.journal import Record, Write, table_of
from app.store.rows.memory import last_versions, load_versions
from app.store.table_queries import rows_with
from app.store.tables.memory import MemoryRow, MemoryVersionRow
from app.store.tables.types import Instant, from_microseconds, to_microseconds
from app.understanding.message_rows import AnyRow
from app.values import MemoryVersion
from app.values.fast_values import value_of

_memory = table_of(MemoryRow)
CONTENT_COLUMNS = (
    "type", "title", "full", "summary", "compressed", "index_text", "full_tokens", "summary_tokens",
    "compressed_tokens", "index_tokens", "edited_levels", "subject", "key", "value", "scope", "slot_key", "text_key",
    "is_negated", "details", "tags", "category", "importance", "confidence", "visibility", "valid_from", "valid_to",
)  # fmt: skip
STATE_COLUMNS = (*CONTENT_COLUMNS, "trust", "status", "retired_at")
_SHOWN = (
    "title", "full", "summary", "compressed", "index_text", "type", "subject", "key", "scope", "value", "tags",
    "category", "importance", "confidence", "visibility", "valid_from", "valid_to", "status", "details",
)  # fmt: skip
_WORDS = re.compile(r"\s+|[^\s]+")


def keep_versions(write: Write, rows: Sequence[AnyRow], label: str) -> None:
    """Keeps each memory as it is now, before it changes in this write."""
    if not rows:
        return
    last = last_versions(write.connection, [row.id for row in rows])
    records = []
    for row in rows:
        number, since = last.get(row.id, (0, row.recorded_at))
        records.append(
            {
                "memory_id": row.id,
                "number": number + 1,
                "from_at": min(since, write.at),
                "until_at": write.at,
                "origin": write.origin.value,
                "label": label,
                "state": state_of(row),
            }
        )
    write.insert_many(MemoryVersionRow, records)


def state_of(row: AnyRow) -> Record:
    return {
        name: to_microseconds(value) if isinstance(value := getattr(row, name), datetime) else value
        for name in STATE_COLUMNS
    }


def content_of(connection: Connection, memory_id: int, version_id: int) -> tuple[int, Record]:
    """Number of a version, and the columns that restoring it sets. Raises NotFoundError."""
    rows = rows_with(connection, MemoryVersionRow, id=version_id, memory_id=memory_id)
    if not rows:
        raise NotFoundError(f"Memory {memory_id} has no version {version_id}.", hint="Look at its history again.")
    state = _opened(rows[0].state)
    return rows[0].number, {name: state[name] for name in CONTENT_COLUMNS}


def list_versions(connection: Connection, memory_id: int) -> tuple[MemoryVersion, ...]:
    """Newest first."""
    return tuple(
        value_of(MemoryVersion, row, title=row.state["title"], full=row.state["full"], state=_opened(row.state))
        for row in load_versions(connection, memory_id)
    )


def version_diff(connection: Connection, version_id: int) -> str:
    """What the change after this version did, as plain text: one line per field, `[-gone-]` and `{+new+}` words."""
    found = rows_with(connection, MemoryVersionRow, id=version_id)
    if not found:
        raise NotFoundError(f"There is no version {version_id}.", hint="Look at the history again.")
    row = found[0]
    later = [one.state for one in load_versions(connection, row.memory_id) if one.number > row.number]  # newest first
    after = later[-1] if later else state_of(rows_with(connection, MemoryRow, id=row.memory_id)[0])
    lines = [
        f"{name.removesuffix('_text')}: {diff_words(_said(name, row.state[name]), _said(name, after[name]))}"
        for name in _SHOWN
        if row.state[name] != after[name]
    ]
    return "\n".join(lines)


def diff_words(before: str, after: str) -> str:
    """Both texts in one, words that went in `[-…-]`, words that came in `{+…+}`.

    >>> diff_words("use npm here", "use pnpm here")
    'use [-npm-]{+pnpm+} here'
    """
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    parts = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = "".join(old[start:end]), "".join(new[new_start:new_end])
        if kind == "equal":
            parts.append(gone)
            continue
        parts.append((f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else ""))
    return "".join(parts)


def _opened(state: Mapping[str, Any]) -> Record:
    """A state with instants as instants."""
    return {
        name: from_microseconds(value) if value is not None and isinstance(_memory.c[name].type, Instant) else value
        for name, value in state.items()
    }


def _said(name: str, value: object) -> str:
    if isinstance(_memory.c[name].type, Instant):
        return from_microseconds(value).isoformat() if isinstance(value, int) else "open"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
