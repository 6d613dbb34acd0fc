"""Receipts: the record of each context that was given, with what was cited of it; kept, listed, read back.

A log beside the journal: undo does not touch it, erasing does, and after 30 days it goes. Source: S4 "Usage Tracker",
DESIGN section 4 `Receipt`.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, dataclass
from datetime import datetime, timedelta
from typing import Any

from app.context.citations import load_of_receipt
from app.errors import NotFoundError, StaleError
from app.store.rows import receipt as rows
from app.store.rows.project import find_project
from app.store.store import Store
from app.store.table_queries import newest_id, rows_with
from app.store.tables.context import ReceiptItemRow, ReceiptRow
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
            return len(rows.memories_there(connection, memory_ids)) == len(memory_ids)

    def _next_id(self) -> int:
        if self._counter is not self._store.ids:  # the first one, or a backup was put in the store's place
            with self._store.read() as connection:
                self._newest = newest_id(connection, ReceiptRow)
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
                if len(rows.memories_there(connection, kept.memory_ids)) < len(kept.memory_ids):
                    return None  # erased since it was given
                project_id = find_project(connection, kept.request.signals.project_path)
                rows.add_receipt(connection, record | {"project_id": project_id}, items)
                rows.count_use(connection, given_ids, UsageKind.RETRIEVED, at, receipt_id)
            return Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS}))

        return write

    def mark_undelivered(self, receipt_id: int) -> None:
        """Nobody got this one: its session has not had it, and none of it was used."""
        with self._store.write_log() as connection:
            rows.mark_undelivered(connection, receipt_id)
        self._store.removed_count += 1
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS})))

    def list(
        self, *, app: str = "", project: str = "", session: str = "", limit: int = 50, before_id: int | None = None
    ) -> tuple[Receipt, ...]:
        """Newest first."""
        with self._store.read_for_caller() as connection:
            listed = rows.load_receipts(
                connection, app=app, project=project, session=session, limit=limit, before_id=before_id
            )
        return tuple(_receipt_of(row) for row in listed)

    def get(self, receipt_id: int) -> ReceiptDetail:
        """The receipt with every byte that was sent. Raises NotFoundError."""
        with self._store.read_for_caller() as connection:
            row = rows.load_receipt(connection, receipt_id)
            if row is None:
                raise NotFoundError(
                    f"There is no receipt {receipt_id} any more.", hint="Receipts are kept for 30 days."
                )
            items = rows_with(connection, ReceiptItemRow, receipt_id=receipt_id)
            citations = load_of_receipt(connection, receipt_id)
        usage = {int(item.memory_id): str(item.usage) for item in items if item.memory_id}
        return ReceiptDetail(_receipt_of(row), _context_of(row, items), usage, citations)

    def prune(self, keep_days: int) -> int:
        """Lets receipts go that are older than `keep_days` before the newest; returns how many."""
        with self._store.write_log() as connection:
            newest = rows.newest_receipt_at(connection)
            if newest is None:
                return 0
            count = rows.drop_receipts(connection, newest - timedelta(days=keep_days))
        self._store.removed_count += 1
        return count


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
    """The values of `ITEM_COLUMNS`."""
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
