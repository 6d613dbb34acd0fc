"""Links as a person makes them: drawn, taken away, accepted, rejected; and where a person put a node. Each act is one write, journalled and
undone as any other.

A link that is read from elsewhere (a mention, a file that was changed) has no row: what a person says about it is kept as a verdict,
which every reading of the graph asks, and every search for new links. What a person drew or accepted is canonical; what a run found is
not. Source: S4 "Link discovery", issue 18 "The graph", UX 4.5 "drag a node to pin it".
"""

from collections.abc import Iterable, Mapping

from app.errors import InvalidError, NotFoundError
from app.store.journal import Record, Write
from app.store.rows.graph import load_nodes
from app.store.rows.link import links_between, verdict_ids
from app.store.table_queries import ids_with
from app.store.tables.core import GraphPinRow, LinkVerdictRow
from app.store.tables.memory import LinkRow
from app.values.graph import SYMMETRIC, LinkBasis, NodeId, NodeKind, Relation, ordered_ends

NOT_DRAWN = frozenset(  # made by merging, and by what assistants do
    {Relation.MERGED_FROM, Relation.MODIFIED, Relation.CAME_FROM, Relation.GIVEN_TO, Relation.CITED_BY}
)
REASON_CHARS = 300
_TITLE_CHARS = 40
FARTHEST = 10_000.0  # lengths of a link; further away nobody finds it


def draw_link(write: Write, a: NodeId, b: NodeId, relation: Relation, *, strength: float, reason: str) -> int:
    """Keeps a person's link; returns its number, the old one's when the two were joined so before.

    What they rejected before and now draw is rejected no more. Raises InvalidError, NotFoundError.
    """
    if a == b:
        raise InvalidError("Nothing can be linked with itself.", hint="Choose another one.")
    if relation in NOT_DRAWN:
        raise InvalidError("This kind of link cannot be drawn.", hint="Choose another kind of link.")
    if not 0.0 <= strength <= 1.0:
        raise InvalidError("A strength is a number from 0 to 1.", hint="Use 0.5 when in doubt.")
    names = _titles(write, a, b)
    write.label = f"Linked {names[0]} with {names[1]}"
    write.delete_many(LinkVerdictRow, verdict_ids(write.connection, a, b, relation, is_accepted=False))
    values: Record = {"strength": strength, "reason": " ".join(reason.split())[:REASON_CHARS], "origin": "person"}
    known = links_between(write.connection, a, b, relation, is_directed=relation not in SYMMETRIC)
    if known:
        write.update(LinkRow, known[0], values)
        return known[0]
    ends = {
        "from_kind": a.kind.value, "from_id": a.number, "from_name": a.name,
        "to_kind": b.kind.value, "to_id": b.number, "to_name": b.name,
    }  # fmt: skip
    return write.insert(LinkRow, {**ends, **values, "type": relation.value, "created_at": write.at})


def cut_link(write: Write, link_id: int) -> None:
    """Takes a stored link away. Raises NotFoundError."""
    row = write.get(LinkRow, link_id)
    ends = (
        NodeId(NodeKind(row._mapping[f"{side}_kind"]), row._mapping[f"{side}_id"], row._mapping[f"{side}_name"])
        for side in ("from", "to")
    )
    a, b = _titles(write, *ends)
    write.delete(LinkRow, link_id)
    write.label = f"Removed the link of {a} with {b}"


def unlink(write: Write, a: NodeId, b: NodeId, relation: Relation) -> int:
    """Takes the stored links of this kind between the two away; returns how many. Raises NotFoundError where there is none."""
    names = _titles(write, a, b)
    rows = links_between(write.connection, a, b, relation, is_directed=relation not in SYMMETRIC)
    if not rows:
        raise NotFoundError(
            "That link was neither drawn by you nor found by consolidation.",
            hint="What is read from messages and files can be rejected instead.",
        )
    write.delete_many(LinkRow, rows)
    write.label = f"Removed the link of {names[0]} with {names[1]}"
    return len(rows)


def judge_link(write: Write, a: NodeId, b: NodeId, relation: Relation, *, is_accepted: bool) -> None:
    """Keeps what a person says about a link. A rejected one is shown no more, and never proposed again.

    Raises NotFoundError when one of the two is no more.
    """
    names = _titles(write, a, b)
    write.label = f"{'Accepted' if is_accepted else 'Rejected'} the link of {names[0]} with {names[1]}"
    rows = links_between(write.connection, a, b, relation)
    basis = _basis_of(write, rows)
    if is_accepted:
        for row_id in rows:
            write.update(LinkRow, row_id, {"origin": "person"})
    else:
        write.delete_many(LinkRow, rows)
    keep_verdict(write, a, b, relation.value, basis=basis, is_accepted=is_accepted)


def keep_verdict(write: Write, a: NodeId, b: NodeId, kind: str, *, basis: str, is_accepted: bool) -> None:
    """Keeps one verdict on the two, in place of the opposite one."""
    write.delete_many(LinkVerdictRow, verdict_ids(write.connection, a, b, kind, is_accepted=not is_accepted))
    if verdict_ids(write.connection, a, b, kind, is_accepted=is_accepted):
        return
    first, second = ordered_ends(a, b)
    write.insert(
        LinkVerdictRow,
        {
            "a_kind": first.kind.value, "a_id": first.number, "a_name": first.name,
            "b_kind": second.kind.value, "b_id": second.number, "b_name": second.name,
            "type": kind, "basis": basis, "is_accepted": is_accepted, "created_at": write.at,
        },
    )  # fmt: skip


def _basis_of(write: Write, rows: list[int]) -> str:
    """How a run found it; empty for what no run found."""
    origins = {str(write.get(LinkRow, row_id).origin) for row_id in rows}
    return next(iter(sorted(origins & set(LinkBasis))), "")


def _titles(write: Write, *nodes: NodeId) -> list[str]:
    known = load_nodes(write.connection, nodes)
    if any(one not in known for one in nodes):
        raise NotFoundError("That is no longer kept.", hint="Choose something that the picture shows.")
    titles = [" ".join(known[one].title.split()) for one in nodes]
    return [f"“{one if len(one) <= _TITLE_CHARS else one[: _TITLE_CHARS - 1].rstrip() + '…'}”" for one in titles]


def pin_nodes(write: Write, places: Mapping[NodeId, tuple[float, float]], *, is_on_map: bool = False) -> None:
    """Keeps these places in place of earlier ones. Raises InvalidError, NotFoundError."""
    known = load_nodes(write.connection, places)
    if len(known) < len(places):
        raise NotFoundError("That is no longer kept.", hint="Choose something that the picture shows.")
    write.label = "Placed " + (f"“{next(iter(known.values())).title}”" if len(places) == 1 else f"{len(places)} items")
    for node, (x, y) in places.items():
        if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST):
            raise InvalidError("That position is outside the graph.", hint="Use numbers from -10,000 to 10,000.")
        row_ids = _rows_of(write, node, is_on_map=is_on_map)
        if row_ids:
            write.update(GraphPinRow, row_ids[0], {"x": float(x), "y": float(y)})
        else:
            own = {"kind": node.kind.value, "number": node.number, "name": node.name}
            write.insert(GraphPinRow, {**own, "x": float(x), "y": float(y), "is_on_map": is_on_map})


def unpin_nodes(write: Write, nodes: Iterable[NodeId], *, is_on_map: bool = False) -> None:
    """Lets them go where the picture puts them."""
    ids = [row_id for node in nodes for row_id in _rows_of(write, node, is_on_map=is_on_map)]
    write.delete_many(GraphPinRow, ids)
    write.label = "Unpinned 1 item" if len(ids) == 1 else f"Unpinned {len(ids):,} items"


def _rows_of(write: Write, node: NodeId, *, is_on_map: bool) -> list[int]:
    own = {"kind": node.kind.value, "number": node.number, "name": node.name}
    return ids_with(write.connection, GraphPinRow, **own, is_on_map=is_on_map)
