"""Which nodes belong together, and where everything stands on the map: communities as discs that do not overlap. The same every time.

Communities of the whole graph come by the Leiden method, whose library is loaded late and only here; where there is none (its wheels end
at Python 3.13), labels spread along links instead: coarser, but never wrong about what is linked. Discs are placed by links between
communities, then pushed apart. Inside, members repel each other over a grid (one transform instead of all pairs) over a ground of
opposite charge that keeps them spread evenly in their disc, and links pull. Pure numbers in, pure numbers out.
Source: Traag, Waltman and van Eck 2019 (Leiden); Raghavan et al. 2007 (labels); Fruchterman and Reingold 1991; Hockney and Eastwood
1988 (forces on a grid); UX 4.5 "the map", "communities", "positions are kept".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]  # (n, 2), in lengths of a usual link
_SPACE = 0.62  # from a member to the next, about
_MARGIN = 1.1  # of a disc beyond its outermost members
_GAP = 1.6  # between two discs
_GOLDEN = 2.399963
_DISC_ROUNDS, _MEMBER_ROUNDS = 500, 32
_PULL = 0.35  # of a link inside a disc, against the repulsion of a neighbour at its distance
_WIDE = np.array([0.7, 1.3])  # a window is wider than high
Groups = NDArray[np.int32]  # (n,) the community of each node, the largest is 0; -1 for what is linked with nothing
Edges = NDArray[np.int64]  # (m, 2) places of the two ends
_SPREAD_ROUNDS = 12
_SEED = 1


def group_nodes(count: int, edges: Edges, weights: NDArray[np.float64], known: Groups | None = None) -> Groups:
    """(count,) communities by size; -1 for nodes without a link. The same graph is grouped the same way.

    `known`: communities of before, -1 for new nodes: where they still hold they are found again.

    >>> import numpy as np
    >>> edges = np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]])
    >>> group_nodes(7, edges, np.ones(7)).tolist()
    [0, 0, 0, 1, 1, 1, -1]
    """
    if not len(edges):
        return np.full(count, -1, dtype=np.int32)
    try:
        found = _leiden(count, edges, weights, known)
    except ImportError:
        found = spread_labels(count, edges, weights)
    return _by_size(found, edges)


def _leiden(count: int, edges: Edges, weights: NDArray[np.float64], known: Groups | None) -> Groups:
    import graspologic_native

    names = list(map(str, range(count)))
    listed = [(names[a], names[b], w) for (a, b), w in zip(edges.tolist(), weights.tolist(), strict=True) if a != b]
    start = None
    if known is not None and (known >= 0).all():
        start = {names[index]: int(group) for index, group in enumerate(known.tolist())}
    _quality, parts = graspologic_native.leiden(
        edges=listed, starting_communities=start, resolution=1.0, randomness=0.001, iterations=1, use_modularity=True,
        seed=_SEED, trials=1,
    )  # fmt: skip
    found = np.full(count, -1, dtype=np.int32)
    for name, group in parts.items():
        found[int(name)] = group
    return found


def spread_labels(count: int, edges: Edges, weights: NDArray[np.float64]) -> Groups:
    """Each node takes the label that weighs most among its neighbours, the smaller among equals, until little changes."""
    labels = np.arange(count, dtype=np.int64)
    ends = np.concatenate([edges, edges[:, ::-1]])
    strength = np.concatenate([weights, weights])
    for turn in range(_SPREAD_ROUNDS):
        half = (ends[:, 0] + turn) % 2 == 0  # in turns, or two neighbours swap for ever
        keys = ends[half, 0] * count + labels[ends[half, 1]]
        known, where = np.unique(keys, return_inverse=True)
        sums = np.bincount(where, strength[half])
        nodes, heard = known // count, known % count
        order = np.lexsort((heard, -sums, nodes))
        first = np.unique(nodes[order], return_index=True)
        before = labels.copy()
        labels[first[0]] = heard[order][first[1]]
        if (before != labels).sum() <= count * 0.002:
            break
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _by_size(found: Groups, edges: Edges) -> Groups:
    """Numbered anew, the largest first; the smallest node breaks a tie. What has no link is in none."""
    is_linked = np.zeros(len(found), dtype=bool)
    real = edges[edges[:, 0] != edges[:, 1]]
    is_linked[real.ravel()] = True
    groups = np.where(is_linked, found, -1)
    numbers, first, counts = np.unique(groups[is_linked], return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    anew = np.full(int(numbers.max(initial=0)) + 1, -1, dtype=np.int32)
    anew[numbers[order]] = np.arange(len(numbers), dtype=np.int32)
    return np.where(groups >= 0, anew[groups], -1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class MapLayout:
    places: Places
    centres: Places  # of the discs, by community; the last is that of what is linked with nothing, if anything is
    radii: NDArray[np.float64]


def lay_out_map(groups: NDArray[np.int32], edges: NDArray[np.int64], *, group_count: int) -> MapLayout:
    """`groups`: (n,) from 0 to `group_count` - 1. No randomness. O((n + m + grid) · rounds).

    >>> import numpy as np
    >>> made = lay_out_map(np.zeros(3, np.int32), np.array([[0, 1]]), group_count=1)
    >>> bool(np.linalg.norm(made.places - made.centres[0], axis=1).max() <= made.radii[0])
    True
    """
    sizes = np.bincount(groups, minlength=group_count)
    radii = _SPACE * np.sqrt(np.maximum(sizes, 1)) + _MARGIN
    centres = _place_discs(radii, _between(groups, edges, group_count))
    places = _sunflowers(groups, edges, centres)
    if len(places) > 2:
        _settle(places, groups, edges[groups[edges[:, 0]] == groups[edges[:, 1]]], centres, radii)
    return MapLayout(places, centres, radii)


def _between(groups: NDArray[np.int32], edges: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """(count, count) links between communities, both ways."""
    a, b = groups[edges[:, 0]].astype(np.int64), groups[edges[:, 1]].astype(np.int64)
    table = np.bincount(a * count + b, minlength=count * count).reshape(count, count).astype(float)
    table += table.T
    np.fill_diagonal(table, 0.0)
    return table


def _place_discs(radii: NDArray[np.float64], between: NDArray[np.float64]) -> Places:
    """Linked discs side by side, the largest in the middle, none on another."""
    count = len(radii)
    turn = np.arange(count) * _GOLDEN
    reach = np.sqrt(np.cumsum(radii**2) - radii[0] ** 2) * 1.25
    centres: Places = reach[:, None] * np.stack([1.2 * np.cos(turn), 0.85 * np.sin(turn)], 1)
    if count == 1:
        return np.zeros((1, 2))
    near = radii[:, None] + radii[None, :] + _GAP
    share = between / np.maximum(between.sum(1, keepdims=True), 1.0)
    for step in range(_DISC_ROUNDS):
        cool = max(0.0, 1.0 - step / (0.75 * _DISC_ROUNDS))  # the last quarter only pushes apart
        apart = centres[None, :, :] - centres[:, None, :]
        length = np.sqrt((apart**2).sum(2)) + 1e-9
        pull = (share * np.maximum(length - near, 0.0) / length)[:, :, None] * apart
        moves = 0.08 * cool * pull.sum(1) - 0.02 * cool * centres * _WIDE
        push = (np.maximum(near - length, 0.0) / length)[:, :, None] * apart
        weight = radii[None, :] ** 2 / (radii[None, :] ** 2 + radii[:, None] ** 2)
        moves -= 0.6 * (push * weight[:, :, None]).sum(1)
        centres += moves
    return centres


def _sunflowers(groups: NDArray[np.int32], edges: NDArray[np.int64], centres: Places) -> Places:
    """Each member on the spiral of its disc, what has most links in the middle."""
    count = len(groups)
    degrees = np.bincount(edges.ravel(), minlength=count)
    order = np.lexsort((np.arange(count), -degrees, groups))
    starts = np.searchsorted(groups[order], np.arange(len(centres)))
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count) - starts[groups[order]]
    turn = rank * _GOLDEN
    reach = _SPACE * np.sqrt(rank + 0.2)
    places: Places = centres[groups] + reach[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1)
    return places


def _settle(
    places: Places, groups: NDArray[np.int32], inside: NDArray[np.int64], centres: Places, radii: NDArray[np.float64]
) -> None:
    """Members move inside their discs until links are short and gaps even. Changes `places`."""
    count = len(places)
    grid = _Grid(centres, radii, np.bincount(groups, minlength=len(centres)), 128 if count <= 3_000 else 256)
    heat = _SPACE * 1.2
    a, b = inside[:, 0], inside[:, 1]
    degrees = np.maximum(np.bincount(inside.ravel(), minlength=count), 1)
    for _ in range(_MEMBER_ROUNDS):
        force = grid.repulsion(places)
        if len(inside):
            pull = (places[b] - places[a]) / np.sqrt(np.minimum(degrees[a], degrees[b]))[:, None] * _PULL
            for axis in (0, 1):
                force[:, axis] += np.bincount(a, pull[:, axis], minlength=count)
                force[:, axis] -= np.bincount(b, pull[:, axis], minlength=count)
        length = np.sqrt((force**2).sum(1)) + 1e-9
        places += force / length[:, None] * np.minimum(length * 0.03, heat)[:, None]
        heat *= 0.94
        out = places - centres[groups]
        far = np.sqrt((out**2).sum(1)) + 1e-9
        places[:] = centres[groups] + out * np.minimum(1.0, (radii - 0.5 * _MARGIN)[groups] / far)[:, None]


class _Grid:
    """Repulsion by one transform. Each disc has a ground of opposite charge: outside it is felt as nothing, inside it holds together."""

    def __init__(self, centres: Places, radii: NDArray[np.float64], sizes: NDArray[np.int64], cells: int) -> None:
        self._cells = cells
        self._low = (centres - radii[:, None]).min(0)
        high = (centres + radii[:, None]).max(0)
        self._cell = float((high - self._low).max()) * 1.02 / (cells - 2)
        self._kernel = _kernel(cells)
        self._ground = np.zeros(cells * cells)
        for centre, radius, size in zip(centres, radii - 0.5 * _MARGIN, sizes, strict=True):
            inside = self._within(centre, radius)
            self._ground[inside] += size / len(inside)

    def _within(self, centre: NDArray[np.float64], radius: float) -> NDArray[np.int64]:
        """The cells of a disc; that of its middle when it is smaller than one."""
        at = (centre - self._low) / self._cell
        first = np.maximum(0, np.floor(at - radius / self._cell).astype(int))
        last = np.minimum(self._cells - 1, np.ceil(at + radius / self._cell).astype(int)) + 1
        x, y = np.meshgrid(np.arange(first[0], last[0]), np.arange(first[1], last[1]), indexing="ij")
        near = (x - at[0]) ** 2 + (y - at[1]) ** 2 <= (radius / self._cell) ** 2
        found = (x * self._cells + y)[near]
        middle = np.round(at).astype(np.int64)
        return found if len(found) else np.array([middle[0] * self._cells + middle[1]])

    def repulsion(self, places: Places) -> Places:
        cells = self._cells
        at = (places - self._low) / self._cell
        corner = np.clip(at.astype(np.int64), 0, cells - 2)
        part = at - corner
        fx, fy = part[:, 0], part[:, 1]
        shares = ((1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy)
        base = corner[:, 0] * cells + corner[:, 1]
        where = (base, base + cells, base + 1, base + cells + 1)
        mass = np.bincount(np.concatenate(where), np.concatenate(shares), minlength=cells * cells) - self._ground
        moved = np.fft.rfft2(mass.reshape(cells, cells), (2 * cells, 2 * cells))
        fields = [
            np.fft.irfft2(moved * one, (2 * cells, 2 * cells))[:cells, :cells].ravel() / self._cell
            for one in self._kernel
        ]
        return np.stack(
            [sum(share * field[one] for share, one in zip(shares, where, strict=True)) for field in fields], 1
        )


def _kernel(grid: int) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """The force 1/r over the grid, both axes, transformed; padded, so that nothing wraps around."""
    step = np.arange(2 * grid)
    reach = np.minimum(step, 2 * grid - step).astype(float)
    sign = np.where(step < grid, 1.0, -1.0)
    squares = reach[:, None] ** 2 + reach[None, :] ** 2 + 0.5
    return np.fft.rfft2((sign * reach)[:, None] / squares), np.fft.rfft2((sign * reach)[None, :] / squares)
