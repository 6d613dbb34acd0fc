"""Notes among the hits of a search: behind what was found elsewhere, where there is room, and only those that say half of what was asked.

An app's program finds its own app's notes alone. Source: issue 17 "found by the one search", S5 "Memory Search".
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from sqlalchemy import Connection

from app.actor import actor
from app.capture.exclusion import Exclusions
from app.language.search_words import split_stems
from app.store.rows import note as rows
from app.values import FoundHit, MemoryFilter
from app.values.recall import RecallQuery

_LEAST_SHARE = 0.5
_LITTLE = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "have", "how", "i", "in", "is",
        "it", "me", "my", "not", "of", "on", "or", "our", "that", "the", "this", "to", "was", "we", "what", "when",
        "where", "which", "who", "why", "will", "with", "you",
    ]
)  # fmt: skip


def find_notes(
    connection: Connection, query: RecallQuery, hits: Sequence[FoundHit], room: int, excluded: Exclusions
) -> tuple[FoundHit, ...]:
    """At most `room`, those that say most of it first; none of a place or with words that are excluded since."""
    filters = query.filters
    who = actor()
    wanted = set(split_stems(query.text)) - _LITTLE
    is_narrowed = filters != MemoryFilter(projects=filters.projects, apps=filters.apps)
    if room <= 0 or not wanted or is_narrowed:
        return ()
    said = {hit.text.casefold() for hit in hits}
    own = "" if who is None or who.is_admin else who.app
    found: list[tuple[float, Any]] = []
    for row in rows.list_notes(connection, app=own):
        is_there = (not filters.projects or {row.path, PurePath(row.path).name} & set(filters.projects)) and (
            not filters.apps or row.app in filters.apps
        )
        share = len(wanted.intersection(split_stems(row.content))) / len(wanted)
        is_new = share >= _LEAST_SHARE and row.content.casefold() not in said
        if is_there and is_new and not excluded.excludes([row.path], [row.content]):
            found.append((share, row))
    found.sort(key=lambda pair: -pair[0])
    return tuple(_hit(share, row) for share, row in found[:room])


def _hit(share: float, row: Any) -> FoundHit:
    return FoundHit(
        "note",
        None,
        row.content,
        round(share, 4),
        f"note {row.id} of {row.app_title}",
        conversation_id=row.conversation_id,
    )
