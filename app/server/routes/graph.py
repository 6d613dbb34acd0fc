"""The knowledge graph over HTTP: a part of it, places to begin with, the way between two things. Owns parameter names only.

For the person's own tools: an assistant's token reads memories where the wall is, not here. Source: issue 18 "The graph".
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from app.api import Engine
from app.errors import InvalidError
from app.server.routes.requests import (
    GraphExportBody,
    GraphLinkBody,
    GraphMergeBody,
    GraphUnmergeBody,
    GraphVerdictBody,
)
from app.server.routes.routing import Routes, answer
from app.values import Scope
from app.values.graph import GraphCard, GraphRebuilt, GraphView, NodeId, Relation, SameNames, card_of, names_of


@dataclass(frozen=True, slots=True)
class GraphExported:
    path: str
    file_count: int


_Text = Annotated[str, Query(max_length=4_000)]


def _node(key: str) -> NodeId:
    try:
        return NodeId.parse(key)
    except ValueError as error:
        raise InvalidError(f"“{key}” is not in the graph.", hint="As in memory:42 or file:src/a.py.") from error


@dataclass(frozen=True, slots=True)
class GraphLinked:
    link_id: int


@dataclass(frozen=True, slots=True)
class GraphUnlinked:
    removed_count: int


@dataclass(frozen=True, slots=True)
class GraphUnmerged:
    entity_id: int


@dataclass(frozen=True, slots=True)
class GraphJudged:
    is_accepted: bool


routes = Routes()


@routes("GET", "/v1/graph", Scope.ADMIN, "A part of the knowledge graph")
def get_graph(
    engine: Engine,
    around: _Text = "",
    project: _Text = "",
    app: _Text = "",
    depth: Annotated[int, Query(ge=1, le=4)] = 2,
) -> GraphCard:
    """What is linked to a thing ("memory:42", "file:src/a.py"); around what matters now when none is named."""
    graph = engine.graph
    view = graph.around(_node(around), depth=depth) if around else graph.start(app=app, project=project, depth=depth)
    return card_of(view)


@routes("GET", "/v1/graph/find", Scope.ADMIN, "Places to begin with")
def find_in_graph(engine: Engine, q: _Text) -> GraphCard:
    """Things that these words may mean."""
    return card_of(GraphView(nodes=engine.graph.find(q)))


@routes("GET", "/v1/graph/path", Scope.ADMIN, "The path between two things")
def get_graph_path(
    engine: Engine,
    start: Annotated[str, Query(alias="from", max_length=4_000)],
    goal: Annotated[str, Query(alias="to", max_length=4_000)],
) -> GraphCard:
    """The shortest path between two things; empty if there is none."""
    return card_of(engine.graph.path(_node(start), _node(goal)))


@routes("POST", "/v1/graph/export", Scope.ADMIN, "Write a part of the graph")
def export_graph(engine: Engine, body: GraphExportBody) -> GraphExported:
    """Writes a part of the graph to a file or a folder on this machine, as the ending says."""
    graph = engine.graph
    view = graph.around(_node(body.around), depth=body.depth)
    count = graph.export(view, Path(body.path), is_replacing=body.is_replacing)
    return GraphExported(body.path, count)


@routes("POST", "/v1/graph/links", Scope.ADMIN, "Draw a link between two things")
def draw_link(engine: Engine, body: GraphLinkBody) -> GraphLinked:
    """Joins two things as the person says; the old link's number when they were joined so before."""
    ends = _node(body.from_id), _node(body.to_id)
    number = engine.graph.draw(*ends, body.relation, strength=body.strength, reason=body.reason)
    return GraphLinked(number)


@routes("DELETE", "/v1/graph/links", Scope.ADMIN, "Remove a link")
def cut_link(
    engine: Engine,
    start: Annotated[str, Query(alias="from", max_length=4_000)],
    goal: Annotated[str, Query(alias="to", max_length=4_000)],
    relation: Relation = Relation.RELATED_TO,
) -> GraphUnlinked:
    """Removes the stored link of this kind between two things. Consolidation may find it again, unlike one that was rejected."""
    count = engine.graph.unlink(_node(start), _node(goal), relation)
    return GraphUnlinked(count)


@routes("GET", "/v1/graph/names", Scope.ADMIN, "Names that may mean one thing")
def list_names(engine: Engine) -> tuple[SameNames, ...]:
    """Names that may mean the same thing, the surest first, with the evidence. Changes nothing."""
    return names_of(engine.graph.same_names())


@routes("POST", "/v1/graph/names/merge", Scope.ADMIN, "Merge two names")
def merge_names(engine: Engine, body: GraphMergeBody) -> None:
    """Merges two names that mean the same; can be undone."""
    engine.graph.merge_names(body.keep_id, body.gone_id)


@routes("POST", "/v1/graph/names/unmerge", Scope.ADMIN, "Undo a merge of names")
def unmerge_name(engine: Engine, body: GraphUnmergeBody) -> GraphUnmerged:
    """Separates a name again that was merged into another."""
    return GraphUnmerged(engine.graph.unmerge_name(body.name))


@routes("POST", "/v1/graph/rebuild", Scope.ADMIN, "Rebuild the graph", answers=GraphRebuilt)
def rebuild_graph(engine: Engine) -> Response:
    """Finds links and computes the maps again. What a person drew, judged, merged or placed stays."""
    return answer(engine.graph.rebuild())


@routes("POST", "/v1/graph/verdict", Scope.ADMIN, "Say whether a link is right")
def judge_link(engine: Engine, body: GraphVerdictBody) -> GraphJudged:
    """Says that a link is right, or that it is wrong: then it is no longer shown and never proposed again."""
    graph = engine.graph
    act = graph.accept if body.is_accepted else graph.reject
    act(_node(body.from_id), _node(body.to_id), body.relation)
    return GraphJudged(body.is_accepted)
