"""The figures of the queue and of what was captured, for the status line, *Activity* and whoever observes. Never writes.

Source: UX 4.1, DESIGN section 6 `stats`.
"""

from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, func, select

from app.store.journal import table_of
from app.store.tables.core import ConversationRow, EventRow, LearnedRuleRow, MessageRow, ProjectRow, ReferenceRow
from app.understanding.conversations.queries import ConversationQuery, joined_conversations
from app.values import Stats

_DAYS = 14
_conversation, _message, _event, _reference, _project, _rule = (
    table_of(row) for row in (ConversationRow, MessageRow, EventRow, ReferenceRow, ProjectRow, LearnedRuleRow)
)


def load_stats(connection: Connection, queue_size: int, now: datetime, where: ConversationQuery) -> Stats:
    """Of the conversations that the filter lets through; events, days, rules and projects are those of all."""
    kept = connection.execute(where.apply(joined_conversations()).where(_conversation.c.state != "evicted")).all()
    mine = _message.c.conversation_id.in_([row.id for row in kept])
    going_on = _message.c.conversation_id.in_([row.id for row in kept if row.state == "active"])
    messages, events = select(func.count()).select_from(_message), select(func.count()).select_from(_event)
    # the answer to an open boundary reads the message again: asking what its words mean comes after that
    unclear = (
        select(func.count())
        .select_from(_reference.join(_message, _message.c.id == _reference.c.message_id))
        .where(_reference.c.state == "ambiguous", _message.c.boundary_state != "asked")
    )
    per_day = _count_per_day(connection, now)
    sizes = _bytes(_message.c.text) + _bytes(_message.c.expanded_text)
    redacted, queue_bytes = connection.execute(select(func.sum(_message.c.redaction_count), sizes).where(mine)).one()
    rule_bytes = _bytes(_rule.c.pattern) + _bytes(_rule.c.details) + _bytes(_rule.c.conversation_ids)
    rules, rules_bytes = connection.execute(select(func.count(), rule_bytes).select_from(_rule)).one()
    projects = connection.execute(select(_project.c.name).where(_project.c.path != "")).scalars()
    return Stats(
        conversation_count=len(kept),
        queue_size=queue_size,
        active_count=sum(row.state == "active" for row in kept),
        message_count=_count(connection, messages.where(mine)),
        event_pending_count=_count(connection, events.where(_event.c.state == "pending")),
        event_failed_count=_count(connection, events.where(_event.c.state == "failed")),
        clarification_count=_count(connection, messages.where(mine, _message.c.boundary_state == "asked")),
        ambiguous_count=_count(connection, unclear.where(going_on)),
        ambiguous_older_count=_count(connection, unclear.where(mine, ~going_on)),
        captured_today_count=per_day[-1][1],
        redacted_count=redacted or 0,
        messages_per_day=per_day,
        app_names=tuple(sorted({row.app_name for row in kept})),
        project_names=tuple(sorted({row.project_name for row in kept} | set(projects))),
        queue_byte_count=queue_bytes,
        rule_count=rules,
        rule_byte_count=rules_bytes,
    )


def _count_per_day(connection: Connection, now: datetime) -> tuple[tuple[date, int], ...]:
    """Prompts understood on each of the last days, today last."""
    first_at = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=_DAYS - 1)
    seen = select(_event.c.at).where(_event.c.kind == "prompt", _event.c.state == "done", _event.c.at >= first_at)
    counts = Counter(at.date() for at in connection.execute(seen).scalars())
    days = (first_at.date() + timedelta(days=offset) for offset in range(_DAYS))
    return tuple((day, counts[day]) for day in days)


def _count(connection: Connection, statement: Select[Any]) -> int:
    return int(connection.execute(statement).scalar() or 0)


def _bytes(column: Any) -> Any:
    """The size of all values of a text column together; SQLite reads it off the head of each row."""
    return func.coalesce(func.sum(func.octet_length(column)), 0)
