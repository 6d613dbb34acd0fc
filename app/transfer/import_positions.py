"""How far each history file was taken in, so that a later import continues from there. Knows no format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from app.store.app_metadata import drop_marks, read_mark, read_marks, set_marks
from app.store.journal import Write

_PREFIX, _UNFINISHED = "import:", "unfinished_import"


def load_positions(connection: Connection) -> dict[str, tuple[int, str]]:
    """By file: the bytes taken in, and the mark of the file that they were of."""
    found: dict[str, tuple[int, str]] = {}
    for name, value in read_marks(connection, _PREFIX).items():
        offset, _, mark = value.partition(" ")
        found[name.removeprefix(_PREFIX)] = (int(offset), mark)
    return found


def keep_positions(write: Write, places: Mapping[Path, tuple[int, str]]) -> None:
    set_marks(write.connection, {f"{_PREFIX}{file}": f"{offset} {mark}" for file, (offset, mark) in places.items()})


def forget_positions(write: Write) -> None:
    """After an import was undone its files may be read again."""
    drop_marks(write.connection, _PREFIX)
    forget_unfinished(write.connection)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An import that was stopped, or whose process ended, before its end; what came in stays under one operation."""

    source: str
    path: Path
    operation_id: int
    message_count: int


def note_unfinished(connection: Connection, source: str, path: Path, operation_id: int, message_count: int) -> None:
    set_marks(connection, {_UNFINISHED: json.dumps([source, str(path), operation_id, message_count])})


def forget_unfinished(connection: Connection) -> None:
    drop_marks(connection, _UNFINISHED)


def load_unfinished(connection: Connection) -> Unfinished | None:
    value = read_mark(connection, _UNFINISHED)
    if value is None:
        return None
    source, path, operation_id, message_count = json.loads(value)
    return Unfinished(source, Path(path), operation_id, message_count)
