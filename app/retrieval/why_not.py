"""Why a memory that somebody expects is not in an answer, or not given: the first condition that it does not meet.

Nothing is guessed: each field of the filter is asked by the conditions that a list uses, the words by the same look-up that a
search uses, with this memory alone let through. Source: REVIEW-UX, "a real why not".
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row

from app.privacy.secret_rules import MARK_START
from app.store import memory_filters as filters
from app.store.rows.memory import load_whole
from app.store.rows.project import find_project
from app.store.tables.types import to_microseconds
from app.store.visibility import GIVABLE, passes
from app.values import Context, ContextSignals, MemoryFilter, MemoryKind, MemoryStatus, RecallQuery

if TYPE_CHECKING:
    from app.retrieval.recall import Recall

EVERY = MemoryFilter(statuses=tuple(MemoryStatus))
_LOOKED_AT = 200  # hits among which its place is looked for
_STATUSES: Mapping[str, str] = {
    MemoryStatus.PROPOSED: "not confirmed: it waits for your yes or no",
    MemoryStatus.QUARANTINED: "blocked until you allow it",
    MemoryStatus.ARCHIVED: "archived",
    MemoryStatus.ACTIVE: "in use, and only others are shown",
}
_FIELDS: Mapping[str, str] = {
    "tags": "lacks a tag that is asked for",
    "tiers": "is given in another tier",
    "ids": "not among those that are shown",
    "from_at": "recorded before the time that is shown",
    "to_at": "recorded after the time that is shown",
    "valid_at": "did not hold at that time",
    "believed_at": "was not known at that time",
    "is_pinned": "is not pinned",
    "is_live": "does not hold any more",
    "is_over": "is no longer true, or only what is no longer true is shown",
    "is_used": "was not given as often as asked for",
    "has_contradiction": "has no open contradiction",
    "file": "is not about that file",
    "artifact": "nothing of that kind is attached to it",
    "conversation_id": "was not said in that conversation",
    "includes_episodes": "is an episode",
}
_ACTIVE = MemoryFilter(statuses=(MemoryStatus.ACTIVE,))


def say_status(row: Row[Any]) -> str:
    """Why a memory that is not in use is not."""
    said = _STATUSES[row.status]
    is_blocked = row.status == MemoryStatus.QUARANTINED and row.reason
    return f"{said}: {row.reason}" if is_blocked else said


def say_project(row: Row[Any]) -> str:
    return f"belongs to another project: {row.project_name}" if row.project_name else "belongs to no project"


def find_barrier(connection: Connection, row: Row[Any], where: MemoryFilter, now: datetime) -> str:
    """The first field of a filter that does not let the memory through, in words; "" when all do."""
    for field in fields(MemoryFilter):
        wanted = getattr(where, field.name)
        if wanted == getattr(MemoryFilter(), field.name) and field.name != "statuses":
            continue
        probe = replace(EVERY, **{field.name: wanted})
        if field.name == "statuses":
            probe = replace(probe, includes_unconfirmed=where.includes_unconfirmed)
        if not filters.is_let_through(connection, row.id, probe, now):
            return _say_field(field.name, row)
    return ""


def _say_field(name: str, row: Row[Any]) -> str:
    match name:
        case "statuses":
            return say_status(row)
        case "projects" | "is_shared":
            return say_project(row)
        case "apps":
            return f"comes from {row.app_title}" if row.app_title else "comes from no assistant"
        case "kinds":
            return f"is a memory of the kind {MemoryKind(row.kind).value}"
        case "types" | "categories":
            return f"is of the type {row.type or row.kind}"
        case "min_confidence" | "max_confidence":
            return f"has the confidence {row.confidence:.0%}"
        case "min_importance":
            return f"has the importance {row.importance:.0%}"
        case "min_trust":
            return "is trusted less"
        case "visibilities":
            return "is given to other projects, or to fewer"
    return _FIELDS.get(name, "is left out by a filter")


def find_word_barrier(recall: "Recall", connection: Connection, memory_id: int, text: str, where: MemoryFilter) -> str:
    """Why the words do not bring it: none in common, or how little; "" when they would."""
    found = recall.retrieve(connection, text, replace(where, ids=(memory_id,)), 1)
    one = found.ranked.get(memory_id)
    if one is None or not one.found:
        return "no word in common with the search"
    return "" if found.is_fitting else f"too little in common: {found.explain(memory_id)[1]}"


def explain_missing(
    recall: "Recall", connection: Connection, memory_id: int, query: RecallQuery, now: datetime
) -> tuple[str, bool]:
    """Why a search does not show a memory; and whether it does, at which place."""
    row = load_whole(connection, memory_id)
    if row is None:
        return "is not there any more", False
    barrier = find_barrier(connection, row, query.filters, now)
    if barrier or not query.text.strip():
        return barrier or "is in the list", not barrier
    answer = recall.search(replace(query, limit=_LOOKED_AT, is_counted=False, is_suggesting=False))
    place = next((n for n, hit in enumerate(answer.hits, 1) if hit.card.id == memory_id), 0)
    if place:
        return f"is here, at place {place}", True
    barrier = find_word_barrier(recall, connection, memory_id, query.text, query.filters)
    return barrier or f"fits less than the {len(answer.hits)} that are listed", False


def explain_unlearned(text: str) -> str:
    """Why a message is no memory.

    >>> explain_unlearned("The relay has [secret: password]")
    'you said this beside a secret, and nothing is learned from the words around a secret'
    """
    if MARK_START in text:
        return "you said this beside a secret, and nothing is learned from the words around a secret"
    return "you said this, but no memory was made of it"


def explain_not_given(
    recall: "Recall", connection: Connection, memory_id: int, context: Context, signals: ContextSignals, now: datetime
) -> tuple[str, bool]:
    """Why the memory is not in this context; and whether it is, in which tier."""
    given = next((item for item in context.items if item.memory_id == memory_id), None)
    if given is not None:
        return f"is given, in the tier {given.tier.value}", True
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
                "retired": "no longer in use: another one replaced it",
                "begun": f"holds only from {row.valid_from:%Y-%m-%d}",
                "ended": f"held until {row.valid_to:%Y-%m-%d}" if row.valid_to is not None else "",
                "project": say_project(row),
                "excluded": "comes from a folder that you exclude",
                "withheld": "never given, as you chose",
            }
            return reasons[name], False
    asked = " ".join(filter(None, (signals.prompt, *signals.recent_errors)))
    if not asked.strip():
        return "nothing was asked, and it is neither pinned nor about the file", False
    barrier = find_word_barrier(recall, connection, memory_id, asked, _ACTIVE)
    return barrier or "fits the words, but less than what is given", False
