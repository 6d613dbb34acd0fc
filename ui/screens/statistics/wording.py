"""Words and figures of the year: a day in one sentence, a share that is fair to few, what a search for a day asks. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from app.values.statistics import DayFigures, Judgement, JudgementFigures, LearnedFigures
from ui.wording.figures import times
from ui.wording.memories import KIND_WORDS, TYPE_WORDS
from ui.wording.values import counted

FEW = 20  # of fewer no share is shown: one more or less would say something else
HONEST = "What you never looked at counts as right, so the true shares can only be higher."
JUDGEMENT_WORDS = {
    Judgement.BOUNDARY: "Where a conversation begins",
    Judgement.QUESTION: "What it assumed until you answered",
    Judgement.INTENT: "What a message asks for",
    Judgement.REFERENCE: "What “it” refers to",
    Judgement.TITLE: "Titles of conversations",
    Judgement.OUTCOME: "Outcomes of conversations",
    Judgement.MEMORY_BY_RULES: "Memories learned by rules",
    Judgement.MEMORY_BY_READER: "Memories worded by a model that reads along",
    Judgement.CONTRADICTION: "Contradictions that were found",
    Judgement.CONSOLIDATION: "What consolidation proposed",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """What of a day is shown: its name on a button, its noun, and the field."""

    id: str
    title: str
    noun: str
    field: str

    def of(self, day: DayFigures) -> int:
        return int(getattr(day, self.field))


MEASURES = (
    Measure("learned", "Learned", "memories learned", "learned_count"),
    Measure("conversations", "Conversations", "conversations", "conversation_count"),
    Measure("given", "Given", "memories given", "given_count"),
)


def kind_title(kind: str) -> str:
    """
    >>> kind_title("decision"), kind_title("fact"), kind_title("entity"), kind_title("workflow"), kind_title("something")
    ('Decisions', 'Facts', 'Entities', 'Workflows', 'Something')
    """
    words = {str(one): word for one, word in (*KIND_WORDS.items(), *TYPE_WORDS.items())}
    word = words.get(kind)
    if word is None:
        return kind.capitalize()
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return plural.capitalize()


def day_title(day: date) -> str:
    """
    >>> day_title(date(2026, 11, 4))
    'Wednesday 4 November 2026'
    """
    return f"{day:%A} {day.day} {day:%B %Y}"


def day_line(day: DayFigures) -> str:
    """All that is known of a day, in one line.

    >>> day_line(DayFigures(date(2026, 11, 4), learned_count=12, conversation_count=1, given_count=40, cited_count=3))
    'Wednesday 4 November 2026: 12 memories learned, 1 conversation, 40 memories given, 3 of them used'
    >>> day_line(DayFigures(date(2026, 11, 5)))
    'Thursday 5 November 2026: nothing'
    """
    parts = []
    if day.learned_count:
        parts.append(f"{counted(day.learned_count, 'memory', 'memories')} learned")
    if day.conversation_count:
        parts.append(counted(day.conversation_count, "conversation"))
    if day.given_count:
        used = f", {day.cited_count:,} of them used" if day.cited_count else ""
        parts.append(f"{counted(day.given_count, 'memory', 'memories')} given{used}")
    elif day.cited_count:
        parts.append(f"{counted(day.cited_count, 'memory', 'memories')} used")
    return f"{day_title(day.day)}: {', '.join(parts) or 'nothing'}"


def learned_line(days: Sequence[DayFigures]) -> str:
    """
    >>> learned_line([DayFigures(date(2026, 11, 4), 12), DayFigures(date(2026, 11, 5)), DayFigures(date(2026, 11, 6), 1)])
    '13 memories learned on 2 days; most on 4 November: 12.'
    """
    total = sum(one.learned_count for one in days)
    if not total:
        return "No memory was learned in this time."
    most = max(days, key=lambda one: one.learned_count)
    on = counted(sum(one.learned_count > 0 for one in days), "day")
    return (
        f"{counted(total, 'memory', 'memories')} learned on {on}; "
        f"most on {most.day.day} {most.day:%B}: {most.learned_count:,}."
    )


def conversations_line(days: Sequence[DayFigures]) -> str:
    """
    >>> conversations_line([DayFigures(date(2026, 11, 4), conversation_count=3, message_count=30), DayFigures(date(2026, 11, 5))])
    '3 conversations with 30 messages, on 1 day.'
    """
    total = sum(one.conversation_count for one in days)
    if not total:
        return "No conversation began in this time."
    busy = counted(sum(one.conversation_count > 0 for one in days), "day")
    messages = counted(sum(one.message_count for one in days), "message")
    return f"{counted(total, 'conversation')} with {messages}, on {busy}."


def given_line(days: Sequence[DayFigures]) -> str:
    r"""
    >>> given_line([DayFigures(date(2026, 11, 4), given_count=40, cited_count=4, ignored_count=10)])
    'Memories were given to assistants 40 times: 4 were used (10\xa0%), 10 were ignored (25\xa0%), of the others nothing is known.'
    """
    given, used, ignored = (
        sum(getattr(one, name) for one in days) for name in ("given_count", "cited_count", "ignored_count")
    )
    if not given:
        return "No memory was given to an assistant in this time."
    parts = [
        f"{counted(count, 'was', 'were')} {word} ({count / given:.0%})".replace("%", "\N{NO-BREAK SPACE}%")
        for count, word in ((used, "used"), (ignored, "ignored"))
        if count
    ]
    parts += ["of the others nothing is known" if parts else "whether they helped is not known yet"]
    return f"Memories were given to assistants {times(given)}: {', '.join(parts[: None if used + ignored < given else -1])}."


def weeks_of(days: Sequence[DayFigures], measure: Measure) -> list[tuple[str, float]]:
    """By week, under its first day that is shown.

    >>> weeks_of([DayFigures(date(2026, 11, 1), 2), DayFigures(date(2026, 11, 2), 3), DayFigures(date(2026, 11, 3), 1)], MEASURES[0])
    [('week of 26 Oct', 2.0), ('week of 2 Nov', 4.0)]
    """
    found: Counter[date] = Counter()
    for one in days:
        found[one.day - timedelta(days=one.day.weekday())] += measure.of(one)
    return [(f"week of {start.day} {start:%b}", float(count)) for start, count in sorted(found.items())]


def months_of(learned: Iterable[LearnedFigures], days: Sequence[DayFigures]) -> list[tuple[str, float]]:
    """By month; those without anything too."""
    found: Counter[date] = Counter()
    for one in learned:
        found[one.month] += one.count
    months = dict.fromkeys(day.day.replace(day=1) for day in days)
    return [(f"{month:%B %Y}", float(found[month])) for month in months]


def totals_of(learned: Iterable[LearnedFigures], field: str) -> list[tuple[str, int]]:
    """By kind or by project, the most first."""
    found: Counter[str] = Counter()
    for one in learned:
        found[getattr(one, field)] += one.count
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def share_line(figures: JudgementFigures) -> str:
    """
    >>> share_line(JudgementFigures(Judgement.INTENT, 340, 12)), share_line(JudgementFigures(Judgement.INTENT, 340, 0))
    ('12 of 340 (3.5 %)', 'none of 340')
    >>> share_line(JudgementFigures(Judgement.TITLE, 7, 1))
    '1 of 7, too few for a share'
    """
    head = f"{figures.corrected_count or 'none':{',' if figures.corrected_count else ''}} of {figures.judged_count:,}"
    if figures.judged_count < FEW:
        return f"{head}, too few for a share"
    return f"{head} ({100 * figures.corrected_ratio:.1f} %)" if figures.corrected_count else head


def search_in(since: date, until: date, more: str = "", zone: tzinfo | None = None) -> str:
    """What to search Memories for: all that was learned from the first day to before the second, also what was replaced or put away.

    >>> search_in(date(2026, 3, 2), date(2026, 3, 3), zone=UTC)
    'since:2026-03-02 until:2026-03-03 is:active is:archived'
    >>> from zoneinfo import ZoneInfo
    >>> search_in(date(2026, 3, 2), date(2026, 3, 3), "type:fact", ZoneInfo("Asia/Kathmandu"))
    'type:fact since:2026-03-01T18:15+00:00 until:2026-03-02T18:15+00:00 is:active is:archived'
    """
    words = [more] if more else []
    words += [f"since:{_instant(since, zone)}", f"until:{_instant(until, zone)}", "is:active", "is:archived"]
    return " ".join(words)


def _instant(day: date, zone: tzinfo | None) -> str:
    local = datetime.combine(day, time())
    at = (local.astimezone() if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)
    return f"{at.date()}" if at.time() == time() else at.isoformat(timespec="minutes")
