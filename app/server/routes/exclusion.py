"""Exclusion rules over HTTP: only the person sees and changes them, since they name what nobody shall read.

Owns parameter names only; every act is one call of the engine. Source: UX 4.10.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import ExclusionBody, ExclusionTestBody, RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import ExclusionRule, Scope


@dataclass(frozen=True, slots=True)
class MadeExclusion:
    id: int


@dataclass(frozen=True, slots=True)
class ExclusionVerdict:
    is_excluded: bool


async def list_exclusions(request: Request) -> Response:
    """What is never captured, with how much each rule kept out."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.rules.exclusions))


async def add_exclusion(request: Request, body: ExclusionBody) -> Response:
    """From now on nothing from this folder, or with these words, is captured; what is stored stays."""
    context = context_of(request)
    return answer(MadeExclusion(await context.offload.run(context.engine.rules.exclude, body.kind, body.text)), 201)


async def remove_exclusion(request: Request, rule_id: RowId) -> Response:
    """Takes an exclusion rule away."""
    context = context_of(request)
    await context.offload.run(context.engine.rules.remove_exclusion, rule_id)
    return Response(status_code=204)


async def check_exclusion(request: Request, body: ExclusionTestBody) -> Response:
    """Whether a message with this text, typed in this folder, would be kept out. Keeps and counts nothing."""
    context = context_of(request)
    is_excluded = await context.offload.run(context.engine.rules.is_excluded, body.text, folder=body.folder)
    return answer(ExclusionVerdict(is_excluded))


_ALL = "/v1/exclusions"
ROUTES = (
    RouteSpec("GET", _ALL, Scope.ADMIN, list_exclusions, "List exclusion rules", tuple[ExclusionRule, ...]),
    RouteSpec("POST", _ALL, Scope.ADMIN, add_exclusion, "Exclude", MadeExclusion, status=201),
    RouteSpec("POST", f"{_ALL}/test", Scope.ADMIN, check_exclusion, "Test exclusion", ExclusionVerdict),
    RouteSpec("DELETE", f"{_ALL}/{{rule_id}}", Scope.ADMIN, remove_exclusion, "Remove an exclusion", status=204),
)
