"""The canonical content of a store as text: what undo, export and restore must bring back exactly."""

import contextlib
import json
from pathlib import Path

import pysqlite3

from app.store.tables.core import DERIVED, JOURNALLED

# inbox rows outlive an undone capture on purpose: its sender's second try must not bring it back
LEFT_OUT = {"event"}
BESIDE = frozenset({"note"})  # made behind the end of a conversation, seconds later, undone by an operation of its own


def dump_store(path: Path, *, without: frozenset[str] = BESIDE) -> str:
    """One line per row of every journalled table, derived columns left out, in order of table and id."""
    lines = []
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        connection.row_factory = pysqlite3.Row
        for table in sorted(set(JOURNALLED) - LEFT_OUT - without):
            skipped = DERIVED.get(table, frozenset())
            for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY id'):
                kept = {name: row[name] for name in row.keys() if name not in skipped}  # noqa: SIM118
                lines.append(f"{table} {json.dumps(kept, sort_keys=True, default=bytes.hex)}")
    return "\n".join(lines)
