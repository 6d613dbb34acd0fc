"""The reference window [S2], the journal with undo and redo, statistics and health over HTTP.

Owns parameter names only; every act is one call of the engine.

The energy of background work over HTTP. Owns addresses only.

Source: DESIGN section 6, S2; S5 "Energy Consumption".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import caller_of, context_of
from app.server.routes.requests import RowId, UndoBody, WindowBody
from app.server.routes.routing import RouteSpec, answer
from app.values import CaptureResult, ChangeDetail, HandOver, Health, Message, Operation, Origin, Scope, Stats
from app.values.energy import EnergyPolled, EnergyState
from app.values.statistics import Statistics


async def energy_state(request: Request) -> Response:
    """How much energy there is for background work, what used it in the last day, and what was put off."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.energy.state))


async def poll_energy(request: Request) -> Response:
    """Units that background work took since this was asked last, or since the start."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.energy.consumed_since_last_poll))


ENERGY_ROUTES = (
    RouteSpec("GET", "/v1/energy", Scope.READ, energy_state, "Energy of background work", EnergyState),
    RouteSpec("POST", "/v1/energy/poll", Scope.ADMIN, poll_energy, "Energy since the last poll", EnergyPolled),
)


_Done = TypeVar("_Done")
NameQuery = Annotated[str | None, Query(max_length=300)]
YearQuery = Annotated[int | None, Query(ge=1971, le=9999)]


@dataclass(frozen=True, slots=True)
class Cleared:
    cleared_count: int


async def load_window(request: Request, app: NameQuery = None, project: NameQuery = None) -> Response:
    """The last messages that references may look at, oldest first."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.window.load, app=app, project=project))


async def log_window(request: Request, body: WindowBody) -> Response:
    """Adds a message to the window, as the caller's app."""
    context = context_of(request)
    app = caller_of(request).app_for("")
    return answer(await context.offload.capture(_log, context.engine.window.log, body, app))


async def hand_over(request: Request, body: WindowBody) -> Response:
    """Adds a message to the window; says it as typed, as meant, and what it goes on from. Earlier messages need `read`."""
    context, caller = context_of(request), caller_of(request)
    done = await context.offload.run(_log, context.engine.window.hand_over, body, caller.app_for(""))
    return answer(done if caller.may(Scope.READ) else replace(done, recent=()))


async def clear_window(
    request: Request, app: NameQuery = None, conversation: Annotated[int | None, Query(ge=1, lt=2**63)] = None
) -> Response:
    """Empties the window, whole or of one app or conversation: references look no further back. No message is deleted."""
    context = context_of(request)
    clear = context.engine.window.clear
    return answer(Cleared(await context.offload.run(clear, app=app, conversation_id=conversation)))


async def list_journal(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
    before_id: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    origin: Origin | None = None,
    q: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """What happened, newest first."""
    context = context_of(request)
    found = await context.offload.run(
        context.engine.journal.list, limit=limit, before_id=before_id, origin=origin, query=q
    )
    return answer(found)


async def get_operation(request: Request, operation_id: RowId) -> Response:
    """Before and after of one operation."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.journal.detail, operation_id))


async def undo(request: Request, body: UndoBody | None = None) -> Response:
    """Undoes one operation, or the person's last one."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.journal.undo, body.operation_id if body else None))


async def redo(request: Request) -> Response:
    """Does again what was undone last."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.journal.redo))


async def get_stats(request: Request, app: NameQuery = None, project: NameQuery = None) -> Response:
    """Counts of what is kept and what waits."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.stats.now, app=app, project=project))


async def get_statistics(request: Request, year: YearQuery = None) -> Response:
    """What was learned, spoken of and given on each day of a year (or of the last 53 weeks), by kind and project, and what was corrected."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.stats.year, year))


async def get_health(request: Request) -> Response:
    """Whether capture, disk and backups are well."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.stats.health))


def _log(log: Callable[..., _Done], body: WindowBody, app: str) -> _Done:
    return log(
        body.text,
        app=app,
        session=body.session,
        project=body.project,
        intents=body.intents,
        context_ref=body.context_ref,
    )


ROUTES = (
    RouteSpec("GET", "/v1/window", Scope.READ, load_window, "Load the window", tuple[Message, ...]),
    RouteSpec("POST", "/v1/window", Scope.CAPTURE, log_window, "Log into the window", CaptureResult),
    RouteSpec("POST", "/v1/window/hand-over", Scope.CAPTURE, hand_over, "Log, and hand over what is meant", HandOver),
    RouteSpec("DELETE", "/v1/window", Scope.WRITE, clear_window, "Clear the window", Cleared),
    RouteSpec("GET", "/v1/journal", Scope.READ, list_journal, "List the journal", tuple[Operation, ...]),
    RouteSpec(
        "GET", "/v1/journal/{operation_id}", Scope.READ, get_operation, "Read an operation", tuple[ChangeDetail, ...]
    ),
    RouteSpec("POST", "/v1/journal/undo", Scope.WRITE, undo, "Undo", Operation),
    RouteSpec("POST", "/v1/journal/redo", Scope.WRITE, redo, "Redo", Operation),
    RouteSpec("GET", "/v1/stats", Scope.READ, get_stats, "Statistics", Stats),
    RouteSpec("GET", "/v1/statistics", Scope.READ, get_statistics, "A year at a glance", Statistics),
    RouteSpec("GET", "/v1/health", Scope.ADMIN, get_health, "Health", Health),
)
