"""The knowledge graph over HTTP: a part of it, places to begin with, the way between two things. Owns parameter names only.

For the person's own tools: an assistant's token reads memories where the wall is, not here. Source: issue 18 "The graph".
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.errors import InvalidError
from app.server.context import context_of
from app.server.routes.requests import (
    GraphExportBody,
    GraphLinkBody,
    GraphMergeBody,
    GraphUnmergeBody,
    GraphVerdictBody,
)
from app.server.routes.routing import RouteSpec, answer
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
        raise InvalidError(f"“{key}” names no thing of the graph.", hint="As in memory:42 or file:src/a.py.") from error


async def get_graph(
    request: Request,
    around: _Text = "",
    project: _Text = "",
    app: _Text = "",
    depth: Annotated[int, Query(ge=1, le=4)] = 2,
) -> Response:
    """What lies around a thing ("memory:42", "file:src/a.py"); around what matters now when none is named."""
    context = context_of(request)
    graph = context.engine.graph
    if around:
        view = await context.offload.run(graph.around, _node(around), depth=depth)
    else:
        view = await context.offload.run(graph.start, app=app, project=project, depth=depth)
    return answer(card_of(view))


async def find_in_graph(request: Request, q: _Text) -> Response:
    """Things that these words may mean."""
    context = context_of(request)
    return answer(card_of(GraphView(nodes=await context.offload.run(context.engine.graph.find, q))))


async def get_graph_path(
    request: Request,
    start: Annotated[str, Query(alias="from", max_length=4_000)],
    goal: Annotated[str, Query(alias="to", max_length=4_000)],
) -> Response:
    """The shortest way between two things; nothing where there is none."""
    context = context_of(request)
    return answer(card_of(await context.offload.run(context.engine.graph.path, _node(start), _node(goal))))


async def export_graph(request: Request, body: GraphExportBody) -> Response:
    """Writes a part of the graph to a file or a folder on this machine, as the ending says."""
    context = context_of(request)
    graph = context.engine.graph
    view = await context.offload.run(graph.around, _node(body.around), depth=body.depth)
    count = await context.offload.run(graph.export, view, Path(body.path), is_replacing=body.is_replacing)
    return answer(GraphExported(body.path, count))


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


async def draw_link(request: Request, body: GraphLinkBody) -> Response:
    """Joins two things as the person says; the old link's number when they were joined so before."""
    context = context_of(request)
    ends = _node(body.from_id), _node(body.to_id)
    draw = context.engine.graph.draw
    number = await context.offload.run(draw, *ends, body.relation, strength=body.strength, reason=body.reason)
    return answer(GraphLinked(number))


async def judge_link(request: Request, body: GraphVerdictBody) -> Response:
    """Says that a link holds, or that it does not: then it is shown no more, and never proposed again."""
    context = context_of(request)
    graph = context.engine.graph
    act = graph.accept if body.is_accepted else graph.reject
    await context.offload.run(act, _node(body.from_id), _node(body.to_id), body.relation)
    return answer(GraphJudged(body.is_accepted))


async def cut_link(
    request: Request,
    start: Annotated[str, Query(alias="from", max_length=4_000)],
    goal: Annotated[str, Query(alias="to", max_length=4_000)],
    relation: Relation = Relation.RELATED_TO,
) -> Response:
    """Takes the stored link of this kind between two things away; a run may find it again, unlike one that was rejected."""
    context = context_of(request)
    count = await context.offload.run(context.engine.graph.unlink, _node(start), _node(goal), relation)
    return answer(GraphUnlinked(count))


async def list_names(request: Request) -> Response:
    """Names that may mean one thing, the surest first, with what speaks for it. Changes nothing."""
    context = context_of(request)
    return answer(names_of(await context.offload.run(context.engine.graph.same_names)))


async def merge_names(request: Request, body: GraphMergeBody) -> Response:
    """Makes one thing of two names; undo tells them apart again."""
    context = context_of(request)
    await context.offload.run(context.engine.graph.merge_names, body.keep_id, body.gone_id)
    return Response(status_code=204)


async def unmerge_name(request: Request, body: GraphUnmergeBody) -> Response:
    """Makes a thing of its own again of a name that was merged into another."""
    context = context_of(request)
    return answer(GraphUnmerged(await context.offload.run(context.engine.graph.unmerge_name, body.name)))


async def rebuild_graph(request: Request) -> Response:
    """Works out anew what is worked out: found links, and the maps. What a person drew, judged, merged or placed stays."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.graph.rebuild))


ROUTES = (
    RouteSpec("GET", "/v1/graph", Scope.ADMIN, get_graph, "A part of the knowledge graph", GraphCard),
    RouteSpec("GET", "/v1/graph/find", Scope.ADMIN, find_in_graph, "Places to begin with", GraphCard),
    RouteSpec("GET", "/v1/graph/path", Scope.ADMIN, get_graph_path, "The way between two things", GraphCard),
    RouteSpec("POST", "/v1/graph/export", Scope.ADMIN, export_graph, "Write a part of the graph", GraphExported),
    RouteSpec("POST", "/v1/graph/links", Scope.ADMIN, draw_link, "Draw a link between two things", GraphLinked),
    RouteSpec("DELETE", "/v1/graph/links", Scope.ADMIN, cut_link, "Take a link away", GraphUnlinked),
    RouteSpec(
        "GET", "/v1/graph/names", Scope.ADMIN, list_names, "Names that may mean one thing", tuple[SameNames, ...]
    ),
    RouteSpec("POST", "/v1/graph/names/merge", Scope.ADMIN, merge_names, "Make one thing of two names", status=204),
    RouteSpec("POST", "/v1/graph/names/unmerge", Scope.ADMIN, unmerge_name, "Make two things again", GraphUnmerged),
    RouteSpec("POST", "/v1/graph/rebuild", Scope.ADMIN, rebuild_graph, "Rebuild the graph", GraphRebuilt),
    RouteSpec("POST", "/v1/graph/verdict", Scope.ADMIN, judge_link, "Say whether a link holds", GraphJudged),
)
