"""Puts the ASGI application together: route table, error answers, guard and description.

Owns the order of things only. Knows nothing of sockets and threads of its own. Source: DESIGN section 6.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from app import __version__
from app.errors import RemanenceError
from app.server import admin_routes, capture_routes, conversation_routes, journal_routes, observe_routes
from app.server.context import ServerContext
from app.server.guard import AsgiApp, Guard
from app.server.problems import on_bug, on_http_error, on_invalid_request, on_remanence_error
from app.server.routing import ENVELOPE_BYTES, RouteSpec, ScopedRoute

ROUTES: tuple[RouteSpec, ...] = (
    *observe_routes.ROUTES,
    *capture_routes.ROUTES,
    *conversation_routes.ROUTES,
    *journal_routes.ROUTES,
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


def build_app(context: ServerContext) -> AsgiApp:
    """The guarded application over `context`."""
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
    api.state.context = context
    api.router.routes[:] = [ScopedRoute(spec) for spec in ROUTES]
    api.openapi = lambda: _describe(api)  # type: ignore[method-assign]

    async def identify(header: bytes | None) -> Any:
        return context.callers.recall(header) or await context.offload.run(context.callers.identify, header)

    return Guard(
        api,
        identify=identify,
        max_body_bytes=lambda: context.engine.settings.current.max_message_bytes + ENVELOPE_BYTES,
    )


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
