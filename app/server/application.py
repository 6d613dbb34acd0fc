"""The whole API in FastAPI: route table, error answers and description, with parameters validated and described from one RouteSpec.

Built behind the hot routes (`front`), which the first event does not wait for. Knows nothing of sockets and threads. Source: DESIGN
section 6.
"""

import re
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import __version__
from app.errors import RemanenceError
from app.server.problems import PROBLEM_TYPE, explain, on_bug, on_http_error, on_remanence_error, problem
from app.server.routes import (
    admin,
    archive,
    capture,
    change_stream,
    consolidation,
    context,
    contradiction,
    conversation,
    graph,
    hello,
    inbox,
    journal,
    judge,
    memory,
    note,
    rule,
    search,
)  # fmt: skip
from app.server.routes.routing import RouteSpec, serve

_NAMED = re.compile(r"\{(\w+)\}")


class ScopedRoute(APIRoute):
    """A FastAPI route that first asks whether the caller may, then reads the body, then runs.

    What it answers is worked out only where it `is_described`: an endpoint answers with a Response, and the validators of all answers
    take ten megabytes.
    """

    def __init__(self, spec: RouteSpec, *, is_described: bool = False) -> None:
        self.spec = spec
        extra: dict[str, Any] = {"x-scope": spec.scope.value if spec.scope else "public"}
        if spec.scope is None:
            extra["security"] = []
        if spec.body_schema:
            extra["parameters"] = _parameters(spec)
            extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": spec.body_schema}}}
        super().__init__(
            spec.path,
            spec.endpoint,
            methods=[spec.method],
            summary=spec.summary,
            response_model=spec.answers if is_described else None,
            status_code=spec.status,
            openapi_extra=extra,
            responses=_refusals(is_open=spec.scope is None) if is_described else None,
            response_class=_response_class(spec.media_type),
            operation_id=spec.operation_id or spec.endpoint.__name__,
        )

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        run = super().get_route_handler()
        spec = self.spec

        async def handle(request: Request) -> Response:
            return await serve(spec, request, spec.endpoint if spec.body_schema else run)

        return handle


def _response_class(media_type: str) -> type[Response]:
    """What FastAPI asks for the content type of an answer; "" is an answer without content."""
    if media_type == "application/json":
        return JSONResponse
    return type("DescribedResponse", (Response,), {"media_type": media_type or None})


def _parameters(spec: RouteSpec) -> list[dict[str, Any]]:
    """What an endpoint that reads its request itself takes from path and query; FastAPI sees none of it."""
    places = [(name, "path") for name in _NAMED.findall(spec.path)] + [(name, "query") for name in spec.query]
    return [
        {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}} for name, place in places
    ]


def _refusals(*, is_open: bool) -> dict[int | str, dict[str, Any]]:
    statuses = [400, 403, 404, 408, 409, 413, 415, 421, 422, 503] + ([] if is_open else [401])
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": "Refused", "content": {PROBLEM_TYPE: {"schema": schema}}} for status in sorted(statuses)
    }


ROUTES: tuple[RouteSpec, ...] = (
    *hello.ROUTES, *change_stream.ROUTES, *capture.ROUTES, *inbox.routes, *conversation.routes, *search.routes,
    *consolidation.routes, *context.routes, *memory.routes, *journal.routes, *contradiction.routes, *judge.routes,
    *archive.routes, *graph.routes, *note.routes, *rule.routes, *admin.routes,
)  # fmt: skip
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
        described = [ScopedRoute(spec, is_described=True) for spec in ROUTES]
        schema = get_openapi(title=api.title, version=api.version, routes=described)
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
        [(body, "validation") for body in capture.BODIES], ref_template="#/components/schemas/{model}"
    )
    definitions: Mapping[str, Any] = found["$defs"]
    return definitions
