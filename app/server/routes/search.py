"""Search, its index, and what removes for good: erasing and secrets, over HTTP.

Owns parameter names only; every act is one call of the engine. Source: DESIGN section 6, QUALITY S6, S10.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.memory_requests import EraseBody, EraseScopeBody, ScanBody, SearchQuery
from app.server.routes.routing import RouteSpec, answer
from app.values import EraseReport, FoundAnswer, IndexStatus, RecallQuery, Scope, SecretFinding
from app.values.recall import EmbeddingState


@dataclass(frozen=True, slots=True)
class Rebuilt:
    memory_count: int


async def search_memories(request: Request, query: Annotated[SearchQuery, Query()]) -> Response:
    """Memories and the person's own prompts that fit `q`, best first, each with its reasons; none when nothing fits."""
    context = context_of(request)
    asked = RecallQuery(
        text=query.q,
        context=query.context,
        filters=query.to_filter(),
        recipe=query.recipe,
        limit=query.limit,
        weights=context.engine.search.weights(query.weights),
    )
    return answer(await context.offload.run(context.engine.search.find, asked))


async def get_index_status(request: Request) -> Response:
    """How the search index stands to the store."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.search.status))


async def rebuild_index(request: Request) -> Response:
    """Writes the search index anew from the store."""
    context = context_of(request)
    return answer(Rebuilt(await context.offload.run(context.engine.search.rebuild)))


async def erase_memories(request: Request, body: EraseBody) -> Response:
    """Removes memories from everywhere; cannot be undone."""
    context = context_of(request)
    report = await context.offload.run(
        context.engine.memories.erase,
        body.ids,
        includes_backups=body.includes_backups,
        erase_messages=body.erase_messages,
    )
    return answer(report)


async def erase_everything_of(request: Request, body: EraseScopeBody) -> Response:
    """Removes all messages and memories of a conversation, project, app or time span; cannot be undone."""
    context = context_of(request)
    erase = context.engine.memories.erase_everything_of
    return answer(await context.offload.run(erase, **dict(body)))


async def scan_secrets(request: Request, body: ScanBody) -> Response:
    """Finds secrets in what was stored before today's rules; `purge` takes them out for good."""
    context = context_of(request)
    scan = context.engine.memories.scan_secrets
    found = await context.offload.run(scan, purge=body.purge, includes_backups=body.includes_backups)
    return answer(found)


async def get_meaning(request: Request) -> Response:
    """How it stands with searching by meaning: the model that answers, and the one that takes its place."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.search.meaning))


async def reembed(request: Request) -> Response:
    """Works vectors out anew with the model that the settings name, in the background; what was stopped goes on."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.search.reembed), 202)


async def stop_reembedding(request: Request) -> Response:
    """Ends that; the vectors that answered before go on answering."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.search.stop_reembedding))


ROUTES = (
    RouteSpec("GET", "/v1/search", Scope.READ, search_memories, "Search memories and prompts", FoundAnswer),
    RouteSpec("GET", "/v1/search/status", Scope.READ, get_index_status, "State of the index", IndexStatus),
    RouteSpec("POST", "/v1/search/rebuild", Scope.ADMIN, rebuild_index, "Rebuild the index", Rebuilt),
    RouteSpec("GET", "/v1/search/meaning", Scope.READ, get_meaning, "State of search by meaning", EmbeddingState),
    RouteSpec("POST", "/v1/search/meaning", Scope.ADMIN, reembed, "Compute vectors again", EmbeddingState, status=202),
    RouteSpec(
        "POST", "/v1/search/meaning/stop", Scope.ADMIN, stop_reembedding, "Stop working vectors out", EmbeddingState
    ),
    RouteSpec("POST", "/v1/memories/erase", Scope.ADMIN, erase_memories, "Erase memories", EraseReport),
    RouteSpec("POST", "/v1/erase", Scope.ADMIN, erase_everything_of, "Erase everything of …", EraseReport),
    RouteSpec("POST", "/v1/secrets/scan", Scope.ADMIN, scan_secrets, "Find secrets", tuple[SecretFinding, ...]),
)
