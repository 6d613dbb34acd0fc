"""R16 and R17 with the graph: any script of edits taken back is the store as it was, also after a crash; nothing is left without its ends."""

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.errors import NotFoundError, UserError
from app.store.erasing import find_orphans
from app.values.graph import GraphNode, NodeKind, Relation
from tests.conftest import START
from tests.dump import dump_store
from tests.patience import PATIENCE_S

Act = tuple[str, int, int]
ACTS = (
    "draw",
    "redraw",
    "cut",
    "accept",
    "reject",
    "merge",
    "unmerge",
    "apart",
    "pin",
    "unpin",
    "merge_memories",
    "erase",
)
SAID = (
    "Add the FAB button to the toolbar", "Make the fab-button purple", "The fab_button of the tool bar is too small",
    "We decided to use PostgreSQL for the orders table", "The order tables move to PostgreSQL",
)  # fmt: skip


def open_engine(home: Path) -> Engine:
    engine = Engine.open(Places.under(home), clock=FrozenClock(START))
    engine.load()
    return engine


def seed(engine: Engine) -> None:
    for number, text in enumerate(SAID):
        request = CaptureRequest(
            "claude-code", EventKind.PROMPT, str(number), session=f"s{number % 2}", text=text, cwd="/src/shop"
        )
        engine.events.capture([request], wait_s=PATIENCE_S)
    for text in ("Exports are CSV", "Reports need exports", "Deploys run at night"):
        engine.memories.create(MemoryDraft(text, project_path="/src/shop"))


def nodes_of(engine: Engine) -> list[GraphNode]:
    """Everything that is there, in a fixed order."""
    made = engine.graph.make_map()
    assert made is not None
    cards = engine.graph.cards([made.whole.node(row) for row in range(made.count)])
    return [cards[node] for node in sorted(cards)]


def do(engine: Engine, act: Act) -> None:
    name, first, second = act
    graph, nodes = engine.graph, [node.id for node in nodes_of(engine)]
    a, b = nodes[first % len(nodes)], nodes[second % len(nodes)]
    names = [node.number for node in nodes if node.kind is NodeKind.ENTITY]
    memories = [node.number for node in nodes if node.kind is NodeKind.MEMORY]
    links = [link for link in graph.around(a, depth=1, most=200).links if a in (link.a, link.b)]
    link = links[second % len(links)] if links else None
    match name:
        case "draw" | "redraw":
            relation = list(Relation)[(first + second) % 11] if name == "draw" else Relation.RELATED_TO
            graph.draw(a, b, relation, strength=second % 10 / 10, reason=f"reason {first}")
        case "cut" if link is not None and link.link_id is not None:
            graph.cut(link.link_id)
        case "accept" | "reject" if link is not None:
            (graph.accept if name == "accept" else graph.reject)(link.a, link.b, link.relation)
        case "merge" if len(names) > 1:
            graph.merge_names(names[first % len(names)], names[second % len(names)])
        case "unmerge" if names:
            title = nodes_of(engine)[[node.number for node in nodes].index(names[first % len(names)])].title
            with suppress(NotFoundError):  # unless it is what was merged
                graph.unmerge_name(title if second % 2 else "fab-button")
        case "apart" if len(names) > 1:
            graph.tell_apart(names[first % len(names)], names[second % len(names)])
        case "pin":
            graph.pin({a: (float(first), float(-second))})
        case "unpin":
            graph.unpin([a])
        case "merge_memories" if len(memories) > 1:
            engine.memories.merge((memories[first % len(memories)], memories[second % len(memories)]))


def check(engine: Engine) -> None:
    """No row that speaks of what is no more; no name that is a thing and an alias; the map has what the store has."""
    with engine._core.store.read() as connection:
        assert find_orphans(connection) == {}
        for text in (
            "SELECT count(*) FROM entity_alias a JOIN entity e ON e.canonical = a.canonical",
            "SELECT count(*) FROM entity_alias WHERE entity_id NOT IN (SELECT id FROM entity)",
            "SELECT count(*) FROM mention WHERE entity_id NOT IN (SELECT id FROM entity)",
            "SELECT count(*) FROM graph_pin WHERE kind = 'entity' AND number NOT IN (SELECT id FROM entity)",
            "SELECT count(*) FROM link WHERE to_kind = 'entity' AND to_id NOT IN (SELECT id FROM entity)",
            "SELECT count(*) FROM link_verdict WHERE b_kind = 'entity' AND b_id NOT IN (SELECT id FROM entity)",
        ):
            assert connection.exec_driver_sql(text).scalar() == 0, text


@settings(
    max_examples=10,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(
    script=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=12)
)
def test_undoing_every_graph_edit_brings_the_store_back(script: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        engine = open_engine(home)
        try:
            seed(engine)
            path = engine.places.store_path
            before = dump_store(path)
            for act in script:
                if act[0] == "erase":
                    continue
                try:
                    do(engine, act)
                except UserError:
                    continue
                check(engine)
            after = dump_store(path)
            steps = sum(
                one.origin.value == "person"
                and one.kind != "create_memory"
                and one.undoes_id is None
                and not one.is_undone
                for one in engine.journal.list()
            )
            engine.close()
            engine = open_engine(home)  # undo survives a restart
            for _ in range(steps):
                engine.journal.undo()
            assert dump_store(path) == before
            check(engine)
            for _ in range(steps):
                engine.journal.redo()
            assert dump_store(path) == after
            check(engine)
        finally:
            engine.close()


@settings(
    max_examples=6, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)
@given(
    script=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8),
    gone=st.integers(0, 20),
)
def test_erasing_after_graph_edits_leaves_nothing_without_its_ends(script: list[Act], gone: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(Path(folder))
        try:
            seed(engine)
            for act in script:
                try:
                    do(engine, act)
                except UserError:
                    continue
            conversations = engine.conversations.list()
            engine.memories.erase_everything_of(conversation_id=conversations[gone % len(conversations)].id)
            memories = [node.id.number for node in nodes_of(engine) if node.id.kind is NodeKind.MEMORY]
            if memories:
                engine.memories.erase([memories[gone % len(memories)]])
            check(engine)
            nodes_of(engine)
        finally:
            engine.close()
