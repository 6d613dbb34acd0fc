"""The acts that used a given memory: kept as they are seen, read for the memory, for its receipt and for today.

A log beside the journal, of each kind of act the first that used a memory of a receipt. What a person says themselves is kept
and is no use of it by an assistant. Source: S4 "Usage Tracker", issue 16 point 11.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from app.store.journal import table_of
from app.store.rows.project import is_project
from app.store.tables.context import CitationRow, ReceiptRow
from app.store.tables.core import ProjectRow
from app.store.tables.memory import MemoryRow
from app.values import ActionKind, Citation, UsedMemory

DETAIL_CHARS = 200
_OF_MEMORY_MOST = 20
_citation, _receipt, _memory, _project = (table_of(row) for row in (CitationRow, ReceiptRow, MemoryRow, ProjectRow))
_BY_ASSISTANTS = tuple(one.value for one in ActionKind if one is not ActionKind.PROMPT)


def keep_citations(connection: Connection, found: Iterable[Citation]) -> None:
    """But for those of a kind that is kept of this memory and receipt already."""
    for one in found:
        same = (_citation.c.receipt_id == one.receipt_id, _citation.c.memory_id == one.memory_id)
        kept = connection.execute(
            select(_citation.c.id, _citation.c.is_followed).where(*same, _citation.c.kind == one.kind.value)
        ).first()
        values = {
            "receipt_id": one.receipt_id, "memory_id": one.memory_id, "at": one.at, "kind": one.kind.value,
            "detail": one.detail[:DETAIL_CHARS], "is_followed": one.is_followed,
        }  # fmt: skip
        if kept is None:
            connection.execute(_citation.insert(), values)
        elif one.is_followed and not kept.is_followed:  # says more than the words that were taken up before
            connection.execute(_citation.update().where(_citation.c.id == kept.id).values(values))


def load_of_memory(connection: Connection, memory_id: int) -> tuple[Citation, ...]:
    """The newest of one memory."""
    statement = _listed().where(_citation.c.memory_id == memory_id).limit(_OF_MEMORY_MOST)
    return tuple(_citation_of(row) for row in connection.execute(statement))


def load_of_receipt(connection: Connection, receipt_id: int) -> tuple[Citation, ...]:
    statement = _listed().where(_citation.c.receipt_id == receipt_id)
    return tuple(_citation_of(row) for row in connection.execute(statement))


def load_used(connection: Connection, since: datetime, *, app: str = "", project: str = "") -> tuple[UsedMemory, ...]:
    """The memories that an assistant took up since then, each once by what shows it best, the newest first.

    A rule that was followed shows more than words taken up, and what was done more than what was said.
    """
    statement = (
        _listed()
        .add_columns(_memory.c.title, _receipt.c.signals, _project.c.name.label("project_name"))
        .join(_memory, _memory.c.id == _citation.c.memory_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(_citation.c.at >= since, _citation.c.kind.in_(_BY_ASSISTANTS))
    )
    if app:
        statement = statement.where(_receipt.c.app == app)
    if project:
        statement = statement.where(is_project(project))
    best: dict[int, UsedMemory] = {}
    for row in connection.execute(statement):
        made = UsedMemory(row.title, _citation_of(row), str(row.signals.get("prompt", "")), row.project_name or "")
        known = best.get(row.memory_id)
        if known is None or _worth(made.citation) > _worth(known.citation):
            best[row.memory_id] = made
    return tuple(sorted(best.values(), key=lambda one: one.citation.at, reverse=True))


def _worth(one: Citation) -> tuple[bool, bool]:
    return one.is_followed, one.kind is not ActionKind.ANSWER


def _listed() -> Select[Any]:
    return (
        select(_citation, _receipt.c.app)
        .join(_receipt, _receipt.c.id == _citation.c.receipt_id)
        .order_by(_citation.c.at.desc(), _citation.c.id.desc())
    )


def _citation_of(row: Row[Any]) -> Citation:
    return Citation(
        int(row.memory_id),
        int(row.receipt_id),
        row.at,
        ActionKind(row.kind),
        row.detail,
        bool(row.is_followed),
        row.app,
    )
