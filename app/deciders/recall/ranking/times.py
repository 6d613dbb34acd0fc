"""Finds the time a query speaks of: "last week", "on 3 July 2023", "since Monday", "in March".

Owns reading such words; the instant they count from is handed in. Knows no index. Source: issue 3 "last week".
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "(?:" + "|".join(f"{name}|{name[:3]}" for name in _MONTHS) + r")\b\.?"
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}),?(?: (?P<year>\d{{4}}))?"
    rf"|\b(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b,?(?: (?P<year2>\d{{4}}))?"
    rf"|\b(?:in|since|during|of|until|before|after|by) (?P<month3>{_MONTH})(?! \d{{1,2}}(?:\D|$)),?(?: (?P<year3>\d{{4}}))?"
    rf"|\b(?:in|since|during|of|until|before|after) (?P<year4>(?:19|20)\d{{2}})\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?P<named>today|yesterday|tonight|this morning)\b"
    r"|\b(?P<which>last|this|past|previous) (?P<unit>week|month|year|quarter|weekend|night)\b"
    r"|\b(?:last|past) (?P<count>\d{1,3}) (?P<units>day|week|month|year)s?\b"
    r"|\b(?P<ago>\d{1,3}|a|an|two|three|four|five|six) (?P<ago_unit>day|week|month|year)s? ago\b"
    rf"|\b(?:last|on|since) (?P<weekday>{'|'.join(_DAYS)})\b"
    r"|\b(?P<recent>recently|lately|just now)\b",
    re.IGNORECASE,
)
_NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365, "quarter": 91, "weekend": 7, "night": 1}
_SINCE = re.compile(r"\bsince\s*$|\bafter\s*$", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|until|by)\s*$", re.IGNORECASE)
_SIGNS = frozenset(
    [*_MONTHS, *(name[:3] for name in _MONTHS), *_DAYS, "today", "yesterday", "tonight", "morning", "last", "this", "past",
     "previous", "ago", "recently", "lately", "now"]
)  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """[from_at, to_at) and where in the query it is said; None is open."""

    from_at: datetime | None
    to_at: datetime | None
    start: int
    end: int


def may_say_time(text: str) -> bool:
    """False where `find_time` would find nothing, in a tenth of the time: no number, and none of the words it looks for.

    >>> may_say_time("who owns the release notes"), may_say_time("what was decided last week")
    (False, True)
    """
    lowered = text.lower()
    return not _SIGNS.isdisjoint(_LETTERS.findall(lowered)) or _DIGIT.search(lowered) is not None


def find_time(text: str, now: datetime) -> TimeSpan | None:
    """The first time that `text` speaks of, seen from `now`.

    >>> span = find_time("what did we decide last week", datetime(2026, 3, 11, 12, tzinfo=UTC))
    >>> span.from_at.date().isoformat(), span.to_at.date().isoformat()
    ('2026-03-02', '2026-03-09')
    """
    dated = _DATE.search(text)
    if dated is not None:
        with suppress(ValueError, OverflowError):  # 31 June, or outside the calendar
            return _bounded(text, dated, *_of_date(dated, now))
    relative = _RELATIVE.search(text)
    if relative is None:
        return None
    return _bounded(text, relative, *_of_words(relative, now))


def _bounded(text: str, found: re.Match[str], first: datetime, last: datetime) -> TimeSpan:
    """ "Since" and "before" open one side; they may stand in the match or right before it."""
    before, said = text[: found.start()], found.group().split(" ", 1)[0].lower()
    if _SINCE.search(before) or said in {"since", "after"}:
        return TimeSpan(first, None, found.start(), found.end())
    if _BEFORE.search(before) or said in {"before", "until"}:
        return TimeSpan(None, last if said == "until" else first, found.start(), found.end())
    return TimeSpan(first, last, found.start(), found.end())


def _of_date(found: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    """Raises ValueError or OverflowError for what is no date."""
    part = found.groupdict()
    if part["iso"]:
        return _day_of(*(int(number) for number in part["iso"].split("-")))
    if part["year4"]:
        year = int(part["year4"])
        return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    month = _month_of(part["month"] or part["month2"] or part["month3"])
    year = int(part["year"] or part["year2"] or part["year3"] or _latest_year(month, now))
    if part["month3"]:
        return datetime(year, month, 1, tzinfo=UTC), _next_month(year, month)
    return _day_of(year, month, int(part["day"] or part["day2"]))


def _month_of(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower().rstrip(".")[:3]))


def _latest_year(month: int, now: datetime) -> int:
    return now.year if month <= now.month else now.year - 1


def _next_month(year: int, month: int) -> datetime:
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _day_of(year: int, month: int, day: int) -> tuple[datetime, datetime]:
    first = datetime(year, month, day, tzinfo=UTC)
    return first, first + timedelta(days=1)


def _of_words(found: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    part = {name: value.lower() for name, value in found.groupdict().items() if value}
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = today + timedelta(days=1)
    if part.get("named") == "yesterday":
        return today - timedelta(days=1), today
    if "named" in part:
        return today, tomorrow
    if "weekday" in part:
        back = (today.weekday() - _DAYS.index(part["weekday"])) % 7 or 7
        first = today - timedelta(days=back)
        return first, first + timedelta(days=1)
    if "recent" in part:
        return now - timedelta(days=14), tomorrow
    if "ago" in part:
        number = _NUMBERS.get(part["ago"]) or int(part["ago"])
        unit = _UNIT_DAYS[part["ago_unit"]]
        middle = today - timedelta(days=number * unit)
        return middle - timedelta(days=unit // 2), middle + timedelta(days=unit // 2 + 1)
    if "count" in part:
        return now - timedelta(days=int(part["count"]) * _UNIT_DAYS[part["units"]]), tomorrow
    return _of_period(part["which"], part["unit"], today)


def _of_period(which: str, unit: str, today: datetime) -> tuple[datetime, datetime]:
    tomorrow = today + timedelta(days=1)
    if unit == "week":
        first = today - timedelta(days=today.weekday())
        return (first, tomorrow) if which == "this" else (first - timedelta(days=7), first)
    if unit == "month":
        first = today.replace(day=1)
        return (first, tomorrow) if which == "this" else ((first - timedelta(days=1)).replace(day=1), first)
    if unit == "year":
        first = today.replace(month=1, day=1)
        return (first, tomorrow) if which == "this" else (first.replace(year=first.year - 1), first)
    return today - timedelta(days=_UNIT_DAYS[unit]), tomorrow
