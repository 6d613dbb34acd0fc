"""Where a person put a node: kept, so that the picture is there again tomorrow, and undone as any other act. Source: UX 4.5 "drag a node to pin it"."""

from collections.abc import Iterable, Mapping

from sqlalchemy import and_, select

from app.errors import InvalidError, NotFoundError
from app.store.journal import Write, table_of
from app.store.rows.graph import load_nodes
from app.store.tables.core import GraphPinRow
from app.values.graph import NodeId

FARTHEST = 10_000.0  # lengths of a link; further away nobody finds it
_pin = table_of(GraphPinRow)


def pin_nodes(write: Write, places: Mapping[NodeId, tuple[float, float]], *, is_on_map: bool = False) -> None:
    """Keeps these places in place of earlier ones. Raises InvalidError, NotFoundError."""
    known = load_nodes(write.connection, places)
    if len(known) < len(places):
        raise NotFoundError("That is no longer kept.", hint="Choose something that the picture shows.")
    write.label = "Placed " + (f"“{next(iter(known.values())).title}”" if len(places) == 1 else f"{len(places)} things")
    for node, (x, y) in places.items():
        if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST):
            raise InvalidError("That place is outside every picture.", hint="Use numbers from -10,000 to 10,000.")
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
    write.label = "Let 1 thing move" if len(ids) == 1 else f"Let {len(ids):,} things move"


def _rows_of(write: Write, node: NodeId, *, is_on_map: bool) -> list[int]:
    own = and_(
        _pin.c.kind == node.kind.value,
        _pin.c.number == node.number,
        _pin.c.name == node.name,
        _pin.c.is_on_map == is_on_map,
    )
    return [int(one) for one in write.connection.execute(select(_pin.c.id).where(own)).scalars()]
