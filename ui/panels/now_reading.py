"""Everything the Now screen shows, read in one go on the read worker: one value.

Owns the order in which unclear references are looked for. Knows the engine's door, no widget. Source: UX 4.2.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.values import Clarification, Conversation, EventState, InboxEvent, Reference, ReferenceState, Stats

if TYPE_CHECKING:
    from app.api import Engine

MAX_CARDS = 5
MAX_LOOKED_THROUGH = 20  # conversations searched for unclear references, newest first


@dataclass(frozen=True, slots=True)
class UnclearReference:
    reference_id: int
    reference: Reference
    conversation_id: int
    message_id: int
    message_text: str


@dataclass(frozen=True, slots=True)
class NowReading:
    conversations: tuple[Conversation, ...]
    stats: Stats
    clarifications: tuple[Clarification, ...]
    unclear: tuple[UnclearReference, ...]
    failed: tuple[InboxEvent, ...]
    now: datetime

    @property
    def needs_count(self) -> int:
        """How many things wait for the person, shown or not."""
        return len(self.clarifications) + max(self.stats.ambiguous_count, len(self.unclear)) + len(self.failed)


def read_now(engine: "Engine", *, app: str | None, project: str | None) -> NowReading:
    """The reading for a scope. Costs one query a part, and one a conversation only while something is unclear."""
    conversations = engine.conversations.list(app=app, project=project)
    stats = engine.stats.now(app=app, project=project)
    shown_ids = {conversation.id for conversation in conversations}
    asked = tuple(q for q in engine.conversations.clarifications() if q.conversation_id in shown_ids)
    return NowReading(
        conversations=conversations,
        stats=stats,
        clarifications=asked,
        unclear=_unclear(engine, conversations, min(MAX_CARDS, stats.ambiguous_count)),
        failed=engine.events.inbox(state=EventState.FAILED, limit=MAX_CARDS),
        now=engine.clock.now(),
    )


def _unclear(engine: "Engine", conversations: tuple[Conversation, ...], wanted: int) -> tuple[UnclearReference, ...]:
    found: list[UnclearReference] = []
    for conversation in conversations[:MAX_LOOKED_THROUGH]:
        if len(found) >= wanted:
            break
        for message in reversed(engine.conversations.get(conversation.id).messages):
            found += [
                UnclearReference(number, reference, conversation.id, message.id, message.text[:2000])
                for number, reference in message.references
                if reference.state is ReferenceState.AMBIGUOUS
            ]
    return tuple(found[:wanted])
