"""A year at a glance: what was learned, mentioned and given on each day, by kind and project, and how often a judgement was corrected;
what was handed out, from the receipts that are kept; the figures of the queue and of what was captured, for the status line.

Loads counts and puts them into the person's own calendar. What nobody corrected counts as right, which is said wherever it is shown.
Never writes. Source: issue 18 "Timeline and statistics", issue 4 "tokens by kind, project and day", UX 4.1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, select

from app.assistant_instructions import LINE_TITLE
from app.errors import InvalidError
from app.store.journal import table_of
from app.store.rows import statistics as statistics_rows
from app.store.rows.statistics import LearnedCounts
from app.store.tables.context import ReceiptItemRow, ReceiptRow
from app.store.tables.core import ConversationRow, EventRow, LearnedRuleRow, MessageRow, ProjectRow, ReferenceRow
from app.store.tables.memory import MemoryRow
from app.store.tables.types import from_microseconds, to_microseconds
from app.understanding.conversations.queries import ConversationQuery, joined_conversations
from app.values import ContextFigures, Stats
from app.values.statistics import DayFigures, Judgement, JudgementFigures, LearnedFigures, Statistics

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


_DAYS = 14
_conversation, _message, _event, _reference, _project, _rule = (
    table_of(row) for row in (ConversationRow, MessageRow, EventRow, ReferenceRow, ProjectRow, LearnedRuleRow)
)


def load_stats(connection: Connection, queue_size: int, now: datetime, where: ConversationQuery) -> Stats:
    """Of the conversations that the filter lets through; the count of the queue, events, days, rules and projects are those of all."""
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
        queue_count=_count(
            connection, select(func.count()).select_from(_conversation).where(_conversation.c.state != "evicted")
        ),
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


_PROJECTS_READ = 200
ASKING = "asking to remember"

_receipt, _item = table_of(ReceiptRow), table_of(ReceiptItemRow)
_memory, _project = table_of(MemoryRow), table_of(ProjectRow)


def load_figures(
    connection: Connection, now: datetime, *, days: int, app: str = "", project: str = ""
) -> ContextFigures:
    """The figures of the last `days` local days, today included. `project` is a path or a name."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=days - 1)
    conditions = _conditions(since, app, project)
    given = (
        select(_receipt.c.at, _receipt.c.app, _receipt.c.token_count, _project.c.name)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(*conditions)
    )
    by_day: Counter[Any] = Counter()
    by_app: Counter[str] = Counter()
    by_project: Counter[str] = Counter()
    today_count = receipt_count = 0
    for at, name, token_count, project_name in connection.execute(given):
        day = at.astimezone().date()
        by_day[day] += token_count
        by_app[name] += token_count
        by_project[project_name or ""] += token_count
        receipt_count += 1
        today_count += day == midnight.date()
    dates = [since.date() + timedelta(days=number) for number in range(days)]
    return ContextFigures(
        by_day=tuple((day, by_day[day]) for day in dates),
        by_kind=_by_kind(connection, conditions),
        by_project=_most_first(by_project),
        by_app=_most_first(by_app),
        today_tokens=by_day[midnight.date()],
        today_count=today_count,
        token_count=sum(by_day.values()),
        receipt_count=receipt_count,
        **_asked(connection, conditions),
    )


def load_given_today(connection: Connection, now: datetime) -> tuple[int, int]:
    """Tokens handed out since midnight, and in how many contexts."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    statement = select(func.coalesce(func.sum(_receipt.c.token_count), 0), func.count()).where(
        _receipt.c.at >= midnight, _receipt.c.is_delivered
    )
    tokens, count = connection.execute(statement).one()
    return int(tokens), int(count)


def load_places(connection: Connection) -> tuple[tuple[str, str], ...]:
    """Name and path of projects, the newest first."""
    statement = select(_project.c.name, _project.c.path).order_by(_project.c.id.desc()).limit(_PROJECTS_READ)
    return tuple((str(name), str(path)) for name, path in connection.execute(statement))


def _conditions(since: datetime, app: str, project: str) -> list[Any]:
    found: list[Any] = [_receipt.c.at >= since, _receipt.c.is_delivered]
    if app:
        found.append(_receipt.c.app == app)
    if project:
        found.append((_project.c.path == project) | (_project.c.name == project))
    return found


def _asked(connection: Connection, conditions: list[Any]) -> dict[str, int]:
    """How often an assistant was asked to remember, and the tokens of that."""
    statement = (
        select(func.count(), func.coalesce(func.sum(_item.c.token_count), 0))
        .select_from(_item)
        .join(_receipt, _receipt.c.id == _item.c.receipt_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .where(_item.c.memory_id == 0, _item.c.title == LINE_TITLE, *conditions)
    )
    count, tokens = connection.execute(statement).one()
    return {"asked_count": int(count), "asked_tokens": int(tokens)}


def _by_kind(connection: Connection, conditions: list[Any]) -> tuple[tuple[str, int], ...]:
    """Tokens by what the memories are; the type says more than the kind where there is one."""
    is_asking = and_(_item.c.memory_id == 0, _item.c.title == LINE_TITLE)
    kind = case((is_asking, ASKING), else_=_memory.c.kind)
    statement = (
        select(kind, _memory.c.type, func.sum(_item.c.token_count))
        .select_from(_item)
        .join(_receipt, _receipt.c.id == _item.c.receipt_id)
        .outerjoin(_project, _project.c.id == _receipt.c.project_id)
        .outerjoin(_memory, _memory.c.id == _item.c.memory_id)
        .where(*conditions)
        .group_by(kind, _memory.c.type)
    )
    counts: Counter[str] = Counter()
    for kind, fact_type, tokens in connection.execute(statement):
        counts[fact_type if kind == "fact" and fact_type else kind or ""] += int(tokens)
    return _most_first(counts)


def _most_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
