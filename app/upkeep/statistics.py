"""A year at a glance: what was learned, mentioned and given on each day, by kind and project, and how often a judgement was corrected;
what was given, from the receipts that are kept; the figures of the queue and of what was captured, for the status line.

Loads counts and puts them into the person's own calendar. What nobody corrected counts as right, which is said wherever it is shown.
Never writes. Source: issue 18 "Timeline and statistics", issue 4 "tokens by kind, project and day", UX 4.1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from sqlalchemy import Connection

from app.assistant_instructions import LINE_TITLE
from app.errors import InvalidError
from app.store.rows import statistics as statistics_rows
from app.store.rows.conversation import ConversationQuery, ids_in_queue, load_conversations
from app.store.rows.statistics import LearnedCounts
from app.store.tables.types import from_microseconds, to_microseconds
from app.values import ContextFigures, Stats
from app.values.statistics import DayFigures, Judgement, JudgementFigures, LearnedFigures, Statistics

_WEEKS = 53  # without a year: the last that many, the present one included
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


def load_stats(connection: Connection, queue_size: int, now: datetime, where: ConversationQuery) -> Stats:
    """Of the conversations that the filter lets through; the count of the queue, events, days, rules and projects are those of all."""
    kept = load_conversations(connection, where)
    mine = statistics_rows.count_in_conversations(connection, [row.id for row in kept])
    going_on = statistics_rows.count_in_conversations(connection, [row.id for row in kept if row.state == "active"])
    events = statistics_rows.count_events(connection)
    per_day = _count_per_day(connection, now)
    rules, rules_bytes = statistics_rows.measure_rules(connection)
    return Stats(
        conversation_count=len(kept),
        queue_size=queue_size,
        queue_count=len(ids_in_queue(connection)),
        active_count=sum(row.state == "active" for row in kept),
        message_count=mine.messages,
        event_pending_count=events.get("pending", 0),
        event_failed_count=events.get("failed", 0),
        clarification_count=mine.asked,
        ambiguous_count=going_on.ambiguous,
        ambiguous_older_count=mine.ambiguous - going_on.ambiguous,
        captured_today_count=per_day[-1][1],
        redacted_count=mine.redacted,
        messages_per_day=per_day,
        app_names=tuple(sorted({row.app_name for row in kept})),
        project_names=tuple(
            sorted({*(row.project_name for row in kept), *statistics_rows.project_names(connection).values()})
        ),
        queue_byte_count=mine.bytes,
        rule_count=rules,
        rule_byte_count=rules_bytes,
    )


def _count_per_day(connection: Connection, now: datetime) -> tuple[tuple[date, int], ...]:
    """Prompts understood on each of the last days, today last."""
    first_at = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=_DAYS - 1)
    counts = Counter(at.date() for at in statistics_rows.prompts_since(connection, first_at))
    days = (first_at.date() + timedelta(days=offset) for offset in range(_DAYS))
    return tuple((day, counts[day]) for day in days)


ASKING = "asking to remember"


def load_figures(
    connection: Connection, now: datetime, *, days: int, app: str = "", project: str = ""
) -> ContextFigures:
    """The figures of the last `days` local days, today included. `project` is a path or a name."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=days - 1)
    given = statistics_rows.GivenContexts(since, app, project)
    by_day: Counter[Any] = Counter()
    by_app: Counter[str] = Counter()
    by_project: Counter[str] = Counter()
    today_count = receipt_count = 0
    for at, name, token_count, project_name in given.load(connection):
        day = at.astimezone().date()
        by_day[day] += token_count
        by_app[name] += token_count
        by_project[project_name or ""] += token_count
        receipt_count += 1
        today_count += day == midnight.date()
    asked_count, asked_tokens = given.count_lines(connection, LINE_TITLE)
    dates = [since.date() + timedelta(days=number) for number in range(days)]
    return ContextFigures(
        by_day=tuple((day, by_day[day]) for day in dates),
        by_kind=_by_kind(given.tokens_by_kind(connection, LINE_TITLE)),
        by_project=_most_first(by_project),
        by_app=_most_first(by_app),
        today_tokens=by_day[midnight.date()],
        today_count=today_count,
        token_count=sum(by_day.values()),
        receipt_count=receipt_count,
        asked_count=asked_count,
        asked_tokens=asked_tokens,
    )


def load_given_today(connection: Connection, now: datetime) -> tuple[int, int]:
    """Tokens given since midnight, and in how many contexts."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return statistics_rows.GivenContexts(midnight).total(connection)


def _by_kind(tokens: Iterable[tuple[str | None, str | None, int]]) -> tuple[tuple[str, int], ...]:
    """Tokens by what the memories are; the type says more than the kind where there is one."""
    counts: Counter[str] = Counter()
    for kind, fact_type, count in tokens:
        counts[
            ASKING if kind == statistics_rows.LINE else fact_type if kind == "fact" and fact_type else kind or ""
        ] += count
    return _most_first(counts)


def _most_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
