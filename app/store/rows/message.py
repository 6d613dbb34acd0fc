"""Messages by their conversation, and the window in which references look."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select

from app.store.journal import table_of
from app.store.rows.conversation import ConversationQuery
from app.store.slices import slices
from app.store.tables.core import AppRow, EntityRow, MentionRow, MessageRow, ProjectRow, ReferenceRow, StreamRow

_message, _stream, _app, _project, _mention, _entity, _reference = (
    table_of(row) for row in (MessageRow, StreamRow, AppRow, ProjectRow, MentionRow, EntityRow, ReferenceRow)
)
_COUNT_FROM = (
    select(func.count())
    .select_from(_message)
    .where(_message.c.conversation_id == bindparam("conversation_id"), _message.c.id >= bindparam("first"))
)


def load_rows(
    connection: Connection,
    *,
    ids: Sequence[int] | None = None,
    conversation_id: int | None = None,
    before_id: int | None = None,
    newest: int | None = None,
) -> list[Row[Any]]:
    """Messages of these numbers, or of a conversation, oldest first; `newest`: only so many of the latest."""
    found = select(_message).order_by(_message.c.id.desc() if newest else _message.c.id)
    if ids is not None:
        found = found.where(_message.c.id.in_(ids))
    if conversation_id is not None:
        found = found.where(_message.c.conversation_id == conversation_id)
    if before_id is not None:
        found = found.where(_message.c.id < before_id)
    rows = list(connection.execute(found.limit(newest) if newest else found).all())
    return rows[::-1] if newest else rows


def count_messages_from(connection: Connection, conversation_id: int, first_id: int) -> int:
    """How many messages of a conversation stand from that one on."""
    asked = {"conversation_id": conversation_id, "first": first_id}
    return int(connection.execute(_COUNT_FROM, asked).scalar_one())


def ids_around(connection: Connection, conversation_id: int, message_id: int, count: int) -> list[int]:
    """That message, up to `count` before it and up to `count` after it in its conversation."""
    same = select(_message.c.id).where(_message.c.conversation_id == conversation_id).limit(count)
    before = same.where(_message.c.id < message_id).order_by(_message.c.id.desc())
    after = same.where(_message.c.id > message_id).order_by(_message.c.id)
    return [*connection.execute(before).scalars(), message_id, *connection.execute(after).scalars()]


def ids_in_window(
    connection: Connection, size: int, newer_than: datetime, where: ConversationQuery, *, before_id: int | None = None
) -> list[int]:
    """The last messages the person typed, none too old, none cleared; `before_id`: as that message found it, in its own stream."""
    joined = (
        select(_message.c.id)
        .join(_stream, _stream.c.id == _message.c.stream_id)
        .join(_app, _app.c.id == _stream.c.app_id)
        .join(_project, _project.c.id == _stream.c.project_id)
    )
    statement: Select[Any] = _typed(joined, size).where(_message.c.at > newer_than)
    if before_id is not None:
        own = select(_message.c.stream_id).where(_message.c.id == before_id).scalar_subquery()
        statement = statement.where(_message.c.id < before_id, _message.c.stream_id == own)
    return list(connection.execute(where.apply(statement)).scalars())


def ids_referable(connection: Connection, size: int, conversation_id: int) -> list[int]:
    """The last messages the person typed in a conversation that are not cleared."""
    here = _typed(select(_message.c.id), size).where(_message.c.conversation_id == conversation_id)
    return list(connection.execute(here).scalars())


def _typed(statement: Select[Any], size: int) -> Select[Any]:
    is_typed = (_message.c.speaker == "user", _message.c.is_out_of_window.is_(False))
    return statement.where(*is_typed).order_by(_message.c.id.desc()).limit(size)


def load_mentions(connection: Connection, message_ids: Sequence[int]) -> Iterator[Row[Any]]:
    """Names in these messages with their `canonical`, in the order of messages and words."""
    for some in slices(message_ids):
        named = select(_mention, _entity.c.canonical).join(_entity, _entity.c.id == _mention.c.entity_id)
        named = named.where(_mention.c.message_id.in_(some)).order_by(_mention.c.message_id, _mention.c.start)
        yield from connection.execute(named)


def load_references_of(connection: Connection, message_ids: Sequence[int]) -> Iterator[Row[Any]]:
    """References in these messages, in the order of messages and words."""
    for some in slices(message_ids):
        here = select(_reference).where(_reference.c.message_id.in_(some))
        yield from connection.execute(here.order_by(_reference.c.message_id, _reference.c.start))
