"""How values of the engine are said to people: ages, counts, names of states, kinds and outcomes.

Owns the plain words of Now and Conversations, so that a card, its accessible name and its tooltip say the same.
Knows no widget and no engine call. Source: UX section 2 (words of the person, not of the engine).
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from app.values import (
    BoundaryJudgement,
    ConversationState,
    EntityKind,
    Intent,
    Outcome,
    Reference,
    ReferenceState,
)

# What the frame of the window says is in a module of its own, which needs no values; all wording is still found here.
from ui.wording.figures import app_title as app_title  # noqa: PLC0414
from ui.wording.figures import clock_time as clock_time  # noqa: PLC0414
from ui.wording.figures import counted as counted  # noqa: PLC0414

OUTCOME_WORDS = {
    Outcome.PLANNED: "planned",
    Outcome.IMPLEMENTED: "implemented",
    Outcome.TESTED: "tested",
    Outcome.COMPLETED: "completed",
    Outcome.ABANDONED: "abandoned",
    Outcome.MERGED: "merged",
}
OUTCOME_HELP = {
    Outcome.PLANNED: "It was thought through, nothing was changed yet",
    Outcome.IMPLEMENTED: "It was built",
    Outcome.TESTED: "It was built and tried",
    Outcome.COMPLETED: "It is done",
    Outcome.ABANDONED: "It was left unfinished",
    Outcome.MERGED: "It was delivered: merged or released",
}
STATE_WORDS = {
    ConversationState.ACTIVE: "active",
    ConversationState.PAUSED: "paused",
    ConversationState.ENDED: "ended",
    ConversationState.EVICTED: "left the queue",
}
INTENT_WORDS = {
    Intent.PLAN: "plan",
    Intent.EXECUTE: "request",
    Intent.TEST: "test",
    Intent.CORRECT: "correction",
    Intent.QUESTION: "question",
    Intent.DEBUG: "debug",
    Intent.REVIEW: "review",
    Intent.DOCUMENT: "document",
    Intent.INFORM: "remark",
}
INTENT_HELP = {
    Intent.PLAN: "says what is planned",
    Intent.EXECUTE: "asks for something to be done",
    Intent.TEST: "asks to try or verify it",
    Intent.CORRECT: "corrects the assistant",
    Intent.QUESTION: "wants to know something",
    Intent.DEBUG: "something is broken",
    Intent.REVIEW: "asks to look it over",
    Intent.DOCUMENT: "asks for text about it",
    Intent.INFORM: "states a fact",
}
ENTITY_WORDS = {
    EntityKind.FEATURE: "feature",
    EntityKind.COMPONENT: "component",
    EntityKind.FILE: "file",
    EntityKind.PATH: "folder or route",
    EntityKind.SYMBOL: "name in the code",
    EntityKind.TECHNOLOGY: "technology",
    EntityKind.VALUE: "value",
    EntityKind.PERSON: "person",
    EntityKind.QUOTED: "quoted name",
    EntityKind.COMMAND: "command",
    EntityKind.THING: "thing",
}


def age(at: datetime, now: datetime) -> str:
    """How long ago, in the fewest words that still say it.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    >>> [age(now - timedelta(seconds=s), now) for s in (5, 240, 7200, 90000, 300000, 8000000)]
    ['now', '4 min', '2 h', 'yesterday', '3 days', '29 Nov 2025']
    """
    passed_s = max(0.0, (now - at).total_seconds())
    if passed_s < 60:
        return "now"
    if passed_s < 3600:
        return f"{int(passed_s // 60)} min"
    if passed_s < 86_400:
        return f"{int(passed_s // 3600)} h"
    if passed_s < 2 * 86_400:
        return "yesterday"
    if passed_s < 14 * 86_400:
        return f"{int(passed_s // 86_400)} days"
    return day(at, now)


def ago(at: datetime, now: datetime) -> str:
    """`age` inside a sentence.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    >>> ago(now - timedelta(minutes=4), now), ago(now, now), ago(now - timedelta(days=1), now)
    ('4 min ago', 'just now', 'yesterday')
    """
    text = age(at, now)
    if text == "now":
        return "just now"
    return f"{text} ago" if text.endswith(("min", " h", "days")) else text


def day(at: datetime, now: datetime) -> str:
    """The local date, with the year only when it is another one.

    >>> from datetime import UTC
    >>> day(datetime(2026, 3, 2, 12, tzinfo=UTC), datetime(2026, 5, 1, 12, tzinfo=UTC))
    '2 Mar'
    """
    local, local_now = at.astimezone(), now.astimezone()
    text = f"{local.day} {local:%b}"
    return text if local.year == local_now.year else f"{text} {local.year}"


def curled(text: str) -> str:
    """With the quotes of this window.

    >>> curled('says "must" and "never"')
    'says “must” and “never”'
    """
    return _STRAIGHT.sub(r"“\1”", text)


_STRAIGHT = re.compile(r'"([^"\n]*)"')


def moment(at: datetime, now: datetime) -> str:
    """Local day and time: "today 14:03", "yesterday 14:03", "2 Mar 14:03"."""
    local, local_now = at.astimezone(), now.astimezone()
    days = (local_now.date() - local.date()).days
    name = {0: "today", 1: "yesterday"}.get(days, day(at, now))
    return f"{name} {local:%H:%M}"


def span_of_time(start: datetime, end: datetime, now: datetime) -> str:
    """From when to when, each day said once.

    >>> from datetime import UTC
    >>> start = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    >>> span_of_time(start, start, start + timedelta(days=40)).startswith("2 Mar ")
    True
    """
    first = moment(start, now)
    if start.astimezone().date() == end.astimezone().date():
        last = clock_time(end)
        return first if first.endswith(last) else f"{first} – {last}"
    return f"{first} – {moment(end, now)}"


def gap(before: datetime, after: datetime) -> str:
    """The silence between two messages in words, empty when it is shorter than half an hour.

    >>> from datetime import UTC
    >>> at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    >>> gap(at, at + timedelta(minutes=5)), gap(at, at + timedelta(minutes=45)), gap(at, at + timedelta(hours=50))
    ('', '45 min later', '2 days later')
    """
    passed = after - before
    if passed < timedelta(minutes=30):
        return ""
    if passed < timedelta(hours=1):
        return f"{int(passed.total_seconds() // 60)} min later"
    if passed < timedelta(days=1):
        return f"{int(passed.total_seconds() // 3600)} h later"
    return f"{counted(round(passed.total_seconds() / 86_400), 'day')} later"


def percent(ratio: float) -> str:
    """A confidence as a whole percentage."""
    return f"{round(min(1.0, max(0.0, ratio)) * 100)} %"


def sure(ratio: float) -> str:
    """A confidence in words, with its number.

    >>> sure(0.92), sure(0.7), sure(0.4)
    ('sure, 92 %', 'likely, 70 %', 'a guess, 40 %')
    """
    word = "sure" if ratio >= 0.85 else "likely" if ratio >= 0.6 else "a guess"
    return f"{word}, {percent(ratio)}"


def joined(words: tuple[str, ...] | list[str]) -> str:
    """Words as an enumeration.

    >>> joined(["plan"]), joined(["plan", "test"]), joined(["a", "b", "c"])
    ('plan', 'plan and test', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def border_reason(reason: str) -> str:
    """The reason of a border without the verdict in front, which is said elsewhere.

    >>> border_reason("new: 2 h gap and no shared entities.")
    '2 h gap and no shared entities'
    """
    said = reason.removeprefix("new:").removeprefix("continues:").strip().rstrip(".")
    return _SHORTER.get(said, said)


_SHORTER = {"a new session, and nothing in it points back": "new session, no link to earlier talk"}
ARCHIVED = (
    "archived"  # of a prompt whose conversation left the queue: nothing was understood of it that could be changed
)


def boundary_line(judgement: BoundaryJudgement) -> str:
    """One line on why a message stands where it is."""
    head = "Starts here" if judgement.is_start else "Continues"
    reason = border_reason(judgement.reason)
    tail = {"corrected": "set by you", "answered": "answered by you"}.get(
        judgement.state, percent(judgement.confidence)
    )
    return f"{head}: {reason} · {tail}" if reason else f"{head} · {tail}"


def reference_line(reference: Reference) -> str:
    """What a reference stands for, as one short phrase."""
    mention = f"“{reference.mention}”" if reference.mention else "the object left out here"
    match reference.state:
        case ReferenceState.AMBIGUOUS:
            return f"{mention} is unclear"
        case ReferenceState.DISMISSED:
            return f"{mention} refers to nothing"
        case ReferenceState.UNRESOLVED:
            return f"{mention}: not found"
        case _:
            return f"{mention} = {reference.antecedent}"


def empty_texts(scope: str, texts: tuple[str, str], connected: Sequence[str] = ()) -> tuple[str, str]:
    """Heading and sentence of an empty screen: `texts`, or that only the chosen part of everything is empty, or that the
    assistants that are connected have not said anything.

    >>> empty_texts("", ("No conversation yet", "…")), empty_texts("Codex", ("No conversation yet", "…"))[0]
    (('No conversation yet', '…'), 'Nothing from Codex yet')
    """
    if not scope and connected:
        are = "is" if len(connected) == 1 else "are"
        said = "Start a new session there and type something: it appears here at once."
        return "Waiting for the first message", f"{joined(list(connected))} {are} connected. {said}"
    if not scope:
        return texts
    return f"Nothing from {scope} yet", "Choose Everything beside the title to see all conversations."


def connect_words(connected: Sequence[str]) -> str:
    """What a button that leads to Apps says.

    >>> connect_words(()), connect_words(("Claude Code",))
    ('Connect an assistant', 'Connect another assistant')
    """
    return "Connect another assistant" if connected else "Connect an assistant"
