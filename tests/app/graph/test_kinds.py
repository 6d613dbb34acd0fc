"""Rules, apps and people are things of the graph: in a part, on the map, in a search, and in each file that is written."""

import json
from pathlib import Path

import pytest

from app.api import ContextRequest, ContextSignals, Engine, MemoryDraft
from app.errors import InvalidError
from app.values.graph import GraphView, NodeId, NodeKind, NodeLook, Relation
from app.values.graph_map import LOOKS
from tests.conftest import Say


def taught(engine: Engine, say: Say) -> tuple[int, ...]:
    """Two conversations that taught rules, name a person, and were given a memory; their numbers."""
    numbers = []
    for session in "ab":
        first = say("I want to add a FAB button", session=session)
        say("Make it purple", session=session)
        say("Ask @mara whether purple is fine", session=session)
        assert first.conversation_id is not None
        engine.conversations.end(first.conversation_id)
        numbers.append(first.conversation_id)
    engine.consolidation.run()
    return tuple(numbers)


def links_of(view: GraphView, relation: Relation) -> set[tuple[NodeKind, NodeKind]]:
    return {(link.a.kind, link.b.kind) for link in view.links if link.relation is relation}


def test_a_conversation_has_its_rules_its_app_and_its_people(engine: Engine, say: Say) -> None:
    number, other = taught(engine, say)
    view = engine.graph.around(NodeId(NodeKind.CONVERSATION, number), depth=1)
    looks = {node.look for node in view.nodes}
    assert {NodeLook.RULE, NodeLook.APP, NodeLook.PERSON} <= looks
    assert (NodeKind.RULE, NodeKind.CONVERSATION) in links_of(view, Relation.LEARNED_FROM)
    assert (NodeKind.CONVERSATION, NodeKind.APP) in links_of(view, Relation.CAME_FROM)
    app = next(node for node in view.nodes if node.id.kind is NodeKind.APP)
    assert "2 conversations" in app.text
    rule = next(node for node in view.nodes if node.id.kind is NodeKind.RULE)
    assert rule.text.startswith("Seen 2 times")
    back = engine.graph.around(rule.id, depth=1)
    assert {node.id for node in back.nodes} == {
        rule.id, *(NodeId(NodeKind.CONVERSATION, one) for one in (number, other))
    }  # fmt: skip


def test_what_an_app_was_told_is_linked_with_it_and_an_app_joins_nothing_else(engine: Engine, say: Say) -> None:
    number = engine.memories.create(MemoryDraft("The FAB button is purple", project_path="/w/app"))
    other = engine.memories.create(MemoryDraft("Invoices are sent as PDF"))
    message = say("Which colour has the FAB button?", session="b")
    signals = ContextSignals(
        app="claude-code", project_path="/w/app", prompt="Which colour has the FAB button?", session="b"
    )
    assert "purple" in engine.context.assemble(ContextRequest(signals)).text
    memory = NodeId(NodeKind.MEMORY, number)
    found = [link for link in engine.graph.around(memory, depth=1).links if link.relation is Relation.GIVEN_TO]
    assert [(link.a, link.b.kind, link.reason) for link in found] == [(memory, NodeKind.APP, "given once")]
    assert message.conversation_id is not None
    assert (
        engine.graph.path(NodeId(NodeKind.MEMORY, other), NodeId(NodeKind.CONVERSATION, message.conversation_id))
        is None
    )
    with pytest.raises(InvalidError):
        engine.graph.draw(memory, found[0].b, Relation.GIVEN_TO)


def test_they_are_on_the_map_found_by_name_and_written_to_files(engine: Engine, say: Say, tmp_path: Path) -> None:
    number, _ = taught(engine, say)
    made = engine.graph.make_map()
    assert made is not None
    on_map = {LOOKS[look] for look in made.whole.looks.tolist()}
    assert {NodeLook.RULE, NodeLook.APP, NodeLook.PERSON, NodeLook.CONVERSATION} <= on_map
    assert any(node.id.kind is NodeKind.RULE for node in engine.graph.find("make it"))
    assert any(node.id.kind is NodeKind.APP for node in engine.graph.find("claude"))
    view = engine.graph.around(NodeId(NodeKind.CONVERSATION, number), depth=1)
    for ending in ("graphml", "canvas", "json"):
        path = tmp_path / f"out.{ending}"
        engine.graph.export(view, path)
        assert "rule:" in path.read_text()
        assert "app:" in path.read_text()
    kinds = {node["kind"] for node in json.loads((tmp_path / "out.json").read_text())["nodes"]}
    assert {"rule", "app"} <= kinds
    notes = tmp_path / "notes"
    notes.mkdir()
    engine.graph.export(view, notes)
    assert any("[[make it {color}]]" in note.read_text() for note in notes.iterdir())
