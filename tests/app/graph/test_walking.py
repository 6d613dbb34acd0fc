"""The graph on a real store: what lies around a conversation, a memory, a file; ways between two; hubs; what is no more."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, LinkType, MemoryDraft
from app.errors import NotFoundError
from app.places import Places
from app.values.graph import GraphView, NodeId, NodeKind, Relation
from tests.patience import PATIENCE_S

SAID = (
    "Add a FAB button to the toolbar",
    "From now on the FAB button is purple",
    "We decided to use PostgreSQL for the orders service",
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine.open(Places.under(tmp_path))
    yield made
    made.close()


def say(engine: Engine, text: str, session: str = "s1") -> None:
    request = CaptureRequest(
        "claude-code", EventKind.PROMPT, f"{session}{text}", session=session, text=text, cwd="/src/shop"
    )
    engine.events.capture([request], wait_s=PATIENCE_S)


def edit(engine: Engine, file: str, session: str = "s1") -> None:
    payload = {"tool_name": "Edit", "tool_input": {"file_path": f"/src/shop/{file}"}}
    request = CaptureRequest(
        "claude-code", EventKind.TOOL, f"{session}{file}", session=session, cwd="/src/shop", payload=payload
    )
    engine.events.capture([request], wait_s=PATIENCE_S)


def relations(view: GraphView) -> set[tuple[str, str, str]]:
    titles = {node.id: node.title for node in view.nodes}
    return {(titles[link.a], link.relation.value, titles[link.b]) for link in view.links}


def test_nothing_yet(engine: Engine) -> None:
    assert engine.graph.start() == GraphView()
    assert engine.graph.find("postgres") == ()


def test_it_begins_with_the_active_conversation_and_what_belongs_to_it(engine: Engine) -> None:
    for text in SAID[:2]:
        say(engine, text)
    edit(engine, "src/Toolbar.tsx")
    say(engine, "Test it")
    view = engine.graph.start()
    assert view.centre is not None
    assert view.centre.kind is NodeKind.CONVERSATION
    kinds = {node.id.kind for node in view.nodes}
    assert kinds == {NodeKind.CONVERSATION, NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.FILE, NodeKind.APP}
    said = relations(view)
    assert any(relation == "learned_from" for _a, relation, _b in said)
    assert any(relation == "modified" and b == "Toolbar.tsx" for _a, relation, b in said)
    assert any(relation == "about" and "FAB" in b for _a, relation, b in said), "a memory is about what its words name"


def test_every_link_of_the_view_joins_two_shown_nodes_and_hidden_ones_are_counted(engine: Engine) -> None:
    for text in SAID:
        say(engine, text)
    view = engine.graph.start(depth=2)
    shown = {node.id for node in view.nodes}
    assert all(link.a in shown and link.b in shown for link in view.links)
    few = engine.graph.around(view.centre, most=2)  # type: ignore[arg-type]
    assert len(few.nodes) == 2
    assert few.hidden[few.centre] == few.node(few.centre).link_count - 1  # type: ignore[index, arg-type, union-attr]


def test_what_was_shown_stays_when_a_node_is_opened(engine: Engine) -> None:
    for text in SAID:
        say(engine, text)
    view = engine.graph.start()
    shown = [node.id for node in view.nodes]
    memory = next(one for one in shown if one.kind is NodeKind.MEMORY)
    opened = engine.graph.around(memory, depth=1, most=200, shown=shown)
    assert set(shown) <= {node.id for node in opened.nodes}


def test_a_link_that_a_person_drew_and_one_that_replaced(engine: Engine) -> None:
    first = engine.memories.create(MemoryDraft("Exports are CSV.", project_path="/src/shop"))
    second = engine.memories.create(MemoryDraft("Deploys run at night.", project_path="/src/shop"))
    engine.memories.link(first, second, LinkType.DEPENDS_ON)
    view = engine.graph.around(NodeId(NodeKind.MEMORY, first), depth=1)
    (link,) = [one for one in view.links if one.relation is Relation.DEPENDS_ON]
    assert link.link_id is not None
    assert (link.a.number, link.b.number) == (first, second)


def test_the_way_between_two_memories_goes_through_what_they_share(engine: Engine) -> None:
    say(engine, SAID[1])
    say(engine, SAID[2])
    memories = [node.id for node in engine.graph.find("FAB button purple") if node.id.kind is NodeKind.MEMORY]
    others = [node.id for node in engine.graph.find("PostgreSQL orders") if node.id.kind is NodeKind.MEMORY]
    path = engine.graph.path(memories[0], others[0])
    assert path is not None
    assert [node.id.kind for node in path.nodes] == [NodeKind.MEMORY, NodeKind.CONVERSATION, NodeKind.MEMORY]
    assert len(path.links) == len(path.nodes) - 1
    alone = engine.memories.create(MemoryDraft("Tabs are four wide.", project_path="/src/other"))
    assert engine.graph.path(memories[0], NodeId(NodeKind.MEMORY, alone)) is None


def test_what_is_no_more_says_so(engine: Engine) -> None:
    with pytest.raises(NotFoundError):
        engine.graph.around(NodeId(NodeKind.MEMORY, 4711))


def test_names_with_wildcards_are_searched_as_they_stand(engine: Engine) -> None:
    say(engine, SAID[0])
    assert engine.graph.find("%") == ()
    assert any(node.title for node in engine.graph.find("toolbar"))


def test_what_is_not_the_middle_brings_one_other_conversation_and_what_an_app_brought_stays_away(
    engine: Engine,
) -> None:
    for number in range(6):
        say(engine, f"Make the FAB button {number} pixels wide", session=f"s{number}")
    view = engine.graph.start(depth=2)
    talks = [node.id for node in view.nodes if node.id.kind is NodeKind.CONVERSATION]
    assert len(talks) <= 3, "not all six that name the button"
    app = next(node.id for node in view.nodes if node.id.kind is NodeKind.APP)
    assert all(view.centre in (link.a, link.b) for link in view.links if app in (link.a, link.b))
    whole = engine.graph.around(app, depth=1)
    assert len([node for node in whole.nodes if node.id.kind is NodeKind.CONVERSATION]) > len(talks), (
        "asked for, it does"
    )
