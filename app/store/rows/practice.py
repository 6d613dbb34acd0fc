"""Workflows and code patterns in the store: memories of these kinds with what they were learned from. All their SQL is here."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from app.store.chunked_parameters import slices
from app.store.journal import table_of
from app.store.tables.core import ConversationRow, ProjectRow, StreamRow, ToolUseRow
from app.store.tables.memory import LinkRow, MemoryRow, MemorySourceRow
from app.values.memory import MemoryKind, MemoryStatus

KINDS = (MemoryKind.WORKFLOW.value, MemoryKind.PATTERN.value)
_memory, _source, _conversation, _project = (
    table_of(row) for row in (MemoryRow, MemorySourceRow, ConversationRow, ProjectRow)
)
_stream, _tool, _link = (table_of(row) for row in (StreamRow, ToolUseRow, LinkRow))
_FILES_READ = 5_000
_IS_FREE = (
    func.coalesce(_memory.c.status, "") == MemoryStatus.ACTIVE.value
)  # so that the index of types is taken: status parts nothing
_OFFERED = select(_memory.c.id, _memory.c.project_id, _memory.c.kind, _memory.c.title, _memory.c.details).where(
    _memory.c.type == "", _memory.c.kind.in_(KINDS), _IS_FREE, _memory.c.retired_at.is_(None)
)


class Offered(NamedTuple):
    """A workflow or code pattern that is in use, with what its trigger needs."""

    id: int
    project_id: int | None
    kind: str
    title: str
    details: Mapping[str, Any]


def load_practices(connection: Connection, kind: MemoryKind) -> Sequence[Any]:
    """All memories of a kind, also those that were archived: whoever learns must know what a person did with them."""
    asked = select(_memory).where(_memory.c.type == "", _memory.c.kind == kind.value).order_by(_memory.c.id)
    return connection.execute(asked).all()


def load_offered(connection: Connection, ids: Collection[int] | None) -> list[Offered]:
    """Those of these memories that are workflows or code patterns in use; None: of all."""
    if ids is None:
        return [Offered(*row) for row in connection.execute(_OFFERED)]
    return [
        Offered(*row)
        for some in slices(sorted(ids))
        for row in connection.execute(_OFFERED.where(_memory.c.id.in_(some)))
    ]


def conversations_known(connection: Connection, conversation_ids: Iterable[int]) -> Mapping[int, Any]:
    """These conversations by number, as far as they are still known: id, title, started_at."""
    found: dict[int, Any] = {}
    for some in slices(sorted(conversation_ids)):
        asked = select(_conversation.c.id, _conversation.c.title, _conversation.c.started_at)
        found |= {int(row.id): row for row in connection.execute(asked.where(_conversation.c.id.in_(some)))}
    return found


def conversations_of(connection: Connection, memory_id: int) -> set[int]:
    """The conversations that a memory names as its sources."""
    asked = select(_source.c.conversation_id).where(_source.c.memory_id == memory_id)
    return {int(one) for one in connection.execute(asked).scalars() if one is not None}


def files_changed(connection: Connection, most: int) -> Mapping[int, list[str]]:
    """By project the files that were changed in captured work, the newest first, at most that many each; also of conversations that left."""
    tools = (
        select(_stream.c.project_id, _tool.c.file, _tool.c.id.label("at"))
        .join(_conversation, _conversation.c.id == _tool.c.conversation_id)
        .join(_stream, _stream.c.id == _conversation.c.stream_id)
        .where(_tool.c.file != "", _tool.c.command == "", _tool.c.is_error.is_(False))
        .order_by(_tool.c.id.desc())
        .limit(_FILES_READ)
    )
    left = (
        select(_stream.c.project_id, _link.c.to_name, _link.c.id)
        .join(_conversation, (_conversation.c.id == _link.c.from_id) & (_link.c.from_kind == "conversation"))
        .join(_stream, _stream.c.id == _conversation.c.stream_id)
        .where(_link.c.to_kind == "file")
        .order_by(_link.c.id.desc())
        .limit(_FILES_READ)
    )
    found: dict[int, dict[str, None]] = {}
    for asked in (tools, left):
        for project_id, name, _ in connection.execute(asked):
            own = found.setdefault(int(project_id), {}) if project_id is not None else {}
            if len(own) < most:
                own.setdefault(str(name))
    return {project_id: list(names) for project_id, names in found.items()}
