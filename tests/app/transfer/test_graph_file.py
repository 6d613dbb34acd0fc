"""The graph in formats of others: each is read back by what reads such files; hostile texts stay data."""

import json
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest

from app.transfer.graph_file import to_canvas, to_graphml, to_json, to_notes
from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeKind, Relation

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
HOSTILE = 'Use <b>"it"</b> & never ]]> \x01 or [[x]] / {y}'
A, B, FILE = NodeId(NodeKind.MEMORY, 1), NodeId(NodeKind.MEMORY, 2), NodeId(NodeKind.FILE, name="src/a b.py")
VIEW = GraphView(
    nodes=(
        GraphNode(A, HOSTILE, "decision", HOSTILE, "shop", from_at=datetime(2026, 3, 1, tzinfo=UTC)),
        GraphNode(B, HOSTILE, "fact", "Exports are CSV.", "shop"),
        GraphNode(FILE, "a b.py", "file", "src/a b.py"),
    ),
    links=(GraphLink(A, B, Relation.SUPERSEDES, 1.0, "it replaced the other"), GraphLink(A, FILE, Relation.ABOUT, 0.7)),
    centre=A,
)


def test_graphml_is_well_formed_and_whole() -> None:
    root = ET.fromstring(to_graphml(VIEW))
    graph = root.find(f"{NAMESPACE}graph")
    assert graph is not None
    declared = {key.get("id") for key in root.findall(f"{NAMESPACE}key")}
    used = {data.get("key") for data in graph.iter(f"{NAMESPACE}data")}
    assert used <= declared
    ids = [node.get("id") for node in graph.findall(f"{NAMESPACE}node")]
    assert ids == ["memory:1", "memory:2", "file:src/a b.py"]
    edges = [(edge.get("source"), edge.get("target")) for edge in graph.findall(f"{NAMESPACE}edge")]
    assert edges == [("memory:1", "memory:2"), ("memory:1", "file:src/a b.py")]
    titles = [data.text for data in graph.iter(f"{NAMESPACE}data") if data.get("key") == "title"]
    assert titles[0] == HOSTILE.replace("\x01", "�")


def test_a_canvas_has_what_its_form_asks_for() -> None:
    canvas = json.loads(to_canvas(VIEW, {A: (0.0, 0.0), B: (1.0, -0.5)}))
    for node in canvas["nodes"]:
        assert node["type"] == "text"
        assert isinstance(node["text"], str)
        assert all(isinstance(node[name], int) for name in ("x", "y", "width", "height"))
        assert node["color"] in {"1", "2", "3", "4", "5", "6"}
    ids = {node["id"] for node in canvas["nodes"]}
    assert len(ids) == 3
    assert all({edge["fromNode"], edge["toNode"]} <= ids for edge in canvas["edges"])
    assert canvas["edges"][0]["label"] == "supersedes"


def test_networkx_reads_the_graphml() -> None:
    networkx = pytest.importorskip("networkx")
    read = networkx.parse_graphml(to_graphml(VIEW))
    assert read.is_directed()
    assert set(read.nodes) == {"memory:1", "memory:2", "file:src/a b.py"}
    assert read.nodes["memory:2"]["text"] == "Exports are CSV."
    assert read.nodes["memory:1"]["since"] == "2026-03-01T00:00:00+00:00"
    edge = read.edges["memory:1", "memory:2"]
    assert (edge["relation"], edge["strength"], edge["reason"]) == ("supersedes", 1.0, "it replaced the other")
    assert networkx.has_path(read.to_undirected(), "memory:2", "file:src/a b.py")


def _faults(canvas: object) -> list[str]:
    """What in a canvas is not as JSON Canvas 1.0 (2024-03-11) asks for; empty for a good one."""
    found: list[str] = []
    if not isinstance(canvas, dict):
        return ["the top level is no object"]
    nodes, edges = canvas.get("nodes", []), canvas.get("edges", [])
    needed = {"text": "text", "file": "file", "link": "url", "group": None}
    for node in nodes:
        found += [f"{name} is no integer" for name in ("x", "y", "width", "height") if type(node.get(name)) is not int]
        found += [] if isinstance(node.get("id"), str) else ["an id is no text"]
        found += [] if node.get("type") in needed else [f"no type: {node.get('type')}"]
        own = needed.get(node.get("type"))
        found += [] if own is None or isinstance(node.get(own), str) else [f"a node without {own}"]
    for edge in edges:
        found += [f"{name} is no text" for name in ("id", "fromNode", "toNode") if not isinstance(edge.get(name), str)]
        found += [
            f"{name}: {edge[name]}"
            for name in ("fromSide", "toSide")
            if edge.get(name, "top") not in {"top", "right", "bottom", "left"}
        ]
        found += [
            f"{name}: {edge[name]}" for name in ("fromEnd", "toEnd") if edge.get(name, "none") not in {"none", "arrow"}
        ]
        found += [] if isinstance(edge.get("label", ""), str) else ["a label is no text"]
        found += [
            f"no node {edge.get(name)}"
            for name in ("fromNode", "toNode")
            if edge.get(name) not in {one.get("id") for one in nodes}
        ]
    for one in (*nodes, *edges):
        color = one.get("color", "1")
        is_color = isinstance(color, str) and re.fullmatch(r"[1-6]|#[0-9A-Fa-f]{6}", color)
        found += [] if is_color else [f"no colour: {color}"]
    ids = [one.get("id") for one in (*nodes, *edges)]
    return found + ([] if len(set(ids)) == len(ids) else ["an id twice"])


def test_a_canvas_is_as_its_published_form_asks() -> None:
    good = json.loads(to_canvas(VIEW, {A: (0.25, 0.0), B: (1.0, -0.5)}))
    assert _faults(good) == []
    assert _faults(json.loads(to_canvas(GraphView(), {}))) == []
    bad = json.loads(to_canvas(VIEW, {}))
    bad["nodes"][0] |= {"x": 0.5, "color": "7"}
    bad["edges"][0] |= {"toNode": "memory:9", "toEnd": "star"}
    assert len(_faults(bad)) == 4


def test_our_own_json_says_everything() -> None:
    read = json.loads(to_json(VIEW))
    assert read["centre"] == "memory:1"
    assert read["nodes"][0]["text"] == HOSTILE
    assert read["links"][0] == {
        "from": "memory:1", "to": "memory:2", "relation": "supersedes", "strength": 1.0, "reason": "it replaced the other",
    }  # fmt: skip


def test_notes_have_names_of_their_own_and_their_links_lead_to_notes() -> None:
    notes = dict(to_notes(VIEW))
    assert len(notes) == 3
    stems = {name.removesuffix(".md") for name in notes}
    for name, text in notes.items():
        assert not set(name) & set('\\/:*?"<>|#^[]')
        assert text.startswith("---\nid: ")
        linked = (
            {part.split("]]")[0] for part in text.split("## Links")[-1].split("[[")[1:]}
            if "## Links" in text
            else set()
        )
        assert linked <= stems
    first = next(text for text in notes.values() if "memory:1" in text)
    assert "supersedes → [[" in first
