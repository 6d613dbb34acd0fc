"""Why memories are so, as far as anybody said it: in words beside what was quoted, or by a link that gives a reason.

Loads what was quoted and the links, asks the decider, hands on values. Never writes.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, or_, select

from app.deciders.memory.reasons import find_reason, load_reason_rules
from app.store.journal import table_of
from app.store.slices import slices
from app.store.tables.core import MessageRow
from app.store.tables.memory import LinkRow, MemoryRow, MemorySourceRow
from app.values import LinkType, MemoryReason

_memory, _source = table_of(MemoryRow), table_of(MemorySourceRow)
_link, _message = table_of(LinkRow), table_of(MessageRow)
_LEADS_TO = (LinkType.CAUSED_BY.value, LinkType.SUPERSEDES.value)  # the first is so because of the second
_MOST_SAID = 2  # of a memory that was said often


def load_reasons(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[MemoryReason, ...]]:
    """By the number of a memory, what was said first; those without a reason are left out."""
    found: dict[int, list[MemoryReason]] = {}
    for some in slices(sorted(set(ids))):
        for memory_id, text in _said(connection, some):
            reasons = found.setdefault(memory_id, [])
            is_new = all(one.text.casefold() != text.casefold() for one in reasons)
            if is_new and len(reasons) < _MOST_SAID:
                reasons.append(MemoryReason(text))
        for memory_id, reason in _linked(connection, some):
            found.setdefault(memory_id, []).append(reason)
    return {number: tuple(reasons) for number, reasons in found.items()}


def _said(connection: Connection, ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    rules = load_reason_rules()
    statement = (
        select(_source.c.memory_id, _source.c.quote, _message.c.text)
        .select_from(_source.outerjoin(_message, _message.c.id == _source.c.message_id))
        .where(_source.c.memory_id.in_(ids), _source.c.quote != "")
        .order_by(_source.c.at, _source.c.id)
    )
    for memory_id, quote, text in connection.execute(statement):
        reason = find_reason(quote, text or quote, rules)
        if reason:
            yield memory_id, reason
    for memory_id, full in connection.execute(select(_memory.c.id, _memory.c.full).where(_memory.c.id.in_(ids))):
        reason = find_reason(full, full, rules)
        if reason:
            yield memory_id, reason


def _linked(connection: Connection, ids: Sequence[int]) -> Iterator[tuple[int, MemoryReason]]:
    outgoing = _link.c.from_id.in_(ids) & _link.c.type.in_(_LEADS_TO)
    incoming = _link.c.to_id.in_(ids) & (_link.c.type == LinkType.CAUSES.value)
    both = (_link.c.from_kind == "memory") & (_link.c.to_kind == "memory")
    rows = connection.execute(select(_link).where(both, or_(outgoing, incoming)).order_by(_link.c.id)).all()
    others = {row.to_id if row.type in _LEADS_TO else row.from_id for row in rows}
    titled = select(_memory.c.id, _memory.c.title).where(_memory.c.id.in_(others))
    titles = {row[0]: row[1] for row in connection.execute(titled)} if others else {}
    for row in rows:
        memory_id, other_id = (row.from_id, row.to_id) if row.type in _LEADS_TO else (row.to_id, row.from_id)
        relation = LinkType.SUPERSEDES if row.type == LinkType.SUPERSEDES.value else LinkType.CAUSED_BY
        if other_id in titles and (row.reason or relation is LinkType.CAUSED_BY):
            yield memory_id, MemoryReason(row.reason, relation, other_id, titles[other_id])
