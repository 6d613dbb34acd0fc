"""Words and figures of the year: a day in one sentence, a share that is fair to few, what a search for a day asks. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from app.values.statistics import DayFigures, Judgement, JudgementFigures, LearnedFigures
from ui.wording.memories import KIND_WORDS, TYPE_WORDS
from ui.wording.values import counted

FEW = 20  # of fewer no share is shown: one more or less would say something else
HONEST = "What you never looked at counts as right, so each true share can only be higher."
JUDGEMENT_WORDS = {
    Judgement.BOUNDARY: "Where a conversation begins",
    Judgement.QUESTION: "The answer that was assumed meanwhile",
    Judgement.INTENT: "What a message wants",
    Judgement.REFERENCE: "What “it” refers to",
    Judgement.TITLE: "Titles of conversations",
    Judgement.OUTCOME: "Outcomes of conversations",
    Judgement.MEMORY_BY_RULES: "Memories learned by rules",
    Judgement.MEMORY_BY_READER: "Memories worded by who reads along",
    Judgement.CONTRADICTION: "Contradictions that it found",
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
    'Wednesday 4 November 2026: 12 memories learned, 1 conversation, 40 given (3 cited)'
    >>> day_line(DayFigures(date(2026, 11, 5)))
    'Thursday 5 November 2026: nothing'
    """
    parts = []
    if day.learned_count:
        parts.append(f"{counted(day.learned_count, 'memory', 'memories')} learned")
    if day.conversation_count:
        parts.append(counted(day.conversation_count, "conversation"))
    if day.given_count:
        parts.append(f"{day.given_count:,} given" + (f" ({day.cited_count:,} cited)" if day.cited_count else ""))
    elif day.cited_count:
        parts.append(f"{day.cited_count:,} cited")
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


def talks_line(days: Sequence[DayFigures]) -> str:
    """
    >>> talks_line([DayFigures(date(2026, 11, 4), conversation_count=3, message_count=30), DayFigures(date(2026, 11, 5))])
    '3 conversations with 30 messages, all on one day.'
    >>> talks_line([DayFigures(date(2026, 11, day), conversation_count=day % 2, message_count=3) for day in (3, 4, 5)])
    '2 conversations with 9 messages; 1 on each of the 2 days that had any.'
    """
    total = sum(one.conversation_count for one in days)
    if not total:
        return "No conversation began in this time."
    busy = sum(one.conversation_count > 0 for one in days)
    messages = counted(sum(one.message_count for one in days), "message")
    said = f"{counted(total, 'conversation')} with {messages}"
    if busy == 1:
        return f"{said}, all on one day."
    return f"{said}; {round(total / busy, 1):g} on each of the {counted(busy, 'day')} that had any."


def given_line(days: Sequence[DayFigures]) -> str:
    r"""
    >>> given_line([DayFigures(date(2026, 11, 4), given_count=40, cited_count=4, ignored_count=10)])
    'A memory was given to an assistant 40 times: 4 cited (10\xa0%), 10 ignored (25\xa0%), of 26 nothing is known.'
    """
    given, cited, ignored = (
        sum(getattr(one, name) for one in days) for name in ("given_count", "cited_count", "ignored_count")
    )
    if not given:
        return "No memory was given to an assistant in this time."
    if not cited + ignored:
        return f"A memory was given to an assistant {given:,} times; whether it helped is known of none yet."
    rest = max(0, given - cited - ignored)
    shares = f"{cited:,} cited ({cited / given:.0%}), {ignored:,} ignored ({ignored / given:.0%})".replace(
        "%", "\N{NO-BREAK SPACE}%"
    )
    return f"A memory was given to an assistant {given:,} times: {shares}, of {rest:,} nothing is known."


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
    ('12 of 340, 3.5 %', '0 of 340, none')
    >>> share_line(JudgementFigures(Judgement.TITLE, 7, 1))
    '1 of 7, too few to say'
    """
    head = f"{figures.corrected_count:,} of {figures.judged_count:,}"
    if figures.judged_count < FEW:
        return f"{head}, too few to say"
    return f"{head}, {100 * figures.corrected_ratio:.1f} %" if figures.corrected_count else f"{head}, none"


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
