"""Contradictions over HTTP: the paths and bodies of [S4], and the way back. Owns field names only.

[S4] names its paths without a version: they and those under /v1 are the same routes. Source: S4 "API Endpoints", DESIGN section 6.
"""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import Contradiction, ContradictionDetail, Resolution, ResolutionRequest, Scope


class ResolveBody(BaseModel):
    """`scope_a`, `scope_b`: where a side holds, for both_valid; `text`: the one text, for merged; `since`: when the loser ended."""

    model_config = ConfigDict(extra="forbid")
    resolution: Resolution
    note: str = Field("", max_length=1_000)
    text: str = Field("", max_length=20_000)
    scope_a: str = Field("", max_length=120)
    scope_b: str = Field("", max_length=120)
    since: AwareDatetime | None = None

    def to_request(self) -> ResolutionRequest:
        return ResolutionRequest(self.resolution, self.note, self.text, self.scope_a, self.scope_b, self.since)


async def list_contradictions(
    request: Request,
    status: Literal["open", "resolved", "dismissed", "all"] = "open",
    project: Annotated[str, Query(max_length=4_096)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Response:
    """Two memories that cannot both hold: open ones by what they would change, then the newest resolved ones."""
    context = context_of(request)
    found = await context.offload.run(context.engine.contradictions.list, status, project=project, limit=limit)
    return answer(found)


async def get_contradiction(request: Request, contradiction_id: RowId) -> Response:
    """One with both sides whole, the suggestion, and what each answer would do."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.contradictions.get, contradiction_id))


async def resolve_contradiction(request: Request, contradiction_id: RowId, body: ResolveBody) -> Response:
    """The person's answer: a_wins, b_wins, both_valid, merged or dismissed. One entry of the journal, one undo."""
    context = context_of(request)
    resolve = context.engine.contradictions.resolve
    return answer(await context.offload.run(resolve, contradiction_id, body.to_request()))


async def reopen_contradiction(request: Request, contradiction_id: RowId) -> Response:
    """Open again: both sides hold until the person decides."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.contradictions.reopen, contradiction_id))


_ONE = "/v1/contradictions/{contradiction_id}"
_SPECS = (
    RouteSpec(
        "GET",
        "/v1/contradictions",
        Scope.READ,
        list_contradictions,
        "List contradictions",
        tuple[Contradiction, ...],
    ),
    RouteSpec("GET", _ONE, Scope.READ, get_contradiction, "One contradiction", ContradictionDetail),
    RouteSpec("POST", f"{_ONE}/resolve", Scope.ADMIN, resolve_contradiction, "Resolve one", Contradiction),
    RouteSpec("POST", f"{_ONE}/reopen", Scope.ADMIN, reopen_contradiction, "Open one again", Contradiction),
)
ROUTES = (
    *_SPECS,
    *(
        replace(spec, path=spec.path.removeprefix("/v1"), operation_id=f"{spec.endpoint.__name__}_s4")
        for spec in _SPECS
    ),
)
