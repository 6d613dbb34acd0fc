"""What comes in: capture requests, inbox events, apps and their scopes.

Owns what a sender hands over and what it hears back. Knows neither HTTP nor the inbox's table. Source: INTEROP section 13,
DESIGN section 6.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.values.conversation import Clarification
from app.values.understanding import IntentScore, Reference


class EventKind(StrEnum):
    PROMPT = "prompt"
    ANSWER = "answer"
    TOOL = "tool"
    SESSION_START = "session_start"
    SESSION_END = "session_end"
    COMPACTION = "compaction"
    SIGNAL = "signal"


class EventState(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    IGNORED = "ignored"  # taken in, nothing to keep (a sub-agent, an empty prompt, our own context)


class Scope(StrEnum):
    CAPTURE = "capture"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """One event as it arrives, before normalising. `key` makes it idempotent per app."""

    app: str
    kind: EventKind
    key: str
    session: str = ""
    text: str = ""
    at: datetime | None = None  # when it happened; None = now
    cwd: str = ""
    project_root: str = ""
    git_branch: str = ""
    transcript_path: str = ""
    agent_id: str = ""  # set inside a sub-agent: ignored unless the app is set to keep them
    payload: dict[str, Any] = field(default_factory=dict)  # tool name and input, source, reason…
    is_imported: bool = False


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What the sender learns. Understanding fields are filled once `state` is done."""

    event_id: int
    key: str
    state: EventState
    is_duplicate: bool = False
    message_id: int | None = None
    conversation_id: int | None = None
    is_new_conversation: bool | None = None  # None while asked or not a message
    boundary_confidence: float | None = None
    boundary_reason: str = ""
    expanded_text: str = ""
    references: tuple[Reference, ...] = ()
    intents: tuple[IntentScore, ...] = ()
    clarification: Clarification | None = None
    error: str = ""


class ExclusionKind(StrEnum):
    FOLDER = "folder"  # nothing that comes from there, or touches what is there
    WORDS = "words"  # nothing that says them


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """What a person wants never captured."""

    id: int
    kind: ExclusionKind
    text: str
    created_at: datetime
    hit_count: int  # events kept out since


@dataclass(frozen=True, slots=True)
class InboxEvent:
    """One row of the inbox, for the Activity screen and `doctor`."""

    id: int
    app: str
    kind: EventKind
    state: EventState
    received_at: datetime
    attempt_count: int
    error: str
    preview: str  # first 120 characters of the payload while it is kept


@dataclass(frozen=True, slots=True)
class AppCard:
    """An assistant that talks to us."""

    id: int
    name: str
    title: str
    scopes: frozenset[Scope]
    is_paused: bool
    paused_until: datetime | None
    keeps_answers: bool
    created_at: datetime
    last_seen_at: datetime | None
    message_count: int
    is_revoked: bool
    projects: tuple[str, ...] = ()  # folders of the only projects that its token may read and change; none: all
