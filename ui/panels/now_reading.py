"""Everything the Now screen shows, read in one go on the read worker: one value.

Owns the order in which unclear references are looked for. Knows the engine's door, no widget. Source: UX 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.values import (
    Clarification,
    Conversation,
    ConversationState,
    EventState,
    InboxEvent,
    MemoryCard,
    MemoryFilter,
    ReceiptDetail,
    Reference,
    ReferenceState,
    Scope,
    Stats,
)
from ui.models.memory_filter import INBOX_STATUSES
from ui.shell_state import count_needs
from ui.widgets.wording import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine

MAX_CARDS = 5
MAX_WAITING = 3  # titles on the card of memories that wait


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
    waiting: tuple[MemoryCard, ...] = ()  # the newest memories that wait for the person
    waiting_count: int = 0
    learned_today_count: int = 0
    told_today_tokens: int = 0  # of everything: with a scope it is not counted
    told_today_count: int = 0  # contexts
    told: ReceiptDetail | None = None  # the context handed out last
    connected: tuple[str, ...] = ()  # titles of the assistants that may talk to us
    aside_count: int = 0  # events that were refused and are kept
    aside_reason: str = ""

    @property
    def needs_count(self) -> int:
        """How many things wait for the person, shown or not."""
        return count_needs(self.stats, self.waiting_count, self.aside_count)


def read_now(engine: "Engine", *, app: str | None, project: str | None) -> NowReading:
    """The reading for a scope. Costs one query a part, and one a conversation only while something is unclear."""
    conversations = engine.conversations.list(app=app, project=project)
    stats = engine.stats.now(app=app, project=project)
    shown_ids = {conversation.id for conversation in conversations}
    asked = tuple(q for q in engine.conversations.clarifications() if q.conversation_id in shown_ids)
    pending_ids = frozenset(question.message_id for question in asked)
    going_on = [one for one in conversations if one.state is ConversationState.ACTIVE]
    unclear = _unclear(engine, going_on, min(MAX_CARDS, stats.ambiguous_count), pending_ids)
    projects, apps = tuple(filter(None, (project,))), tuple(filter(None, (app,)))
    waits = MemoryFilter(statuses=INBOX_STATUSES, projects=projects, apps=apps)
    waiting = engine.memories.list(waits, limit=MAX_WAITING)
    now = engine.clock.now()
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    learned = MemoryFilter(from_at=midnight, projects=projects, apps=apps)
    receipts = engine.context.receipts(app=app or "", project=project or "", limit=1)
    health = engine.stats.health()
    told_tokens, told_count = engine.context.given_today() if not (app or project) else (0, 0)
    return NowReading(
        conversations=conversations,
        stats=stats,
        clarifications=asked,
        unclear=unclear,
        failed=engine.events.inbox(state=EventState.FAILED, limit=MAX_CARDS),
        now=now,
        waiting=waiting.cards,
        waiting_count=waiting.total,
        told_today_tokens=told_tokens,
        told_today_count=told_count,
        learned_today_count=engine.memories.count(learned),
        told=engine.context.receipt(receipts[0].id) if receipts else None,
        connected=read_connected(engine),
        aside_count=health.aside_count,
        aside_reason=health.aside_reason,
    )


def read_connected(engine: "Engine") -> tuple[str, ...]:
    """The assistants whose messages are taken in."""
    talking = (one for one in engine.apps.list() if not one.is_revoked and Scope.CAPTURE in one.scopes)
    return tuple(app_title(one.name) if one.title in ("", one.name) else one.title for one in talking)


def _unclear(
    engine: "Engine", conversations: Sequence[Conversation], wanted: int, pending_ids: frozenset[int]
) -> tuple[UnclearReference, ...]:
    """The newest unclear references of these conversations; those of an open boundary are asked about after it."""
    found: list[UnclearReference] = []
    for conversation in conversations:
        if len(found) >= wanted:
            break
        for message in reversed(engine.conversations.get(conversation.id).messages):
            if message.id not in pending_ids:
                found += [
                    UnclearReference(number, reference, conversation.id, message.id, message.text[:2000])
                    for number, reference in message.references
                    if reference.state is ReferenceState.AMBIGUOUS
                ]
    return tuple(found[:wanted])


def status_line(reading: NowReading) -> str:
    """The line under the title: what is going on, in one sentence."""
    needs = reading.needs_count
    active = reading.stats.active_count
    going_on = f"{counted(active, 'conversation')} going on" if active else "No conversation is going on"
    return f"{going_on} · {counted(needs, 'thing')} {'needs' if needs == 1 else 'need'} you" if needs else going_on
