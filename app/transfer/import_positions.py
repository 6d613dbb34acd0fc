"""How far each history file was taken in, so that a later import goes on from there. Knows no format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, bindparam, delete, insert, select

from app.store.journal import Write, table_of
from app.store.tables.core import MetaRow

_PREFIX, _UNFINISHED = "import:", "unfinished_import"
_meta = table_of(MetaRow)
_ALL = select(_meta).where(_meta.c.name.startswith(_PREFIX)).order_by(_meta.c.name)
_FORGET = delete(_meta).where(_meta.c.name == bindparam("name"))
_ADD = insert(_meta)


def load_positions(connection: Connection) -> dict[str, tuple[int, str]]:
    """By file: the bytes taken in, and the mark of the file that they were of."""
    found: dict[str, tuple[int, str]] = {}
    for row in connection.execute(_ALL):
        offset, _, mark = row.value.partition(" ")
        found[row.name.removeprefix(_PREFIX)] = (int(offset), mark)
    return found


def keep_positions(write: Write, places: Mapping[Path, tuple[int, str]]) -> None:
    """Two statements for all of them: an import passes many small files in one transaction."""
    rows = [{"name": f"{_PREFIX}{file}", "value": f"{offset} {mark}"} for file, (offset, mark) in places.items()]
    if rows:
        write.connection.execute(_FORGET, [{"name": row["name"]} for row in rows])
        write.connection.execute(_ADD, rows)


def forget_positions(write: Write) -> None:
    """After an import was undone its files may be read again."""
    write.connection.execute(delete(_meta).where(_meta.c.name.startswith(_PREFIX)))
    forget_unfinished(write.connection)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An import that was stopped, or whose process ended, before its end; what came in stays under one operation."""

    source: str
    path: Path
    operation_id: int
    message_count: int


def note_unfinished(connection: Connection, source: str, path: Path, operation_id: int, message_count: int) -> None:
    value = json.dumps([source, str(path), operation_id, message_count])
    connection.execute(_FORGET, {"name": _UNFINISHED})
    connection.execute(_ADD, {"name": _UNFINISHED, "value": value})


def forget_unfinished(connection: Connection) -> None:
    connection.execute(_FORGET, {"name": _UNFINISHED})


def load_unfinished(connection: Connection) -> Unfinished | None:
    value = connection.execute(select(_meta.c.value).where(_meta.c.name == _UNFINISHED)).scalar()
    if value is None:
        return None
    source, path, operation_id, message_count = json.loads(value)
    return Unfinished(source, Path(path), operation_id, message_count)
