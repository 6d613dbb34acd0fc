"""Which neighbours of a node are worth a place in the picture. Pure.

A picture of tens of nodes says something, one of hundreds nothing: so of each kind the strongest, the kinds in turn.
Source: UX 4.5 "Start focused", issue 18 "never on a hairball".
"""

from collections import defaultdict
from collections.abc import Iterable

from app.values.graph import GraphLink, NodeId, NodeKind

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
