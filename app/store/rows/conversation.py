"""Conversations of the queue with the app, the project and the session that they belong to, and the apps that they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select

from app.store.journal import table_of
from app.store.rows.project import is_project
from app.store.tables.core import AppRow, ConversationRow, EventRow, MessageRow, ProjectRow, StreamRow

_conversation, _stream, _app, _project, _message, _event = (
    table_of(row) for row in (ConversationRow, StreamRow, AppRow, ProjectRow, MessageRow, EventRow)
)
_RECENT_EVENTS = 1_000
_ACTIVE_OF_SESSION: Select[Any] = (
    select(_conversation.c.id, _conversation.c.last_message_at)
    .join(_stream, _stream.c.id == _conversation.c.stream_id)
    .where(_stream.c.session == bindparam("session"), _conversation.c.state == "active")
)


@dataclass(frozen=True, slots=True)
class ConversationQuery:
    """Which conversations: of an app, of a project by its path or name."""

    app: str | None = None
    project: str | None = None

    def apply(self, statement: Any) -> Any:
        """A statement that joins both tables, narrowed down."""
        if self.app:
            statement = statement.where(_app.c.name == self.app)
        if self.project:
            statement = statement.where(is_project(self.project))
        return statement


def _joined() -> Any:
    """Conversations with session, app_name, project_name and project_path."""
    columns = (
        _stream.c.session,
        _app.c.name.label("app_name"),
        _project.c.name.label("project_name"),
        _project.c.path.label("project_path"),
    )
    return (
        select(_conversation, *columns)
        .join(_stream, _stream.c.id == _conversation.c.stream_id)
        .join(_app, _app.c.id == _stream.c.app_id)
        .join(_project, _project.c.id == _stream.c.project_id)
    )


def load_conversations(
    connection: Connection, where: ConversationQuery, *, include_evicted: bool = False
) -> Sequence[Row[Any]]:
    """With session, app_name, project_name and project_path, newest first; also what left the queue if `include_evicted`."""
    statement = where.apply(_joined()).order_by(_conversation.c.queue_key.desc(), _conversation.c.id.desc())
    is_listed = _conversation.c.merged_into_id.is_(None) if include_evicted else _conversation.c.state != "evicted"
    found: Sequence[Row[Any]] = connection.execute(statement.where(is_listed)).all()
    return found


def load_conversation(connection: Connection, conversation_id: int) -> Row[Any] | None:
    """With session, app_name, project_name and project_path."""
    found: Row[Any] | None = connection.execute(_joined().where(_conversation.c.id == conversation_id)).one_or_none()
    return found


def ids_in_queue(connection: Connection) -> list[int]:
    """In the order of the queue: the first goes next."""
    order = (_conversation.c.queue_key, _conversation.c.id)
    kept = select(_conversation.c.id).where(_conversation.c.state != "evicted").order_by(*order)
    return list(connection.execute(kept).scalars())


def count_before(connection: Connection, row: Row[Any]) -> int:
    """How many conversations stand before this one in the queue."""
    is_earlier = (_conversation.c.queue_key < row.queue_key) | (
        (_conversation.c.queue_key == row.queue_key) & (_conversation.c.id < row.id)
    )
    before = select(func.count()).select_from(_conversation).where(_conversation.c.state != "evicted", is_earlier)
    return int(connection.execute(before).scalar_one())


def active_of_session(connection: Connection, session: str) -> Sequence[Row[Any]]:
    """(id, last_message_at) of the conversations that go on in a session."""
    return connection.execute(_ACTIVE_OF_SESSION, {"session": session}).all()


def load_titled(connection: Connection) -> Any:
    """(id, conversation_id, at, text, title, auto_title) of every message of the queue, newest first, as they are read."""
    columns = [_message.c[name] for name in ("id", "conversation_id", "at", "text")]
    columns += [_conversation.c.title, _conversation.c.auto_title]
    joined = select(*columns).join(_conversation, _conversation.c.id == _message.c.conversation_id)
    return connection.execute(joined.order_by(_message.c.id.desc()))


def load_asked(connection: Connection, most: int) -> Sequence[Row[Any]]:
    """Messages whose boundary is asked about, newest first, with title and auto_title of what they may go on."""
    return connection.execute(
        select(_message, _conversation.c.title, _conversation.c.auto_title)
        .outerjoin(_conversation, _conversation.c.id == _message.c.continue_conversation_id)
        .where(_message.c.boundary_state == "asked")
        .order_by(_message.c.id.desc())
        .limit(most)
    ).all()


# the inbox and the apps ------------------------------------------------------------------------------


def load_inbox(connection: Connection, state: str | None, limit: int) -> Sequence[Row[Any]]:
    """Events with the `name` of their app, newest first."""
    events = select(_event, _app.c.name).join(_app, _app.c.id == _event.c.app_id)
    if state is not None:
        events = events.where(_event.c.state == state)
    return connection.execute(events.order_by(_event.c.id.desc()).limit(limit)).all()


def count_messages_by_app(connection: Connection) -> dict[int, int]:
    counted = (
        select(_stream.c.app_id, func.count().label("count"))
        .join(_message, _message.c.stream_id == _stream.c.id)
        .group_by(_stream.c.app_id)
    )
    return {row.app_id: int(row[1]) for row in connection.execute(counted)}


def last_arrivals(connection: Connection) -> dict[int, datetime]:
    """When the apps that spoke in the last events did: their row is told so only every half minute."""
    newest = select(func.coalesce(func.max(_event.c.id), 0)).scalar_subquery()
    recent = select(_event.c.app_id, func.max(_event.c.received_at)).where(_event.c.id > newest - _RECENT_EVENTS)
    return {row[0]: row[1] for row in connection.execute(recent.group_by(_event.c.app_id)) if row[1] is not None}
