"""The map on a real store: everything is on it, its discs have names, it is kept without a word of a person, and follows the store."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.api import Engine, MemoryDraft
from app.graph import project_map
from app.graph.project_map import map_path
from app.values.graph import NodeKind
from tests.benchmarks.material.made_graph import fill_graph


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    places = fill_graph(tmp_path, 300)
    made = Engine.open(places)
    yield made
    made.close()


def test_everything_is_on_it_and_each_disc_has_a_name(engine: Engine) -> None:
    assert engine.graph.map() is None
    made = engine.graph.make_map()
    assert made is not None
    whole = made.whole
    assert {NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.CONVERSATION, NodeKind.FILE, NodeKind.APP} == {
        whole.node(row).kind for row in range(made.count)
    }
    assert sum(group.count for group in made.groups) == made.count > 250
    assert all(group.title for group in made.groups)
    cards = engine.graph.cards([whole.node(row) for row in range(made.count)])
    assert len(cards) == made.count, "each is something that can be opened"
    around = engine.graph.around(whole.node(0), depth=1, most=500)
    beside = {whole.node(int(b if a == 0 else a)) for a, b in whole.edges if 0 in (a, b)}
    shown = {node.id for node in around.nodes} - {whole.node(0)}
    assert shown <= beside, "the map has the links of the part"


def test_it_is_kept_with_numbers_only_and_says_when_it_is_no_longer_fresh(engine: Engine) -> None:
    made = engine.graph.make_map()
    kept = engine.graph.map()
    assert made is not None
    assert kept is not None
    assert kept.is_fresh
    assert np.array_equal(kept.places, made.places)
    assert [kept.whole.node(row) for row in range(kept.count)] == [made.whole.node(row) for row in range(made.count)]
    import zlib

    raw = zlib.decompress(map_path(engine.places.graph_dir, "").read_bytes())
    assert b"checkout" not in raw, "no word of a person, no path"
    number = engine.memories.create(MemoryDraft("The harbour opens at nine", project_path="/src/atlas"))
    stale = engine.graph.map()
    assert stale is not None
    assert not stale.is_fresh
    fresh = engine.graph.make_map()
    assert fresh is not None
    assert fresh.count == made.count + 1
    before = {made.whole.node(row): tuple(made.places[row]) for row in range(made.count)}
    after = {fresh.whole.node(row): tuple(fresh.places[row]) for row in range(fresh.count)}
    assert {node: after[node] for node in before} == before, "only what is new gets a place"
    engine.memories.erase([number])
    again = engine.graph.make_map()
    assert again is not None
    assert again.count == made.count


def test_a_project_has_its_own_and_a_broken_file_is_none(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("The harbour opens at nine", project_path="/src/harbour"))
    made = engine.graph.make_map("harbour")
    assert made is not None
    assert made.count == 1
    map_path(engine.places.graph_dir, "harbour").write_bytes(b"broken")
    assert engine.graph.map("harbour") is None
    nothing = engine.graph.make_map("nowhere")
    assert nothing is not None
    assert nothing.count == 0


def test_a_large_one_is_arranged_in_a_process_of_its_own_and_can_be_cancelled(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = engine.graph.make_map()
    assert here is not None
    monkeypatch.setattr(project_map, "IN_PLACE_MOST", 10)
    there = engine.graph.arrange_map()
    assert there is not None
    assert np.allclose(there.places, here.places)
    assert engine.graph.arrange_map(is_cancelled=lambda: True) is None


def test_what_a_person_put_somewhere_on_the_map_stands_there_whatever_is_arranged_anew(engine: Engine) -> None:
    made = engine.graph.make_map()
    assert made is not None
    node = made.whole.node(7)
    engine.graph.pin({node: (3.5, -2.25)}, is_on_map=True)
    assert engine.graph.pins() == {}, "parts have places of their own"
    for again in (engine.graph.map(), engine.graph.make_map(), engine.graph.arrange_map()):
        assert again is not None
        assert again.pinned == {node}
        assert tuple(again.places[7]) == (3.5, -2.25)
    engine.journal.undo()
    back = engine.graph.map()
    assert back is not None
    assert not back.pinned
    assert np.array_equal(back.places, made.places), "an undo puts it back"
