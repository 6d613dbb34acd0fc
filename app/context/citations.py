"""The acts that used a given memory: kept as they are seen, read for the memory, for its receipt and for today.

A log beside the journal, of each kind of act the first that used a memory of a receipt. What a person says again
themselves is kept, and told apart from what an assistant did. Source: S4 "Usage Tracker", issue 16 point 11.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from app.store.rows.receipt import keep_citation, load_citations, load_cited_since
from app.understanding.message_rows import AnyRow
from app.values import ActionKind, Citation, UsedMemory

DETAIL_CHARS = 200
_OF_MEMORY_MOST = 20


def keep_citations(connection: Connection, found: Iterable[Citation]) -> None:
    """But for those of a kind that is kept of this memory and receipt already."""
    for one in found:
        keep_citation(
            connection,
            {
                "receipt_id": one.receipt_id, "memory_id": one.memory_id, "at": one.at, "kind": one.kind.value,
                "detail": one.detail[:DETAIL_CHARS], "is_followed": one.is_followed,
            },
        )  # fmt: skip


def load_of_memory(connection: Connection, memory_id: int) -> tuple[Citation, ...]:
    """The newest of one memory."""
    found = load_citations(connection, memory_id=memory_id, most=_OF_MEMORY_MOST)
    return tuple(_citation_of(row) for row in found)


def load_of_receipt(connection: Connection, receipt_id: int) -> tuple[Citation, ...]:
    return tuple(_citation_of(row) for row in load_citations(connection, receipt_id=receipt_id))


def load_used(connection: Connection, since: datetime, *, app: str = "", project: str = "") -> tuple[UsedMemory, ...]:
    """The memories that were used since then, each once by what shows it best, the newest first.

    A rule that was followed shows more than words taken up, what an assistant did more than what the person said again, and what
    was done more than what was said. Counted as the receipts and the statistics count: once a memory and context.
    """
    best: dict[int, UsedMemory] = {}
    receipts: dict[int, set[int]] = {}
    for row in load_cited_since(connection, since, app=app, project=project):
        receipts.setdefault(row.memory_id, set()).add(row.receipt_id)
        made = UsedMemory(row.title, _citation_of(row), str(row.signals.get("prompt", "")), row.project_name or "")
        known = best.get(row.memory_id)
        if known is None or _worth(made.citation) > _worth(known.citation):
            best[row.memory_id] = made
    found = (replace(one, use_count=len(receipts[number])) for number, one in best.items())
    return tuple(sorted(found, key=lambda one: one.citation.at, reverse=True))


def _worth(one: Citation) -> tuple[bool, bool, bool]:
    return one.is_followed, one.kind is not ActionKind.PROMPT, one.kind is not ActionKind.ANSWER


def _citation_of(row: AnyRow) -> Citation:
    return Citation(
        int(row.memory_id),
        int(row.receipt_id),
        row.at,
        ActionKind(row.kind),
        row.detail,
        bool(row.is_followed),
        row.app,
    )
