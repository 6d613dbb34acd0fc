"""Search, its index, and what removes for good: erasing and secrets, over HTTP.

Owns parameter names only; every act is one call of the engine. Source: DESIGN section 6, QUALITY S6, S10.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query

from app.api import Engine
from app.server.routes.memory_requests import EraseBody, EraseScopeBody, ScanBody, SearchQuery
from app.server.routes.routing import Routes
from app.values import EraseReport, FoundAnswer, IndexStatus, RecallQuery, Scope, SecretFinding
from app.values.recall import EmbeddingState


@dataclass(frozen=True, slots=True)
class Rebuilt:
    memory_count: int


routes = Routes()


@routes("GET", "/v1/search", Scope.READ, "Search memories and prompts")
def search_memories(engine: Engine, query: Annotated[SearchQuery, Query()]) -> FoundAnswer:
    """Memories and the person's own prompts that match `q`, best first, each with its reasons; none when nothing matches."""
    asked = RecallQuery(
        text=query.q,
        context=query.context,
        filters=query.to_filter(),
        recipe=query.recipe,
        limit=query.limit,
        weights=engine.search.weights(query.weights),
    )
    return engine.search.find(asked)


@routes("GET", "/v1/search/status", Scope.READ, "State of the index")
def get_index_status(engine: Engine) -> IndexStatus:
    """Whether the search index is up to date with the store."""
    return engine.search.status()


@routes("POST", "/v1/search/rebuild", Scope.ADMIN, "Rebuild the index")
def rebuild_index(engine: Engine) -> Rebuilt:
    """Rebuilds the search index from the store."""
    return Rebuilt(engine.search.rebuild())


@routes("GET", "/v1/search/meaning", Scope.READ, "State of search by meaning")
def get_meaning(engine: Engine) -> EmbeddingState:
    """The model that search by meaning uses, and the one that is being prepared to replace it."""
    return engine.search.meaning()


@routes("POST", "/v1/search/meaning", Scope.ADMIN, "Prepare search by meaning again", status=202)
def reembed(engine: Engine) -> EmbeddingState:
    """Computes the vectors again with the model that the settings name, in the background; what was stopped is continued."""
    return engine.search.reembed()


@routes("POST", "/v1/search/meaning/stop", Scope.ADMIN, "Stop preparing search by meaning")
def stop_reembedding(engine: Engine) -> EmbeddingState:
    """Stops it; search continues to use the earlier vectors."""
    return engine.search.stop_reembedding()


@routes("POST", "/v1/memories/erase", Scope.ADMIN, "Erase memories")
def erase_memories(engine: Engine, body: EraseBody) -> EraseReport:
    """Removes memories from everywhere; cannot be undone."""
    return engine.memories.erase(body.ids, includes_backups=body.includes_backups, erase_messages=body.erase_messages)


@routes("POST", "/v1/erase", Scope.ADMIN, "Erase everything of …")
def erase_everything_of(engine: Engine, body: EraseScopeBody) -> EraseReport:
    """Removes all messages and memories of a conversation, project, app or time span; cannot be undone."""
    return engine.memories.erase_everything_of(**dict(body))


@routes("POST", "/v1/secrets/scan", Scope.ADMIN, "Find secrets")
def scan_secrets(engine: Engine, body: ScanBody) -> tuple[SecretFinding, ...]:
    """Finds secrets in what was stored before today's rules; `purge` removes them for good."""
    return engine.memories.scan_secrets(purge=body.purge, includes_backups=body.includes_backups)
