"""Sizes, numbers with their noun, dates, times and names of assistants, as people read them. Pure.

Instants are shown in the person's time zone; `now` is passed in, so that tests can freeze it. Ages and names
of states are in ui/wording/values.py.
"""

from datetime import datetime
from pathlib import Path


def describe_bytes(count: int) -> str:
    """A size in the unit that fits.

    >>> describe_bytes(900), describe_bytes(2_300_000)
    ('900 bytes', '2.3 MB')
    """
    if count < 1_000:
        return f"{count} bytes"
    for unit, size in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if count < size * 1_000 or unit == "GB":
            return f"{count / size:,.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


def short_path(path: str, home: str | None = None) -> str:
    """A path as people write it.

    >>> short_path("/home/mara/src/barn", "/home/mara"), short_path("/w/barn", "/home/mara")
    ('~/src/barn', '/w/barn')
    """
    base = str(Path.home()) if home is None else home
    inside = path.removeprefix(base.rstrip("/") + "/")
    return f"~/{inside}" if inside != path else path


def describe_moment(at: datetime | None) -> str:
    """Date and time in the person's time zone, "never" for none."""
    return "never" if at is None else at.astimezone().strftime("%-d %b %Y, %H:%M")


def describe_day(at: datetime, now: datetime) -> str:
    """The heading of a day: Today, Yesterday, or its date."""
    day, today = at.astimezone().date(), now.astimezone().date()
    if day == today:
        return "Today"
    if (today - day).days == 1:
        return "Yesterday"
    return day.strftime("%A, %-d %B" if day.year == today.year else "%A, %-d %B %Y")


def short_count(count: int) -> str:
    """A count where there is room for six signs; the whole one is in the tool tip.

    >>> short_count(99_999), short_count(202_893), short_count(2_450_000)
    ('99,999', '203k', '2.5M')
    """
    if count < 100_000:
        return f"{count:,}"
    return f"{count / 1e3:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "message"), counted(1240, "message"), counted(2, "reply", "replies")
    ('1 message', '1,240 messages', '2 replies')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shortened(text: str, limit: int) -> str:
    """The beginning of a text on one line, with "…" where it was cut.

    >>> shortened("a  long title", 8), shortened("short", 8)
    ('a long…', 'short')
    """
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def times(count: int) -> str:
    """
    >>> times(1), times(1_200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def clock_time(at: datetime) -> str:
    """The local time of day."""
    return f"{at.astimezone():%H:%M}"


def time_left(until: datetime, now: datetime) -> str:
    """The time that is left, rounded up.

    >>> from datetime import UTC, timedelta
    >>> noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> [time_left(noon + timedelta(minutes=minutes), noon) for minutes in (0.5, 23, 61, 150)]
    ['1 min', '23 min', '1 h 1 min', '2 h 30 min']
    """
    minutes = max(1, -int(-(until - now).total_seconds() // 60))
    hours, rest = divmod(minutes, 60)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest else "") if part)


def app_title(name: str) -> str:
    """The name of an assistant for people.

    >>> app_title("claude-code"), app_title("my-own_tool"), app_title("")
    ('Claude Code', 'My own tool', 'Unknown')
    """
    from app.api import APP_TITLES  # late: the frame of the window is there before the engine is read

    if name in APP_TITLES:
        return APP_TITLES[name]
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else "Unknown"
