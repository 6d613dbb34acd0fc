"""Every column in which a text stands, table by table, for whoever looks through all that is stored; and one row put right past the journal."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import JSON, Connection, Row, String, Table, delete, select, update
from sqlmodel import SQLModel

from app.store.journal import table_of
from app.store.table_queries import ids_with
from app.store.tables.context import CitationRow, MessageBranchRow, ReceiptItemRow, ReceiptRow
from app.store.tables.core import (
    JOURNALLED,
    ActionRow,
    ChangeRow,
    MentionRow,
    NoteLogRow,
    OperationRow,
    PairCheckRow,
    ReferenceRow,
    RunRow,
)
from app.store.tables.judge import AnswerEndRow, JudgeRequestRow
from app.store.tables.types import PackedText

_LOGS = (
    OperationRow, ChangeRow, ReceiptRow, ReceiptItemRow, AnswerEndRow, CitationRow, MessageBranchRow, JudgeRequestRow,
    ActionRow, RunRow, NoteLogRow, PairCheckRow,
)  # fmt: skip
_UNREAD = frozenset({"setting", "app"})  # options and tokens' hashes: nothing that was said
_SKIPPED = frozenset(
    {"text_key", "text_hash", "token_hash", "slot_key", "kind", "state", "status", "type", "table_name"}
)
_SKIPPED_OF = {"event": frozenset({"key"})}
TEXT_TABLES = (*(name for name in JOURNALLED if name not in _UNREAD), *(table_of(row).name for row in _LOGS))
_ROWS: list[type[SQLModel]] = [*JOURNALLED.values(), *_LOGS]
_TABLES: Mapping[str, Table] = {table.name: table for table in map(table_of, _ROWS)}


@cache
def text_columns(table: str) -> tuple[str, ...]:
    """The columns that hold what somebody said, as text or inside JSON."""
    skipped = _SKIPPED_OF.get(table, frozenset()) | (_SKIPPED if table != "memory_version" else frozenset())
    return tuple(
        column.name
        for column in _TABLES[table].columns
        if isinstance(column.type, PackedText) or isinstance(getattr(column.type, "impl", column.type), String | JSON)
        if column.name not in skipped
    )


def key_of(table: str) -> str:
    """The column that numbers its rows."""
    return "seq" if table == "change" else "id"


def walk_rows(connection: Connection, table: str, *, at_once: int) -> Iterator[Sequence[Row[Any]]]:
    """All rows by number, so many at a time, so that a large store is not held in memory."""
    key = _TABLES[table].c[key_of(table)]
    last = -1
    while rows := connection.execute(select(_TABLES[table]).where(key > last).order_by(key).limit(at_once)).all():
        yield rows
        last = rows[-1]._mapping[key_of(table)]


def rewrite_row(connection: Connection, table: str, row_id: int, values: Mapping[str, Any]) -> None:
    """Changes one row past the journal."""
    key = _TABLES[table].c[key_of(table)]
    connection.execute(update(_TABLES[table]).where(key == row_id).values(values))


def forget_reading(connection: Connection, message_id: int) -> None:
    """Takes out what was found in a message, with its images: an undo of the capture asks for nothing that is gone."""
    change = _TABLES["change"]
    for kind in (MentionRow, ReferenceRow):
        ids = ids_with(connection, kind, message_id=message_id)
        of_these = (change.c.table_name == kind.__tablename__) & change.c.row_id.in_(ids)
        connection.execute(delete(change).where(of_these))
        connection.execute(delete(table_of(kind)).where(table_of(kind).c.id.in_(ids)))
