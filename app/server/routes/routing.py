"""How a route is declared: method, path, needed scope and endpoint in one value.

Owns the scope check, reading the body once and parsing it safely, and that a route's work is a plain call of the engine,
done off the event loop. Knows no noun of the engine, and not FastAPI, which hot routes do without. Source: QUALITY S1, R10.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

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
Work = TypeVar("Work", bound=Callable[..., object])
_OURS = ("engine", "caller")  # what a route's work gets besides the request's parameters


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


class Routes(list[RouteSpec]):
    """A table of routes, filled by decorating. Each is a function of the engine, the caller where it asks for it, and the
    request's parameters; what it returns is the answer, described by its return type.
    """

    def __call__(
        self,
        method: str,
        path: str,
        scope: Scope,
        summary: str,
        *,
        status: int = 200,
        answers: Any = None,
        media_type: str = "application/json",
        also: str = "",
        waits: bool = False,
    ) -> Callable[[Work], Work]:
        """`answers`: the type of an answer that the work makes itself. `also`: a second path of the same route.

        `waits`: the work waits for a message to be understood, in a thread that no reader needs.
        """

        def add(work: Work) -> Work:
            kind = inspect.signature(work).return_annotation
            shown = answers if kind is Response or answers is not None else kind
            endpoint = _endpoint(work, status, waits=waits)
            code = 204 if kind is None else status
            spec = RouteSpec(method, path, scope, endpoint, summary, shown, code, media_type=media_type)
            self.append(spec)
            if also:
                self.append(replace(spec, path=also, operation_id=f"{work.__name__}_s4"))
            return work

        return add


def _endpoint(work: Callable[..., object], status: int, *, waits: bool) -> Endpoint:
    """`work` as FastAPI takes it: run in a thread of ours, its value written as JSON, nothing as 204."""
    signature = inspect.signature(work)
    takes_caller, is_empty = "caller" in signature.parameters, signature.return_annotation is None

    async def endpoint(request: Request, **given: object) -> Response:
        context = context_of(request)
        if takes_caller:
            given["caller"] = caller_of(request)
        if waits:
            found = await context.offload.capture(partial(work, context.engine, **given))
        else:
            found = await context.offload.run(work, context.engine, **given)
        if isinstance(found, Response):
            return found
        return Response(status_code=204) if is_empty else answer(found, status)

    seen = [one for name, one in signature.parameters.items() if name not in _OURS]
    request = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
    endpoint.__signature__ = signature.replace(parameters=[request, *seen], return_annotation=Response)  # type: ignore[attr-defined]
    endpoint.__name__, endpoint.__doc__ = work.__name__, work.__doc__
    return endpoint
