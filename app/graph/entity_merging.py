"""Names that may mean one thing: proposed with evidence, merged by a person's word, or told apart for good.

The thing that stays takes mentions, links and earlier names of the other; the other name is kept as an alias, so that whoever says it
again means the one that stays. One write, so that one undo tells them apart again. Source: issue 18 "One thing, one node".
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from app.deciders.graph.same_thing import IsWord, Named, find_same
from app.errors import InvalidError, NotFoundError
from app.graph.manual_links import keep_verdict
from app.store.journal import Record, Write
from app.store.rows.graph import find_alias, load_entities, load_kept_apart, load_nodes, load_spoken
from app.store.rows.link import links_of, verdicts_of
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import EntityAliasRow, EntityRow, GraphPinRow, LinkVerdictRow, MentionRow
from app.store.tables.memory import LinkRow
from app.values.graph import SAME_AS, NodeId, NodeKind, SameProposal

PROPOSED_MOST = 200
_EXAMPLES = 2


def propose_same(connection: Connection, is_word: IsWord, most: int = PROPOSED_MOST) -> tuple[SameProposal, ...]:
    """The surest pairs that nobody told apart, with what was said of each."""
    names = [Named(*row) for row in load_entities(connection)]
    apart = load_kept_apart(connection)
    pairs = [one for one in find_same(names, is_word) if (*sorted((one.keep_id, one.gone_id)),) not in apart][:most]
    counts = {one.id: one.count for one in names}
    ids = {number for one in pairs for number in (one.keep_id, one.gone_id)}
    nodes = load_nodes(connection, (NodeId(NodeKind.ENTITY, number) for number in ids))
    spoken = load_spoken(connection, ids, _EXAMPLES)
    return tuple(
        SameProposal(
            nodes[NodeId(NodeKind.ENTITY, one.keep_id)],
            nodes[NodeId(NodeKind.ENTITY, one.gone_id)],
            one.evidence,
            one.confidence,
            counts[one.keep_id],
            counts[one.gone_id],
            spoken.get(one.keep_id, ()),
            spoken.get(one.gone_id, ()),
        )
        for one in pairs
    )


def merge_entities(write: Write, keep_id: int, gone_id: int) -> None:
    """Makes one of two. Raises InvalidError for one and the same, NotFoundError for what is no more."""
    if keep_id == gone_id:
        raise InvalidError("A name cannot be merged with itself.", hint="Choose another one.")
    keep, gone = (write.get(EntityRow, number) for number in (keep_id, gone_id))
    write.label = f"Merged “{gone.name}” into “{keep.name}”"
    for row in rows_with(write.connection, MentionRow, entity_id=gone_id):
        write.update(MentionRow, row.id, {"entity_id": keep_id}, was=row)
    _move_links(write, keep_id, gone_id)
    _move_verdicts(write, keep_id, gone_id)
    write.delete_many(GraphPinRow, ids_with(write.connection, GraphPinRow, kind="entity", number=gone_id))
    for row in rows_with(write.connection, EntityAliasRow, entity_id=gone_id):
        write.update(EntityAliasRow, row.id, {"entity_id": keep_id}, was=row)
    write.delete(EntityRow, gone_id)
    write.insert(
        EntityAliasRow,
        {
            "canonical": gone.canonical, "kind": gone.kind, "name": gone.name, "entity_id": keep_id, "created_at": write.at,
        },
    )  # fmt: skip


def unmerge_name(write: Write, name: str) -> int:
    """Makes a thing of its own of a name that was merged into another; returns its number.

    What was said in exactly that name becomes its again; links that were moved stay, because nobody knows whose they were. The two
    are not proposed to be merged again. Raises NotFoundError.
    """
    alias = find_alias(write.connection, name)
    if alias is None:
        raise NotFoundError(
            f"No name “{name}” was merged into another.", hint="remanence journal shows what was merged."
        )
    keep = write.get(EntityRow, alias.entity_id)
    write.label = f"Separated “{alias.name}” and “{keep.name}” again"
    write.delete(EntityAliasRow, alias.id)
    made = write.insert(EntityRow, {"canonical": alias.canonical, "kind": alias.kind, "name": alias.name})
    for row in rows_with(write.connection, MentionRow, entity_id=keep.id):
        if row.text.casefold() == alias.name.casefold():
            write.update(MentionRow, row.id, {"entity_id": made}, was=row)
    ends = (NodeId(NodeKind.ENTITY, int(keep.id)), NodeId(NodeKind.ENTITY, made))
    keep_verdict(write, *ends, SAME_AS, basis="name", is_accepted=False)
    return made


def keep_apart(write: Write, first_id: int, second_id: int) -> None:
    """Keeps that two names are two things: they are never proposed again."""
    first, second = (write.get(EntityRow, number) for number in (first_id, second_id))
    write.label = f"Kept “{first.name}” and “{second.name}” apart"
    ends = (NodeId(NodeKind.ENTITY, first_id), NodeId(NodeKind.ENTITY, second_id))
    keep_verdict(write, *ends, SAME_AS, basis="name", is_accepted=False)


def _move_links(write: Write, keep_id: int, gone_id: int) -> None:
    """Links of the one that goes lead to the one that stays; what would be there twice, or lead to itself, goes."""
    rows = links_of(write.connection, NodeKind.ENTITY, (keep_id, gone_id))
    known = {_ends(row._mapping) for row in rows if not _names(row._mapping, gone_id)}
    for row in rows:
        sides = _names(row._mapping, gone_id)
        if not sides:
            continue
        moved: Record = {f"{side}_id": keep_id for side in sides}
        ends = _ends({**row._mapping, **moved})
        if ends in known or ends[:3] == ends[3:6]:
            write.delete(LinkRow, row.id)
        else:
            known.add(ends)
            write.update(LinkRow, row.id, moved, was=row)


def _names(row: Mapping[Any, Any], entity_id: int) -> list[str]:
    return [side for side in ("from", "to") if row[f"{side}_kind"] == "entity" and row[f"{side}_id"] == entity_id]


def _ends(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    ends = (row[f"{side}_{part}"] for side in ("from", "to") for part in ("kind", "id", "name"))
    return (*ends, row["type"])


def _move_verdicts(write: Write, keep_id: int, gone_id: int) -> None:
    """What was said of links of the one that goes holds for the one that stays."""
    gone = NodeId(NodeKind.ENTITY, gone_id)
    keep = NodeId(NodeKind.ENTITY, keep_id)
    for row in verdicts_of(write.connection, gone):
        a = NodeId(NodeKind(row.a_kind), row.a_id, row.a_name)
        b = NodeId(NodeKind(row.b_kind), row.b_id, row.b_name)
        write.delete(LinkVerdictRow, row.id)
        other = b if a == gone else a
        if other != keep:
            keep_verdict(write, keep, other, row.type, basis=row.basis, is_accepted=row.is_accepted)
