"""Reading for the API: conversations, messages, clarifications, search. Never writes."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from app.capture.app_tokens import app_of
from app.deciders.conversation.summary import make_timeline
from app.errors import NotFoundError
from app.store.rows import conversation as conversation_rows
from app.store.rows import message as message_rows
from app.store.rows.conversation import ConversationQuery
from app.store.table_queries import rows_with
from app.store.tables.core import AppRow, MessageRow
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
_ASKED_MOST = 50  # questions about boundaries


def list_conversations(
    connection: Connection, queue_size: int, where: ConversationQuery, *, include_evicted: bool = False
) -> tuple[Conversation, ...]:
    """Newest first. Positions count the whole queue, whatever the filter hides."""
    positions = {row_id: place for place, row_id in enumerate(conversation_rows.ids_in_queue(connection), start=1)}
    rows = conversation_rows.load_conversations(connection, where, include_evicted=include_evicted)
    asked = {
        row.conversation_id for row in rows_with(connection, MessageRow, "conversation_id", boundary_state="asked")
    }
    next_out = next_out_id(connection, queue_size)
    return tuple(
        _conversation_of(row, positions.get(row.id), is_next=row.id == next_out, is_asked=row.id in asked)
        for row in rows
    )


def get_conversation(connection: Connection, conversation_id: int, queue_size: int) -> ConversationDetail:
    row = conversation_rows.load_conversation(connection, conversation_id)
    if row is None:
        raise NotFoundError(
            f"There is no conversation number {conversation_id}.",
            hint="remanence conversations list --all shows those that there are.",
        )
    position = None if row.state == "evicted" else conversation_rows.count_before(connection, row) + 1
    rows = message_rows.load_rows(connection, conversation_id=conversation_id)
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
    found = load_messages(connection, ids=[message_id])
    if not found:
        raise NotFoundError(
            f"There is no message number {message_id}.",
            hint="remanence messages list shows those of a conversation.",
        )
    return found[0]


def list_messages_around(connection: Connection, message_id: int, count: int) -> tuple[Message, ...]:
    """That message with up to `count` before it and after it in its conversation, oldest first."""
    middle = get_message(connection, message_id)
    ids = message_rows.ids_around(connection, middle.conversation_id, message_id, count)
    return load_messages(connection, ids=ids)


def load_window(
    connection: Connection, size: int, newer_than: datetime, where: ConversationQuery, *, before_id: int | None = None
) -> tuple[Message, ...]:
    """The reference window [S2]: the last messages the person typed, none too old, none cleared; oldest first.

    `before_id`: as that message found it, in its own stream.
    """
    return load_messages(
        connection, ids=message_rows.ids_in_window(connection, size, newer_than, where, before_id=before_id)
    )


def load_referable(connection: Connection, size: int, conversation_id: int) -> tuple[Message, ...]:
    """What "it" in the next message of this conversation may point to: its last messages that are not cleared, oldest first."""
    return load_messages(connection, ids=message_rows.ids_referable(connection, size, conversation_id))


def list_clarifications(connection: Connection) -> tuple[Clarification, ...]:
    """Open questions about boundaries, newest first."""
    return tuple(_clarification_of(row) for row in conversation_rows.load_asked(connection, _ASKED_MOST))


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
    hits: list[SearchHit] = []
    for row in conversation_rows.load_titled(connection):
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
        for row in conversation_rows.load_inbox(connection, None if state is None else state.value, limit)
    )


def list_apps(connection: Connection) -> tuple[AppCard, ...]:
    counts = conversation_rows.count_messages_by_app(connection)
    arrived = conversation_rows.last_arrivals(connection)
    return tuple(app_of(row, counts.get(row.id, 0), arrived.get(row.id)) for row in rows_with(connection, AppRow))


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
