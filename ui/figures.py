"""Sizes, whole dates and headings of days, as people read them. Pure.

Instants are shown in the person's time zone; `now` is handed in, so that tests can freeze it. Ages, counts and names
of states are in ui/widgets/wording.py.
"""

from datetime import datetime


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
