"""The graph in formats that other tools read: GraphML, JSON Canvas, our own JSON, and Markdown notes joined by wikilinks. Pure.

Text of people goes in as data: escaped for each format, never as markup. Source: issue 18 "export"; GraphML 1.0 (graphml.graphdrawing.org),
JSON Canvas 1.0 (jsoncanvas.org), Obsidian's links ([[name]]).
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeKind

LENGTH = 320  # of a link in a canvas, in its pixels
_WIDTH, _LINE_CHARS, _LINE_HEIGHT, _EDGE = 240, 30, 24, 40
_COLORS = {  # of the format's six: red, orange, yellow, green, cyan, purple
    NodeKind.MEMORY: "5", NodeKind.ENTITY: "4", NodeKind.CONVERSATION: "6", NodeKind.FILE: "2", NodeKind.RULE: "3",
    NodeKind.APP: "1",
}  # fmt: skip
_KEYS = (
    ("kind", "node", "string"), ("type", "node", "string"), ("title", "node", "string"), ("text", "node", "string"),
    ("project", "node", "string"), ("since", "node", "string"), ("until", "node", "string"),
    ("relation", "edge", "string"), ("strength", "edge", "double"), ("reason", "edge", "string"),
)  # fmt: skip
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
_NAME_CHARS = 80


def to_graphml(view: GraphView) -> str:
    """One directed graph; attributes are declared as the format asks."""
    keys = "".join(
        f'<key id="{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>' for name, owner, kind in _KEYS
    )
    nodes = "".join(_graphml_node(node) for node in view.nodes)
    edges = "".join(_graphml_edge(index, link) for index, link in enumerate(view.links))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'{keys}<graph id="remanence" edgedefault="directed">{nodes}{edges}</graph></graphml>\n'
    )


def _graphml_node(node: GraphNode) -> str:
    values = {
        "kind": node.id.kind.value, "type": node.subtype, "title": node.title, "text": node.text, "project": node.project,
        "since": _day(node.from_at), "until": _day(node.until_at),
    }  # fmt: skip
    return f"<node id={quoteattr(_clean(node.id.key))}>{_data(values)}</node>"


def _graphml_edge(index: int, link: GraphLink) -> str:
    values = {"relation": link.relation.value, "strength": f"{link.strength:.3f}", "reason": link.reason}
    ends = f"source={quoteattr(_clean(link.a.key))} target={quoteattr(_clean(link.b.key))}"
    return f'<edge id="e{index}" {ends}>{_data(values)}</edge>'


def _data(values: Mapping[str, str]) -> str:
    return "".join(f'<data key="{name}">{escape(_clean(value))}</data>' for name, value in values.items() if value)


def _clean(text: str) -> str:
    """Without what XML cannot hold at all."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _day(at: datetime | None) -> str:
    return "" if at is None else at.isoformat()


def to_canvas(view: GraphView, places: Mapping[NodeId, tuple[float, float]]) -> str:
    """A JSON Canvas: a text card for each node where the picture has it, an edge for each link."""
    nodes = []
    for node in view.nodes:
        x, y = places.get(node.id, (0.0, 0.0))
        text = node.title if node.id.kind is not NodeKind.FILE else node.text
        height = _EDGE + _LINE_HEIGHT * (1 + len(text) // _LINE_CHARS)
        nodes.append(
            {"id": node.id.key, "type": "text", "text": text, "x": round(x * LENGTH), "y": round(y * LENGTH),
             "width": _WIDTH, "height": height, "color": _COLORS[node.id.kind]}
        )  # fmt: skip
    edges = [
        {
            "id": f"e{index}",
            "fromNode": link.a.key,
            "toNode": link.b.key,
            "label": link.relation.value.replace("_", " "),
        }
        for index, link in enumerate(view.links)
    ]
    return json.dumps({"nodes": nodes, "edges": edges}, ensure_ascii=False, indent=1)


def to_json(view: GraphView) -> str:
    """All that the view holds."""
    nodes = [
        {"id": node.id.key, "kind": node.id.kind.value, "type": node.subtype, "title": node.title, "text": node.text,
         "project": node.project, "app": node.app, "is_closed": node.is_closed, "since": _day(node.from_at),
         "until": _day(node.until_at), "known_since": _day(node.known_at)}
        for node in view.nodes
    ]  # fmt: skip
    links = [
        {"from": link.a.key, "to": link.b.key, "relation": link.relation.value, "strength": round(link.strength, 3), "reason": link.reason}
        for link in view.links
    ]  # fmt: skip
    centre = view.centre.key if view.centre is not None else None
    return json.dumps({"centre": centre, "nodes": nodes, "links": links}, ensure_ascii=False, indent=1)


def to_notes(view: GraphView) -> Iterator[tuple[str, str]]:
    """(file name, Markdown) for each node; its links are wikilinks to the others' names."""
    names = _names(view)
    links: dict[NodeId, list[str]] = defaultdict(list)
    for link in view.links:
        relation = link.relation.value.replace("_", " ")
        links[link.a].append(f"- {relation} → [[{names[link.b]}]]")
        links[link.b].append(f"- {relation} ← [[{names[link.a]}]]")
    for node in view.nodes:
        head = {"kind": node.id.kind.value, "type": node.subtype, "project": node.project, "since": _day(node.from_at), "until": _day(node.until_at)}  # fmt: skip
        front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in head.items() if value)
        text = (node.text or node.title).strip()
        body = f"---\nid: {json.dumps(node.id.key, ensure_ascii=False)}\n{front}---\n\n{text}\n"
        if links[node.id]:
            body += "\n## Links\n\n" + "\n".join(sorted(set(links[node.id]))) + "\n"
        yield f"{names[node.id]}.md", body


def _names(view: GraphView) -> dict[NodeId, str]:
    """A name of its own for each node, such as a file system and a wikilink take."""
    names: dict[NodeId, str] = {}
    taken: set[str] = set()
    for node in view.nodes:
        title = " ".join(_NOT_IN_NAMES.sub(" ", node.title).split())[:_NAME_CHARS].strip(" .") or node.id.kind.value
        name, number = title, 2
        while name.casefold() in taken:
            name, number = f"{title} ({number})", number + 1
        taken.add(name.casefold())
        names[node.id] = name
    return names
