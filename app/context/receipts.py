"""Receipts: the record of each context that was given, with what was cited of it; kept, listed, read back.

A log beside the journal: undo does not touch it, erasing does, and after 30 days it goes. Source: S4 "Usage Tracker",
DESIGN section 4 `Receipt`.
"""

import json
import threading
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, astuple, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy import text as sql

from app.context.citations import load_of_receipt
from app.errors import NotFoundError, StaleError
from app.store.journal import table_of
from app.store.rows.project import find_project, is_project
from app.store.store import Store
from app.store.tables.context import CitationRow, ReceiptItemRow, ReceiptRow
from app.store.tables.core import ProjectRow
from app.store.tables.types import to_microseconds
from app.understanding.message_rows import AnyRow
from app.values import (
    Activity,
    Changes,
    Context,
    ContextItem,
    ContextRequest,
    ContextSignals,
    DataKind,
    LeftOut,
    Level,
    Receipt,
    ReceiptDetail,
    Signal,
    Tier,
    TierUse,
    UsageKind,
)

_receipt, _item, _project = table_of(ReceiptRow), table_of(ReceiptItemRow), table_of(ProjectRow)
_ITEM_COLUMNS = (
    "receipt_id", "memory_id", "revision", "tier", "level", "title", "text", "token_count", "score", "reason", "signals",
    "start", '"end"', "is_pinned", "is_stale", "usage",
)  # fmt: skip
_INSERT_ITEM = f"INSERT INTO receipt_item ({', '.join(_ITEM_COLUMNS)}) VALUES ({', '.join('?' * len(_ITEM_COLUMNS))})"  # noqa: S608 (constants only)
_INSERT_USE = "INSERT INTO usage_event (memory_id, at, kind, receipt_id) VALUES (?, ?, ?, ?)"
_STILL_THERE = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
_RECOUNT = """
UPDATE memory SET retrieved_count = max(0, retrieved_count - 1),
last_accessed_at = (SELECT max(at) FROM usage_event WHERE memory_id = memory.id AND kind <> 'ignored')
WHERE id IN (SELECT value FROM json_each(:ids))
"""
_UNDELIVERED = (
    "UPDATE receipt SET is_delivered = FALSE, is_settled = TRUE WHERE id = :receipt",
    "UPDATE receipt_item SET usage = '' WHERE receipt_id = :receipt",
    "DELETE FROM usage_event WHERE receipt_id = :receipt AND memory_id IN (SELECT value FROM json_each(:ids))",
    _RECOUNT,
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


@dataclass(frozen=True, slots=True)
class PendingReceipt:
    """What a receipt is made of; `explain` works out the whole context, when nobody waits for it."""

    request: ContextRequest
    explain: Callable[[], Context]
    revisions: Mapping[int, int]
    memory_ids: frozenset[int]
    seq: int  # the newest operation when the snapshot was read


class Receipts:
    """Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._counter: object = None  # whose numbers are counted on here
        self._newest = 0

    def keep(self, kept: PendingReceipt) -> int:
        """The number of a receipt that will be written behind, and what was given counted as retrieved.

        Whoever reads finds it written. Raises StaleError when a memory of the context was erased since it was read: no receipt
        brings its text back.
        """
        if self._store.last_seq != kept.seq and not self._are_there(kept.memory_ids):
            raise StaleError("What was to be given was erased meanwhile.", hint="Ask again.")
        at = self._store.clock.now()
        with self._lock:  # they are written in the order of their numbers
            receipt_id = self._next_id()
            self._store.behind.later(lambda: self._prepare(receipt_id, kept, at))
        return receipt_id

    def _are_there(self, memory_ids: frozenset[int]) -> bool:
        with self._store.read() as connection:
            return len(_kept(connection, memory_ids)) == len(memory_ids)

    def _next_id(self) -> int:
        if self._counter is not self._store.ids:  # the first one, or a backup was put in the store's place
            with self._store.read() as connection:
                self._newest = int(connection.execute(select(func.max(_receipt.c.id))).scalar() or 0)
            self._counter = self._store.ids
        self._newest += 1
        return self._newest

    def _prepare(self, receipt_id: int, kept: PendingReceipt, at: datetime) -> Callable[[], Changes | None]:
        context = kept.explain()
        record = {"id": receipt_id, **_record(kept.request, context, at)}
        items = [_item_record(receipt_id, one, kept.revisions) for one in context.items]
        given_ids = [one.memory_id for one in context.items if one.memory_id and one.level is not Level.INDEX]

        def write() -> Changes | None:
            with self._store.write_log() as connection:
                if len(_kept(connection, kept.memory_ids)) < len(kept.memory_ids):
                    return None  # erased since it was given
                project_id = find_project(connection, kept.request.signals.project_path)
                connection.execute(insert(_receipt), record | {"project_id": project_id})
                cursor = connection.connection.cursor()  # a few hundred rows: not through the library
                cursor.executemany(_INSERT_ITEM, items)
                _count_use(connection, given_ids, UsageKind.RETRIEVED, at, receipt_id)
            return Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS}))

        return write

    def mark_undelivered(self, receipt_id: int) -> None:
        """Nobody got this one: its session has not had it, and none of it was used."""
        given_ids = select(_item.c.memory_id).where(
            _item.c.receipt_id == receipt_id, _item.c.memory_id > 0, _item.c.level != Level.INDEX.value
        )
        with self._store.write_log() as connection:
            ids = json.dumps(list(connection.execute(given_ids).scalars()))
            for statement in _UNDELIVERED:
                connection.execute(sql(statement), {"receipt": receipt_id, "ids": ids})
        self._store.removed_count += 1
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS})))

    def list(
        self, *, app: str = "", project: str = "", session: str = "", limit: int = 50, before_id: int | None = None
    ) -> tuple[Receipt, ...]:
        """Newest first."""
        statement = _listed().order_by(_receipt.c.id.desc()).limit(limit)
        if app:
            statement = statement.where(_receipt.c.app == app)
        if session:
            statement = statement.where(_receipt.c.session == session)
        if project:
            statement = statement.where(is_project(project))
        if before_id is not None:
            statement = statement.where(_receipt.c.id < before_id)
        with self._store.read_for_caller() as connection:
            return tuple(_receipt_of(row) for row in connection.execute(statement))

    def get(self, receipt_id: int) -> ReceiptDetail:
        """The receipt with every byte that was sent. Raises NotFoundError."""
        with self._store.read_for_caller() as connection:
            row = connection.execute(_listed().where(_receipt.c.id == receipt_id)).one_or_none()
            if row is None:
                raise NotFoundError(
                    f"There is no receipt {receipt_id} any more.", hint="Receipts are kept for 30 days."
                )
            items = connection.execute(select(_item).where(_item.c.receipt_id == receipt_id).order_by(_item.c.id)).all()
            citations = load_of_receipt(connection, receipt_id)
        usage = {int(item.memory_id): str(item.usage) for item in items if item.memory_id}
        return ReceiptDetail(_receipt_of(row), _context_of(row, items), usage, citations)

    def prune(self, keep_days: int) -> int:
        """Lets receipts go that are older than `keep_days` before the newest; returns how many."""
        with self._store.write_log() as connection:
            newest: datetime | None = connection.execute(select(func.max(_receipt.c.at))).scalar()
            if newest is None:
                return 0
            old = select(_receipt.c.id).where(_receipt.c.at < newest - timedelta(days=keep_days))
            for kept in (_item, table_of(CitationRow)):
                connection.execute(delete(kept).where(kept.c.receipt_id.in_(old)))
            gone = connection.execute(delete(_receipt).where(_receipt.c.at < newest - timedelta(days=keep_days)))
        self._store.removed_count += 1
        return int(gone.rowcount)


def note_usage(
    connection: Connection, memory_ids: list[int], kind: UsageKind, at: datetime, receipt_id: int | None = None
) -> None:
    """Counts one use of each memory that is still there."""
    kept = _kept(connection, set(memory_ids))
    _count_use(connection, [one for one in memory_ids if one in kept], kind, at, receipt_id)


def _count_use(
    connection: Connection, memory_ids: list[int], kind: UsageKind, at: datetime, receipt_id: int | None
) -> None:
    """The same for memories that are known to be there."""
    if not memory_ids:
        return
    instant = to_microseconds(at)
    cursor = connection.connection.cursor()
    cursor.executemany(_INSERT_USE, [(one, instant, kind.value, receipt_id) for one in memory_ids])
    cursor.execute(_COUNTED[kind], {"ids": json.dumps(memory_ids), "at": instant})


def _kept(connection: Connection, memory_ids: AbstractSet[int]) -> set[int]:
    """Those that are in the store."""
    cursor = connection.connection.cursor()
    cursor.execute(_STILL_THERE, (json.dumps(sorted(memory_ids)),))
    return {int(row[0]) for row in cursor.fetchall()}


def _listed() -> Any:
    counts = [
        select(func.count())
        .where(_item.c.receipt_id == _receipt.c.id, _item.c.usage == kind.value, _item.c.memory_id > 0)
        .scalar_subquery()
        .label(f"{kind.value}_count")
        for kind in UsageKind
    ]
    items = select(func.count()).where(_item.c.receipt_id == _receipt.c.id).scalar_subquery().label("item_count")
    return select(_receipt, _project.c.name.label("project_name"), items, *counts).outerjoin(
        _project, _project.c.id == _receipt.c.project_id
    )


def _record(request: ContextRequest, context: Context, at: datetime) -> dict[str, Any]:
    signals = asdict(request.signals)
    signals["at"] = request.signals.at.isoformat() if request.signals.at else None
    signals["activity"] = request.signals.activity.value if request.signals.activity else None
    return {
        "at": at,
        "app": request.signals.app,
        "session": request.signals.session,
        "delivery": request.delivery,
        "prompt_key": "",
        "activity": context.activity.value,
        "signals": signals,
        "text": context.text,
        "token_count": context.token_count,
        "budget_tokens": context.budget_tokens,
        "tiers": [list(astuple(use)) for use in context.tiers],
        "left_out": [
            [one.memory_id, one.title, one.tier, one.score, one.token_count, one.rank, one.reason]
            for one in context.left_out
        ],
        "warnings": list(context.warnings),
        "took_ms": context.took_ms,
        "is_settled": False,
        "is_delivered": True,
    }


def _item_record(receipt_id: int, item: ContextItem, revisions: Mapping[int, int]) -> tuple[object, ...]:
    """The values of `_ITEM_COLUMNS`."""
    key = item.memory_id or 0
    signals = json.dumps([[one.name, one.value, one.share] for one in item.signals]) if item.signals else "[]"
    return (
        receipt_id, key, revisions.get(key, 0), item.tier.value, item.level.value, item.title, item.text, item.token_count,
        item.score, item.reason, signals, item.start, item.end, item.is_pinned, item.is_stale, UsageKind.RETRIEVED.value,
    )  # fmt: skip


def _signals_of(stored: Mapping[str, Any]) -> ContextSignals:
    values = dict(stored)
    values["at"] = datetime.fromisoformat(values["at"]) if values.get("at") else None
    values["activity"] = Activity(values["activity"]) if values.get("activity") else None
    values["recent_errors"] = tuple(values.get("recent_errors", ()))
    return ContextSignals(**values)


def _receipt_of(row: AnyRow) -> Receipt:
    return Receipt(
        id=row.id,
        at=row.at,
        app=row.app,
        project=row.project_name or "",
        session=row.session,
        delivery=row.delivery,
        signals=_signals_of(row.signals),
        token_count=row.token_count,
        budget_tokens=row.budget_tokens,
        item_count=row.item_count,
        retrieved_count=row.retrieved_count,
        cited_count=row.cited_count,
        ignored_count=row.ignored_count,
        took_ms=row.took_ms,
        is_delivered=row.is_delivered,
    )


def _context_of(row: AnyRow, items: Any) -> Context:
    return Context(
        text=row.text,
        token_count=row.token_count,
        budget_tokens=row.budget_tokens,
        tiers=tuple(TierUse(Tier(tier), *counts) for tier, *counts in row.tiers),
        items=tuple(_item_of(item) for item in items),
        left_out=tuple(LeftOut(one[0], one[1], Tier(one[2]), *one[3:]) for one in row.left_out),
        activity=Activity(row.activity),
        warnings=tuple(row.warnings),
        receipt_id=row.id,
        took_ms=row.took_ms,
    )


def _item_of(row: AnyRow) -> ContextItem:
    return ContextItem(
        memory_id=row.memory_id or None,
        tier=Tier(row.tier),
        level=Level(row.level),
        text=row.text,
        token_count=row.token_count,
        score=row.score,
        reason=row.reason,
        signals=tuple(Signal(*one) for one in row.signals),
        title=row.title,
        is_pinned=row.is_pinned,
        is_stale=row.is_stale,
        start=row.start,
        end=row.end,
    )
