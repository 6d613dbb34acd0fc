"""Where the nodes of a small picture stand: springs along links, repulsion between all, the same every time. Pure numpy.

Up to some hundred nodes all pairs are cheap and give the calmest picture. Nodes that have a place keep it: only what is new moves.
Source: Fruchterman and Reingold 1991 (forces); UX 4.5 "positions are kept".
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float64]  # (n, 2), in lengths of a usual link

_STEPS, _STEPS_WHEN_FEW_ARE_NEW = 220, 90
_HEAT = 0.6  # the longest step of the first round, in lengths of a link
_GRAVITY = 0.09
_GOLDEN = 2.399963  # radians between two seeds of a sunflower
_OWN_ROOM = 2.4  # how far two unlinked nodes push each other away, in lengths of a link
_WIDE = 1.3  # names are wider than high, and so are windows
_APART = 0.8  # no two stand nearer, in lengths of a link
_APART_ROUNDS = 40


def lay_out(
    count: int, links: Sequence[tuple[int, int]], kept: Mapping[int, tuple[float, float]] | None = None
) -> Positions:
    """(count, 2) positions; `kept`: places by index that do not change. No randomness: the same graph is the same picture.

    New nodes begin at the middle of their placed neighbours, the others on a spiral round the centre. Cost: O(count²) a step.

    >>> lay_out(2, [(0, 1)], {0: (0.0, 0.0)})[0].tolist()
    [0.0, 0.0]
    """
    kept = kept or {}
    if count == 0:
        return np.zeros((0, 2))
    pairs = np.array(sorted({(min(a, b), max(a, b)) for a, b in links if a != b}), dtype=np.int64).reshape(-1, 2)
    narrow = np.array([1 / _WIDE, 1.0])
    places = _begin(count, pairs, {index: (x / _WIDE, y) for index, (x, y) in kept.items()})
    free = np.array([index not in kept for index in range(count)])
    if not free.any() or count == 1:
        return _as_kept(places / narrow, kept)
    degrees = np.bincount(pairs.ravel(), minlength=count).astype(float)
    steps = _STEPS if free.sum() > count / 3 else _STEPS_WHEN_FEW_ARE_NEW
    heat, cooling = _HEAT, 0.02 ** (1 / steps)
    for _ in range(steps):
        force = _repulsion(places) + _attraction(places, pairs, degrees)
        force -= _GRAVITY * (places - places.mean(0))
        length = np.sqrt((force**2).sum(1)) + 1e-9
        places[free] += (force / length[:, None] * np.minimum(length, heat)[:, None])[free]
        heat *= cooling
    for _ in range(_APART_ROUNDS):
        places[free] += _push(places)[free]
    return _as_kept(places / narrow, kept)


def _as_kept(places: Positions, kept: Mapping[int, tuple[float, float]]) -> Positions:
    """To the last digit."""
    for index, place in kept.items():
        places[index] = place
    return places


def _push(places: Positions) -> Positions:
    """Half of what two lack that stand too near."""
    apart = places[:, None, :] - places[None, :, :]
    length = np.sqrt((apart**2).sum(2)) + 1e-9
    np.fill_diagonal(length, np.inf)
    moved: Positions = (apart * (np.maximum(_APART - length, 0.0) / length / 2)[:, :, None]).sum(1)
    return moved


def _begin(count: int, pairs: NDArray[np.int64], kept: Mapping[int, tuple[float, float]]) -> Positions:
    turn = np.arange(count) * _GOLDEN
    places: Positions = np.sqrt(np.arange(count) + 0.3)[:, None] * 0.8 * np.stack([np.cos(turn), np.sin(turn)], 1)
    if not kept:
        return places
    centre = np.mean(list(kept.values()), 0)
    places += centre
    for index, place in kept.items():
        places[index] = place
    for index in range(count):
        if index in kept:
            continue
        beside = [int(b if a == index else a) for a, b in pairs if index in (a, b)]
        known = [kept[one] for one in beside if one in kept]
        if known:
            places[index] = np.mean(known, 0) + 0.7 * np.array([np.cos(turn[index]), np.sin(turn[index])])
    return places


def _repulsion(places: Positions) -> Positions:
    apart = places[:, None, :] - places[None, :, :]
    squares = (apart**2).sum(2)
    np.fill_diagonal(squares, 1.0)
    pushed: Positions = (apart * (_OWN_ROOM / np.maximum(squares, 0.01))[:, :, None]).sum(1)
    return pushed


def _attraction(places: Positions, pairs: NDArray[np.int64], degrees: NDArray[np.float64]) -> Positions:
    """Links pull by their length; a hub is pulled less by each, or all would lie on it."""
    pulled: Positions = np.zeros_like(places)
    if len(pairs):
        a, b = pairs[:, 0], pairs[:, 1]
        apart = places[b] - places[a]
        weight = np.sqrt((apart**2).sum(1) + 1e-9) / np.sqrt(np.minimum(degrees[a], degrees[b]))
        pull = apart * weight[:, None]
        np.add.at(pulled, a, pull)
        np.add.at(pulled, b, -pull)
    return pulled
