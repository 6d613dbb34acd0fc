"""A year at a glance: what was learned, mentioned and given on each day, by kind and project, and how often a judgement was corrected.

Loads counts and puts them into the person's own calendar. What nobody corrected counts as right, which is said wherever it is shown.
Source: issue 18 "Timeline and statistics".
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from sqlalchemy import Connection

from app.errors import InvalidError
from app.store.rows import statistics as statistics_rows
from app.store.rows.statistics import LearnedCounts
from app.store.tables.types import from_microseconds, to_microseconds
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
