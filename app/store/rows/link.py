"""Stored links, and what a person said of links, by the things that they join; what merging leaves of one memory at another.

What is merged is read when one side is erased: what is gone must not live on at the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select, update

from app.store.chunked_parameters import slices
from app.store.journal import Record, Write, table_of
from app.store.table_queries import ids_with
from app.store.tables.core import LinkVerdictRow
from app.store.tables.memory import LinkRow, MemoryRow, MemorySourceRow, MemoryVersionRow
from app.values import LinkType, MemoryStatus
from app.values.graph import NodeId, NodeKind, ordered_ends

_link, _verdict = table_of(LinkRow), table_of(LinkVerdictRow)
WAS_MERGED = "was_merged"  # in the details of an episode that is merged with others
_MERGED_LABEL = "merged with one that was erased since"
_MERGED_INTO_LABEL = "merged into one that was erased since"
_memory, _source, _version = (table_of(row) for row in (MemoryRow, MemorySourceRow, MemoryVersionRow))
_IS_MERGED = and_(
    _link.c.type == LinkType.MERGED_FROM.value, _link.c.from_kind == "memory", _link.c.to_kind == "memory"
)


@dataclass(frozen=True, slots=True)
class LeadingLink:
    """`other_id` led to `memory_id`, or was replaced by it."""

    memory_id: int
    other_id: int
    other_title: str
    is_replacement: bool
    reason: str


def links_of(connection: Connection, kind: NodeKind, numbers: Iterable[int]) -> list[Row[Any]]:
    """Links from or to one of these things, oldest first."""
    ids = sorted(set(numbers))
    ends = (and_(_link.c[f"{side}_kind"] == kind.value, _link.c[f"{side}_id"].in_(ids)) for side in ("from", "to"))
    return list(connection.execute(select(_link).where(or_(*ends)).order_by(_link.c.id)).all())


def links_between(connection: Connection, a: NodeId, b: NodeId, kind: str, *, is_directed: bool = False) -> list[int]:
    """The numbers of the links of this kind from `a` to `b`, and from `b` to `a` unless `is_directed`, oldest first."""
    here = and_(_end("from", a), _end("to", b))
    if not is_directed:
        here = or_(here, and_(_end("from", b), _end("to", a)))
    found = select(_link.c.id).where(_link.c.type == str(kind), here).order_by(_link.c.id)
    return [int(one) for one in connection.execute(found).scalars()]


def memory_links(
    connection: Connection, from_id: int, to_id: int, kind: str, *, is_directed: bool = False
) -> list[int]:
    """`links_between` of two memories."""
    a, b = NodeId(NodeKind.MEMORY, from_id), NodeId(NodeKind.MEMORY, to_id)
    return links_between(connection, a, b, kind, is_directed=is_directed)


def link_record(from_id: int, to_id: int, kind: str, strength: float, at: datetime) -> Record:
    """The columns of a new link of two memories."""
    return {
        "from_kind": "memory", "from_id": from_id, "to_kind": "memory", "to_id": to_id, "to_name": "", "type": str(kind),
        "strength": strength, "created_at": at,
    }  # fmt: skip


def _end(side: str, node: NodeId) -> ColumnElement[bool]:
    own = _link.c[f"{side}_name"] == node.name if node.kind is NodeKind.FILE else _link.c[f"{side}_id"] == node.number
    return and_(_link.c[f"{side}_kind"] == node.kind.value, own)


def verdicts_of(connection: Connection, node: NodeId) -> list[Row[Any]]:
    """What was said of links of a thing that has a number."""
    ends = (
        and_(_verdict.c[f"{side}_kind"] == node.kind.value, _verdict.c[f"{side}_id"] == node.number) for side in "ab"
    )
    return list(connection.execute(select(_verdict).where(or_(*ends))).all())


def verdict_ids(connection: Connection, a: NodeId, b: NodeId, kind: str, *, is_accepted: bool) -> list[int]:
    """The numbers of the verdicts on links of this kind between the two that say so."""
    ends = {
        f"{side}_{part}": value
        for side, node in zip("ab", ordered_ends(a, b), strict=True)
        for part, value in (("kind", node.kind.value), ("id", node.number), ("name", node.name))
    }
    return ids_with(connection, LinkVerdictRow, **ends, type=str(kind), is_accepted=is_accepted)


def merged_into(connection: Connection, memory_ids: Sequence[int]) -> tuple[int, ...]:
    """What was archived when it was merged into one of these, and into that before: their text lives on in them."""
    found: set[int] = set()
    new = set(memory_ids)
    while new:
        rows: set[int] = set()
        for ids in slices(sorted(new)):
            put_away = select(_link.c.to_id).join(_memory, _memory.c.id == _link.c.to_id)
            put_away = put_away.where(_memory.c.status == MemoryStatus.ARCHIVED.value, _link.c.from_id.in_(ids))
            rows |= set(connection.execute(put_away.where(_IS_MERGED)).scalars())
        new = rows - found
        found |= rows
    return tuple(sorted(found))


def forget_in_merged(connection: Connection, memory_ids: Sequence[int]) -> Sequence[int]:
    """Takes these memories' names out of the history of those that they were merged into, whose text stays as the person wrote it.

    Returns the sources there that are copies of theirs, for the caller to remove.
    """
    for ids in slices(memory_ids):
        stays = _version.c.memory_id.in_(_stays_of(ids)) & _version.c.label.startswith("merged with ")
        connection.execute(update(_version).where(stays).values(label=_MERGED_LABEL))
        put_away = _version.c.memory_id.in_(_put_away_into(ids)) & _version.c.label.startswith("merged into ")
        connection.execute(update(_version).where(put_away).values(label=_MERGED_INTO_LABEL))
    own = _source.alias("own")
    copies: list[int] = []
    for ids in slices(memory_ids):
        taken = select(_source.c.id).join(_link, _link.c.from_id == _source.c.memory_id)
        taken = taken.join(own, own.c.memory_id == _link.c.to_id).where(_IS_MERGED, own.c.memory_id.in_(ids))
        is_same = (_source.c[name].is_not_distinct_from(own.c[name]) for name in ("message_id", "start", "quote"))
        copies += connection.execute(taken.where(*is_same)).scalars()
    return copies


def stories_of(connection: Connection, memory_ids: Sequence[int]) -> frozenset[int]:
    """Episodes that these were merged into with others: their text is made of these."""
    found: set[int] = set()
    new = set(memory_ids)
    while new:
        rows: set[int] = set()
        for ids in slices(sorted(new)):
            member_of: Select[Any] = (
                _stays_of(ids).join(_memory, _memory.c.id == _link.c.from_id).where(_memory.c.kind == "episode")
            )
            rows |= {int(one) for one in connection.execute(member_of).scalars()}
        new = rows - found
        found |= rows
    return frozenset(found)


def bring_back_parts(write: Write, memory_ids: Sequence[int]) -> None:
    """What was archived as a part of an episode that goes now, and does not go itself, stands by itself again."""
    gone, parts = set(memory_ids), set[int]()
    for ids in slices(memory_ids):
        put_away: Select[Any] = _put_away_into(ids)
        parts |= {int(one) for one in write.connection.execute(put_away).scalars()}
    for ids in slices(sorted(parts - gone)):
        wanted = select(_memory).where(_memory.c.id.in_(ids), _memory.c.kind == "episode")
        for row in write.connection.execute(wanted).all():
            details = {name: value for name, value in row.details.items() if name != WAS_MERGED}
            back = {"status": MemoryStatus.ACTIVE.value, "retired_at": None, "updated_at": write.at, "details": details}
            if row.status == MemoryStatus.ARCHIVED.value and WAS_MERGED in row.details:
                write.update(MemoryRow, int(row.id), back)


def _put_away_into(ids: Sequence[int]) -> Select[tuple[int]]:
    return select(_link.c.to_id).where(_IS_MERGED, _link.c.from_id.in_(ids))


def _stays_of(ids: Sequence[int]) -> Select[tuple[int]]:
    return select(_link.c.from_id).where(_IS_MERGED, _link.c.to_id.in_(ids))


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
