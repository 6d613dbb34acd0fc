"""The whole graph as columns of numbers: what the map paints. Names are asked for where they are read.

Derived: made of the store, kept in a file beside it, made again when it is gone. Source: UX 4.5 "the map", STACK-UI section 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.values.graph import NodeId, NodeKind, NodeLook

KINDS = tuple(NodeKind)  # a node's kind is its place here
LOOKS = tuple(NodeLook)
NEVER = np.iinfo(np.int64).max  # microseconds: it still holds


@dataclass(frozen=True, slots=True)
class WholeGraph:
    """All nodes and links of a project, or of everything. Rows of the columns belong together."""

    kinds: NDArray[np.uint8]  # (n,) places in KINDS
    looks: NDArray[np.uint8]  # (n,) places in LOOKS
    numbers: NDArray[np.int64]  # (n,) of a row; of a file its place in `files`
    from_at: NDArray[np.int64]  # (n,) microseconds: since when it holds; 0 where nothing says so
    until_at: NDArray[np.int64]  # (n,) until when; NEVER
    known_at: NDArray[np.int64]
    is_closed: NDArray[np.bool_]
    edges: NDArray[np.int64]  # (m, 2) rows of the ends, the strongest first
    weights: NDArray[np.float64]  # (m,) 0..1
    conflicts: NDArray[np.bool_]  # (m,) an open contradiction
    files: tuple[str, ...] = ()

    def node(self, row: int) -> NodeId:
        kind = KINDS[int(self.kinds[row])]
        number = int(self.numbers[row])
        return NodeId(kind, name=self.files[number]) if kind is NodeKind.FILE else NodeId(kind, number)


@dataclass(frozen=True, slots=True)
class MapGroup:
    """A community: what it is called, where its disc lies, in lengths of a link."""

    number: int
    title: str
    count: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class GraphMap:
    """The whole graph with places. `groups[i]` has number i; the last may be what is linked with nothing."""

    whole: WholeGraph
    places: NDArray[np.float64]  # (n, 2)
    group_of: NDArray[np.int32]  # (n,)
    groups: tuple[MapGroup, ...]
    is_fresh: bool = True  # else the store has changed since, and a new one is worth asking for
    pinned: frozenset[NodeId] = frozenset()  # where a person put them

    @property
    def count(self) -> int:
        return len(self.places)
