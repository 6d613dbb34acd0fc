"""What became of one event: the value that understanding hands to whoever waits for it."""

from dataclasses import dataclass

from app.values import BoundaryDecision, EventState, IntentScore, Reference


@dataclass(frozen=True, slots=True)
class UnderstoodEvent:
    """What became of one event."""

    state: EventState
    note: str = ""
    message_id: int | None = None
    conversation_id: int | None = None
    boundary: BoundaryDecision | None = None
    references: tuple[Reference, ...] = ()
    intents: tuple[IntentScore, ...] = ()
    expanded_text: str = ""
