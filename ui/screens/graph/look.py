"""How nodes and links look and what they are called: shapes, colours as names of tokens, words. No widget, no engine.

A kind is told by its shape as well as by its colour. Source: UX 4.5 "never colour alone".
"""

from collections.abc import Mapping
from math import sqrt

from PySide6.QtGui import QColor

from app.values.graph import GraphLink, GraphNode, GraphPath, NodeId, NodeKind, NodeLook, Relation
from ui.theme import color
from ui.wording.figures import app_title, counted

LOOK_WORDS: Mapping[NodeLook, tuple[str, str]] = {  # in the order of the legend
    NodeLook.MEMORY: ("memory", "Memories"),
    NodeLook.EPISODE: ("episode", "Episodes"),
    NodeLook.PATTERN: ("code pattern", "Code patterns"),
    NodeLook.WORKFLOW: ("workflow", "Workflows"),
    NodeLook.NAME: ("name", "Names"),
    NodeLook.PERSON: ("person", "People"),
    NodeLook.CONVERSATION: ("conversation", "Conversations"),
    NodeLook.FILE: ("file", "Files"),
    NodeLook.RULE: ("rule", "Rules"),
    NodeLook.APP: ("assistant", "Assistants"),
}
LOOKS = tuple(LOOK_WORDS)
LOOK_TOKENS: Mapping[NodeLook, str] = {
    NodeLook.MEMORY: "accent",
    NodeLook.EPISODE: "violet",
    NodeLook.PATTERN: "teal",
    NodeLook.WORKFLOW: "teal",
    NodeLook.NAME: "good",
    NodeLook.PERSON: "good",
    NodeLook.CONVERSATION: "sub",
    NodeLook.FILE: "warn",
    NodeLook.RULE: "violet",
    NodeLook.APP: "text",
}
# As read from the first to the second, and from the second to the first.
RELATION_WORDS: Mapping[Relation, tuple[str, str]] = {
    Relation.RELATED_TO: ("related to", "related to"),
    Relation.DEPENDS_ON: ("depends on", "needed by"),
    Relation.PART_OF: ("part of", "has part"),
    Relation.CAUSES: ("causes", "caused by"),
    Relation.CAUSED_BY: ("caused by", "led to"),
    Relation.REFINES: ("refines", "refined by"),
    Relation.CONTRADICTS: ("contradicts", "contradicts"),
    Relation.SUPERSEDES: ("replaces", "replaced by"),
    Relation.MERGED_FROM: ("merged from", "merged into"),
    Relation.ABOUT: ("about", "spoken of in"),
    Relation.MENTIONS: ("mentions", "mentioned in"),
    Relation.LEARNED_FROM: ("learned from", "taught"),
    Relation.MODIFIED: ("changed", "changed in"),
    Relation.MODIFIED_WITH: ("changed together with", "changed together with"),
    Relation.FOLLOWS: ("continues", "continues in"),
    Relation.CAME_FROM: ("came from", "sent"),
    Relation.GIVEN_TO: ("given to", "was given"),
    Relation.CITED_BY: ("used by", "used"),
}
_LEAST_RADIUS, _MOST_RADIUS = 8.0, 22.0
TITLE_CHARS = 80


def radius_of(node: GraphNode) -> float:
    """Links and use make a node larger, slowly."""
    weight = node.link_count + min(40, node.use_count) / 2
    return min(_MOST_RADIUS, _LEAST_RADIUS + 1.7 * sqrt(weight))


def name_of(node: GraphNode) -> str:
    """One line that names it."""
    title = " ".join(node.title.split()) or f"{LOOK_WORDS[node.look][0]} without a title"
    return title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…"


def kind_of(node: GraphNode) -> str:
    """Its kind in words, a memory by its type: "decision", "file"."""
    if node.look is NodeLook.MEMORY and node.subtype:
        return node.subtype
    return LOOK_WORDS[node.look][0]


def facts_of(node: GraphNode) -> str:
    """What is worth a line under the name: "decision · shop · Claude Code · replaced"."""
    use = ""
    if node.id.kind is NodeKind.CONVERSATION:
        use = counted(node.use_count, "message")
    app = app_title(node.app) if node.app and node.look is not NodeLook.APP else ""
    words = (kind_of(node), node.project, app, use, _state(node))
    return " · ".join(word for word in words if word)


def _state(node: GraphNode) -> str:
    if node.is_pinned:
        return "pinned"
    if not node.is_closed:
        return ""
    words = {NodeLook.CONVERSATION: "left the queue", NodeLook.RULE: "off", NodeLook.APP: "disconnected"}
    return words.get(node.look, "no longer true")


def relation_from(link: GraphLink, node: NodeId) -> str:
    """The relation as read from `node` to the other end."""
    return RELATION_WORDS[link.relation][0 if link.a == node else 1]


def path_sentence(path: GraphPath) -> str:
    """The way as one sentence.

    >>> a, b = (GraphNode(NodeId(NodeKind.MEMORY, n), t) for n, t in ((1, "Exports are CSV"), (2, "Exports were PDF")))
    >>> path_sentence(GraphPath((a, b), (GraphLink(a.id, b.id, Relation.SUPERSEDES, 1.0),)))
    '“Exports are CSV” replaces “Exports were PDF”.'
    """
    parts = [f"“{name_of(path.nodes[0])}”"]
    for index, link in enumerate(path.links):
        joint = "" if index == 0 else ", which"
        relation = relation_from(link, path.nodes[index].id)
        verb = relation if relation in _VERBS else f"is {relation}"
        parts.append(f"{joint} {verb} “{name_of(path.nodes[index + 1])}”")
    return "".join(parts) + "."


_VERBS = frozenset({"depends on", "has part", "causes", "led to", "refines", "contradicts", "replaces", "mentions", "taught",
                    "changed", "continues", "continues in", "came from", "sent", "was given", "used"})  # fmt: skip


def drawn_relations(a: NodeId, b: NodeId) -> tuple[Relation, ...]:
    """The kinds of link that a person may draw from the one to the other, the usual ones first."""
    kinds = {a.kind, b.kind}
    found = [
        Relation.RELATED_TO,
        Relation.DEPENDS_ON,
        Relation.PART_OF,
        Relation.CAUSES,
        Relation.REFINES,
        Relation.FOLLOWS,
    ]
    if kinds == {NodeKind.FILE}:
        found.insert(1, Relation.MODIFIED_WITH)
    if b.kind is NodeKind.CONVERSATION and a.kind is NodeKind.MEMORY:
        found.insert(1, Relation.LEARNED_FROM)
    if b.kind is not NodeKind.MEMORY:
        found += [Relation.ABOUT, Relation.MENTIONS]
    if kinds == {NodeKind.MEMORY}:
        found += [Relation.SUPERSEDES, Relation.CONTRADICTS]
    return tuple(found)


def group_color(number: int) -> QColor:
    """The tint of a community: far in hue from the one before, as bright as the theme's ground asks."""
    hue = (_FIRST_HUE + number * _HUE_STEP) % 360.0 / 360.0
    is_dark = color("panel").lightnessF() < 0.5
    return QColor.fromHslF(hue, 0.42 if is_dark else 0.5, 0.64 if is_dark else 0.5)


_FIRST_HUE, _HUE_STEP = 214.0, 137.508  # the accent's, and the golden angle
