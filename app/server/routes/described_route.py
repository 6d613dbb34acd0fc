"""A route as FastAPI knows it: parameters validated and everything described from one RouteSpec.

Owns what the description says of refusals and content types. Knows no noun of the engine.
"""

import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.server.problems import PROBLEM_TYPE
from app.server.routes.routing import RouteSpec, serve

_NAMED = re.compile(r"\{(\w+)\}")


class ScopedRoute(APIRoute):
    """A FastAPI route that first asks whether the caller may, then reads the body, then runs."""

    def __init__(self, spec: RouteSpec) -> None:
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
            response_model=spec.answers,
            status_code=spec.status,
            openapi_extra=extra,
            responses=_refusals(spec),
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


def _refusals(spec: RouteSpec) -> dict[int | str, dict[str, Any]]:
    statuses = [400, 403, 404, 408, 409, 413, 415, 421, 422, 503] + ([401] if spec.scope else [])
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": "Refused", "content": {PROBLEM_TYPE: {"schema": schema}}} for status in sorted(statuses)
    }
