"""Proposals that nobody looked at go to the archive: 30 days after they were first stored here, on days that the app ran.

The store keeps the last days on which the app ran, each with the newest memory that was there when it began. A memory's number
tells when it was stored, whatever day it carries; a machine that is off counts no day. What was archived so before, and
brought back, is left alone. Source: issue 16 point 10.
"""

import json

from sqlalchemy import Connection, delete, func, insert, select

from app.memories.acts import MemoryCurator
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.core import ChangeRow, MetaRow, OperationRow
from app.store.tables.memory import MemoryRow
from app.values import MemoryStatus, Origin

UNSEEN_DAYS = 30
KIND = "archive_unseen"
_NAME = "days_run"
_memory, _meta, _operation, _change = (table_of(row) for row in (MemoryRow, MetaRow, OperationRow, ChangeRow))
Day = tuple[str, int]  # local date, newest memory's number when that day began


def note_day(store: Store) -> None:
    """Counts today as a day on which the app ran, once."""
    today = store.clock.now().astimezone().date().isoformat()
    with store.read() as connection:
        if today in dict(_days(connection)):
            return
    with store.write_log() as connection:
        newest = int(connection.execute(select(func.max(_memory.c.id))).scalar() or 0)
        if today in dict(_days(connection)):
            return
        days = [*_days(connection), (today, newest)][-(UNSEEN_DAYS + 1) :]
        connection.execute(delete(_meta).where(_meta.c.name == _NAME))
        connection.execute(insert(_meta).values(name=_NAME, value=json.dumps(days)))


def archive_unseen(store: Store, curator: MemoryCurator) -> int:
    """Archives proposals that waited for 30 days of running, as one operation that can be undone; returns how many."""
    note_day(store)
    with store.read() as connection:
        ids = _unseen(connection)
    if not ids:
        return 0
    with store.write(origin=Origin.ENGINE, kind=KIND, label="") as write:
        ids = _unseen(write.connection)
        if ids:
            curator.archive(write, ids)
            one = len(ids) == 1
            what = (
                "1 proposed memory that nobody looked at" if one else f"{len(ids)} proposed memories nobody looked at"
            )
            write.label = f"Archived {what} in {UNSEEN_DAYS} days"
    return len(ids)


def _days(connection: Connection) -> list[Day]:
    value = connection.execute(select(_meta.c.value).where(_meta.c.name == _NAME)).scalar()
    return [(str(day), int(newest)) for day, newest in json.loads(value)] if value else []


def _unseen(connection: Connection) -> list[int]:
    days = _days(connection)
    if len(days) <= UNSEEN_DAYS:
        return []
    before = (
        select(_change.c.row_id)
        .join(_operation, _operation.c.id == _change.c.operation_id)
        .where(_operation.c.kind == KIND, _change.c.table_name == "memory")
    )
    waiting = select(_memory.c.id).where(
        _memory.c.status == MemoryStatus.PROPOSED.value, _memory.c.id <= days[-UNSEEN_DAYS - 1][1],
        _memory.c.id.not_in(before),
    )  # fmt: skip
    return list(connection.execute(waiting.order_by(_memory.c.id)).scalars())
