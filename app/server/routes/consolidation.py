"""Consolidation over HTTP: the seed's own route, the runs and their diff, yes and no, undo. Owns addresses and names only. Source: S4."""

from dataclasses import dataclass
from typing import Self

from starlette.responses import Response

from app.api import Engine
from app.server.routes.inbox import LimitQuery
from app.server.routes.requests import ConsolidateBody, DecideActionsBody, HabitBody
from app.server.routes.routing import Routes, answer
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


_RUN = "/v1/consolidation/runs/{run_id}"
routes = Routes()


@routes("POST", "/consolidate", Scope.ADMIN, "Consolidate")
def consolidate(engine: Engine, body: ConsolidateBody | None = None) -> Consolidated:
    """Runs consolidation and waits for it; with `dry_run` it only says what it would do."""
    consolidation = engine.consolidation
    is_dry = body is not None and body.dry_run
    card = consolidation.preview() if is_dry else consolidation.run(trigger=RunTrigger.API)
    return Consolidated.of(card, is_dry=is_dry)


@routes("GET", "/v1/consolidation", Scope.ADMIN, "State")
def consolidation_state(engine: Engine) -> ConsolidationState:
    """What runs now, when the next run is due, what the last one did."""
    return engine.consolidation.state()


@routes("POST", "/v1/consolidation/pause", Scope.ADMIN, "Pause the run")
def pause_run(engine: Engine) -> ConsolidationState:
    """Pauses the run after the change it is making."""
    engine.consolidation.pause()
    return engine.consolidation.state()


@routes("POST", "/v1/consolidation/continue", Scope.ADMIN, "Continue the run")
def continue_run(engine: Engine) -> RunCard:
    """Continues the paused run and waits for it."""
    return engine.consolidation.go_on()


@routes("POST", "/v1/consolidation/cancel", Scope.ADMIN, "Stop the run")
def cancel_run(engine: Engine) -> ConsolidationState:
    """Ends the running or paused run; what was applied stays."""
    engine.consolidation.cancel()
    return engine.consolidation.state()


@routes("GET", "/v1/consolidation/runs", Scope.ADMIN, "Earlier runs")
def list_runs(engine: Engine, limit: LimitQuery = 50, before_id: int | None = None) -> Runs:
    """Earlier runs and previews, newest first."""
    found = engine.consolidation.runs(limit=limit, before_id=before_id)
    return Runs(found)


@routes("GET", f"{_RUN}/actions", Scope.ADMIN, "The diff of a run")
def list_actions(engine: Engine, run_id: int, step: str = "", limit: LimitQuery = 200, after_id: int = 0) -> Actions:
    """The diff of a run: each action with its reason, before and after."""
    found = engine.consolidation.actions(run_id, step=step, limit=limit, after_id=after_id)
    return Actions(found)


@routes("POST", f"{_RUN}/apply", Scope.ADMIN, "Apply a preview")
def apply_run(engine: Engine, run_id: int) -> RunCard:
    """Applies what a preview proposes, but what was rejected."""
    return engine.consolidation.apply(run_id)


@routes("POST", f"{_RUN}/undo", Scope.ADMIN, "Undo a run")
def undo_run(engine: Engine, run_id: int) -> RunUndone:
    """Undoes all that a run did."""
    undone, left = engine.consolidation.undo(run_id)
    return RunUndone(undone, left)


@routes("POST", "/v1/consolidation/decide", Scope.ADMIN, "Yes or no to actions")
def decide_actions(engine: Engine, body: DecideActionsBody) -> Response:
    """Says yes or no to proposed actions."""
    engine.consolidation.decide(body.ids, is_accepted=body.is_accepted)
    return answer({"ids": body.ids})


@routes("GET", "/v1/consolidation/habits", Scope.ADMIN, "Standing answers")
def list_habits(engine: Engine) -> Habits:
    """What is always or never done, by kind of action."""
    return Habits(engine.consolidation.habit_cards())


@routes("POST", "/v1/consolidation/habits", Scope.ADMIN, "Set a standing answer")
def set_habit(engine: Engine, body: HabitBody) -> Habits:
    """Always or never applies a kind of action from now on; `ask` ends that."""
    consolidation = engine.consolidation
    consolidation.set_habit(body.step, body.kind, body.habit)
    return Habits(consolidation.habit_cards())


@routes("POST", "/v1/consolidation/actions/{action_id}/undo", Scope.ADMIN, "Undo one action")
def undo_action(engine: Engine, action_id: int) -> Response:
    """Undoes one action of a run."""
    engine.consolidation.undo_action(action_id)
    return answer({"id": action_id})
