"""One thing, one node, on a real store: proposed with evidence, merged, meant again, told apart, undone; and places that stay."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind
from app.errors import InvalidError, NotFoundError
from app.places import Places
from app.values.graph import NodeId, NodeKind, Relation, SameEvidence
from tests.dump import dump_store
from tests.patience import PATIENCE_S


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine.open(Places.under(tmp_path))
    yield made
    made.close()


def say(engine: Engine, text: str) -> int:
    request = CaptureRequest("claude-code", EventKind.PROMPT, text, session="s1", text=text, cwd="/src/shop")
    return engine.events.capture([request], wait_s=PATIENCE_S)[0].message_id or 0


def names(engine: Engine) -> dict[str, NodeId]:
    nodes = engine.graph.start(depth=2).nodes
    return {node.title: node.id for node in nodes if node.id.kind is NodeKind.ENTITY}


@pytest.fixture
def said(engine: Engine) -> dict[str, NodeId]:
    for text in ("Add the FAB button to the toolbar", "Make the fab-button purple", "The FAB button is too small"):
        say(engine, text)
    found = names(engine)
    assert {"FAB button", "fab-button"} <= set(found)
    return found


def test_names_of_one_thing_are_proposed_with_what_was_said(engine: Engine, said: dict[str, NodeId]) -> None:
    found = [one for one in engine.graph.same_names() if one.gone.title == "fab-button"]
    assert [(one.keep.title, one.evidence, one.keep_count, one.gone_count) for one in found] == [
        ("FAB button", SameEvidence.SPELLING, 2, 1)
    ]
    assert found[0].gone_said == ("Make the fab-button purple",)


def test_a_merge_moves_what_was_said_and_the_other_name_means_it_from_now_on(
    engine: Engine, said: dict[str, NodeId]
) -> None:
    keep, gone = said["FAB button"], said["fab-button"]
    other = said["toolbar"]
    engine.graph.draw(gone, other, Relation.PART_OF, reason="it stands there")
    before = dump_store(engine.places.store_path)
    engine.graph.merge_names(keep.number, gone.number)
    assert "fab-button" not in names(engine)
    assert [link.reason for link in engine.graph.around(keep, depth=1).links if link.relation is Relation.PART_OF] == [
        "it stands there"
    ]
    assert engine.graph.same_names() == ()
    assert keep in {node.id for node in engine.graph.find("fab-button")}, "found by the name that went"
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == before
    assert {"FAB button", "fab-button"} <= set(names(engine))
    engine.graph.merge_names(keep.number, gone.number)
    say(engine, "Move the fab-button to the left")
    assert "fab-button" not in names(engine)
    with pytest.raises(NotFoundError):
        engine.graph.merge_names(keep.number, gone.number)


def test_two_that_were_told_apart_are_never_proposed_again(engine: Engine, said: dict[str, NodeId]) -> None:
    engine.graph.tell_apart(said["FAB button"].number, said["fab-button"].number)
    assert engine.graph.same_names() == ()
    engine.journal.undo()
    assert len(engine.graph.same_names()) == 1
    with pytest.raises(InvalidError):
        engine.graph.merge_names(1, 1)


def test_a_merged_name_is_erased_with_what_said_it(engine: Engine) -> None:
    for text, session in (("Add the zanzibar panel", "s1"), ("Make the zanzi-bar panel purple", "s2")):
        request = CaptureRequest("claude-code", EventKind.PROMPT, session, session=session, text=text, cwd="/src/shop")
        engine.events.capture([request], wait_s=PATIENCE_S)
    pair = next(one for one in engine.graph.same_names() if "zanzi" in one.keep.title)
    keep, gone = sorted((pair.keep, pair.gone), key=lambda node: "-" in node.title)
    engine.graph.merge_names(keep.id.number, gone.id.number)
    odd = next(one for one in engine.conversations.list() if "zanzi-bar" in one.title)
    engine.memories.erase_everything_of(conversation_id=odd.id)
    raw = engine.places.store_path.read_bytes()
    assert b"zanzi-bar" not in raw
    assert b"zanzibar" in raw


def test_a_place_is_kept_and_undone(engine: Engine, said: dict[str, NodeId]) -> None:
    node = said["toolbar"]
    engine.graph.pin({node: (3.0, -2.0)})
    view = engine.graph.start()
    assert engine.graph.lay_out(view)[node] == (3.0, -2.0)
    engine.graph.pin({node: (4.0, 0.0)})
    engine.journal.undo()
    assert engine.graph.pins() == {node: (3.0, -2.0)}
    engine.graph.unpin([node])
    assert engine.graph.pins() == {}
    with pytest.raises(InvalidError):
        engine.graph.pin({node: (float("nan"), 0.0)})


def test_a_merged_name_is_a_thing_of_its_own_again(engine: Engine, said: dict[str, NodeId]) -> None:
    keep, gone = said["FAB button"], said["fab-button"]
    engine.graph.merge_names(keep.number, gone.number)
    say(engine, "Test it")  # something later, so that an undo of the merge alone is not what is asked for
    before = dump_store(engine.places.store_path)
    made = engine.graph.unmerge_name("Fab-Button")
    found = names(engine)
    assert found["fab-button"].number == made
    around = engine.graph.around(found["fab-button"], depth=1)
    assert any(link.relation is Relation.MENTIONS for link in around.links), "what was said in that name is its again"
    assert engine.graph.same_names() == (), "they are not proposed again"
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == before
    with pytest.raises(NotFoundError):
        engine.graph.unmerge_name("toolbar")
