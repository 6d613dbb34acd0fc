"""Values: frozen dataclasses and enums that every layer shares and that leave the engine.

Owns the words of DESIGN section 1 as types. Knows nothing of tables, sessions, Qt or clocks.
"""

from app.values.capture import (
    AppCard,
    CaptureRequest,
    CaptureResult,
    EventKind,
    EventState,
    InboxEvent,
    Scope,
)
from app.values.changes import Changes, DataKind, Operation, Origin, Progress
from app.values.conversation import (
    BoundaryJudgement,
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationState,
    Message,
    Outcome,
    TimelineEntry,
)
from app.values.understanding import (
    BoundaryDecision,
    BoundaryFactor,
    BoundaryInput,
    Candidate,
    Entity,
    EntityKind,
    Intent,
    IntentScore,
    PriorMessage,
    Reference,
    ReferenceKind,
    ReferenceState,
    Speaker,
)

__all__ = [
    "AppCard",
    "BoundaryDecision",
    "BoundaryFactor",
    "BoundaryInput",
    "BoundaryJudgement",
    "Candidate",
    "CaptureRequest",
    "CaptureResult",
    "Changes",
    "Clarification",
    "Conversation",
    "ConversationDetail",
    "ConversationState",
    "DataKind",
    "Entity",
    "EntityKind",
    "EventKind",
    "EventState",
    "InboxEvent",
    "Intent",
    "IntentScore",
    "Message",
    "Operation",
    "Origin",
    "Outcome",
    "PriorMessage",
    "Progress",
    "Reference",
    "ReferenceKind",
    "ReferenceState",
    "Scope",
    "Speaker",
    "TimelineEntry",
]
