"""Conversations of the queue with the app, the project and the session that they belong to, and the apps that they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, exists, func, select, update

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
    """How many conversations are before this one in the queue."""
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


# the queue and its streams ---------------------------------------------------------------------------

_QUEUED = [
    _conversation.c[name]
    for name in ["id", "state", "queue_key", "last_message_at", "started_at", "title", "auto_title", "files"]
]
_ACTIVE = select(_conversation.c.id).where(
    _conversation.c.stream_id == bindparam("stream_id"), _conversation.c.state == "active"
)
_WITH_SESSION: Select[Any] = select(_conversation, _stream.c.ended_at.label("session_ended_at")).join(
    _stream, _stream.c.id == _conversation.c.stream_id
)
_OWN = (
    _WITH_SESSION.where(_conversation.c.stream_id == bindparam("stream_id"), _conversation.c.state != "evicted")
    .order_by(_conversation.c.queue_key.desc())
    .limit(1)
)
_EARLIER = (
    _WITH_SESSION.where(
        _stream.c.app_id == bindparam("app_id"),
        _stream.c.project_id == bindparam("project_id"),
        _conversation.c.state != "evicted",
        _conversation.c.last_message_at > bindparam("after", type_=_conversation.c.last_message_at.type),
        _conversation.c.last_message_at < bindparam("before", type_=_conversation.c.last_message_at.type),
    )
    .order_by(_conversation.c.last_message_at.desc())
    .limit(1)
)
_CURRENT = (
    select(_conversation.c.id)
    .where(_conversation.c.stream_id == bindparam("stream_id"), _conversation.c.state.not_in(("evicted", "ended")))
    .order_by(_conversation.c.queue_key.desc())
    .limit(1)
)
_PLACE: Select[Any] = (
    select(_stream.c.app_id, _stream.c.project_id, _stream.c.git_branch, _app.c.name.label("app"), _project.c.path)
    .join(_app, _app.c.id == _stream.c.app_id)
    .join(_project, _project.c.id == _stream.c.project_id)
    .where(_stream.c.id == bindparam("stream_id"))
)
_of_it = _message.alias()
_CALLED: Select[Any] = select(_conversation.c.title, _conversation.c.auto_title).where(
    _conversation.c.state != "evicted",
    _conversation.c.id != bindparam("conversation_id"),
    _conversation.c.id < bindparam("before_id"),
    exists().where(_of_it.c.conversation_id == _conversation.c.id),  # one whose messages were moved away has no name
)


def load_queue(connection: Connection) -> Sequence[Row[Any]]:
    """(id, state, queue_key, last_message_at, started_at, title, auto_title, files) in the order of the queue."""
    order = (_conversation.c.queue_key, _conversation.c.id)
    return connection.execute(select(*_QUEUED).where(_conversation.c.state != "evicted").order_by(*order)).all()


def next_queue_key(connection: Connection) -> int:
    """Behind all that are in the queue."""
    return int(connection.execute(select(func.max(_conversation.c.queue_key))).scalar() or 0) + 1


def active_of_stream(connection: Connection, stream_id: int, *, but_id: int = 0) -> Sequence[int]:
    found = connection.execute(_ACTIVE, {"stream_id": stream_id}).scalars().all()
    return [one for one in found if one != but_id]


def current_of_stream(connection: Connection, stream_id: int) -> int | None:
    """The newest of a stream that is not over."""
    found: int | None = connection.execute(_CURRENT, {"stream_id": stream_id}).scalar()
    return found


def newest_of_stream(connection: Connection, stream_id: int) -> Row[Any] | None:
    """With `session_ended_at`; over or not."""
    return connection.execute(_OWN, {"stream_id": stream_id}).one_or_none()


def newest_of_place(
    connection: Connection, app_id: int, project_id: int, after: datetime, before: datetime
) -> Row[Any] | None:
    """The conversation of an app in a project in which something was said last, in that span; with `session_ended_at`."""
    where = {"app_id": app_id, "project_id": project_id, "after": after, "before": before}
    return connection.execute(_EARLIER, where).one_or_none()


def idle_since(connection: Connection, before: datetime, *, but_stream_id: int | None = None) -> Sequence[int]:
    """Active ones in which nothing was said since then."""
    idle = select(_conversation.c.id).where(_conversation.c.state == "active", _conversation.c.last_message_at < before)
    if but_stream_id is not None:
        idle = idle.where(_conversation.c.stream_id != but_stream_id)
    return connection.execute(idle).scalars().all()


def place_of(connection: Connection, stream_id: int) -> Row[Any]:
    """(app_id, project_id, git_branch, app, path) of a stream."""
    return connection.execute(_PLACE, {"stream_id": stream_id}).one()


def titles_before(connection: Connection, conversation_id: int, before_id: int) -> Sequence[Row[Any]]:
    """(title, auto_title) of the others in the queue that have messages and a smaller number than `before_id`."""
    return connection.execute(_CALLED, {"conversation_id": conversation_id, "before_id": before_id}).all()


# the inbox and the apps ------------------------------------------------------------------------------


def load_inbox(connection: Connection, state: str | None, limit: int) -> Sequence[Row[Any]]:
    """Events with the `name` of their app, newest first."""
    events = select(_event, _app.c.name).join(_app, _app.c.id == _event.c.app_id)
    if state is not None:
        events = events.where(_event.c.state == state)
    return connection.execute(events.order_by(_event.c.id.desc()).limit(limit)).all()


_WAITING = select(_event.c.id).where(_event.c.state == "pending").order_by(_event.c.id).limit(bindparam("most"))
_DONE = (
    update(_event)
    .where(_event.c.id == bindparam("event_id"))
    .values(state=bindparam("state"), error=bindparam("error"), message_id=bindparam("message"), payload=None)
)


def find_waiting(connection: Connection, most: int) -> Sequence[int]:
    """The events that wait to be understood, oldest first."""
    return connection.execute(_WAITING, {"most": most}).scalars().all()


def note_done(connection: Connection, event_id: int, state: str, error: str, message_id: int | None) -> None:
    """What became of an event; its words are in its message now."""
    connection.execute(_DONE, {"event_id": event_id, "state": state, "error": error, "message": message_id})


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
