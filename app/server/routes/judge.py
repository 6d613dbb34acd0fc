"""Reading along over HTTP: who may, on demand, what would be sent, its state, what was read, once more, no further.

Owns parameter names only. Source: JUDGE "On demand", "The yes", "The meter".
"""

from dataclasses import dataclass

from starlette.responses import Response

from app.api import Engine
from app.errors import InvalidError
from app.server.routes.inbox import LimitQuery
from app.server.routes.requests import JudgeBody, JudgeChoiceBody
from app.server.routes.routing import Routes, answer
from app.values import Scope
from app.values.admin import JudgePlan
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


routes = Routes()


@routes("GET", "/v1/judge", Scope.ADMIN, "State of reading along")
def judge_state(engine: Engine) -> JudgeState:
    """State of reading along, with today's totals."""
    return engine.judge.state()


@routes("GET", "/v1/judge/readings", Scope.ADMIN, "What was read")
def list_judge_readings(engine: Engine, limit: LimitQuery = 100, before_id: int | None = None) -> JudgeReadings:
    """The requests that were made, newest first: who read, what it cost, what came of it. Holds no text of a message."""
    return JudgeReadings(engine.judge.readings(limit=limit, before_id=before_id))


@routes("GET", "/v1/judge/readings/{reading_id}", Scope.ADMIN, "One reading")
def get_judge_reading(engine: Engine, reading_id: int) -> JudgeReadingDetail:
    """One of them: the prompts that were read as far as they are kept, and the memories that came of it."""
    return engine.judge.reading(reading_id)


@routes("POST", "/v1/judge/readings/{reading_id}/again", Scope.ADMIN, "Read again", status=202)
def read_again(engine: Engine, reading_id: int) -> JudgeQueued:
    """Undoes what came of a reading and reads its prompts again, in the background."""
    return JudgeQueued(engine.judge.read_again(reading_id))


@routes("POST", "/v1/judge/cancel", Scope.ADMIN, "Stop reading")
def cancel_reading(engine: Engine) -> None:
    """Stops reading; the prompts that wait stay unread."""
    engine.judge.cancel()


@routes("GET", "/v1/judge/choices", Scope.ADMIN, "Who could read along")
def list_judge_choices(engine: Engine) -> JudgeChoices:
    """Who could read along on this machine."""
    judge = engine.judge
    return JudgeChoices(judge.choices(), judge.state().judge, judge.is_question_open())


@routes("PUT", "/v1/judge/choice", Scope.ADMIN, "Choose who reads along")
def choose_judge(engine: Engine, body: JudgeChoiceBody) -> None:
    """One of the choices reads along from now on, or nobody with an empty `id`; it is not asked again. Undone like a setting."""
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


@routes("POST", "/v1/judge", Scope.ADMIN, "Read along now", status=202, answers=JudgeQueued | JudgePlan)
def read_along(engine: Engine, body: JudgeBody | None = None) -> JudgeQueued | Response:
    """Lets the model that the person chose read all unread prompts, in the background; with `dry_run` it only says what would be sent."""
    wanted = body or JudgeBody()
    judge = engine.judge
    if wanted.dry_run:
        return answer(judge.plan(project=wanted.project, since=wanted.since))
    if wanted.references_of is not None:
        return JudgeQueued(judge.read_references(wanted.references_of))
    if wanted.levels:
        return JudgeQueued(judge.word_levels())
    return JudgeQueued(judge.read(project=wanted.project, since=wanted.since))
