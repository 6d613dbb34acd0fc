"""Notes what became of what a session was told: cited by what is said or done afterwards, else ignored when the session is over.

Called while events are understood, after they were acknowledged. Counted, never journalled: undoing a message takes no use back.
Source: S4 "Usage Tracker".
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from app.recall.citation import ToldText, find_citations, hear
from app.services.receipts import note_usage
from app.store.context_tables import ReceiptItemRow, ReceiptRow
from app.store.journal import table_of
from app.store.memory_tables import MemoryRow
from app.store.store import Store
from app.store.tables import AppRow
from app.values import Changes, DataKind, Level, UsageKind

_SAID_CHARS = 20_000
_RECEIPTS_READ = 20  # the newest of the session
_OVER_AFTER = timedelta(hours=24)  # a session that nobody ended
_SETTLED_AT_ONCE = 500
_receipt, _item, _memory, _app = table_of(ReceiptRow), table_of(ReceiptItemRow), table_of(MemoryRow), table_of(AppRow)
_OPEN = (
    select(_receipt.c.id, _receipt.c.signals)
    .join(_app, _app.c.name == _receipt.c.app)
    .where(
        _app.c.id == bindparam("app_id"), _receipt.c.session == bindparam("session"), _receipt.c.is_settled.is_(False)
    )
    .order_by(_receipt.c.id.desc())
    .limit(_RECEIPTS_READ)
)
_TOLD = (
    select(_item.c.id, _item.c.receipt_id, _item.c.memory_id, _memory.c.full, _memory.c.value)
    .join(_memory, _memory.c.id == _item.c.memory_id)
    .where(
        _item.c.receipt_id.in_(bindparam("receipts", expanding=True)),
        _item.c.usage == UsageKind.RETRIEVED.value,
        _item.c.level != Level.INDEX.value,
    )
)


def note_said(connection: Connection, app_id: int, session: str, said: str, at: datetime) -> int:
    """Marks what `said` takes up of what the session was told; returns how many memories."""
    if not session or not said.strip():
        return 0
    receipts = {int(row.id): row.signals for row in connection.execute(_OPEN, {"app_id": app_id, "session": session})}
    if not receipts:
        return 0
    told: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(_TOLD, {"receipts": list(receipts)}):
        told[int(row.receipt_id)].append(row)
    cited: set[int] = set()
    heard = hear(said[:_SAID_CHARS])
    for receipt_id, rows in told.items():
        texts = [ToldText(int(row.memory_id), row.full, row.value) for row in rows]
        question = str(receipts[receipt_id].get("prompt", ""))
        found = find_citations(heard, texts, question=question)
        if found:
            _mark(connection, [int(row.id) for row in rows if int(row.memory_id) in found], UsageKind.CITED)
            note_usage(connection, sorted(found - cited), UsageKind.CITED, at, receipt_id)
            cited |= found
    return len(cited)


def settle_session(connection: Connection, app_id: int, session: str, at: datetime) -> int:
    """What was not cited in this session was ignored; returns how many lines."""
    if not session:
        return 0
    return _settle(connection, connection.execute(_OPEN, {"app_id": app_id, "session": session}).scalars().all(), at)


def settle_old(store: Store) -> int:
    """The same for sessions that nobody ended: told a day before the newest receipt."""
    now = store.clock.now()
    with store.write_log() as connection:
        old = (
            select(_receipt.c.id)
            .where(_receipt.c.is_settled.is_(False), _receipt.c.at < now - _OVER_AFTER)
            .limit(_SETTLED_AT_ONCE)
        )
        count = _settle(connection, connection.execute(old).scalars().all(), now)
    if count:
        store.announce(Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS})))
    return count


def _settle(connection: Connection, receipts: Iterable[int], at: datetime) -> int:
    settled = [int(one) for one in receipts]
    if not settled:
        return 0
    rows = connection.execute(_TOLD, {"receipts": settled}).all()
    _mark(connection, [int(row.id) for row in rows], UsageKind.IGNORED)
    by_receipt: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        by_receipt[int(row.receipt_id)].append(int(row.memory_id))
    for receipt_id, memories in by_receipt.items():
        note_usage(connection, memories, UsageKind.IGNORED, at, receipt_id)
    connection.execute(update(_receipt).where(_receipt.c.id.in_(settled)).values(is_settled=True))
    return len(rows)


def _mark(connection: Connection, items: list[int], kind: UsageKind) -> None:
    if items:
        connection.execute(update(_item).where(_item.c.id.in_(items)).values(usage=kind.value))
