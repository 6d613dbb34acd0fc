"""The whole API in FastAPI: route table, error answers and description.

Owns the order of things only, and is built behind the hot routes (`front`), which the first event does not wait for.
Knows nothing of sockets and threads. Source: DESIGN section 6.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app import __version__
from app.errors import RemanenceError
from app.server.problems import explain, on_bug, on_http_error, on_remanence_error, problem
from app.server.routes import admin as admin_routes
from app.server.routes import archive as archive_routes
from app.server.routes import capture as capture_routes
from app.server.routes import consolidation as consolidation_routes
from app.server.routes import context as context_routes
from app.server.routes import contradiction as contradiction_routes
from app.server.routes import conversation as conversation_routes
from app.server.routes import energy as energy_routes
from app.server.routes import episode as episode_routes
from app.server.routes import exclusion as exclusion_routes
from app.server.routes import graph as graph_routes
from app.server.routes import hello as hello_routes
from app.server.routes import inbox as inbox_routes
from app.server.routes import journal as journal_routes
from app.server.routes import judge as judge_routes
from app.server.routes import memory as memory_routes
from app.server.routes import note as note_routes
from app.server.routes import observe as observe_routes
from app.server.routes import practice as practice_routes
from app.server.routes import rule as rule_routes
from app.server.routes import search as search_routes
from app.server.routes.described_route import ScopedRoute
from app.server.routes.routing import RouteSpec

ROUTES: tuple[RouteSpec, ...] = (
    *hello_routes.ROUTES,
    *observe_routes.ROUTES,
    *capture_routes.ROUTES,
    *inbox_routes.ROUTES,
    *conversation_routes.ROUTES,
    *search_routes.ROUTES,
    *consolidation_routes.ROUTES,
    *context_routes.ROUTES,
    *memory_routes.ROUTES,
    *journal_routes.ROUTES,
    *contradiction_routes.ROUTES,
    *judge_routes.ROUTES,
    *archive_routes.ROUTES,
    *graph_routes.ROUTES,
    *energy_routes.ROUTES,
    *episode_routes.ROUTES,
    *note_routes.ROUTES,
    *exclusion_routes.ROUTES,
    *practice_routes.ROUTES,
    *rule_routes.ROUTES,
    *admin_routes.ROUTES,
)
_PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "hint", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "hint": {"type": "string"},
        "code": {"type": "string"},
    },
}


@cache
def build_api() -> FastAPI:
    """All routes, validated and described: once a process, since a request brings its engine along. Takes a tenth of a second."""
    api = FastAPI(
        title="Remanence",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers={
            RemanenceError: on_remanence_error,
            HTTPException: on_http_error,
            RequestValidationError: on_invalid_request,
            Exception: on_bug,
        },
    )
    api.router.routes[:] = [ScopedRoute(spec) for spec in ROUTES]
    api.openapi = lambda: _describe(api)  # type: ignore[method-assign]
    return api


async def on_invalid_request(_request: Request, error: Exception) -> Response:
    """A body or parameter of the wrong shape: names the place, never repeats the value."""
    assert isinstance(error, RequestValidationError)
    return problem(422, "invalid", explain(error.errors()), hint="GET /openapi.json describes every request.")


def _describe(api: FastAPI) -> dict[str, Any]:
    if api.openapi_schema is None:
        schema = get_openapi(title=api.title, version=api.version, routes=api.routes)
        parts = schema.setdefault("components", {})
        schemas = parts.setdefault("schemas", {})
        schemas["Problem"] = _PROBLEM_SCHEMA
        schemas.update(_body_schemas())
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        api.openapi_schema = schema
    return api.openapi_schema


def _body_schemas() -> Mapping[str, Any]:
    """Schemas of the bodies that hot routes read by themselves, which FastAPI therefore does not see."""
    _, found = models_json_schema(
        [(body, "validation") for body in capture_routes.BODIES], ref_template="#/components/schemas/{model}"
    )
    definitions: Mapping[str, Any] = found["$defs"]
    return definitions
