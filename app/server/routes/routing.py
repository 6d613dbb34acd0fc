"""How a route is declared: method, path, needed scope and endpoint in one value.

Owns the scope check, reading the body once and parsing it safely. Knows no noun of the engine, and not FastAPI, which
hot routes do without. Source: QUALITY S1, R10.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from app.errors import InvalidError
from app.interop.safe_json import parse_json
from app.server.context import caller_of, context_of, engine_of
from app.server.problems import Refusal
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
    query: tuple[str, ...] = ()  # names of parameters that such an endpoint reads, too
    media_type: str = "application/json"
    operation_id: str = ""  # "" = the endpoint's name; the same endpoint at a second path needs its own


class CheckedRequest(Request):
    """A request whose body was read within the limit and, unless raw, parsed by our own parser."""

    _parsed: Any = None
    _is_parsed = False

    async def load(self, *, is_raw: bool) -> None:
        raw = await self.body()
        if is_raw or not raw:
            return
        if self.method not in {"POST", "PUT", "PATCH"}:
            raise Refusal(400, "body", "This address takes no body.", hint="Send it without one.")
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
        if not self._is_parsed:
            raise Refusal(400, "json", "The request has no body.", hint="Send one JSON object.")
        return self._parsed


async def serve(spec: RouteSpec, request: Request, run: Endpoint) -> Response:
    """What `run` answers, once the caller may and the body is read and parsed. Raises RemanenceError."""
    if spec.scope is not None:
        caller_of(request).need(spec.scope)
    checked = CheckedRequest(request.scope, request.receive)
    try:
        await checked.load(is_raw=spec.is_raw)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody is there to read it
    return await run(checked)


def max_body_bytes(request: Request) -> int:
    return engine_of(request).settings.current.max_message_bytes + ENVELOPE_BYTES


def answer(value: object, status: int = 200) -> Response:
    """`value` as JSON: dataclasses, instants, enums, sets and paths included."""
    return Response(to_json(value), status, media_type="application/json")
