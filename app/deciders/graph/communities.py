"""Which nodes belong together: communities of the whole graph, by the Leiden method. Pure numbers in, pure numbers out.

The library is loaded late and only here. Where there is none (its wheels end at Python 3.13), labels spread along links instead: coarser,
but never wrong about what is linked. Source: Traag, Waltman and van Eck 2019 (Leiden); Raghavan et al. 2007 (labels); UX 4.5 "communities".
"""

import numpy as np
from numpy.typing import NDArray

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
