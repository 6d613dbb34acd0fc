"""Errors and their fixes: which commands of the last day still fail, which an edit repaired, and the fix of an error seen before.

What a person dismissed is left out. A dismissal is a rule of the kind "context.dismissed" with the command, the project and the use that
failed: when the command runs again, that is a new matter. Source: DESIGN section 2 "errors and fixes", S4 get_recent_errors(hours=24).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from app.context.prediction import inside
from app.context.sources import ExtraLine
from app.deciders.learning.conversation_rules import command_name, shape_error
from app.deciders.recall.context.failures import (
    Failed,
    Fixed,
    ToolUse,
    describe_failed,
    describe_fixed,
    find_failures,
    is_about_failure,
    pick_error_line,
)
from app.errors import NotFoundError
from app.language.search_words import split_stems
from app.store.journal import Write
from app.store.rows.project import find_project
from app.store.rows.rule import load_fixes
from app.store.rows.work_history import find_dismissed_uses, load_recent_uses
from app.store.tables.core import RuleRow
from app.store.tables.types import to_microseconds
from app.values import ContextSignals, Tier, ToolOutcome

DISMISSED_RULE = "context.dismissed"
_AGE = timedelta(hours=24)  # S4: get_recent_errors(hours=24)
_ERRORS_READ, _ERROR_CHARS = 3, 400
_ERRORS_SEARCHED = 2
_MAX_FAILURES, _MAX_FIXES = 3, 3
_FIXED_KEYS = -1_000_000_000  # minus the number of the use that passed
_BACKGROUND_SCORE = 0.3
_NO_END = 2**62


class RecentFailures(NamedTuple):
    """What fails and what was repaired in the last day, the newest first."""

    failed: Sequence[Failed] = ()
    fixed: Sequence[Fixed] = ()

    @property
    def errors(self) -> tuple[str, ...]:
        """The error lines of what failed last."""
        return tuple(dict.fromkeys(one.use.error for one in self.failed if one.use.error))[:_ERRORS_SEARCHED]


def load_recent_failures(
    connection: Connection, project_id: int | None, root: str, now: datetime, *, before: datetime | None = None
) -> RecentFailures:
    """But for what a person will not hear. `root`: the project's folder; `before`: as it stood at that moment."""
    if project_id is None:
        return RecentFailures()
    until = to_microseconds(before) if before is not None else _NO_END
    uses = [ToolUse._make(row) for row in load_recent_uses(connection, project_id, to_microseconds(now - _AGE), until)]
    failed, fixed = find_failures(one._replace(file=inside(one.file, root)) for one in uses)
    if not failed and not fixed:
        return RecentFailures()
    dismissed = find_dismissed_uses(connection, project_id, DISMISSED_RULE)
    return RecentFailures(
        [one for one in failed if one.use.id not in dismissed], [one for one in fixed if one.use.id not in dismissed]
    )


def list_failure_lines(failures: RecentFailures, signals: ContextSignals) -> list[tuple[ExtraLine, bool]]:
    """The lines, each with whether it is related to what is asked or open; what is repaired and unrelated is background."""
    found: list[tuple[ExtraLine, bool]] = []
    failed, fixed = failures
    if not failed and not fixed:
        return []
    said = [signals.prompt, *(error[:_ERROR_CHARS] for error in signals.recent_errors[:_ERRORS_READ])]
    asked = frozenset(split_stems("\n".join(said)))
    file = inside(signals.current_file, signals.project_path)
    for one in failed[:_MAX_FAILURES]:
        text = describe_failed(one)
        reason = "a command that failed in the last 24 hours"
        found.append((ExtraLine(-one.use.id, text, reason), is_about_failure(text, asked)))
    for repaired in fixed[:_MAX_FIXES]:
        text = describe_fixed(repaired)
        is_related = file in repaired.files or is_about_failure(text, asked)
        key, reason = _FIXED_KEYS - repaired.use.id, "repaired in the last 24 hours"
        if is_related:
            found.append((ExtraLine(key, text, reason), True))
        else:
            found.append((ExtraLine(key, text, reason, tier=Tier.BACKGROUND, score=_BACKGROUND_SCORE), False))
    return found


def dismiss(write: Write, project_id: int | None, root: str, line: str) -> None:
    """This line is given no more until its command runs again. Raises NotFoundError for one that is not given now."""
    failed, fixed = load_recent_failures(write.connection, project_id, root, write.at)
    uses = {describe_failed(one): one.use for one in failed} | {describe_fixed(one): one.use for one in fixed}
    use = uses.get(line.strip()) or next((one for one in uses.values() if one.command == line.strip()), None)
    if use is None:
        raise NotFoundError("This line is no longer given.", hint="Its command has run again, or a day has passed.")
    data = {"project_id": project_id, "use_id": use.id}
    values = {"kind": DISMISSED_RULE, "pattern": use.command, "confidence": 1.0, "learned_from": 1}
    write.insert(RuleRow, values | {"data": data, "created_at": write.at})
    write.label = f"“{use.command[:60]}” is not given until it runs again"


_LINE_CHARS = 300


def find_known_fix(
    connection: Connection, project: str, failed: Sequence[ToolOutcome], now: datetime, before: datetime | None
) -> tuple[str, int | None]:
    """The line, and the number of the rule that it comes from; "" where the error is new.

    `before`: when it failed. This very failure may have been understood meanwhile, and by it the command is repaired no more.
    """
    project_id = find_project(connection, project)
    if project_id is None:
        return "", None
    for one in failed:
        shape = shape_error(pick_error_line(one.error)) if one.error else ""
        if not shape:
            continue
        for fix in load_fixes(connection, project_id, shape):
            line = describe_fix(str(fix.details.get("command", "")), list(fix.details.get("files", [])))
            return line[:_LINE_CHARS], fix.id
        name = command_name(one.command)
        for repaired in load_recent_failures(connection, project_id, project, now, before=before).fixed:
            if shape_error(repaired.failed.error) == shape:
                line = describe_fix(name or command_name(repaired.use.command), list(repaired.files))
                return line[:_LINE_CHARS], None
    return "", None


def describe_fix(command: str, files: Sequence[str]) -> str:
    """The line as the assistant reads it.

    >>> describe_fix("npm run build", ["src/cart.ts"])
    'Seen before: this error went away after src/cart.ts was edited; then npm run build passed.'
    """
    were = "were" if len(files) > 1 else "was"
    return f"Seen before: this error went away after {', '.join(files)} {were} edited; then {command or 'it'} passed."
