"""Reading along over HTTP: on demand, what would be sent, how it stands, what was read. Owns parameter names only. Source: JUDGE "On demand"."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.inbox_routes import LimitQuery
from app.server.requests import JudgeBody
from app.server.routing import RouteSpec, answer
from app.values import Scope
from app.values.desk import JudgePlan
from app.values.judge import JudgeReading, JudgeReadingDetail, JudgeState


@dataclass(frozen=True, slots=True)
class JudgeQueued:
    pending: int  # requests queued or running


@dataclass(frozen=True, slots=True)
class JudgeReadings:
    readings: tuple[JudgeReading, ...]


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


async def judge_state(request: Request) -> Response:
    """How it stands with reading along, with today's totals."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.judge.state))


async def list_judge_readings(request: Request, limit: LimitQuery = 100, before_id: int | None = None) -> Response:
    """The requests that were made, newest first: who read, what it cost, what came of it. Holds no text of a message."""
    context = context_of(request)
    found = await context.offload.run(context.engine.judge.readings, limit=limit, before_id=before_id)
    return answer({"readings": found})


async def get_judge_reading(request: Request, reading_id: int) -> Response:
    """One of them: the prompts that were read as far as they are kept, and the memories that came of it."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.judge.reading, reading_id))


ROUTES = (
    RouteSpec("GET", "/v1/judge", Scope.ADMIN, judge_state, "How it stands with reading along", JudgeState),
    RouteSpec("GET", "/v1/judge/readings", Scope.ADMIN, list_judge_readings, "What was read", JudgeReadings),
    RouteSpec(
        "GET", "/v1/judge/readings/{reading_id}", Scope.ADMIN, get_judge_reading, "One reading", JudgeReadingDetail
    ),
    RouteSpec("POST", "/v1/judge", Scope.ADMIN, read_along, "Read along now", JudgeQueued | JudgePlan, status=202),
)
