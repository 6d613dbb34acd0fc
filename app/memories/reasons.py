"""Why memories are so, as far as anybody said it: in words beside what was quoted, or by a link that gives a reason.

Loads what was quoted and the links, asks the decider, hands on values. Never writes.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from app.deciders.memory.reasons import find_reason, load_reason_rules
from app.store.rows.link import load_leading_links
from app.store.rows.memory import load_quoted
from app.values import LinkType, MemoryReason

_MOST_SAID = 2  # of a memory that was said often


def load_reasons(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[MemoryReason, ...]]:
    """The earliest reason by memory number; memories without one are left out."""
    found: dict[int, list[MemoryReason]] = {}
    rules = load_reason_rules()
    for memory_id, quote, text in load_quoted(connection, ids):
        said = find_reason(quote, text or quote, rules)
        known = found.get(memory_id, [])
        if said and len(known) < _MOST_SAID and all(one.text.casefold() != said.casefold() for one in known):
            found[memory_id] = [*known, MemoryReason(said)]
    for link in load_leading_links(connection, ids):
        if link.reason or not link.is_replacement:
            relation = LinkType.SUPERSEDES if link.is_replacement else LinkType.CAUSED_BY
            reason = MemoryReason(link.reason, relation, link.other_id, link.other_title)
            found.setdefault(link.memory_id, []).append(reason)
    return {number: tuple(reasons) for number, reasons in found.items()}
