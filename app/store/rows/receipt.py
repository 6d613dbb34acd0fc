"""Contexts that were given: receipts, their lines, what was cited of them, and how often each memory was used.

A log beside the journal. A receipt's lines are a few hundred rows: they do not go through the library. `memory_id` 0 is a line that
holds no memory.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, insert, select, update
from sqlalchemy import text as sql

from app.store.journal import set_columns, table_of
from app.store.rows.project import is_project
from app.store.table_queries import rows_with
from app.store.tables.context import CitationRow, ReceiptItemRow, ReceiptRow
from app.store.tables.core import AppRow, ProjectRow
from app.store.tables.memory import MemoryRow, UsageEventRow
from app.store.tables.types import to_microseconds
from app.values import Level, UsageKind

_receipt, _item, _citation, _usage, _memory, _app, _project = (
    table_of(row) for row in (ReceiptRow, ReceiptItemRow, CitationRow, UsageEventRow, MemoryRow, AppRow, ProjectRow)
)
ITEM_COLUMNS = (
    "receipt_id", "memory_id", "revision", "tier", "level", "title", "text", "token_count", "score", "reason", "signals",
    "start", '"end"', "is_pinned", "is_stale", "usage",
)  # fmt: skip
_RECEIPTS_READ = 20  # the newest of the session
_INSERT_ITEM = f"INSERT INTO receipt_item ({', '.join(ITEM_COLUMNS)}) VALUES ({', '.join('?' * len(ITEM_COLUMNS))})"  # noqa: S608 (constants only)
_INSERT_USE = "INSERT INTO usage_event (memory_id, at, kind, receipt_id) VALUES (?, ?, ?, ?)"
_STILL_THERE = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
_UNDELIVERED = (
    "UPDATE receipt SET is_delivered = FALSE, is_settled = TRUE WHERE id = :receipt",
    "UPDATE receipt_item SET usage = '' WHERE receipt_id = :receipt",
    "DELETE FROM usage_event WHERE receipt_id = :receipt AND memory_id IN (SELECT value FROM json_each(:ids))",
    (
        "UPDATE memory SET retrieved_count = max(0, retrieved_count - 1), last_accessed_at = "
        "(SELECT max(at) FROM usage_event WHERE memory_id = memory.id AND kind <> 'ignored') "
        "WHERE id IN (SELECT value FROM json_each(:ids))"
    ),
)
_COUNTED = {
    UsageKind.RETRIEVED: (
        "UPDATE memory SET retrieved_count = retrieved_count + 1, last_accessed_at = :at "
        "WHERE id IN (SELECT value FROM json_each(:ids))"
    ),
    UsageKind.CITED: (
        "UPDATE memory SET cited_count = cited_count + 1, last_accessed_at = :at "
        "WHERE id IN (SELECT value FROM json_each(:ids))"
    ),
    UsageKind.IGNORED: (
        "UPDATE memory SET ignored_count = ignored_count + 1 "
        "WHERE id IN (SELECT value FROM json_each(:ids)) AND :at IS NOT NULL"
    ),
}
_RETRIEVED = (
    update(_memory)
    .where(_memory.c.id == bindparam("which"))
    .values(retrieved_count=_memory.c.retrieved_count + 1, last_accessed_at=bindparam("seen_at"))
)
_OPEN: Select[Any] = (
    select(_receipt.c.id, _receipt.c.signals)
    .join(_app, _app.c.name == _receipt.c.app)
    .where(
        _app.c.id == bindparam("app_id"), _receipt.c.session == bindparam("session"), _receipt.c.is_settled.is_(False)
    )
    .order_by(_receipt.c.id.desc())
    .limit(_RECEIPTS_READ)
)
_GIVEN: Select[Any] = (
    select(
        _item.c.id,
        _item.c.receipt_id,
        _item.c.memory_id,
        _item.c.usage,
        _memory.c.full,
        _memory.c.value,
        _memory.c.type,
    )
    .join(_memory, _memory.c.id == _item.c.memory_id)
    .where(
        _item.c.receipt_id.in_(bindparam("receipts", expanding=True)),
        _item.c.level != Level.INDEX.value,
        _item.c.usage.in_(bindparam("usages", expanding=True)),
    )
)


# receipts -------------------------------------------------------------------------------------------


def add_receipt(connection: Connection, record: Mapping[str, Any], items: Sequence[tuple[object, ...]]) -> None:
    """`items`: the values of `ITEM_COLUMNS` of each line."""
    connection.execute(insert(_receipt), dict(record))
    connection.connection.cursor().executemany(_INSERT_ITEM, items)


def mark_undelivered(connection: Connection, receipt_id: int) -> None:
    """Nobody got it: its session has not had it, and none of its memories was used by it."""
    given = select(_item.c.memory_id).where(
        _item.c.receipt_id == receipt_id, _item.c.memory_id > 0, _item.c.level != Level.INDEX.value
    )
    ids = json.dumps(list(connection.execute(given).scalars()))
    for statement in _UNDELIVERED:
        connection.execute(sql(statement), {"receipt": receipt_id, "ids": ids})


def load_receipts(
    connection: Connection,
    *,
    app: str = "",
    project: str = "",
    session: str = "",
    limit: int = 50,
    before_id: int | None = None,
) -> Sequence[Any]:
    """Newest first, each with project_name, item_count and a count of lines for every kind of use."""
    statement = _listed().order_by(_receipt.c.id.desc()).limit(limit)
    for column, value in ((_receipt.c.app, app), (_receipt.c.session, session)):
        if value:
            statement = statement.where(column == value)
    if project:
        statement = statement.where(is_project(project))
    if before_id is not None:
        statement = statement.where(_receipt.c.id < before_id)
    return connection.execute(statement).all()


def load_receipt(connection: Connection, receipt_id: int) -> Any:
    """As in the list; None when it is gone."""
    return connection.execute(_listed().where(_receipt.c.id == receipt_id)).one_or_none()


def _listed() -> Select[Any]:
    counts = [
        select(func.count())
        .where(_item.c.receipt_id == _receipt.c.id, _item.c.usage == kind.value, _item.c.memory_id > 0)
        .scalar_subquery()
        .label(f"{kind.value}_count")
        for kind in UsageKind
    ]
    items = select(func.count()).where(_item.c.receipt_id == _receipt.c.id).scalar_subquery().label("item_count")
    named = select(_receipt, _project.c.name.label("project_name"), items, *counts)
    return named.outerjoin(_project, _project.c.id == _receipt.c.project_id)


def newest_receipt_at(connection: Connection) -> datetime | None:
    found: datetime | None = connection.execute(select(func.max(_receipt.c.at))).scalar()
    return found


def drop_receipts(connection: Connection, before: datetime) -> int:
    """Receipts older than that, with their lines and citations; returns how many."""
    old = select(_receipt.c.id).where(_receipt.c.at < before)
    for kept in (_item, _citation):
        connection.execute(delete(kept).where(kept.c.receipt_id.in_(old)))
    return int(connection.execute(delete(_receipt).where(_receipt.c.at < before)).rowcount)


# what became of them ---------------------------------------------------------------------------------


def open_receipts(connection: Connection, app_id: int, session: str) -> dict[int, Mapping[str, Any]]:
    """The signals of the newest receipts of a session that are not settled, by number, the newest first."""
    rows = connection.execute(_OPEN, {"app_id": app_id, "session": session})
    return {int(row.id): row.signals for row in rows}


def unsettled_before(connection: Connection, before: datetime, most: int) -> list[int]:
    old = select(_receipt.c.id).where(_receipt.c.is_settled.is_(False), _receipt.c.at < before)
    return list(connection.execute(old.limit(most)).scalars())


def settle_receipts(connection: Connection, receipt_ids: Sequence[int]) -> None:
    connection.execute(update(_receipt).where(_receipt.c.id.in_(receipt_ids)).values(is_settled=True))


def load_given(connection: Connection, receipt_ids: Iterable[int], *usages: UsageKind) -> Sequence[Row[Any]]:
    """Lines of these receipts that hold more than a title and were used so: number, memory and its full, value and type."""
    asked = {"receipts": list(receipt_ids), "usages": [one.value for one in usages]}
    return connection.execute(_GIVEN, asked).all()


def mark_lines(connection: Connection, item_ids: Sequence[int], kind: UsageKind) -> None:
    if item_ids:
        connection.execute(update(_item).where(_item.c.id.in_(item_ids)).values(usage=kind.value))


# uses ------------------------------------------------------------------------------------------------


def note_usage(
    connection: Connection, memory_ids: Sequence[int], kind: UsageKind, at: datetime, receipt_id: int | None = None
) -> None:
    """Counts one use of each memory that is still there."""
    there = memories_there(connection, set(memory_ids))
    count_use(connection, [one for one in memory_ids if one in there], kind, at, receipt_id)


def count_use(
    connection: Connection, memory_ids: Sequence[int], kind: UsageKind, at: datetime, receipt_id: int | None
) -> None:
    """`note_usage` of memories that are known to be there."""
    if not memory_ids:
        return
    instant = to_microseconds(at)
    cursor = connection.connection.cursor()
    cursor.executemany(_INSERT_USE, [(one, instant, kind.value, receipt_id) for one in memory_ids])
    cursor.execute(_COUNTED[kind], {"ids": json.dumps(list(memory_ids)), "at": instant})


def count_retrieved(connection: Connection, uses: Iterable[tuple[int, datetime]]) -> list[tuple[int, datetime]]:
    """Counts what a search gave; returns the uses of memories that are still there."""
    counted = [
        (memory_id, at)
        for memory_id, at in uses
        if connection.execute(_RETRIEVED, {"which": memory_id, "seen_at": at}).rowcount
    ]
    if counted:
        events = [{"memory_id": one, "at": at, "kind": UsageKind.RETRIEVED.value} for one, at in counted]
        connection.execute(insert(_usage), events)
    return counted


def memories_there(connection: Connection, memory_ids: AbstractSet[int]) -> set[int]:
    """Those that are in the store."""
    cursor = connection.connection.cursor()
    cursor.execute(_STILL_THERE, (json.dumps(sorted(memory_ids)),))
    return {int(row[0]) for row in cursor.fetchall()}


# citations -------------------------------------------------------------------------------------------


def keep_citation(connection: Connection, values: Mapping[str, Any]) -> None:
    """But for one of a kind that is kept of this memory and receipt already, unless this one shows that a rule was followed."""
    same = {name: values[name] for name in ("receipt_id", "memory_id", "kind")}
    kept = rows_with(connection, CitationRow, "id", "is_followed", **same)
    if not kept:
        connection.execute(insert(_citation), dict(values))
    elif values["is_followed"] and not kept[0].is_followed:  # says more than the words that were taken up before
        set_columns(connection, _citation, kept[0].id, dict(values))


def load_citations(
    connection: Connection, *, memory_id: int | None = None, receipt_id: int | None = None, most: int | None = None
) -> Sequence[Any]:
    """Of a memory or of a receipt, with the `app` that it was given to, the newest first."""
    found = _cited()
    if memory_id is not None:
        found = found.where(_citation.c.memory_id == memory_id)
    if receipt_id is not None:
        found = found.where(_citation.c.receipt_id == receipt_id)
    return connection.execute(found if most is None else found.limit(most)).all()


def load_cited_since(connection: Connection, since: datetime, *, app: str = "", project: str = "") -> Sequence[Any]:
    """Citations since then with the memory's title, the receipt's signals and project_name, the newest first."""
    found = (
        _cited()
        .add_columns(_memory.c.title, _receipt.c.signals, _project.c.name.label("project_name"))
        .join(_memory, _memory.c.id == _citation.c.memory_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(_citation.c.at >= since)
    )
    if app:
        found = found.where(_receipt.c.app == app)
    if project:
        found = found.where(is_project(project))
    return connection.execute(found).all()


def _cited() -> Select[Any]:
    joined = select(_citation, _receipt.c.app).join(_receipt, _receipt.c.id == _citation.c.receipt_id)
    return joined.order_by(_citation.c.at.desc(), _citation.c.id.desc())
