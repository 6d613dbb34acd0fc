"""All SQL of why memories are so: what was quoted, with the message around it, and the links that give a reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, or_, select

from app.store.journal import table_of
from app.store.slices import slices
from app.store.tables.core import MessageRow
from app.store.tables.memory import LinkRow, MemoryRow, MemorySourceRow

_memory, _source = table_of(MemoryRow), table_of(MemorySourceRow)
_link, _message = table_of(LinkRow), table_of(MessageRow)


@dataclass(frozen=True, slots=True)
class LeadingLink:
    """`other_id` led to `memory_id`, or was replaced by it."""

    memory_id: int
    other_id: int
    other_title: str
    is_replacement: bool
    reason: str


def load_quoted(connection: Connection, ids: Sequence[int]) -> list[tuple[int, str, str]]:
    """Memory, quote, and the message around it ("" where it has left), oldest first; then each memory's own text as both."""
    found: list[tuple[int, str, str]] = []
    for some in slices(sorted(set(ids))):
        quoted = (
            select(_source.c.memory_id, _source.c.quote, _message.c.text)
            .select_from(_source.outerjoin(_message, _message.c.id == _source.c.message_id))
            .where(_source.c.memory_id.in_(some), _source.c.quote != "")
            .order_by(_source.c.at, _source.c.id)
        )
        found += [(row[0], row[1], row[2] or "") for row in connection.execute(quoted)]
        own = select(_memory.c.id, _memory.c.full).where(_memory.c.id.in_(some)).order_by(_memory.c.id)
        found += [(row[0], row[1], row[1]) for row in connection.execute(own)]
    return found


def load_leading_links(connection: Connection, ids: Sequence[int]) -> list[LeadingLink]:
    """Links between memories of which the kind says why the first is so."""
    found: list[LeadingLink] = []
    for some in slices(sorted(set(ids))):
        outgoing = _link.c.from_id.in_(some) & _link.c.type.in_(("caused_by", "supersedes"))
        incoming = _link.c.to_id.in_(some) & (_link.c.type == "causes")
        between = (_link.c.from_kind == "memory") & (_link.c.to_kind == "memory")
        rows = connection.execute(select(_link).where(between, or_(outgoing, incoming)).order_by(_link.c.id)).all()
        others = {row.from_id if row.type == "causes" else row.to_id for row in rows}
        titled = select(_memory.c.id, _memory.c.title).where(_memory.c.id.in_(others))
        titles = {row[0]: str(row[1]) for row in connection.execute(titled)} if others else {}
        for row in rows:
            ends = (row.to_id, row.from_id) if row.type == "causes" else (row.from_id, row.to_id)
            if ends[1] in titles:
                found.append(LeadingLink(*ends, titles[ends[1]], row.type == "supersedes", row.reason))
    return found
