"""Everything the Now screen shows, read in one go on the read worker: one value.

Knows the engine's door, no widget. Source: UX 4.2.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from app.values import (
    Clarification,
    ContradictionGroup,
    Conversation,
    EventState,
    InboxEvent,
    MemoryCounts,
    MemoryFilter,
    ReceiptDetail,
    Scope,
    Stats,
    UsedMemory,
)
from app.values.consolidation import ConsolidationState
from app.values.judge import JudgeQuestion
from ui.shell.state import Needs
from ui.wording.values import app_title, counted

if TYPE_CHECKING:
    from app.api import Engine

MAX_CARDS = 5


@dataclass(frozen=True, slots=True)
class NowReading:
    conversations: tuple[Conversation, ...]
    stats: Stats
    clarifications: tuple[Clarification, ...]
    failed: tuple[InboxEvent, ...]
    now: datetime
    waiting_count: int = 0  # memories that wait for the person's yes or no
    learned_today: MemoryCounts = field(default_factory=MemoryCounts)  # of what was recorded today, what became of it
    given_today_tokens: int = 0  # of everything: with a scope it is not counted
    given_today_count: int = 0  # contexts
    given: ReceiptDetail | None = None  # the context given last
    connected: tuple[str, ...] = ()  # titles of the assistants that may talk to us
    aside_count: int = 0  # events that were refused and are kept
    aside_reason: str = ""
    contradictions: tuple[ContradictionGroup, ...] = ()  # that are asked today
    contradiction_count: int = 0  # questions that are open, asked today or later
    question: JudgeQuestion | None = None  # whether somebody may read along, while it is open
    used: tuple[UsedMemory, ...] = ()  # what assistants took up today of what they were given
    consolidation: ConsolidationState | None = None

    @property
    def needs(self) -> Needs:
        """What waits for the person, shown as a card or not."""
        return Needs(
            contradiction_count=self.contradiction_count,
            review_count=self.waiting_count,
            change_count=self.consolidation.waiting_count if self.consolidation is not None else 0,
            topic_count=len(self.clarifications),
            failed_count=self.stats.event_failed_count + self.aside_count,
            is_asking=self.question is not None,
        )

    @property
    def needs_count(self) -> int:
        return self.needs.count


def read_now(engine: "Engine", *, app: str | None, project: str | None) -> NowReading:
    """The reading for a scope. Costs one query a part; the questions in it count as asked today."""
    conversations = engine.conversations.list(app=app, project=project)
    stats = engine.stats.now(app=app, project=project)
    shown_ids = {conversation.id for conversation in conversations}
    asked = tuple(q for q in engine.conversations.todays_questions() if q.conversation_id in shown_ids)
    projects, apps = tuple(filter(None, (project,))), tuple(filter(None, (app,)))
    now = engine.clock.now()
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    learned = MemoryFilter(from_at=midnight, projects=projects, apps=apps)
    receipts = engine.context.receipts(app=app or "", project=project or "", limit=1)
    health = engine.stats.health()
    tokens, context_count = engine.context.given_today() if not (app or project) else (0, 0)
    return NowReading(
        conversations=conversations,
        stats=stats,
        clarifications=asked,
        contradictions=engine.contradictions.todays(project=project or ""),
        contradiction_count=engine.contradictions.count_questions(project=project or ""),
        failed=engine.events.inbox(state=EventState.FAILED, limit=MAX_CARDS),
        now=now,
        waiting_count=engine.memories.counts(MemoryFilter(projects=projects, apps=apps)).to_review,
        given_today_tokens=tokens,
        given_today_count=context_count,
        learned_today=engine.memories.counts(learned),
        given=engine.context.receipt(receipts[0].id) if receipts else None,
        connected=read_connected(engine),
        aside_count=health.aside_count,
        aside_reason=health.aside_reason,
        question=engine.judge.question(),
        used=engine.context.used(app=app or "", project=project or ""),
        consolidation=engine.consolidation.state(),
    )


def read_connected(engine: "Engine") -> tuple[str, ...]:
    """The assistants whose messages are taken in."""
    talking = (one for one in engine.apps.list() if not one.is_revoked and Scope.CAPTURE in one.scopes)
    return tuple(app_title(one.name) if one.title in ("", one.name) else one.title for one in talking)


def status_line(reading: NowReading) -> str:
    """The line under the title: what is going on, in one sentence."""
    needs = reading.needs_count
    active = reading.stats.active_count
    going_on = f"{counted(active, 'active conversation')}" if active else "No active conversation"
    return f"{going_on} · {counted(needs, 'thing')} {'needs' if needs == 1 else 'need'} you" if needs else going_on
