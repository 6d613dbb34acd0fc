"""How a route is declared: method, path, needed scope and endpoint in one value; FastAPI makes the description.

Owns the scope check, reading the body once and parsing it safely. Knows no noun of the engine. Source: QUALITY S1, R10.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from fastapi.routing import APIRoute
from pydantic_core import to_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from app.errors import InvalidError
from app.interop.safe_json import parse_json
from app.server.context import caller_of, context_of, engine_of
from app.server.problems import PROBLEM_TYPE, Refusal
from app.values import Scope

MAX_JSON_DEPTH = 64
SMALL_BYTES = 32_768  # parsed in place; anything larger would hold up the other clients
ENVELOPE_BYTES = 65_536  # the JSON around the largest message that settings allow

Endpoint = Callable[..., Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """One line of the route table. `scope` None is public; `is_raw` takes the body as bytes, unparsed."""

    method: str
    path: str
    scope: Scope | None
    endpoint: Endpoint
    summary: str
    answers: Any = None  # the type of the answer, for the description
    status: int = 200
    is_raw: bool = False
    body_schema: dict[str, Any] = field(default_factory=dict)  # for endpoints that read the body themselves
    media_type: str = "application/json"


class CheckedRequest(Request):
    """A request whose body was read within the limit and, unless raw, parsed by our own parser."""

    _parsed: Any = None
    _is_parsed = False

    async def load(self, *, is_raw: bool) -> None:
        raw = await self.body()
        if is_raw or not raw:
            return
        if self.method not in {"POST", "PUT", "PATCH"}:
            raise Refusal(400, "body", "This address takes no body.")
        try:
            limit = max_body_bytes(self)
            if len(raw) <= SMALL_BYTES:
                self._parsed = parse_json(raw, max_bytes=limit, max_depth=MAX_JSON_DEPTH)
            else:
                offload = context_of(self).offload
                self._parsed = await offload.run(parse_json, raw, max_bytes=limit, max_depth=MAX_JSON_DEPTH)
        except InvalidError as error:
            raise Refusal(400, "json", str(error), hint=error.hint) from error
        self._is_parsed = True

    async def json(self) -> Any:
        return self._parsed if self._is_parsed else await super().json()


class ScopedRoute(APIRoute):
    """A FastAPI route that first asks whether the caller may, then reads the body, then runs."""

    def __init__(self, spec: RouteSpec) -> None:
        self.spec = spec
        extra: dict[str, Any] = {"x-scope": spec.scope.value if spec.scope else "public"}
        if spec.scope is None:
            extra["security"] = []
        if spec.body_schema:
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
            operation_id=spec.endpoint.__name__,
        )

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        run = super().get_route_handler()
        spec = self.spec

        async def handle(request: Request) -> Response:
            if spec.scope is not None:
                caller_of(request).need(spec.scope)
            checked = CheckedRequest(request.scope, request.receive)
            try:
                await checked.load(is_raw=spec.is_raw)
            except ClientDisconnect:
                return Response(status_code=400)  # nobody is there to read it
            return await (spec.endpoint(checked) if spec.body_schema else run(checked))

        return handle


def max_body_bytes(request: Request) -> int:
    return engine_of(request).settings.current.max_message_bytes + ENVELOPE_BYTES


def answer(value: object, status: int = 200) -> Response:
    """`value` as JSON: dataclasses, instants, enums, sets and paths included."""
    return Response(to_json(value), status, media_type="application/json")


def _response_class(media_type: str) -> type[Response]:
    """What FastAPI asks for the content type of an answer; "" is an answer without content."""
    if media_type == "application/json":
        return JSONResponse
    return type("DescribedResponse", (Response,), {"media_type": media_type or None})


def _refusals(spec: RouteSpec) -> dict[int | str, dict[str, Any]]:
    statuses = [400, 403, 404, 408, 409, 413, 415, 421, 422, 503] + ([401] if spec.scope else [])
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": "Refused", "content": {PROBLEM_TYPE: {"schema": schema}}} for status in sorted(statuses)
    }
