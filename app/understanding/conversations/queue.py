"""The queue of 20: starting, pausing, ending and evicting conversations.

Eviction is one function that later parts extend: what a leaving conversation taught is kept first, then it
goes, in the transaction of the message that pushed it out. The active one is never evicted. Source: S1, DESIGN 5.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.file_changes import is_continuing
from app.settings import Settings
from app.store.journal import Write
from app.store.rows.conversation import active_of_stream, idle_since, load_queue, next_queue_key
from app.store.rows.episode import load_references
from app.store.table_queries import ids_with
from app.store.tables.core import ConversationRow, MentionRow, MessageRow, ReferenceRow, ToolUseRow
from app.store.tables.types import to_microseconds
from app.understanding.conversations.chunking import drop_chunks
from app.understanding.conversations.derived import make_unique_title
from app.values import Origin, Outcome

LearnBefore = Callable[[Write, int], None]


class Queue:
    """Rules of the queue. `on_evict` are called before a conversation's text goes, `on_over` when one ends, pauses or goes.

    All in the same transaction. Neither learns anything from a conversation that comes in older than the queue.
    """

    def __init__(self) -> None:
        self.on_evict: list[LearnBefore] = []
        self.archive: LearnBefore = lambda _write, _conversation_id: None  # keeps the prompts, if the person chose so
        self.on_over: list[LearnBefore] = []
        self.is_past_wanted = False  # whether older histories have to pass the queue whole

    def start(
        self, write: Write, *, stream_id: int, at: datetime, settings: Settings, is_imported: bool, title: str = ""
    ) -> int:
        """A new active conversation in this stream; the stream's earlier ones end; number 21 pushes one out."""
        for earlier in active_of_stream(write.connection, stream_id):
            self.end(write, earlier, at=at)
        if not is_imported:
            self.pause_idle(write, at, settings, but_stream_id=stream_id)
        values = new_conversation(stream_id, at, self._key(write, at, is_imported))
        conversation_id = write.insert(
            ConversationRow, values | {"auto_title": make_unique_title(write.connection, title, 0)}
        )
        self.make_room(write, settings, newest_id=conversation_id)
        return conversation_id

    def make_room(
        self, write: Write, settings: Settings, *, newest_id: int | None = None, spared_id: int | None = None
    ) -> None:
        """Evicts until the queue fits. One that is being read from a history and is older than all waits its end."""
        kept = load_queue(write.connection)
        excess = len(kept) - settings.queue_size
        if excess <= 0 or (write.origin is Origin.IMPORT and kept[0].id == newest_id):
            return
        for row in _choose_leaving(kept, excess, {newest_id, spared_id}):
            if row.state == "active":  # all are: the one idle longest is ended as abandoned first
                self.end(write, row.id, at=write.at, outcome=Outcome.ABANDONED)
            self.evict(write, row.id)

    def leaving_at_split(self, connection: Connection, conversation_id: int, settings: Settings) -> tuple[int, ...]:
        """The conversations that have to go when this one becomes two: the oldest, never one of the two."""
        kept = load_queue(connection)
        excess = len(kept) + 1 - settings.queue_size
        return tuple(int(row.id) for row in _choose_leaving(kept, excess, {conversation_id}))

    def horizon_key(self, connection: Connection, settings: Settings) -> int | None:
        """What is older than this has no place in the queue and teaches nobody anything; None while all has.

        The key of the first that would leave. None, too, as long as somebody wants the text of every one that leaves.
        """
        if self.is_past_wanted:
            return None
        kept = load_queue(connection)
        if len(kept) < settings.queue_size:
            return None
        return next((int(row.queue_key) for row in kept if row.state != "active"), None)

    def evict(self, write: Write, conversation_id: int) -> None:
        """Lets a conversation's text go; title, topics and dates stay under 'Earlier'."""
        for learn in (*self.on_over, *self.on_evict):  # what it came to counts among what stays
            learn(write, conversation_id)
        self.archive(write, conversation_id)
        continued = [
            one.conversation_id
            for one in load_references(write.connection, conversation_id, is_outgoing=True)
            if is_continuing(one.said)
        ]
        _drop_text(write, conversation_id)
        leaving = write.get(ConversationRow, conversation_id)
        # what the list under "Earlier" shows must survive the text it came from
        write.update(
            ConversationRow,
            conversation_id,
            {
                "state": "evicted",
                "title": leaving.title or leaving.auto_title,
                "outcome": leaving.outcome or leaving.auto_outcome,
                "distilled": {"continues": continued} if continued else None,
            },
        )
        write.touched_conversations.discard(conversation_id)

    def end(self, write: Write, conversation_id: int, *, at: datetime, outcome: Outcome | None = None) -> None:
        row = write.get(ConversationRow, conversation_id)
        values: dict[str, Any] = {"state": "ended", "ended_at": row.ended_at or at}
        if outcome is not None:
            values |= {"outcome": outcome.value, "is_outcome_edited": True}
        write.update(ConversationRow, conversation_id, values)
        self._over(write, conversation_id)

    def pause(self, write: Write, conversation_id: int) -> None:
        write.update(ConversationRow, conversation_id, {"state": "paused"})
        self._over(write, conversation_id)

    def _over(self, write: Write, conversation_id: int) -> None:
        for learn in self.on_over:
            learn(write, conversation_id)

    def pause_idle(
        self, write: Write, at: datetime, settings: Settings, *, but_stream_id: int | None = None
    ) -> tuple[int, ...]:
        """Pauses what nobody has spoken in for `idle_pause_s`: else it would hold its place for ever, and tell no episode."""
        before = at - timedelta(seconds=settings.idle_pause_s)
        found = tuple(idle_since(write.connection, before, but_stream_id=but_stream_id))
        for conversation_id in found:
            self.pause(write, conversation_id)
        return found

    @staticmethod
    def _key(write: Write, at: datetime, is_imported: bool) -> int:
        """The place in the queue: live ones always go to its end, whatever the clock says; imported ones by date."""
        if is_imported:
            return to_microseconds(min(at, write.at))
        return max(to_microseconds(at), next_queue_key(write.connection))


def _choose_leaving(kept: Sequence[Any], excess: int, spared: Collection[int | None]) -> list[Any]:
    """The oldest that are over, those in which nothing was said before all others; where all are active, those idle longest."""
    may_leave = [row for row in kept if row.id not in spared]
    over = sorted((row for row in may_leave if row.state != "active"), key=_says_something)
    active = [row for row in may_leave if row.state == "active"]
    idle = sorted(active, key=lambda row: (row.last_message_at or row.started_at, row.id))
    return [*over, *idle][: max(0, excess)]


def _says_something(row: Any) -> bool:
    """Whether anything names the conversation, or was worked on in it: "continue", "yes" and "hello" do not."""
    return bool(row.title or row.auto_title or row.files)


def next_out_id(connection: Connection, queue_size: int) -> int | None:
    """The one that goes when the queue is full and a new conversation starts; None while there is room."""
    kept = load_queue(connection)
    leaving = _choose_leaving([row for row in kept if row.state != "active"], 1, ())
    return int(leaving[0].id) if leaving and len(kept) >= queue_size else None


def new_conversation(stream_id: int, at: datetime, queue_key: int) -> dict[str, Any]:
    return {
        "stream_id": stream_id, "queue_key": queue_key, "title": "", "is_title_edited": False, "state": "active",
        "outcome": None, "is_outcome_edited": False, "merged_into_id": None, "started_at": at, "ended_at": None,
        "auto_title": "", "auto_outcome": None, "outcome_reason": "", "last_message_at": at, "message_count": 0,
        "topics": [], "intents": [], "files": [], "related_ids": [],
        "summary": None, "summary_by": None, "distilled": None,
    }  # fmt: skip


def _drop_text(write: Write, conversation_id: int) -> None:
    """Deletes the messages, what was read out of them, and what tools did meanwhile."""
    ids = ids_with(write.connection, MessageRow, conversation_id=conversation_id)
    for row in (MentionRow, ReferenceRow):
        write.delete_many(row, ids_with(write.connection, row, message_id=ids))
    write.delete_many(ToolUseRow, ids_with(write.connection, ToolUseRow, conversation_id=conversation_id))
    write.delete_many(MessageRow, ids)
    drop_chunks(write, conversation_id)
