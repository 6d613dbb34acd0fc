"""The knowledge graph as values: nodes, links, and the part of it that is looked at.

A node is named by its kind and its number, a file by its path: it has no row of its own. Source: S3 "relationships",
S4 "Link discovery", issue 18 "The graph".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NodeKind(StrEnum):
    MEMORY = "memory"
    ENTITY = "entity"
    CONVERSATION = "conversation"
    FILE = "file"
    RULE = "rule"  # a learned one
    APP = "app"


class NodeLook(StrEnum):
    """What a node is drawn and filtered as: its kind, but for memories and names that are something of their own."""

    MEMORY = "memory"
    EPISODE = "episode"
    PATTERN = "pattern"
    WORKFLOW = "workflow"
    NAME = "name"
    PERSON = "person"
    CONVERSATION = "conversation"
    FILE = "file"
    RULE = "rule"
    APP = "app"


_OWN_LOOKS = {
    NodeKind.MEMORY: {"episode": NodeLook.EPISODE, "pattern": NodeLook.PATTERN, "workflow": NodeLook.WORKFLOW},
    NodeKind.ENTITY: {"person": NodeLook.PERSON},
}


def look_of(kind: NodeKind, subtype: str) -> NodeLook:
    """
    >>> look_of(NodeKind.ENTITY, "person").value, look_of(NodeKind.ENTITY, "symbol").value, look_of(NodeKind.MEMORY, "decision").value
    ('person', 'name', 'memory')
    """
    own = _OWN_LOOKS.get(kind, {}).get(subtype)
    return own or (NodeLook.NAME if kind is NodeKind.ENTITY else NodeLook(kind.value))


class Relation(StrEnum):
    """What a link says, read from its first node to its second."""

    RELATED_TO = "related_to"
    DEPENDS_ON = "depends_on"
    PART_OF = "part_of"
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    REFINES = "refines"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    MERGED_FROM = "merged_from"
    ABOUT = "about"
    MENTIONS = "mentions"
    LEARNED_FROM = "learned_from"
    MODIFIED = "modified"
    MODIFIED_WITH = "modified_with"
    FOLLOWS = "follows"
    CAME_FROM = "came_from"  # a conversation or memory, and the app by which it came
    GIVEN_TO = "given_to"  # a memory, and the app that was given it
    CITED_BY = "cited_by"  # and that used it


SYMMETRIC = frozenset({Relation.RELATED_TO, Relation.CONTRADICTS, Relation.MODIFIED_WITH})


class LinkBasis(StrEnum):
    """How a run of consolidation found a link between two memories."""

    SIMILAR = "similar"  # rare words in common
    SAME_ENTITY = "same_entity"  # they name the same things
    CAUSE = "cause"  # one says why the other is so
    FIX = "fix"  # one says what was done about the other


class SameEvidence(StrEnum):
    """Why two names may mean one thing."""

    SPELLING = "spelling"  # the same letters: case, spaces, hyphens, quotes aside
    PLURAL = "plural"
    PATH = "path"  # one is the end of the other's path
    INITIALS = "initials"
    SLIP = "slip"  # a letter is missing, doubled or swapped


@dataclass(frozen=True, slots=True)
class SameThing:
    """Two entities that may be one, by number. `confidence` 0..1."""

    keep_id: int
    gone_id: int
    evidence: SameEvidence
    confidence: float


@dataclass(frozen=True, slots=True, order=True)
class NodeId:
    """`number` of a row, or `name` of a file.

    >>> NodeId.parse("memory:42"), NodeId.parse("file:src/a.py").key
    (NodeId(kind=<NodeKind.MEMORY: 'memory'>, number=42, name=''), 'file:src/a.py')
    """

    kind: NodeKind
    number: int = 0
    name: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind.value}:{self.name or self.number}"

    @classmethod
    def parse(cls, key: str) -> "NodeId":
        """Raises ValueError for what names no node."""
        kind, _, rest = key.partition(":")
        if kind == NodeKind.FILE:
            return cls(NodeKind.FILE, name=rest)
        if not (rest.isascii() and rest.isdigit() and len(rest) <= 18):
            raise ValueError(key)
        return cls(NodeKind(kind), int(rest))


def ordered_ends(a: NodeId, b: NodeId) -> tuple[NodeId, NodeId]:
    """The two in the order in which a verdict keeps them."""
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One thing. `from_at` and `until_at` say when it held in the world, `known_at` since when we know it."""

    id: NodeId
    title: str
    subtype: str = ""  # fact type of a memory, kind of an entity or rule, state of a conversation
    text: str = ""
    project: str = ""
    app: str = ""
    is_closed: bool = False  # superseded, archived, or left the queue
    is_pinned: bool = False
    use_count: int = 0  # given and cited, or messages
    from_at: datetime | None = None
    until_at: datetime | None = None
    known_at: datetime | None = None
    link_count: int = 0  # in the whole graph, of those that were looked up; at most `HUB_LINKS`

    @property
    def look(self) -> NodeLook:
        return look_of(self.id.kind, self.subtype)


@dataclass(frozen=True, slots=True)
class GraphLink:
    """`a` relation `b`, strength 0..1, with a reason in words. `link_id` of one that a person or a run stored, else None."""

    a: NodeId
    b: NodeId
    relation: Relation
    strength: float
    reason: str = ""
    link_id: int | None = None
    origin: str = ""  # of a stored one: person, or the LinkBasis by which a run found it
    is_accepted: bool = False  # a person said that it is so
    is_open: bool = False  # an open contradiction
    contradiction_id: int | None = None


SAME_AS = "same_as"  # the kind of a verdict on two names


@dataclass(frozen=True, slots=True)
class SameProposal:
    """Two names that may mean one thing, and what a merge would do: the mentions of `gone` become those of `keep`."""

    keep: GraphNode
    gone: GraphNode
    evidence: SameEvidence
    confidence: float
    keep_count: int  # how often each is mentioned
    gone_count: int
    keep_said: tuple[str, ...] = ()  # where it was said, a few words around it
    gone_said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphView:
    """A part of the graph. `hidden`: how many neighbours of a shown node are not shown, for those that have any."""

    nodes: tuple[GraphNode, ...] = ()
    links: tuple[GraphLink, ...] = ()
    centre: NodeId | None = None
    hidden: Mapping[NodeId, int] = field(default_factory=dict)

    def node(self, wanted: NodeId) -> GraphNode | None:
        return next((node for node in self.nodes if node.id == wanted), None)


@dataclass(frozen=True, slots=True)
class GraphPath:
    """The shortest way between two nodes: `links[i]` joins `nodes[i]` and `nodes[i + 1]`."""

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]


@dataclass(frozen=True, slots=True)
class NodeCard:
    """A node for those who read JSON: `id` is "memory:42" or "file:src/a.py"."""

    id: str
    kind: str
    type: str
    title: str
    text: str
    project: str
    is_closed: bool
    from_at: datetime | None
    until_at: datetime | None
    hidden_count: int = 0


@dataclass(frozen=True, slots=True)
class LinkCard:
    from_id: str
    to_id: str
    relation: str
    strength: float
    reason: str


@dataclass(frozen=True, slots=True)
class SameNames:
    """Two names that may mean one thing, for those who read JSON."""

    keep_id: int
    keep: str
    gone_id: int
    gone: str
    evidence: str
    confidence: float
    keep_count: int
    gone_count: int


def names_of(proposals: Iterable[SameProposal]) -> tuple[SameNames, ...]:
    return tuple(
        SameNames(
            one.keep.id.number, one.keep.title, one.gone.id.number, one.gone.title, one.evidence.value, one.confidence,
            one.keep_count, one.gone_count,
        )
        for one in proposals
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GraphRebuilt:
    """What came of a rebuild."""

    link_count: int  # that runs find
    added_count: int
    removed_count: int
    thing_count: int  # on the map of everything


@dataclass(frozen=True, slots=True)
class GraphCard:
    """A part of the graph for those who read JSON."""

    centre: str
    nodes: tuple[NodeCard, ...]
    links: tuple[LinkCard, ...]


def card_of(view: GraphView | GraphPath | None) -> GraphCard:
    """The same without identities of ours; empty for None."""
    if view is None:
        return GraphCard("", (), ())
    hidden = view.hidden if isinstance(view, GraphView) else {}
    centre = view.centre.key if isinstance(view, GraphView) and view.centre is not None else ""
    nodes = tuple(
        NodeCard(
            node.id.key, node.id.kind.value, node.subtype, node.title, node.text, node.project, node.is_closed,
            node.from_at, node.until_at, hidden.get(node.id, 0),
        )
        for node in view.nodes
    )  # fmt: skip
    links = tuple(
        LinkCard(link.a.key, link.b.key, link.relation.value, link.strength, link.reason) for link in view.links
    )
    return GraphCard(centre, nodes, links)
