"""The reference window [S2], the journal with undo and redo, statistics, health and the energy of background work over HTTP.

Owns parameter names only; every act is one call of the engine. Source: DESIGN section 6, S2, S5 "Energy Consumption".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from fastapi import Query

from app.api import Engine
from app.server.callers import Caller
from app.server.routes.requests import RowId, UndoBody, WindowBody
from app.server.routes.routing import Routes
from app.values import CaptureResult, ChangeDetail, HandOver, Health, Message, Operation, Origin, Scope, Stats
from app.values.energy import EnergyPolled, EnergyState
from app.values.statistics import Statistics

_Done = TypeVar("_Done")
NameQuery = Annotated[str | None, Query(max_length=300)]
YearQuery = Annotated[int | None, Query(ge=1971, le=9999)]


@dataclass(frozen=True, slots=True)
class Cleared:
    cleared_count: int


def _log(log: Callable[..., _Done], body: WindowBody, app: str) -> _Done:
    return log(
        body.text,
        app=app,
        session=body.session,
        project=body.project,
        intents=body.intents,
        context_ref=body.context_ref,
    )


routes = Routes()


@routes("GET", "/v1/energy", Scope.READ, "Energy of background work")
def energy_state(engine: Engine) -> EnergyState:
    """How much energy there is for background work, what used it in the last day, and what was put off."""
    return engine.energy.state()


@routes("POST", "/v1/energy/poll", Scope.ADMIN, "Energy since the last poll")
def poll_energy(engine: Engine) -> EnergyPolled:
    """Units that background work took since this was asked last, or since the start."""
    return engine.energy.consumed_since_last_poll()


@routes("GET", "/v1/window", Scope.READ, "Load the window")
def load_window(engine: Engine, app: NameQuery = None, project: NameQuery = None) -> tuple[Message, ...]:
    """The last messages that are searched for what "it" means, oldest first."""
    return engine.window.load(app=app, project=project)


@routes("POST", "/v1/window", Scope.CAPTURE, "Log into the window", waits=True)
def log_window(engine: Engine, caller: Caller, body: WindowBody) -> CaptureResult:
    """Adds a message to the window, as the caller's app."""
    return _log(engine.window.log, body, caller.app_for(""))


@routes("POST", "/v1/window/hand-over", Scope.CAPTURE, "Log, and say what is meant")
def hand_over(engine: Engine, caller: Caller, body: WindowBody) -> HandOver:
    """Adds a message to the window and answers with its text, its meaning, and what it continues. Earlier messages need `read`."""
    done = _log(engine.window.hand_over, body, caller.app_for(""))
    return done if caller.may(Scope.READ) else replace(done, recent=())


@routes("DELETE", "/v1/window", Scope.WRITE, "Clear the window")
def clear_window(
    engine: Engine, app: NameQuery = None, conversation: Annotated[int | None, Query(ge=1, lt=2**63)] = None
) -> Cleared:
    """Empties the window, whole or of one app or conversation: references look no further back. No message is deleted."""
    return Cleared(engine.window.clear(app=app, conversation_id=conversation))


@routes("GET", "/v1/journal", Scope.READ, "List the journal")
def list_journal(
    engine: Engine,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
    before_id: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    origin: Origin | None = None,
    q: Annotated[str, Query(max_length=300)] = "",
) -> tuple[Operation, ...]:
    """What happened, newest first."""
    return engine.journal.list(limit=limit, before_id=before_id, origin=origin, query=q)


@routes("GET", "/v1/journal/{operation_id}", Scope.READ, "Read an operation")
def get_operation(engine: Engine, operation_id: RowId) -> tuple[ChangeDetail, ...]:
    """Before and after of one operation."""
    return engine.journal.detail(operation_id)


@routes("POST", "/v1/journal/undo", Scope.WRITE, "Undo")
def undo(engine: Engine, body: UndoBody | None = None) -> Operation:
    """Undoes one operation, or the person's last one."""
    return engine.journal.undo(body.operation_id if body else None)


@routes("POST", "/v1/journal/redo", Scope.WRITE, "Redo")
def redo(engine: Engine) -> Operation:
    """Redoes what was undone last."""
    return engine.journal.redo()


@routes("GET", "/v1/stats", Scope.READ, "Statistics")
def get_stats(engine: Engine, app: NameQuery = None, project: NameQuery = None) -> Stats:
    """Counts of what is kept and what waits."""
    return engine.stats.now(app=app, project=project)


@routes("GET", "/v1/statistics", Scope.READ, "A year at a glance")
def get_statistics(engine: Engine, year: YearQuery = None) -> Statistics:
    """What was learned and given on each day of a year (or of the last 53 weeks), by kind and project, and what was corrected."""
    return engine.stats.year(year)


@routes("GET", "/v1/health", Scope.ADMIN, "Health")
def get_health(engine: Engine) -> Health:
    """Whether capture, disk and backups are well."""
    return engine.stats.health()
