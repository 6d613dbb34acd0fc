"""Conversations and messages as they leave the engine: for window, socket, command line.

Positions count from 1 (oldest in the queue) to 20 (newest), as [S1] draws the queue.

The prompt archive as clients see it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.values.rules import Farewell
from app.values.understanding import BoundaryFactor, Entity, Intent, IntentScore, Reference, Speaker


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """What is chosen and what is kept. Off with prompts left: they are searched no more, and wait to be deleted."""

    choice: str  # off, 90d, 1y, forever
    prompt_count: int
    byte_count: int  # of the packed texts
    index_byte_count: int

    @property
    def is_on(self) -> bool:
        return self.choice != "off"


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """A prompt whose conversation has left the queue. `id` is its message's number."""

    id: int
    text: str
    at: datetime
    conversation_id: int
    title: str
    app: str
    project: str  # folder


class ConversationState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"  # its session is over, it may be taken up again
    ENDED = "ended"
    EVICTED = "evicted"  # number 21 pushed it out: title and topics stay, text is gone


class Outcome(StrEnum):
    PLANNED = "planned"
    IMPLEMENTED = "implemented"
    TESTED = "tested"
    COMPLETED = "completed"
    ABANDONED = "abandoned"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One slot of the queue."""

    id: int
    title: str
    is_title_edited: bool
    state: ConversationState
    position: int | None  # 1..20, None when evicted
    app: str  # app name: claude-code, codex, …
    project: str  # project name as shown
    project_path: str
    session: str
    started_at: datetime
    last_message_at: datetime
    ended_at: datetime | None
    message_count: int
    topics: tuple[str, ...]
    files: tuple[str, ...]  # files modified, from tool events
    intents: tuple[Intent, ...]  # most frequent first
    outcome: Outcome | None
    is_outcome_edited: bool
    is_next_out: bool
    has_clarification: bool
    related_ids: tuple[int, ...]  # conversations it refers to
    merged_into_id: int | None = None  # the conversation that holds its messages now, however often they were joined
    merged_into_title: str = ""
    farewell: Farewell | None = None  # of the next one out, and of those that are out


@dataclass(frozen=True, slots=True)
class BoundaryJudgement:
    """Why a message is in its conversation."""

    is_start: bool
    state: str  # decided, asked, answered, corrected
    confidence: float
    reason: str
    factors: tuple[BoundaryFactor, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    conversation_id: int
    at: datetime
    speaker: Speaker
    text: str
    expanded_text: str  # references put in; equal to text when there is nothing to put in
    entities: tuple[Entity, ...]
    references: tuple[tuple[int, Reference], ...]  # (reference id, value)
    intents: tuple[IntentScore, ...]
    is_intent_corrected: bool
    boundary: BoundaryJudgement
    redaction_count: int
    is_imported: bool
    foreign: tuple[str, ...] = ()  # what shows that parts of it are not the person's own words: they teach nothing
    answers: str = ""  # the questions of the answer before it, where it looks like an answer, while their end is kept


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An entity and where in the conversation it was spoken of."""

    entity: str
    kind: str
    first_message_id: int
    last_message_id: int
    mention_count: int


@dataclass(frozen=True, slots=True)
class ConversationDetail:
    conversation: Conversation
    messages: tuple[Message, ...]
    timeline: tuple[TimelineEntry, ...]


@dataclass(frozen=True, slots=True)
class HandOver:
    """A message for whoever carries it out [S2]: as typed, with its references put in, and what it continues from."""

    original: str
    expanded: str
    context: str  # one sentence: what the person is about
    intents: tuple[IntentScore, ...]
    context_refs: tuple[str, ...]  # what is meant by "it", "that", "the header"
    recent: tuple[Message, ...]  # what references could look at, oldest first, without this one
    message_id: int | None
    conversation_id: int | None
    title: str
    is_new_conversation: bool | None  # None while asked
    clarification: "Clarification | None" = None


@dataclass(frozen=True, slots=True)
class Clarification:
    """An open question about a boundary: 'Continue *FAB button* / Start new'."""

    message_id: int
    conversation_id: int  # where the message is kept until answered
    message_text: str
    continue_conversation_id: int
    continue_title: str
    confidence: float
    reason: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What one use of a tool left behind; its texts are never kept."""

    tool: str  # Edit, Bash, apply_patch, …
    file: str = ""
    command: str = ""
    exit_status: int | None = None
    is_error: bool = False
    error: str = ""  # what it said when it failed; only the line that names the error outlives the reading
