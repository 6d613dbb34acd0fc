"""The SQL of the meter as it is shown: requests with what came of them, what was sent as far as it is kept. Reads only.

Source: JUDGE "The meter", UX 4.8b.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from app.store.journal import table_of
from app.store.slices import slices
from app.store.tables.core import AppRow, ConversationRow, MessageRow, OperationRow, ProjectRow, StreamRow
from app.store.tables.judge import AnswerEndRow, JudgeReadingRow, JudgeRequestRow, JudgeResultRow
from app.store.tables.memory import MemoryRow, MemorySourceRow

_request, _result, _reading, _end = (
    table_of(row) for row in (JudgeRequestRow, JudgeResultRow, JudgeReadingRow, AnswerEndRow)
)
_message, _stream, _conversation, _app, _project, _operation = (
    table_of(row) for row in (MessageRow, StreamRow, ConversationRow, AppRow, ProjectRow, OperationRow)
)
_memory, _source = table_of(MemoryRow), table_of(MemorySourceRow)
_ALL = (
    select(
        _request, _app.c.name.label("app"), _project.c.name.label("project"), _result.c.model,
        _result.c.conversation_ids, _result.c.remembered_ids, _result.c.closed_ids, _result.c.put_away_ids,
        _result.c.drop_reasons, _operation.c.is_undoable, _operation.c.undone_by_id,
    )
    .select_from(
        _request.outerjoin(_app, _app.c.id == _request.c.app_id)
        .outerjoin(_project, _project.c.id == _request.c.project_id)
        .outerjoin(_result, _result.c.request_id == _request.c.id)
        .outerjoin(_operation, _operation.c.id == _request.c.operation_id)
    )
)  # fmt: skip
_WHOLE = _ALL.where(_request.c.message_count > 0)


def load_requests(connection: Connection, *, limit: int, before_id: int | None = None) -> Sequence[Any]:
    """Requests with what came of them, newest first."""
    statement = _WHOLE if before_id is None else _WHOLE.where(_request.c.id < before_id)
    return connection.execute(statement.order_by(_request.c.id.desc()).limit(limit)).all()


def load_request(connection: Connection, request_id: int) -> Any | None:
    return connection.execute(_WHOLE.where(_request.c.id == request_id)).first()


def load_since(connection: Connection, since: datetime) -> Sequence[Any]:
    """Requests since then, for the totals; those that read no prompt (notes, contradictions, levels) cost, too."""
    return connection.execute(_ALL.where(_request.c.at >= since)).all()


def load_newest_of(connection: Connection, adapter: str, since: datetime) -> Any | None:
    """The newest request of an adapter."""
    statement = _WHOLE.where(_request.c.adapter == adapter, _request.c.at >= since)
    return connection.execute(statement.order_by(_request.c.id.desc()).limit(1)).first()


def load_titles(connection: Connection, conversation_ids: Iterable[int]) -> dict[int, Any]:
    """Those conversations that are still known, by number."""
    found: dict[int, Any] = {}
    columns = (_conversation.c.id, _conversation.c.title, _conversation.c.auto_title, _conversation.c.state)
    for ids in slices(sorted(set(conversation_ids))):
        rows = connection.execute(select(*columns).where(_conversation.c.id.in_(ids)))
        found |= {int(row.id): row for row in rows}
    return found


def load_read_ids(connection: Connection, request_id: int) -> list[int]:
    """The numbers of the prompts that were read in it, kept or not."""
    statement = select(_reading.c.message_id).where(_reading.c.request_id == request_id)
    return list(connection.execute(statement.order_by(_reading.c.message_id)).scalars())


def load_sent(connection: Connection, message_ids: Sequence[int]) -> list[Any]:
    """These prompts as they are now, with the ends of their answers; those that are gone are left out."""
    found: list[Any] = []
    for ids in slices(message_ids):
        statement = (
            select(_message.c.id, _message.c.conversation_id, _message.c.at, _message.c.text, _end.c.text.label("answer_end"))
            .select_from(_message.outerjoin(_end, _end.c.message_id == _message.c.id))
            .where(_message.c.id.in_(ids))
            .order_by(_message.c.id)
        )  # fmt: skip
        found += connection.execute(statement).all()
    return found


def load_memories(connection: Connection, memory_ids: Sequence[int]) -> dict[int, Any]:
    """Texts of these memories by number."""
    found: dict[int, Any] = {}
    for ids in slices(memory_ids):
        rows = connection.execute(select(_memory.c.id, _memory.c.full).where(_memory.c.id.in_(ids)))
        found |= {int(row.id): row for row in rows}
    return found


def load_sources(connection: Connection, memory_ids: Sequence[int]) -> dict[int, Any]:
    """The newest source of each of these memories, by its number."""
    found: dict[int, Any] = {}
    for ids in slices(memory_ids):
        statement = select(_source.c.memory_id, _source.c.message_id, _source.c.quote).where(
            _source.c.memory_id.in_(ids)
        )
        found |= {int(row.memory_id): row for row in connection.execute(statement.order_by(_source.c.id))}
    return found


def load_lengths(connection: Connection, since: datetime | None = None) -> Sequence[Any]:
    """(id, app, at, conversation, characters) of each prompt, or of those since then; a long one counts as it would be cut."""
    statement = (
        select(
            _message.c.id,
            _app.c.name.label("app"),
            _message.c.at,
            _message.c.conversation_id,
            func.length(func.substr(_message.c.text, 1, 1_800)).label("characters"),
        )
        .select_from(
            _message.join(_stream, _stream.c.id == _message.c.stream_id).join(_app, _app.c.id == _stream.c.app_id)
        )
        .where(_message.c.speaker == "user")
    )
    return connection.execute(statement if since is None else statement.where(_message.c.at >= since)).all()
