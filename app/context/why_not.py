"""Why a memory that somebody expects is not given: by the conditions of what may be given, then by what was chosen.

The context itself is asked first: what it holds or left out says why. Source: UX 4.6 "Why not that one?".
"""

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from app.retrieval.why_not import find_word_barrier, say_project, say_status
from app.store.rows.memory import load_whole
from app.store.rows.project import find_project
from app.store.tables.types import to_microseconds
from app.store.visibility import GIVABLE, passes
from app.values import Context, ContextSignals, MemoryFilter, MemoryStatus

if TYPE_CHECKING:
    from app.retrieval.recall import Recall

_ACTIVE = MemoryFilter(statuses=(MemoryStatus.ACTIVE,))


def explain_not_given(
    recall: "Recall", connection: Connection, memory_id: int, context: Context, signals: ContextSignals, now: datetime
) -> tuple[str, bool]:
    """Why the memory is not in this context; and whether it is, in which tier."""
    given = next((item for item in context.items if item.memory_id == memory_id), None)
    if given is not None:
        return f"is given, among what is {given.tier.value}", True
    left_out = next((one for one in context.left_out if one.memory_id == memory_id), None)
    if left_out is not None:
        return left_out.reason, False
    row = load_whole(connection, memory_id)
    if row is None:
        return "is not there any more", False
    project_id = find_project(connection, signals.project_path)
    which = {"project": project_id, "now": to_microseconds(now)}
    for name in GIVABLE:
        if not passes(connection, memory_id, name, which):
            reasons = {
                "status": say_status(row),
                "retired": "no longer in use: another one stands in its place",
                "begun": f"holds only from {row.valid_from:%Y-%m-%d}",
                "ended": f"held until {row.valid_to:%Y-%m-%d}" if row.valid_to is not None else "",
                "project": say_project(row),
                "excluded": "comes from a folder that you exclude",
                "withheld": "never given, as you chose",
            }
            return reasons[name], False
    asked = " ".join(filter(None, (signals.prompt, *signals.recent_errors)))
    if not asked.strip():
        return "nothing is asked for, and it is neither pinned nor about the file", False
    barrier = find_word_barrier(recall, connection, memory_id, asked, _ACTIVE)
    return barrier or "fits the words, but less than what is given", False
