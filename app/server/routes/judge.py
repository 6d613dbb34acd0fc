"""Reading along over HTTP: who may, on demand, what would be sent, how it stands, what was read, once more, no further.

Owns parameter names only. Source: JUDGE "On demand", "The yes", "The meter".
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from app.errors import InvalidError
from app.server.context import context_of
from app.server.routes.inbox import LimitQuery
from app.server.routes.requests import JudgeBody, JudgeChoiceBody
from app.server.routes.routing import RouteSpec, answer
from app.values import Scope
from app.values.desk import JudgePlan
from app.values.judge import JudgeChoice, JudgeReading, JudgeReadingDetail, JudgeState


@dataclass(frozen=True, slots=True)
class JudgeQueued:
    pending: int  # requests queued or running


@dataclass(frozen=True, slots=True)
class JudgeReadings:
    readings: tuple[JudgeReading, ...]


@dataclass(frozen=True, slots=True)
class JudgeChoices:
    """Who could read along, found or not, the first choice first. `chosen`: who does, "off" for nobody."""

    choices: tuple[JudgeChoice, ...]
    chosen: str
    is_question_open: bool  # the person was not asked yet


async def read_along(request: Request, body: JudgeBody | None = None) -> Response:
    """Lets the model that the person chose read all unread prompts, in the background; with `dry_run` tells what it would be sent."""
    context = context_of(request)
    wanted = body or JudgeBody()
    judge = context.engine.judge
    if wanted.dry_run:
        return answer(await context.offload.run(judge.plan, project=wanted.project, since=wanted.since))
    if wanted.references_of is not None:
        return answer(JudgeQueued(await context.offload.run(judge.read_references, wanted.references_of)), 202)
    if wanted.levels:
        return answer(JudgeQueued(await context.offload.run(judge.word_levels)), 202)
    return answer(JudgeQueued(await context.offload.run(judge.read, project=wanted.project, since=wanted.since)), 202)


async def judge_state(request: Request) -> Response:
    """State of reading along, with today's totals."""
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


async def read_again(request: Request, reading_id: int) -> Response:
    """Takes back what came of a reading and has its prompts read anew, in the background."""
    context = context_of(request)
    return answer(JudgeQueued(await context.offload.run(context.engine.judge.read_again, reading_id)), 202)


async def cancel_reading(request: Request) -> Response:
    """Ends what is being read and what waits; the prompts stay unread."""
    context = context_of(request)
    await context.offload.run(context.engine.judge.cancel)
    return Response(status_code=204)


async def list_judge_choices(request: Request) -> Response:
    """Who could read along on this machine."""
    context = context_of(request)
    judge = context.engine.judge

    def look() -> JudgeChoices:
        return JudgeChoices(judge.choices(), judge.state().judge, judge.is_question_open())

    return answer(await context.offload.run(look))


async def choose_judge(request: Request, body: JudgeChoiceBody) -> Response:
    """One of the choices reads along from now on, or nobody with an empty `id`; it is not asked again. Undone like a setting."""
    context = context_of(request)
    engine = context.engine

    def choose() -> None:
        if not body.id:
            engine.judge.decline()
            if engine.judge.state().judge != "off":
                engine.settings.set("judge", "off")
            return
        choices = engine.judge.choices()
        wanted = next((one for one in choices if one.id == body.id), None)
        if wanted is None:
            known = ", ".join(one.id for one in choices)
            raise InvalidError(f"Nobody called {body.id} could read along.", hint=f"There are: {known}.")
        engine.judge.choose(wanted)

    await context.offload.run(choose)
    return Response(status_code=204)


ROUTES = (
    RouteSpec("GET", "/v1/judge", Scope.ADMIN, judge_state, "State of reading along", JudgeState),
    RouteSpec("GET", "/v1/judge/readings", Scope.ADMIN, list_judge_readings, "What was read", JudgeReadings),
    RouteSpec(
        "GET", "/v1/judge/readings/{reading_id}", Scope.ADMIN, get_judge_reading, "One reading", JudgeReadingDetail
    ),
    RouteSpec(
        "POST", "/v1/judge/readings/{reading_id}/again", Scope.ADMIN, read_again, "Read again", JudgeQueued, status=202
    ),
    RouteSpec("POST", "/v1/judge/cancel", Scope.ADMIN, cancel_reading, "Read no further", status=204),
    RouteSpec("GET", "/v1/judge/choices", Scope.ADMIN, list_judge_choices, "Who could read along", JudgeChoices),
    RouteSpec("PUT", "/v1/judge/choice", Scope.ADMIN, choose_judge, "Choose who reads along", status=204),
    RouteSpec("POST", "/v1/judge", Scope.ADMIN, read_along, "Read along now", JudgeQueued | JudgePlan, status=202),
)
