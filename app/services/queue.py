"""The queue of 20: starting, pausing, ending and evicting conversations; derived columns.

Eviction is one function that later parts extend: what a leaving conversation taught is kept first, then it
goes, in the transaction of the message that pushed it out. The active one is never evicted. Source: S1, DESIGN 5.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from app.conversation.outcome import infer_outcome
from app.conversation.summary import find_cross_references, list_topics, make_title
from app.services.rows import MESSAGES_REMEMBERED, AnyRow, intents_from_json, load_prior
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.tables import ConversationRow, MentionRow, MessageRow, ReferenceRow, ToolUseRow
from app.store.types import to_microseconds
from app.values import ConversationState, IntentScore, Outcome, PriorMessage, ToolOutcome

LearnBefore = Callable[[Write, int], None]
_DERIVE_MESSAGES = MESSAGES_REMEMBERED
_TOOL_USES_KEPT = 500
_FILES_KEPT = 100


class Queue:
    """Rules of the queue. `on_evict` are called before a conversation's text goes, in the same transaction."""

    def __init__(self) -> None:
        self.on_evict: list[LearnBefore] = []

    def start(self, write: Write, *, stream_id: int, at: datetime, settings: Settings, is_imported: bool) -> int:
        """A new active conversation in this stream; the stream's earlier ones end; number 21 pushes one out."""
        table = table_of(ConversationRow)
        same_stream = select(table.c.id).where(table.c.stream_id == stream_id, table.c.state == "active")
        for earlier in write.connection.execute(same_stream).scalars().all():
            self.end(write, earlier, at=at)
        if not is_imported:
            self._pause_idle(write, stream_id, at, settings)
        conversation_id = write.insert(
            ConversationRow, new_conversation(stream_id, at, self._key(write, at, is_imported))
        )
        self.make_room(write, settings, newest_id=conversation_id)
        return conversation_id

    def make_room(self, write: Write, settings: Settings, *, newest_id: int) -> None:
        """Evicts until the queue fits."""
        table = table_of(ConversationRow)
        kept = write.connection.execute(
            select(table.c.id, table.c.state, table.c.last_message_at, table.c.started_at)
            .where(table.c.state != "evicted")
            .order_by(table.c.queue_key, table.c.id)
        ).all()
        excess = len(kept) - settings.queue_size
        if excess <= 0:
            return
        leaving = [row for row in kept if row.state != "active"][:excess]
        missing = excess - len(leaving)
        if missing > 0:  # all are active: the one idle longest is ended as abandoned first
            idle = sorted(
                (row for row in kept if row.state == "active" and row.id != newest_id),
                key=lambda row: (row.last_message_at or row.started_at, row.id),
            )[:missing]
            for row in idle:
                self.end(write, row.id, at=write.at, outcome=Outcome.ABANDONED)
            leaving += idle
        for row in leaving:
            self.evict(write, row.id)

    def evict(self, write: Write, conversation_id: int) -> None:
        """Lets a conversation's text go; title, topics and dates stay under 'Earlier'."""
        for learn in self.on_evict:
            learn(write, conversation_id)
        message = table_of(MessageRow)
        ids = (
            write.connection.execute(select(message.c.id).where(message.c.conversation_id == conversation_id))
            .scalars()
            .all()
        )
        for row in (MentionRow, ReferenceRow):
            table = table_of(row)
            for some in _slices(ids):
                found = write.connection.execute(select(table.c.id).where(table.c.message_id.in_(some))).scalars().all()
                write.delete_many(row, found)
        tool = table_of(ToolUseRow)
        write.delete_many(
            ToolUseRow,
            write.connection.execute(select(tool.c.id).where(tool.c.conversation_id == conversation_id))
            .scalars()
            .all(),
        )
        for some in _slices(ids):
            write.delete_many(MessageRow, some)
        leaving = write.get(ConversationRow, conversation_id)
        # what the list under "Earlier" shows must survive the text it came from
        write.update(
            ConversationRow,
            conversation_id,
            {
                "state": "evicted",
                "title": leaving.title or leaving.auto_title,
                "outcome": leaving.outcome or leaving.auto_outcome,
            },
        )
        write.touched_conversations.discard(conversation_id)

    def end(self, write: Write, conversation_id: int, *, at: datetime, outcome: Outcome | None = None) -> None:
        row = write.get(ConversationRow, conversation_id)
        values: dict[str, Any] = {"state": "ended", "ended_at": row.ended_at or at}
        if outcome is not None:
            values |= {"outcome": outcome.value, "is_outcome_edited": True}
        write.update(ConversationRow, conversation_id, values)

    def pause(self, write: Write, conversation_id: int) -> None:
        write.update(ConversationRow, conversation_id, {"state": "paused"})

    def _pause_idle(self, write: Write, stream_id: int, at: datetime, settings: Settings) -> None:
        table = table_of(ConversationRow)
        idle = select(table.c.id).where(
            table.c.state == "active",
            table.c.stream_id != stream_id,
            table.c.last_message_at < at - timedelta(seconds=settings.idle_pause_s),
        )
        for conversation_id in write.connection.execute(idle).scalars().all():
            self.pause(write, conversation_id)

    @staticmethod
    def _key(write: Write, at: datetime, is_imported: bool) -> int:
        """The place in the queue: live ones always go to its end, whatever the clock says; imported ones by date."""
        if is_imported:
            return to_microseconds(min(at, write.at))
        newest = write.connection.execute(select(func.max(table_of(ConversationRow).c.queue_key))).scalar()
        return max(to_microseconds(at), int(newest or 0) + 1)


def new_conversation(stream_id: int, at: datetime, queue_key: int) -> dict[str, Any]:
    return {
        "stream_id": stream_id, "queue_key": queue_key, "title": "", "is_title_edited": False, "state": "active",
        "outcome": None, "is_outcome_edited": False, "merged_into_id": None, "started_at": at, "ended_at": None,
        "auto_title": "", "auto_outcome": None, "outcome_reason": "", "last_message_at": at, "message_count": 0,
        "topics": [], "intents": [], "files": [], "related_ids": [],
    }  # fmt: skip


def derive_conversation(
    write: Write, conversation_id: int, messages: tuple[PriorMessage, ...] | None = None, *, title: str = ""
) -> None:
    """Rebuilds the derived columns of one conversation from its messages and tool uses."""
    table = table_of(ConversationRow)
    row = write.connection.execute(select(table).where(table.c.id == conversation_id)).one_or_none()
    if row is None or row.state == ConversationState.EVICTED:  # an undo may just have taken it away
        return
    message = table_of(MessageRow)
    mine = message.c.conversation_id == conversation_id
    count, last_at = write.connection.execute(select(func.count(), func.max(message.c.at)).where(mine)).one()
    if messages is None:
        messages = load_prior(write.connection, mine, newest=_DERIVE_MESSAGES)
    tools = _load_tools(write, conversation_id)
    outcome, reason = infer_outcome(
        messages, tool_events=[tool for tool, _ in tools], is_ended=row.state == ConversationState.ENDED
    )
    counted = Counter(intent for one in messages for intent in one.intents[:1])
    related = find_cross_references([reference for one in messages for reference in one.references])
    files = dict.fromkeys(tool.file for tool, _ in tools if tool.file and not tool.is_error)
    write.unjournalled(
        ConversationRow,
        conversation_id,
        {
            "message_count": int(count),
            "last_message_at": last_at or row.started_at,
            "auto_title": title or row.auto_title or _title_of(write, conversation_id, messages),
            "auto_outcome": None if outcome is None else outcome.value,
            "outcome_reason": reason,
            "topics": list(list_topics(messages)),
            "intents": [intent.value for intent, _ in counted.most_common(4)],
            "files": list(files)[-_FILES_KEPT:],
            "related_ids": [found for found in related if found != conversation_id],
        },
    )


def _title_of(write: Write, conversation_id: int, messages: tuple[PriorMessage, ...]) -> str:
    message = table_of(MessageRow)
    first: AnyRow | None = write.connection.execute(
        select(message).where(message.c.conversation_id == conversation_id).order_by(message.c.id).limit(1)
    ).one_or_none()
    if first is None:
        return ""
    entities = next((one.entities for one in messages if one.id == first.id), ())

    scores: tuple[IntentScore, ...] = intents_from_json(first.intents)
    return make_title(first.text, entities, scores, first.expanded_text or first.text)


def _load_tools(write: Write, conversation_id: int) -> list[tuple[ToolOutcome, int]]:
    table = table_of(ToolUseRow)
    rows = write.connection.execute(
        select(table)
        .where(table.c.conversation_id == conversation_id)
        .order_by(table.c.id.desc())
        .limit(_TOOL_USES_KEPT)
    ).all()
    return [
        (ToolOutcome(tool=row.tool, file=row.file, command=row.command, exit_status=row.exit_status, is_error=row.is_error),
         row.id)
        for row in reversed(rows)
    ]  # fmt: skip


def _slices(ids: Any, size: int = 500) -> list[list[int]]:
    listed = list(ids)
    return [listed[start : start + size] for start in range(0, len(listed), size)]
