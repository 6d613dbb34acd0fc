"""Consolidation over HTTP: the seed's own route, the runs and their diff, yes and no, undo. Owns addresses and names only. Source: S4."""

from dataclasses import dataclass
from typing import Self

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.inbox import LimitQuery
from app.server.routes.requests import ConsolidateBody, DecideActionsBody, HabitBody
from app.server.routes.routing import RouteSpec, answer
from app.values import Scope
from app.values.consolidation import ActionCard, ConsolidationState, HabitCard, RunCard, RunReport, RunState, RunTrigger


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The numbers of the seeds by the seeds' own names: S4's four, S3's ConsolidationResult, S1's three. `run_id` leads to the diff."""

    deduped: int
    compressed: int
    forgotten: int
    contradictions_found: int
    memoriesArchived: int  # noqa: N815 (S3's own names)
    memoriesMerged: int  # noqa: N815
    tokensReclaimed: int  # noqa: N815
    patterns_added: int
    patterns_reinforced: int
    patterns_pruned: int
    run_id: int
    dry_run: bool
    state: RunState  # paused or stopped where somebody broke it off
    report: RunReport

    @classmethod
    def of(cls, card: RunCard, *, is_dry: bool) -> Self:
        report = card.report
        return cls(
            deduped=report.deduped,
            compressed=report.compressed,
            forgotten=report.forgotten,
            contradictions_found=report.contradictions_found,
            memoriesArchived=report.memories_archived,
            memoriesMerged=report.memories_merged,
            tokensReclaimed=report.tokens_reclaimed,
            patterns_added=report.patterns_added,
            patterns_reinforced=report.patterns_reinforced,
            patterns_pruned=report.patterns_pruned,
            run_id=card.id,
            dry_run=is_dry,
            state=card.state,
            report=report,
        )


@dataclass(frozen=True, slots=True)
class Runs:
    runs: tuple[RunCard, ...]


@dataclass(frozen=True, slots=True)
class Actions:
    actions: tuple[ActionCard, ...]


@dataclass(frozen=True, slots=True)
class Habits:
    habits: tuple[HabitCard, ...]


@dataclass(frozen=True, slots=True)
class RunUndone:
    undone: int
    left: int  # changed since, so that they stay


async def consolidate(request: Request, body: ConsolidateBody | None = None) -> Response:
    """Runs consolidation and waits for it; with `dry_run` it only says what it would do."""
    context = context_of(request)
    consolidation = context.engine.consolidation
    is_dry = body is not None and body.dry_run
    if is_dry:
        card = await context.offload.run(consolidation.preview)
    else:
        card = await context.offload.run(consolidation.run, trigger=RunTrigger.API)
    return answer(Consolidated.of(card, is_dry=is_dry))


async def consolidation_state(request: Request) -> Response:
    """What runs now, when the next run is due, what the last one did."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.consolidation.state))


async def pause_run(request: Request) -> Response:
    """Lets the run that goes on rest after the change it is at."""
    context = context_of(request)
    await context.offload.run(context.engine.consolidation.pause)
    return answer(await context.offload.run(context.engine.consolidation.state))


async def continue_run(request: Request) -> Response:
    """Continues the paused run and waits for it."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.consolidation.go_on))


async def cancel_run(request: Request) -> Response:
    """Ends the run that goes on or is paused; what was applied stays."""
    context = context_of(request)
    await context.offload.run(context.engine.consolidation.cancel)
    return answer(await context.offload.run(context.engine.consolidation.state))


async def list_runs(request: Request, limit: LimitQuery = 50, before_id: int | None = None) -> Response:
    """Newest first, previews among them."""
    context = context_of(request)
    found = await context.offload.run(context.engine.consolidation.runs, limit=limit, before_id=before_id)
    return answer(Runs(found))


async def list_actions(
    request: Request, run_id: int, step: str = "", limit: LimitQuery = 200, after_id: int = 0
) -> Response:
    """The diff of a run: each action with its reason, before and after."""
    context = context_of(request)
    found = await context.offload.run(
        context.engine.consolidation.actions, run_id, step=step, limit=limit, after_id=after_id
    )
    return answer(Actions(found))


async def decide_actions(request: Request, body: DecideActionsBody) -> Response:
    """Says yes or no to proposed actions."""
    context = context_of(request)
    decide = context.engine.consolidation.decide
    await context.offload.run(decide, body.ids, is_accepted=body.is_accepted)
    return answer({"ids": body.ids})


async def list_habits(request: Request) -> Response:
    """Standing answers of kinds of actions: always, never."""
    context = context_of(request)
    return answer(Habits(await context.offload.run(context.engine.consolidation.habit_cards)))


async def set_habit(request: Request, body: HabitBody) -> Response:
    """Says for good what shall be done with a kind of action; `ask` takes it back."""
    consolidation = context_of(request).engine.consolidation
    offload = context_of(request).offload
    await offload.run(consolidation.set_habit, body.step, body.kind, body.habit)
    return answer(Habits(await offload.run(consolidation.habit_cards)))


async def apply_run(request: Request, run_id: int) -> Response:
    """Applies what a preview proposes, but what was rejected."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.consolidation.apply, run_id))


async def undo_run(request: Request, run_id: int) -> Response:
    """Takes all back that a run did."""
    context = context_of(request)
    undone, left = await context.offload.run(context.engine.consolidation.undo, run_id)
    return answer(RunUndone(undone, left))


async def undo_action(request: Request, action_id: int) -> Response:
    """Takes one action of a run back."""
    context = context_of(request)
    await context.offload.run(context.engine.consolidation.undo_action, action_id)
    return answer({"id": action_id})


_RUN = "/v1/consolidation/runs/{run_id}"
ROUTES = (
    RouteSpec("POST", "/consolidate", Scope.ADMIN, consolidate, "Consolidate", Consolidated),
    RouteSpec("GET", "/v1/consolidation", Scope.ADMIN, consolidation_state, "State", ConsolidationState),
    RouteSpec("POST", "/v1/consolidation/pause", Scope.ADMIN, pause_run, "Pause the run", ConsolidationState),
    RouteSpec("POST", "/v1/consolidation/continue", Scope.ADMIN, continue_run, "Continue the run", RunCard),
    RouteSpec("POST", "/v1/consolidation/cancel", Scope.ADMIN, cancel_run, "Stop the run", ConsolidationState),
    RouteSpec("GET", "/v1/consolidation/runs", Scope.ADMIN, list_runs, "Earlier runs", Runs),
    RouteSpec("GET", f"{_RUN}/actions", Scope.ADMIN, list_actions, "The diff of a run", Actions),
    RouteSpec("POST", f"{_RUN}/apply", Scope.ADMIN, apply_run, "Apply a preview", RunCard),
    RouteSpec("POST", f"{_RUN}/undo", Scope.ADMIN, undo_run, "Undo a run", RunUndone),
    RouteSpec("POST", "/v1/consolidation/decide", Scope.ADMIN, decide_actions, "Yes or no to actions"),
    RouteSpec("GET", "/v1/consolidation/habits", Scope.ADMIN, list_habits, "Standing answers", Habits),
    RouteSpec("POST", "/v1/consolidation/habits", Scope.ADMIN, set_habit, "Always so, never so", Habits),
    RouteSpec("POST", "/v1/consolidation/actions/{action_id}/undo", Scope.ADMIN, undo_action, "Undo one action"),
)
