"""A year at a glance: what was learned, spoken of and given on each day, by kind and project, and how often the person
corrected a judgement.

Loads counts, puts them into the person's own calendar. What nobody corrected counts as right, which is said wherever
it is shown.

The figures of the queue and of what was captured, for the status line, *Activity* and whoever observes. Never
writes.

Source: issue 18 "Timeline and statistics"; UX 4.1, DESIGN section 6 `stats`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from sqlalchemy import Connection, Select, func, select

from app.errors import InvalidError
from app.store.journal import table_of
from app.store.rows import statistics as statistics_rows
from app.store.rows.statistics import LearnedCounts
from app.store.tables.core import ConversationRow, EventRow, LearnedRuleRow, MessageRow, ProjectRow, ReferenceRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.understanding.conversations.queries import ConversationQuery, joined_conversations
from app.values import Stats
from app.values.statistics import DayFigures, Judgement, JudgementFigures, LearnedFigures, Statistics

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


_WEEKS = 53  # without a year: the last so many, the present one included
_SINCE = frozenset(
    {
        Judgement.BOUNDARY,
        Judgement.QUESTION,
        Judgement.INTENT,
        Judgement.MEMORY_BY_RULES,
        Judgement.MEMORY_BY_READER,
    }
)  # counted as far back as the journal reaches; the others of all that are kept


def load_statistics(
    connection: Connection,
    now: datetime,
    *,
    year: int | None,
    journal_days: int,
    learned: Callable[[Sequence[int], Sequence[int]], LearnedCounts | None] = lambda _days, _months: None,
    zone: tzinfo | None = None,
) -> Statistics:
    """Of a year of the calendar, or of the last 53 weeks. Raises InvalidError.

    `learned` counts from columns in memory where there are such, as `statistics_rows.count_learned` does. `zone` None: this machine's.
    """
    today = now.astimezone(zone).date()
    from_day, to_day = _span(year, today)
    listed = [from_day + timedelta(days=number) for number in range((to_day - from_day).days + 1)]
    months = list(dict.fromkeys(day.replace(day=1) for day in listed))
    bounds = [to_microseconds(_midnight(day, zone)) for day in (*listed, to_day + timedelta(days=1))]
    edges = [bounds[0], *(to_microseconds(_midnight(month, zone)) for month in months[1:]), bounds[-1]]
    found = learned(bounds, edges) or statistics_rows.count_learned(connection, bounds, edges)
    begun = statistics_rows.count_conversations(connection, bounds)
    used = statistics_rows.count_usage(connection, bounds)
    first = statistics_rows.first_at(connection)
    first_year = today.year if first is None else from_microseconds(first).astimezone(zone).year
    return Statistics(
        from_day,
        to_day,
        tuple(
            DayFigures(day, found.by_day.get(number, 0), *begun.get(number, (0, 0)), *used.get(number, (0, 0, 0)))
            for number, day in enumerate(listed)
        ),
        _by_month(found.by_month, months, statistics_rows.project_names(connection)),
        _judgements(connection, now - timedelta(days=journal_days)),
        tuple(range(today.year, min(first_year, today.year) - 1, -1)),
    )


def _span(year: int | None, today: date) -> tuple[date, date]:
    if year is None:
        return today - timedelta(days=today.weekday() + 7 * (_WEEKS - 1)), today
    if not 1970 < year <= today.year:
        raise InvalidError(f"There are no statistics of {year}.", hint=f"Ask for {today.year} or a year before.")
    return date(year, 1, 1), min(today, date(year, 12, 31))


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    local = datetime.combine(day, time())
    return (local.astimezone() if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)


def _by_month(
    counted: Iterable[tuple[int, str, int | None, int]], months: Sequence[date], names: Mapping[int, str]
) -> tuple[LearnedFigures, ...]:
    """Within a month what was learned most first; projects of one name are one."""
    found: Counter[tuple[date, str, str]] = Counter()
    for number, kind, project, count in counted:
        found[months[number], kind, names.get(project or 0, "")] += count
    return tuple(
        LearnedFigures(*key, count)
        for key, count in sorted(found.items(), key=lambda pair: (pair[0][0], -pair[1], pair[0]))
    )


def _judgements(connection: Connection, since: datetime) -> tuple[JudgementFigures, ...]:
    judged: dict[str, tuple[int, int]] = statistics_rows.count_judged(connection, to_microseconds(since))._asdict()
    found = []
    for one in Judgement:
        made, corrected = judged[one.value.replace("-", "_")]
        found.append(JudgementFigures(one, made, corrected, since if one in _SINCE else None))
    return tuple(found)


def _bytes(column: Any) -> Any:
    """The size of all values of a text column together; SQLite reads it off the head of each row."""
    return func.coalesce(func.sum(func.octet_length(column)), 0)
