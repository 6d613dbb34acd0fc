"""Reading for the door: conversations, messages, clarifications, search. Never writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from app.capture.app_tokens import app_of
from app.deciders.conversation.summary import make_timeline
from app.errors import NotFoundError
from app.store.journal import table_of
from app.store.tables.core import AppRow, ConversationRow, EventRow, MessageRow, ProjectRow, StreamRow
from app.understanding.conversations.queue import next_out_id
from app.understanding.message_rows import AnyRow, Details, find_holder, load_messages, messages_of, prior_of, title_of
from app.values import (
    AppCard,
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationState,
    EventKind,
    EventState,
    InboxEvent,
    Intent,
    Message,
    Outcome,
    SearchHit,
)

_SNIPPET_CHARS = 160
_LATELY_EVENTS = 1_000


@dataclass(frozen=True, slots=True)
class ConversationQuery:
    app: str | None = None
    project: str | None = None

    def apply(self, statement: Any) -> Any:
        if self.app:
            statement = statement.where(table_of(AppRow).c.name == self.app)
        if self.project:
            project = table_of(ProjectRow)
            statement = statement.where((project.c.name == self.project) | (project.c.path == self.project))
        return statement


def list_conversations(
    connection: Connection, queue_size: int, where: ConversationQuery, *, include_evicted: bool = False
) -> tuple[Conversation, ...]:
    """Newest first. Positions count the whole queue, whatever the filter hides."""
    conversation = table_of(ConversationRow)
    order = [
        row.id
        for row in connection.execute(
            select(conversation.c.id)
            .where(conversation.c.state != "evicted")
            .order_by(conversation.c.queue_key, conversation.c.id)
        )
    ]
    positions = {row_id: place for place, row_id in enumerate(order, start=1)}
    statement = where.apply(joined_conversations()).order_by(conversation.c.queue_key.desc(), conversation.c.id.desc())
    if include_evicted:
        statement = statement.where(conversation.c.merged_into_id.is_(None))
    else:
        statement = statement.where(conversation.c.state != "evicted")
    rows = connection.execute(statement).all()
    asked = _asked_ids(connection)
    next_out = next_out_id(connection, queue_size)
    return tuple(
        _conversation_of(row, positions.get(row.id), is_next=row.id == next_out, is_asked=row.id in asked)
        for row in rows
    )


def get_conversation(connection: Connection, conversation_id: int, queue_size: int) -> ConversationDetail:
    conversation, message = table_of(ConversationRow), table_of(MessageRow)
    row = connection.execute(joined_conversations().where(conversation.c.id == conversation_id)).one_or_none()
    if row is None:
        raise NotFoundError(
            f"There is no conversation number {conversation_id}.",
            hint="remanence conversations list --all shows those that there are.",
        )
    position = None
    if row.state != "evicted":
        position = (
            1
            + connection.execute(
                select(func.count())
                .select_from(conversation)
                .where(
                    conversation.c.state != "evicted",
                    (conversation.c.queue_key < row.queue_key)
                    | ((conversation.c.queue_key == row.queue_key) & (conversation.c.id < row.id)),
                )
            ).scalar_one()
        )
    rows = connection.execute(
        select(message).where(message.c.conversation_id == conversation_id).order_by(message.c.id)
    ).all()
    details = Details(connection, [one.id for one in rows])
    priors = [prior_of(one._mapping, details.entities.get(one.id, ()), ()) for one in rows]
    return ConversationDetail(
        conversation=_conversation_of(
            row,
            position,
            is_next=row.id == next_out_id(connection, queue_size),
            is_asked=any(one.boundary_state == "asked" for one in rows),
            holder=find_holder(connection, row),
        ),
        messages=messages_of(connection, rows, details),
        timeline=make_timeline(priors),
    )


def get_message(connection: Connection, message_id: int) -> Message:
    found = load_messages(connection, table_of(MessageRow).c.id == message_id)
    if not found:
        raise NotFoundError(
            f"There is no message number {message_id}.",
            hint="remanence messages list shows those of a conversation.",
        )
    return found[0]


def list_messages_around(connection: Connection, message_id: int, count: int) -> tuple[Message, ...]:
    """That message with up to `count` before it and after it in its conversation, oldest first."""
    message = table_of(MessageRow)
    middle = get_message(connection, message_id)
    same = select(message.c.id).where(message.c.conversation_id == middle.conversation_id).limit(count)
    before = same.where(message.c.id < message_id).order_by(message.c.id.desc())
    after = same.where(message.c.id > message_id).order_by(message.c.id)
    ids = [*connection.execute(before).scalars(), message_id, *connection.execute(after).scalars()]
    return load_messages(connection, message.c.id.in_(ids))


def load_window(
    connection: Connection, size: int, newer_than: datetime, where: ConversationQuery, *, before_id: int | None = None
) -> tuple[Message, ...]:
    """The reference window [S2]: the last messages the person typed, none too old, none cleared; oldest first.

    `before_id`: as that message found it, in its own stream.
    """
    message, stream, app, project = (table_of(row) for row in (MessageRow, StreamRow, AppRow, ProjectRow))
    statement = (
        select(message.c.id)
        .join(stream, stream.c.id == message.c.stream_id)
        .join(app, app.c.id == stream.c.app_id)
        .join(project, project.c.id == stream.c.project_id)
        .where(message.c.speaker == "user", message.c.at > newer_than, message.c.is_out_of_window.is_(False))
        .order_by(message.c.id.desc())
        .limit(size)
    )
    if before_id is not None:
        own = select(message.c.stream_id).where(message.c.id == before_id).scalar_subquery()
        statement = statement.where(message.c.id < before_id, message.c.stream_id == own)
    ids = connection.execute(where.apply(statement)).scalars().all()
    return load_messages(connection, message.c.id.in_(list(ids)))


def load_referable(connection: Connection, size: int, conversation_id: int) -> tuple[Message, ...]:
    """What "it" in the next message of this conversation may point to: its last messages that are not cleared, oldest first."""
    message = table_of(MessageRow)
    ids = connection.execute(
        select(message.c.id)
        .where(
            message.c.conversation_id == conversation_id,
            message.c.speaker == "user",
            message.c.is_out_of_window.is_(False),
        )
        .order_by(message.c.id.desc())
        .limit(size)
    )
    return load_messages(connection, message.c.id.in_(list(ids.scalars())))


def list_clarifications(connection: Connection) -> tuple[Clarification, ...]:
    """Open questions about boundaries, newest first."""
    message, conversation = table_of(MessageRow), table_of(ConversationRow)
    rows = connection.execute(
        select(message, conversation.c.title, conversation.c.auto_title)
        .outerjoin(conversation, conversation.c.id == message.c.continue_conversation_id)
        .where(message.c.boundary_state == "asked")
        .order_by(message.c.id.desc())
        .limit(50)
    ).all()
    return tuple(_clarification_of(row) for row in rows)


def _clarification_of(row: AnyRow) -> Clarification:
    return Clarification(
        message_id=row.id,
        conversation_id=row.conversation_id,
        message_text=row.text[:400],
        continue_conversation_id=row.continue_conversation_id or row.conversation_id,
        continue_title=row.title or row.auto_title or "the earlier conversation",
        confidence=row.boundary_confidence,
        reason=row.boundary_reason,
        asked_at=row.at,
    )


def search_messages(connection: Connection, query: str, limit: int) -> tuple[SearchHit, ...]:
    """Messages and titles of the queue that hold every word of `query`, newest first; case does not matter."""
    words = [word for word in query.casefold().split() if word]
    if not words:
        return ()
    message, conversation = table_of(MessageRow), table_of(ConversationRow)
    rows = connection.execute(
        select(
            message.c.id,
            message.c.conversation_id,
            message.c.at,
            message.c.text,
            conversation.c.title,
            conversation.c.auto_title,
        )
        .join(conversation, conversation.c.id == message.c.conversation_id)
        .order_by(message.c.id.desc())
    )
    hits: list[SearchHit] = []
    for row in rows:
        title = row.title or row.auto_title
        folded = row.text.casefold()
        if not all(word in folded or word in title.casefold() for word in words):
            continue
        snippet, marks = _snippet(row.text, words)
        hits.append(SearchHit(row.conversation_id, title, row.id, row.at, snippet, marks))
        if len(hits) >= limit:
            break
    return tuple(hits)


def _snippet(text: str, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    first = min((folded.find(word) for word in words if word in folded), default=0)
    start = max(0, first - 40)
    snippet = ("…" if start else "") + " ".join(text[start : start + _SNIPPET_CHARS].split())
    lower = snippet.casefold() if len(snippet.casefold()) == len(snippet) else snippet.lower()
    marks = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            marks.append((at, at + len(word)))
            at = lower.find(word, at + len(word))
    return snippet, tuple(sorted(marks))


def list_inbox(connection: Connection, state: EventState | None, limit: int) -> tuple[InboxEvent, ...]:
    event, app = table_of(EventRow), table_of(AppRow)
    statement = select(event, app.c.name).join(app, app.c.id == event.c.app_id).order_by(event.c.id.desc()).limit(limit)
    if state is not None:
        statement = statement.where(event.c.state == state.value)
    return tuple(
        InboxEvent(
            id=row.id,
            app=row.name,
            kind=EventKind(row.kind),
            state=EventState(row.state),
            received_at=row.received_at,
            attempt_count=row.attempt_count,
            error=row.error,
            preview=str((row.payload or {}).get("text", ""))[:120],
        )
        for row in connection.execute(statement)
    )


def list_apps(connection: Connection) -> tuple[AppCard, ...]:
    app, stream, message = table_of(AppRow), table_of(StreamRow), table_of(MessageRow)
    counted = (
        select(stream.c.app_id, func.count().label("count"))
        .join(message, message.c.stream_id == stream.c.id)
        .group_by(stream.c.app_id)
    )
    counts: dict[int, int] = {row.app_id: int(row[1]) for row in connection.execute(counted)}
    rows = connection.execute(select(app).order_by(app.c.id)).all()
    arrived = _last_arrivals(connection)
    return tuple(app_of(row, int(counts.get(row.id, 0)), arrived.get(row.id)) for row in rows)


def _last_arrivals(connection: Connection) -> dict[int, datetime]:
    """When the apps that spoke lately did: their row is told so only every half minute."""
    event = table_of(EventRow)
    newest = select(func.coalesce(func.max(event.c.id), 0)).scalar_subquery()
    lately = select(event.c.app_id, func.max(event.c.received_at)).where(event.c.id > newest - _LATELY_EVENTS)
    return {row[0]: row[1] for row in connection.execute(lately.group_by(event.c.app_id)) if row[1] is not None}


def joined_conversations() -> Any:
    """Conversations with the app, the project and the session that they belong to."""
    conversation, stream, app, project = (table_of(row) for row in (ConversationRow, StreamRow, AppRow, ProjectRow))
    return (
        select(
            conversation,
            stream.c.session,
            app.c.name.label("app_name"),
            project.c.name.label("project_name"),
            project.c.path.label("project_path"),
        )
        .join(stream, stream.c.id == conversation.c.stream_id)
        .join(app, app.c.id == stream.c.app_id)
        .join(project, project.c.id == stream.c.project_id)
    )


def _asked_ids(connection: Connection) -> set[int]:
    message = table_of(MessageRow)
    return set(
        connection.execute(select(message.c.conversation_id).where(message.c.boundary_state == "asked")).scalars().all()
    )


def _conversation_of(
    row: AnyRow, position: int | None, *, is_next: bool, is_asked: bool, holder: AnyRow | None = None
) -> Conversation:
    outcome = row.outcome or row.auto_outcome
    return Conversation(
        id=row.id,
        title=title_of(row),
        is_title_edited=row.is_title_edited,
        state=ConversationState(row.state),
        position=position,
        app=row.app_name,
        project=row.project_name,
        project_path=row.project_path,
        session=row.session,
        started_at=row.started_at,
        last_message_at=row.last_message_at or row.started_at,
        ended_at=row.ended_at,
        message_count=row.message_count,
        topics=tuple(row.topics),
        files=tuple(row.files),
        intents=tuple(Intent(name) for name in row.intents),
        outcome=Outcome(outcome) if outcome else None,
        is_outcome_edited=row.is_outcome_edited,
        is_next_out=is_next,
        has_clarification=is_asked,
        related_ids=tuple(row.related_ids),
        merged_into_id=None if holder is None else holder.id,
        merged_into_title="" if holder is None else title_of(holder),
    )
