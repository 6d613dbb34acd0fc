"""Workflows and code patterns, given at the moment that calls for them.

What a prompt asks for, or the open file shows, comes in full with what is relevant. The others keep their place in the background;
those that fit the activity stand first there. Source: S4 "get_workflow_hints", issue 18.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from sqlalchemy import Connection

from app.context import sources
from app.context.candidate_set import CandidateSet
from app.deciders.learning.commands import load_command_rules
from app.deciders.learning.endpoint_shapes import load_shape_rules
from app.deciders.recall.triggers import asks_for
from app.store.rows import context as rows
from app.store.rows.practice import Offered
from app.values import Activity, Level, MemoryKind, Tier

_TRIGGERED_SCORE, _OF_ACTIVITY_SCORE = 0.75, 0.45
_MAX_TRIGGERED = 3
_STEPS_OF: Mapping[Activity, frozenset[str]] = {
    Activity.DEBUGGING: frozenset({"test", "start", "restart", "screenshot", "build", "e2e"}),
    Activity.TESTING: frozenset({"test", "e2e"}),
    Activity.REVIEWING: frozenset({"lint", "typecheck", "format", "pull request", "test"}),
    Activity.FEATURE: frozenset({"commit", "push", "pull request", "migrate", "generate"}),
}
NOT_AT_START = "a workflow or pattern is given only when you ask for it"


def offer_practices(
    gathered: CandidateSet,
    connection: Connection,
    offered: Sequence[Offered],
    *,
    project_id: int | None,
    prompt: str,
    file: str,
    activity: Activity | None,
    now: int,
    half_life_days: float,
    is_start: bool,
) -> None:
    """Lifts what is triggered; at a session start leaves out the rest."""
    if not offered:
        return
    wanted = [one for one in offered if _is_asked_for(one, prompt) or _is_beside(one, file)][:_MAX_TRIGGERED]
    givable = rows.load_givable_rows(connection, [int(one.id) for one in wanted], project_id, now) if wanted else {}
    for one in wanted:
        row = givable.get(int(one.id))
        if row is None:
            continue
        made = sources.candidate_of(row, Tier.RELEVANT, _TRIGGERED_SCORE, now, half_life_days, _why(one, file))
        texts: dict[Level, str] = {level: text for level, text in made.texts.items() if level is not Level.INDEX}
        if gathered.add(row, made._replace(texts=texts), is_fitting=True):
            gathered.reasons.pop(row.id, None)
    for one in offered:
        key = int(one.id)
        if key in givable or key not in gathered.candidates or key in gathered.fitting:
            continue
        if is_start:
            gathered.leave_out(key, NOT_AT_START)
        elif activity is not None and _fits(one, activity):
            made = gathered.candidates[key]
            reason = f"a workflow for {activity.value}"
            gathered.candidates[key] = made._replace(score=max(made.score, _OF_ACTIVITY_SCORE), reason=reason)


def _trigger(one: Offered) -> str:
    return str(one.details.get("trigger") or one.title)


def _is_asked_for(one: Offered, prompt: str) -> bool:
    is_workflow = one.kind == MemoryKind.WORKFLOW.value
    asked_by = load_command_rules().asked_by if is_workflow else load_shape_rules().asked_by
    return bool(prompt) and asks_for(prompt, _trigger(one), asked_by)


def _is_beside(one: Offered, file: str) -> bool:
    """Whether the open file, perhaps a new one, lies where this is done."""
    if not file or one.kind != MemoryKind.PATTERN.value:
        return False
    path = PurePosixPath(file)
    examples = [PurePosixPath(str(said).rsplit(":", 1)[0]) for said in one.details.get("examples") or ()]
    return any(other.parent == path.parent and other.suffix == path.suffix for other in examples)


def _why(one: Offered, file: str) -> str:
    details = one.details
    what = "workflow" if one.kind == MemoryKind.WORKFLOW.value else "code pattern"
    times = int(details.get("times") or 0)
    seen = f", seen {times} times" if times else ""
    is_beside = _is_beside(one, file)
    return (
        f"files beside {file} are built like this{seen}"
        if is_beside
        else f"you ask for it: a {what} ({_trigger(one)}){seen}"
    )


def _fits(one: Offered, activity: Activity) -> bool:
    steps: Sequence[str] = one.details.get("steps") or ()
    return one.kind == MemoryKind.WORKFLOW.value and bool(_STEPS_OF.get(activity, frozenset()).intersection(steps))
