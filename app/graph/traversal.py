"""Parts of the graph: what is around some nodes, and the shortest way between two. Reads, decides nothing, writes nothing.

Only what is asked for is read, a ring at a time, so that the first picture costs the same in a store of a million memories.
A picture of tens of nodes says something, one of hundreds nothing: of each kind the strongest, the kinds in turn.
Source: UX 4.5, issue 18 "The view".
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from app.store.rows.graph import load_links, load_nodes
from app.values.graph import GraphLink, GraphNode, GraphPath, GraphView, NodeId, NodeKind

_TURNS = (NodeKind.MEMORY, NodeKind.ENTITY, NodeKind.FILE, NodeKind.CONVERSATION, NodeKind.RULE, NodeKind.APP)
_MOST_OF = {NodeKind.RULE: 3, NodeKind.APP: 2}  # they say less about one thing than what it is about


def choose_neighbours(
    node: NodeId, links: Iterable[GraphLink], most: int, *, besides: frozenset[NodeId] = frozenset()
) -> list[NodeId]:
    """At most `most` neighbours of `node` that are not in `besides`, the kinds in turn, of each the strongest first; ties by number, the newer first.

    >>> from app.values.graph import Relation
    >>> a, b, c = (NodeId(NodeKind.MEMORY, n) for n in (1, 2, 3))
    >>> links = [GraphLink(a, b, Relation.RELATED_TO, 0.2), GraphLink(c, a, Relation.CONTRADICTS, 0.9)]
    >>> [one.number for one in choose_neighbours(a, links, 1)]
    [3]
    """
    strongest: dict[NodeId, float] = {}
    for link in links:
        if node not in (link.a, link.b):
            continue
        other = link.b if link.a == node else link.a
        if other not in besides and other != node:
            strongest[other] = max(strongest.get(other, 0.0), link.strength)
    by_kind: dict[NodeKind, list[NodeId]] = defaultdict(list)
    for other in sorted(strongest, key=lambda one: (-strongest[one], -one.number, one.name)):
        by_kind[other.kind].append(other)
    chosen: list[NodeId] = []
    for turn in range(most):
        for kind in _TURNS:
            if turn < min(len(by_kind[kind]), _MOST_OF.get(kind, most)) and len(chosen) < most:
                chosen.append(by_kind[kind][turn])
    return chosen


AROUND_CENTRE, AROUND_OTHERS = 16, 3  # neighbours that one node brings
_OPEN_MOST = 40  # what has more neighbours brings none: they have little to do with the middle
_WALKED_MOST = 4_000  # nodes that are looked at for a way; no answer beyond
_OF_THE_MIDDLE = {NodeKind.RULE, NodeKind.APP}  # shown of what was asked for, not of what is around it
_TALKS_MOST = 1  # other conversations that something brings which is not the middle
_HUB_LINKS = 60  # what is linked to more joins nothing: it is left out of a way unless it is an end


def load_around(
    connection: Connection, centres: Iterable[NodeId], *, depth: int, most: int, shown: Iterable[NodeId] = ()
) -> GraphView:
    """The centres, what was shown before, and what is around: `depth` rings, `most` nodes in all.

    Every shown node says how many of its neighbours are hidden. The first centre is the view's.
    """
    wanted = list(dict.fromkeys(centres))
    chosen: dict[NodeId, None] = dict.fromkeys([*wanted, *shown])
    ring = wanted
    for step in range(depth):
        links = load_links(connection, ring)
        each = AROUND_CENTRE if step == 0 else AROUND_OTHERS
        found: list[NodeId] = []
        for node in ring:
            room = most - len(chosen)
            own = links if node in wanted else _for_others(node, links)
            neighbours = choose_neighbours(node, own, min(each, room), besides=frozenset(chosen)) if room > 0 else []
            chosen.update(dict.fromkeys(neighbours))
            found += neighbours
        ring = found
        if not ring:
            break
    return _view(connection, chosen, wanted[0] if wanted else None)


def _for_others(node: NodeId, links: list[GraphLink]) -> list[GraphLink]:
    """What a node that is not the middle may bring: nothing of an app or a hub, and neither apps nor rules."""
    own = [one for one in links if node in (one.a, one.b)]
    if node.kind is NodeKind.APP or len({one.a for one in own} | {one.b for one in own}) > _OPEN_MOST:
        return []
    talks = sorted((one for one in own if _is_conversation_link(one, node)), key=lambda one: -one.strength)
    left_out = {id(one) for one in talks[_TALKS_MOST:]}
    return [one for one in own if not {one.a.kind, one.b.kind} & _OF_THE_MIDDLE and id(one) not in left_out]


def _is_conversation_link(link: GraphLink, node: NodeId) -> bool:
    return (link.b if link.a == node else link.a).kind is NodeKind.CONVERSATION


def _view(connection: Connection, chosen: Iterable[NodeId], centre: NodeId | None) -> GraphView:
    nodes = load_nodes(connection, chosen)
    links = load_links(connection, nodes)
    neighbours: dict[NodeId, set[NodeId]] = defaultdict(set)
    for link in links:
        neighbours[link.a].add(link.b)
        neighbours[link.b].add(link.a)
    counted = tuple(replace(node, link_count=len(neighbours[node.id])) for node in nodes.values())
    hidden = {one: len(neighbours[one] - nodes.keys()) for one in nodes if neighbours[one] - nodes.keys()}
    inside = tuple(
        sorted((one for one in links if one.a in nodes and one.b in nodes and _is_worth(one, centre)), key=_order)
    )
    return GraphView(counted, inside, centre if centre in nodes else None, hidden)


def _is_worth(link: GraphLink, centre: NodeId | None) -> bool:
    """Nearly everything came by some app: said of the middle, and where the app is the middle."""
    return NodeKind.APP not in (link.a.kind, link.b.kind) or centre is None or centre in (link.a, link.b)


def _order(link: GraphLink) -> tuple[str, str, str]:
    return link.a.key, link.b.key, link.relation.value


def find_path(connection: Connection, start: NodeId, goal: NodeId) -> GraphPath | None:
    """The way with the fewest links, the stronger ones first among equals; None where there is none that is not made of hubs."""
    came: dict[NodeId, GraphLink | None] = {start: None}
    ring = [start]
    while ring and goal not in came and len(came) < _WALKED_MOST:
        links = sorted(load_links(connection, ring), key=lambda one: -one.strength)
        counts: dict[NodeId, int] = defaultdict(int)
        for link in links:
            counts[link.a] += 1
            counts[link.b] += 1
        ring = []
        for link in links:
            for at, to in ((link.a, link.b), (link.b, link.a)):
                is_known = at in came and (at == start or (counts[at] <= _HUB_LINKS and at.kind is not NodeKind.APP))
                if is_known and to not in came:
                    came[to] = link
                    ring.append(to)
    return _path_back(connection, came, start, goal) if goal in came else None


def _path_back(
    connection: Connection, came: dict[NodeId, GraphLink | None], start: NodeId, goal: NodeId
) -> GraphPath | None:
    order, links = [goal], list[GraphLink]()
    while order[-1] != start:
        link = came[order[-1]]
        assert link is not None
        links.append(link)
        order.append(link.a if link.b == order[-1] else link.b)
    nodes: dict[NodeId, GraphNode] = load_nodes(connection, order)
    if any(one not in nodes for one in order):
        return None
    return GraphPath(tuple(nodes[one] for one in reversed(order)), tuple(reversed(links)))
