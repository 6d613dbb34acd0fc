"""Reading along over HTTP: on demand, and what would be sent. Owns parameter names only. Source: JUDGE "On demand"."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.requests import JudgeBody
from app.server.routing import RouteSpec, answer
from app.values import Scope
from app.values.desk import JudgePlan


@dataclass(frozen=True, slots=True)
class JudgeQueued:
    pending: int  # requests queued or running


async def read_along(request: Request, body: JudgeBody | None = None) -> Response:
    """Lets the model that the person chose read all unread prompts, in the background; with `dry_run` tells what it would be sent."""
    context = context_of(request)
    wanted = body or JudgeBody()
    judge = context.engine.judge
    if wanted.dry_run:
        return answer(await context.offload.run(judge.plan, project=wanted.project, since=wanted.since))
    if wanted.references_of is not None:
        return answer(JudgeQueued(await context.offload.run(judge.read_references, wanted.references_of)), 202)
    return answer(JudgeQueued(await context.offload.run(judge.read, project=wanted.project, since=wanted.since)), 202)


ROUTES = (
    RouteSpec("POST", "/v1/judge", Scope.ADMIN, read_along, "Read along now", JudgeQueued | JudgePlan, status=202),
)
