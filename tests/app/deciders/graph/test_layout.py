"""The layout: the same every time, kept places do not move, linked things stand nearer, nothing lies on another."""

import numpy as np

from app.deciders.graph.layout import lay_out
from tests.table import table

RING = [(index, (index + 1) % 12) for index in range(12)]


@table("count", [0, 1, 2, 3, 40])
def test_any_number_of_nodes_without_links(count: int) -> None:
    places = lay_out(count, [])
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()


def test_the_same_graph_is_the_same_picture() -> None:
    assert np.array_equal(lay_out(12, RING), lay_out(12, list(reversed(RING))))


def test_what_has_a_place_keeps_it() -> None:
    before = lay_out(12, RING)
    kept = {index: (float(x), float(y)) for index, (x, y) in enumerate(before)}
    after = lay_out(14, [*RING, (0, 12), (12, 13)], kept)
    assert np.array_equal(after[:12], before)
    assert np.linalg.norm(after[12] - before[0]) < 3.0, "a new node stands near what it is linked to"


def test_linked_nodes_stand_nearer_than_others() -> None:
    two = [(a, b) for a in range(6) for b in range(a)] + [(a, b) for a in range(6, 12) for b in range(6, a)] + [(0, 6)]
    places = lay_out(12, two)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    inside = np.mean([apart[a, b] for a, b in two[:-1]])
    across = apart[:6, 6:].mean()
    assert across > 1.5 * inside


def test_no_two_nodes_lie_on_each_other() -> None:
    star = [(0, index) for index in range(1, 40)]
    places = lay_out(40, star)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(40) * 99
    assert apart.min() > 0.25
