"""Stored links, and what a person said of links, by the things that they join."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select

from app.store.journal import Record, table_of
from app.store.reads import ids_with
from app.store.tables.core import LinkVerdictRow
from app.store.tables.memory import LinkRow
from app.values.graph import NodeId, NodeKind, ordered_ends

_link, _verdict = table_of(LinkRow), table_of(LinkVerdictRow)


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
