"""Episodes over HTTP: the time line by project and time, and one whole. Owns parameter names only. Source: S3, S4, issue 17."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import Episode, EpisodeDetail, EpisodeFilter, EpisodeType, NarrativeArc, Scope

NameQuery = Annotated[str | None, Query(max_length=300)]


async def list_episodes(
    request: Request,
    q: Annotated[str, Query(max_length=1_000)] = "",
    project: NameQuery = None,
    app: NameQuery = None,
    since: datetime | None = None,
    until: datetime | None = None,
    type: EpisodeType | None = None,  # noqa: A002 (the name in the address)
    file: Annotated[str, Query(max_length=300)] = "",
    is_key: bool = False,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """What conversations came to, the newest first. `q` takes words and a time: "in March", "last week", "2026-03"."""
    context = context_of(request)
    where = EpisodeFilter(project, since, until, q, type, file, is_key, app)
    return answer(await context.offload.run(context.engine.episodes.list, where, before=before, limit=limit))


async def get_episode(request: Request, episode_id: RowId) -> Response:
    """One episode: its story, its arc in thirds with key moments, what was made, and the memories of its conversations."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.episodes.get, episode_id))


async def get_narrative_arc(request: Request, conversation_id: RowId) -> Response:
    """The moments of a conversation by thirds, and those of a significance of 0.7 and more."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.episodes.narrative_arc, conversation_id))


ROUTES = (
    RouteSpec("GET", "/v1/episodes", Scope.READ, list_episodes, "List episodes", tuple[Episode, ...]),
    RouteSpec("GET", "/v1/episodes/{episode_id}", Scope.READ, get_episode, "Read an episode", EpisodeDetail),
    RouteSpec(
        "GET", "/v1/conversations/{conversation_id}/arc", Scope.READ, get_narrative_arc, "Narrative arc", NarrativeArc
    ),
)
