"""Communities and the map: what belongs together is found and stands together, the same every time, in discs that do not overlap."""

import numpy as np
import pytest

from app.deciders.graph.map_layout import group_nodes, lay_out_map, spread_labels
from app.graph.project_map import place_new
from tests.table import table


def planted(groups: int, size: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Edges of planted communities, eight of a hundred across; and which each node is of."""
    draw = np.random.default_rng(seed)
    truth = np.repeat(np.arange(groups), size)
    a = draw.integers(0, groups * size, 4 * groups * size)
    b = truth[a] * size + draw.integers(0, size, len(a))
    across = draw.random(len(a)) < 0.08
    b[across] = draw.integers(0, groups * size, int(across.sum()))
    return np.stack([a, b], 1)[a != b], truth


def purity(found: np.ndarray, truth: np.ndarray) -> float:  # type: ignore[type-arg]
    return sum(np.bincount(truth[found == one]).max() for one in np.unique(found)) / len(truth)


def test_planted_communities_are_found_and_found_again() -> None:
    pytest.importorskip("graspologic_native")
    edges, truth = planted(6, 40)
    found = group_nodes(240, edges, np.ones(len(edges)))
    assert purity(found, truth) > 0.95
    assert len(np.unique(found)) <= 8
    assert np.array_equal(found, group_nodes(240, edges, np.ones(len(edges))))
    assert list(np.bincount(found)) == sorted(np.bincount(found), reverse=True), "the largest is 0"


def test_without_the_library_labels_spread_along_links() -> None:
    edges, truth = planted(6, 40)
    assert purity(spread_labels(240, edges, np.ones(len(edges))), truth) > 0.9


@table("count", [0, 1, 2])
def test_few_nodes(count: int) -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    assert group_nodes(count, none, np.zeros(0)).tolist() == [-1] * count
    if count:
        assert np.isfinite(lay_out_map(np.zeros(count, np.int32), none, group_count=1).places).all()


def test_discs_do_not_overlap_and_hold_their_members() -> None:
    edges, truth = planted(12, 60)
    made = lay_out_map(truth.astype(np.int32), edges, group_count=12)
    apart = np.linalg.norm(made.centres[:, None] - made.centres[None], axis=2)
    room = made.radii[:, None] + made.radii[None]
    assert (apart[~np.eye(12, dtype=bool)] >= 0.97 * room[~np.eye(12, dtype=bool)]).all()
    assert (np.linalg.norm(made.places - made.centres[truth], axis=1) <= made.radii[truth]).all()
    again = lay_out_map(truth.astype(np.int32), edges, group_count=12)
    assert np.array_equal(again.places, made.places)
    near = np.linalg.norm(made.places[:, None] - made.places[None], axis=2) + 9 * np.eye(720)
    assert np.quantile(near.min(1), 0.05) > 0.1, "members keep clear of each other"


def test_what_is_new_comes_beside_what_it_belongs_to_and_nothing_else_moves() -> None:
    edges, truth = planted(4, 30)
    made = lay_out_map(truth.astype(np.int32), edges, group_count=4)
    places = np.vstack([made.places, [[np.nan, np.nan]]])
    groups = np.append(truth, -1).astype(np.int32)
    more = np.vstack([edges, [[120, 5], [120, 7]]])
    discs = np.column_stack([made.centres, made.radii])
    after, group_of, _ = place_new(more, (places, groups, discs))
    assert np.array_equal(after[:120], made.places)
    assert group_of[120] == 0
    assert np.linalg.norm(after[120] - made.centres[0]) <= made.radii[0]
