"""What the Conversations screen shows, read on the read worker: the list, and one conversation with its neighbours.

Owns how the shown conversation is followed when it was merged away. Knows the engine's door, no widget. Source: UX 4.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from app.errors import NotFoundError
from app.values import (
    Chunk,
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationRecord,
    ConversationState,
    MemoryCard,
    Message,
    SearchHit,
)
from ui.screens.conversations.commands import abilities_for
from ui.screens.conversations.message_hits import as_message, find_messages
from ui.screens.conversations.transcript_model import Neighbours, neighbours_of

if TYPE_CHECKING:
    from app.api import Engine

SEARCH_LIMIT = 50
JOIN_TARGETS = 6


@dataclass(frozen=True, slots=True)
class QueueReading:
    conversations: tuple[Conversation, ...]  # evicted ones too
    queue_size: int
    now: datetime
    is_archive_on: bool = False

    @property
    def kept(self) -> tuple[Conversation, ...]:
        return tuple(c for c in self.conversations if c.state is not ConversationState.EVICTED)


@dataclass(frozen=True, slots=True)
class ConversationMemories:
    """What a conversation taught; `by_message` maps messages to their memories."""

    cards: tuple[MemoryCard, ...] = ()
    by_message: Mapping[int, tuple[MemoryCard, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConversationReading:
    detail: ConversationDetail
    neighbours: Neighbours
    record: ConversationRecord
    questions: tuple[Clarification, ...]
    now: datetime
    learned: ConversationMemories = ConversationMemories()
    chunks: tuple[Chunk, ...] = ()
    referable: tuple[Message, ...] = ()  # what "it" in the next message may point to


@dataclass(frozen=True, slots=True)
class SearchReading:
    query: str
    hits: tuple[SearchHit, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to show: a conversation, a message of it, or only a message whose conversation is to be found."""

    conversation_id: int | None = None
    message_id: int | None = None


def read_queue(engine: "Engine", *, app: str | None, project: str | None) -> QueueReading:
    """The queue and what went before it, in a scope."""
    return QueueReading(
        conversations=engine.conversations.list(app=app, project=project, include_evicted=True),
        is_archive_on=engine.archive.status().is_on,
        queue_size=engine.settings.current.queue_size,
        now=engine.clock.now(),
    )


def read_conversation(engine: "Engine", wanted: Wanted) -> ConversationReading | None:
    """The wanted conversation; where it was merged away, the one that has its message now; else None."""
    detail = _find_detail(engine, wanted)
    if detail is None:
        return None
    detail = _with_archived(engine, detail)
    everything = engine.conversations.list(include_evicted=True)
    return ConversationReading(
        detail=detail,
        neighbours=neighbours_of(detail.conversation, everything),
        record=engine.conversations.record(detail.conversation.id),
        questions=tuple(
            q for q in engine.conversations.clarifications() if q.conversation_id == detail.conversation.id
        ),
        now=engine.clock.now(),
        learned=read_learned(engine, detail.conversation.id),
        chunks=engine.memories.chunks(detail.conversation.id),
        referable=engine.window.of_conversation(detail.conversation.id),
    )


def read_learned(engine: "Engine", conversation_id: int) -> ConversationMemories:
    """The memories of a conversation, and which message each comes from."""
    cards = engine.memories.of_conversation(conversation_id)
    by_message: dict[int, tuple[MemoryCard, ...]] = {}
    for card in cards:
        sources = engine.memories.get(card.id).sources
        for message_id in dict.fromkeys(one.message_id for one in sources if one.conversation_id == conversation_id):
            if message_id is not None:
                by_message[message_id] = (*by_message.get(message_id, ()), card)
    return ConversationMemories(cards, by_message)


def _find_detail(engine: "Engine", wanted: Wanted) -> ConversationDetail | None:
    detail: ConversationDetail | None = None
    if wanted.conversation_id is not None:
        try:
            detail = engine.conversations.get(wanted.conversation_id)
        except NotFoundError:
            detail = None
        if detail is not None and detail.messages:
            return detail
    if wanted.message_id is not None:
        try:
            return engine.conversations.get(_conversation_of(engine, wanted.message_id))
        except NotFoundError:
            return detail
    return detail


def _conversation_of(engine: "Engine", message_id: int) -> int:
    """Where the message is, in the queue or in the archive. Raises NotFoundError."""
    try:
        return engine.messages.get(message_id).conversation_id
    except NotFoundError:
        return engine.archive.get(message_id).conversation_id


def _with_archived(engine: "Engine", detail: ConversationDetail) -> ConversationDetail:
    """Of a conversation that left the queue, with the prompts that the archive keeps."""
    if detail.messages or detail.conversation.state is not ConversationState.EVICTED:
        return detail
    return replace(detail, messages=tuple(map(as_message, engine.archive.conversation(detail.conversation.id))))


def join_targets(reading: ConversationReading | None, listed: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """The conversations that the one shown can be joined with: first the one before it in its stream, then the others of its project in the queue.

    Of the others the nearest older one comes first, then older ones, then newer ones.
    """
    if reading is None or reading.detail.conversation.position is None:
        return ()
    shown, here = reading.detail.conversation, reading.detail.conversation.position
    before = reading.neighbours.before
    others = [c for c in listed if c.position is not None and c.id != shown.id and c.project == shown.project]
    first = [c for c in others if before is not None and c.id == before.id]
    older = sorted((c for c in others if (c.position or 0) < here), key=lambda c: -(c.position or 0))
    newer = sorted((c for c in others if (c.position or 0) > here), key=lambda c: c.position or 0)
    return tuple({c.id: c for c in (*first, *older, *newer)}.values())[:JOIN_TARGETS]


def abilities_in(reading: ConversationReading | None, message_id: int | None) -> frozenset[str]:
    """Ids of the actions that fit the shown conversation and the message under the cursor."""
    if reading is None:
        return frozenset()
    able = set(abilities_for(reading.detail.conversation))
    if reading.record.references:
        able.add("conversation.related")
    if reading.detail.conversation.state is ConversationState.EVICTED:
        return frozenset(able | ({"message.find", "message.copy"} if reading.detail.messages else set()))
    able |= {"message.find", "message.readAll", "reference.next", "reference.previous"}
    if message_id is not None:
        able |= {"message.intents", "message.read", "message.copy"}
        if message_id in reading.learned.by_message:
            able.add("message.memories")
        if reading.detail.messages and message_id != reading.detail.messages[0].id:
            able.add("message.split")
    if reading.referable:
        able.add("conversation.clear")
    if reading.questions:
        able |= {"clarify.same", "clarify.new"}
    return frozenset(able)


def read_hits(engine: "Engine", query: str) -> SearchReading:
    return SearchReading(query, find_messages(engine, query, SEARCH_LIMIT))
