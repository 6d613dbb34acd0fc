"""Links as a person makes them, on a real store: drawn between any two things, accepted, rejected, taken back; and what a run learns of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft
from app.errors import InvalidError, NotFoundError
from app.graph.manual_links import NOT_DRAWN
from app.places import Places
from app.values.graph import GraphLink, LinkBasis, NodeId, NodeKind, Relation
from tests.dump import dump_store
from tests.patience import PATIENCE_S

PROBLEM = "The nightly checkout import crashes on empty invoices"
FIX = "The fix for the nightly checkout import with empty invoices is to skip the header"
BESIDE = "Checkout import of invoices runs nightly at two"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine.open(Places.under(tmp_path))
    yield made
    made.close()


def remember(engine: Engine, text: str) -> NodeId:
    return NodeId(NodeKind.MEMORY, engine.memories.create(MemoryDraft(text)))


def links_of(engine: Engine, node: NodeId) -> list[GraphLink]:
    return [one for one in engine.graph.around(node, depth=1).links if node in (one.a, one.b)]


def undo(engine: Engine) -> None:
    engine.journal.undo()


def test_a_drawn_link_keeps_strength_and_reason_and_is_undone(engine: Engine) -> None:
    a, b = remember(engine, "Exports are CSV"), remember(engine, "Reports need exports")
    before = dump_store(engine.places.store_path)
    number = engine.graph.draw(b, a, Relation.DEPENDS_ON, strength=0.6, reason="the report reads the file")
    (link,) = links_of(engine, a)
    assert (link.a, link.b, link.relation, link.strength) == (b, a, Relation.DEPENDS_ON, 0.6)
    assert (link.reason, link.origin, link.link_id) == ("the report reads the file", "person", number)
    assert engine.graph.draw(b, a, Relation.DEPENDS_ON, strength=0.9) == number, "one link, not two"
    undo(engine)
    undo(engine)
    assert dump_store(engine.places.store_path) == before


@pytest.mark.parametrize("relation", [one for one in Relation if one not in NOT_DRAWN])
def test_every_kind_of_the_seeds_can_be_drawn(engine: Engine, relation: Relation) -> None:
    a, b = remember(engine, "Exports are CSV"), remember(engine, "Reports need exports")
    engine.graph.draw(a, b, relation)
    assert [link.relation for link in links_of(engine, a)] == [relation]
    assert engine.memories.get(a.number).links[0].type.value == relation.value


def test_files_names_and_conversations_are_linked_too(engine: Engine) -> None:
    request = CaptureRequest(
        "claude-code", EventKind.PROMPT, "1", session="s", text="Add a FAB button", cwd="/src/shop"
    )
    engine.events.capture([request], wait_s=PATIENCE_S)
    for file in ("src/Fab.tsx", "src/Fab.test.tsx"):
        payload = {"tool_name": "Edit", "tool_input": {"file_path": f"/src/shop/{file}"}}
        engine.events.capture(
            [CaptureRequest("claude-code", EventKind.TOOL, file, session="s", cwd="/src/shop", payload=payload)],
            wait_s=PATIENCE_S,
        )
    nodes = {kind: [one.id for one in engine.graph.start().nodes if one.id.kind is kind] for kind in NodeKind}
    files = sorted(nodes[NodeKind.FILE])
    engine.graph.draw(files[0], files[1], Relation.MODIFIED_WITH)
    engine.graph.draw(files[0], nodes[NodeKind.ENTITY][0], Relation.PART_OF)
    found = {(link.a.kind, link.relation, link.b.kind) for link in links_of(engine, files[0])}
    assert (NodeKind.FILE, Relation.MODIFIED_WITH, NodeKind.FILE) in found
    assert (NodeKind.FILE, Relation.PART_OF, NodeKind.ENTITY) in found


def test_what_is_read_from_elsewhere_can_be_rejected_and_comes_back_with_undo(engine: Engine) -> None:
    request = CaptureRequest(
        "claude-code", EventKind.PROMPT, "1", session="s", text="Add a FAB button", cwd="/src/shop"
    )
    engine.events.capture([request], wait_s=PATIENCE_S)
    view = engine.graph.start()
    mention = next(link for link in view.links if link.relation is Relation.MENTIONS)
    engine.graph.reject(mention.a, mention.b, mention.relation)
    assert mention.b not in {node.id for node in engine.graph.start().nodes}
    undo(engine)
    assert mention.b in {node.id for node in engine.graph.start().nodes}
    engine.graph.accept(mention.b, mention.a, mention.relation)
    assert [link.is_accepted for link in links_of(engine, mention.b)] == [True]


def test_a_run_finds_what_belongs_together_and_says_why(engine: Engine) -> None:
    problem, fix = remember(engine, PROBLEM), remember(engine, FIX)
    engine.consolidation.run()
    (link,) = links_of(engine, problem)
    assert (link.a, link.relation, link.b) == (fix, Relation.CAUSED_BY, problem)
    assert (link.origin, link.reason) == (LinkBasis.FIX, "it was done because of the other")


def test_a_rejected_link_is_never_proposed_again_and_an_accepted_one_is_the_persons(engine: Engine) -> None:
    a, b = remember(engine, PROBLEM), remember(engine, BESIDE)
    engine.consolidation.run()
    (link,) = links_of(engine, a)
    engine.graph.accept(a, b, link.relation)
    assert links_of(engine, a)[0].origin == "person"
    engine.graph.reject(a, b, link.relation)
    assert links_of(engine, a) == []
    remember(engine, "Invoices of the nightly checkout import are kept for ten years")
    engine.memories.pin([a.number, b.number])
    engine.consolidation.run()
    assert not [one for one in links_of(engine, a) if b in (one.a, one.b)]
    engine.graph.draw(a, b, link.relation)
    assert [one.origin for one in links_of(engine, a) if b in (one.a, one.b)] == ["person"], (
        "who draws it changed their mind"
    )


def test_what_cannot_be_drawn(engine: Engine) -> None:
    a = remember(engine, "Exports are CSV")
    with pytest.raises(InvalidError):
        engine.graph.draw(a, a, Relation.RELATED_TO)
    with pytest.raises(InvalidError):
        engine.graph.draw(a, remember(engine, "Reports"), Relation.MERGED_FROM)
    with pytest.raises(NotFoundError):
        engine.graph.draw(a, NodeId(NodeKind.MEMORY, 999), Relation.RELATED_TO)


def test_what_a_person_said_of_links_is_erased_with_what_it_spoke_of(engine: Engine) -> None:
    a, b, c = (
        remember(engine, text) for text in ("Exports are CSV", "Reports need exports", "The harbour opens at nine")
    )
    engine.graph.draw(a, b, Relation.PART_OF, reason="the zanzibar clause")
    engine.graph.reject(a, c, Relation.RELATED_TO)
    undo(engine)
    engine.graph.reject(a, c, Relation.RELATED_TO)
    engine.memories.erase([a.number])
    dump = dump_store(engine.places.store_path)
    assert "zanzibar" not in dump
    assert "link_verdict" not in dump
    assert b"zanzibar" not in engine.places.store_path.read_bytes()
