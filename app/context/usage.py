"""Records whether what a session was given was used: cited by what is said or done later, or ignored when the session is over.

Called while events are understood, after they were acknowledged. Counted, never journalled: undoing a message takes no use back.
Source: S4 "Usage Tracker".
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.context.citations import keep_citations
from app.deciders.recall.context.citation import GivenText, find_citations, split_spoken
from app.deciders.recall.rule_following import follows_command, follows_edit
from app.store.rows import receipt as rows_of
from app.store.store import Store
from app.values import ActionKind, Changes, Citation, DataKind, FactType, UsageKind

_SAID_CHARS = 20_000
_OVER_AFTER = timedelta(hours=24)  # a session that nobody ended
_SETTLED_AT_ONCE = 500
_RULE_TYPES = frozenset({FactType.PREFERENCE, FactType.CONSTRAINT, FactType.PROCEDURE, FactType.DECISION})


class Act(NamedTuple):
    """What was said or done: its words, and of an edit the file, of a command the command."""

    kind: ActionKind
    said: str
    detail: str = ""


def note_act(connection: Connection, app_id: int, session: str, act: Act, at: datetime) -> int:
    """Marks which given memories `act` takes up or follows; returns how many are taken up for the first time."""
    if not session or not act.said.strip():
        return 0
    receipts = rows_of.open_receipts(connection, app_id, session)
    if not receipts:
        return 0
    given: dict[int, list[Any]] = defaultdict(list)
    for row in rows_of.load_given(connection, receipts, UsageKind.RETRIEVED, UsageKind.CITED):
        given[int(row.receipt_id)].append(row)
    cited: set[int] = set()
    heard = split_spoken(act.said[:_SAID_CHARS])
    for receipt_id, rows in given.items():
        texts = [GivenText(int(row.memory_id), row.full, row.value) for row in rows]
        question = str(receipts[receipt_id].get("prompt", ""))
        followed = {int(row.memory_id) for row in rows if _is_followed(row, act, question)}
        taken_up = find_citations(heard, texts, question=question) | followed
        if not taken_up:
            continue
        keep_citations(
            connection,
            [Citation(one, receipt_id, at, act.kind, act.detail, one in followed) for one in sorted(taken_up)],
        )
        new = [row for row in rows if int(row.memory_id) in taken_up and row.usage == UsageKind.RETRIEVED.value]
        rows_of.mark_lines(connection, [int(row.id) for row in new], UsageKind.CITED)
        first = {int(row.memory_id) for row in new}
        rows_of.note_usage(connection, sorted(first - cited), UsageKind.CITED, at, receipt_id)
        cited |= first
    return len(cited)


def _is_followed(row: Any, act: Act, question: str) -> bool:
    """A rule that what was done shows as followed."""
    if row.type not in _RULE_TYPES:
        return False
    match act.kind:
        case ActionKind.COMMAND:
            return follows_command(row.full, act.detail, question)
        case ActionKind.EDIT:
            return follows_edit(row.full, act.detail, question)
        case _:
            return False


def settle_session(connection: Connection, app_id: int, session: str, at: datetime) -> int:
    """What was not cited in this session was ignored; returns how many lines."""
    if not session:
        return 0
    return _settle(connection, rows_of.open_receipts(connection, app_id, session), at)


def settle_old(store: Store) -> int:
    """The same for sessions that nobody ended: what they were given more than a day ago."""
    now = store.clock.now()
    with store.write_log() as connection:
        old = rows_of.unsettled_before(connection, now - _OVER_AFTER, _SETTLED_AT_ONCE)
        count = _settle(connection, old, now)
    if count:
        store.announce(Changes(seq=0, kinds=frozenset({DataKind.RECEIPTS})))
    return count


def _settle(connection: Connection, receipts: Iterable[int], at: datetime) -> int:
    settled = [int(one) for one in receipts]
    if not settled:
        return 0
    rows = rows_of.load_given(connection, settled, UsageKind.RETRIEVED)
    rows_of.mark_lines(connection, [int(row.id) for row in rows], UsageKind.IGNORED)
    by_receipt: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        by_receipt[int(row.receipt_id)].append(int(row.memory_id))
    for receipt_id, memories in by_receipt.items():
        rows_of.note_usage(connection, memories, UsageKind.IGNORED, at, receipt_id)
    rows_of.settle_receipts(connection, settled)
    return len(rows)
