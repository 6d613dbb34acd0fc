"""The fix of an error that was seen before: one line for the assistant, in the turn in which the command fails again.

Source: S1 "error → fix", S4 tier 2 "earlier failures with their fix", issue 17.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from app.context.recent_failures import load_recent_failures
from app.deciders.learning.conversation_rules import command_name, shape_error
from app.deciders.recall.context.failures import pick_error_line
from app.store.rows.rule import load_fixes
from app.store.rows.work_history import find_project
from app.values import ToolOutcome

_LINE_CHARS = 300


def find_known_fix(
    connection: Connection, project: str, failed: Sequence[ToolOutcome], now: datetime
) -> tuple[str, int | None]:
    """The line, and the number of the rule that it comes from; "" where the error is new."""
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
        for repaired in load_recent_failures(connection, project_id, project, now).fixed:
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
