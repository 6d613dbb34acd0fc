"""How a contradiction is said to people: what differs, where each side comes from, how it was used, what was answered.

Pure; knows no widget. Source: UX 2.7 (words of the person), UX 4.7.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from difflib import SequenceMatcher

from app.api import add_scope
from app.values import Contradiction, ContradictionDetail, MemoryDetail, MemorySource, MemoryStatus, Resolution
from ui.widgets.memories.provenance import sessions_line
from ui.wording.figures import times
from ui.wording.memories import TRUST_WORDS
from ui.wording.values import app_title, counted, moment

_WORD = re.compile(r"\w+(?:[.\-/_']\w+)*%?|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_MAX_WORDS = 600  # of longer texts only the beginning is compared
_FEW_WORDS = 4  # "from now on", "we decided to"
QUOTE_CHARS, TITLE_CHARS, SUPPORTS = 300, 60, 4
ALIKE_CHARS, ALIKE_SHOWN = 60, 3
_YES_OR_NO = frozenset({"negation", "opposite"})
ANSWER_WORDS = {
    Resolution.A_WINS: "A was kept",
    Resolution.B_WINS: "B was kept",
    Resolution.BOTH_VALID: "Both hold",
    Resolution.MERGED: "Merged",
    Resolution.DISMISSED: "No contradiction",
}
SUGGESTED_WORDS = {
    Resolution.A_WINS: "Keep A",
    Resolution.B_WINS: "Keep B",
    Resolution.BOTH_VALID: "Both",
    Resolution.MERGED: "Merge",
    Resolution.DISMISSED: "No contradiction",
}
Span = tuple[int, int]


def differing_spans(a: str, b: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The stretches of either text that the other does not have, by words; case and closing points do not count.

    >>> differing_spans("The database is MySQL.", "The database is SQLite.")
    (((16, 21),), ((16, 22),))
    >>> differing_spans("Use tabs", "use tabs.")
    ((), ())
    """
    ours, theirs = (list(_WORD.finditer(text))[:_MAX_WORDS] for text in (a, b))
    ours, theirs = ([one for one in words if one[0] not in ".!"] for words in (ours, theirs))
    matcher = SequenceMatcher(
        None, [one[0].lower() for one in ours], [one[0].lower() for one in theirs], autojunk=False
    )
    left: list[Span] = []
    right: list[Span] = []
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        left += [(ours[start].start(), ours[end - 1].end())] if end > start else []
        right += [(theirs[other_start].start(), theirs[other_end - 1].end())] if other_end > other_start else []
    return tuple(left), tuple(right)


def difference_in_words(a: str, b: str) -> str:
    """What differs as a sentence, for who sees no colours.

    >>> difference_in_words("The database is MySQL.", "The database is SQLite.")
    'A says “MySQL”, B says “SQLite”.'
    """
    left, right = differing_spans(a, b)
    ours, theirs = (", ".join(f"“{text[s:e]}”" for s, e in spans) for text, spans in ((a, left), (b, right)))
    if not ours and not theirs:
        return "Both use the same words."
    return f"A says {ours or 'nothing more'}, B says {theirs or 'nothing more'}."


def source_line(source: MemorySource, now: datetime, known: datetime | None = None) -> str:
    """Who heard it where and when; not when, where that is `known` and is above."""
    when = moment(source.at, now)
    is_known = known is not None and moment(known, now) == when
    title = source.conversation_title
    short = title if len(title) <= TITLE_CHARS else f"{title[: TITLE_CHARS - 1].rstrip(' ,;:')}…"
    words = [app_title(source.app), short, "" if is_known else when]
    if not source.is_message_kept:
        words.append("only the quote is kept")
    return " · ".join(filter(None, words))


def side_lines(detail: MemoryDetail, now: datetime) -> tuple[str, ...]:
    """What is below the text of a side: what it is, how often said and given, what supports it."""
    memory = detail.memory
    what = [TRUST_WORDS[memory.trust]]
    what += ["waits for your yes"] if memory.status is MemoryStatus.PROPOSED else []
    what += ["pinned"] if memory.is_pinned else []
    what += [sessions_line(detail.session_count)] if detail.session_count > 1 else []
    what += [f"changed {times(len(detail.versions))}"] if detail.versions else []
    used = [f"given {times(memory.retrieved_count)}"] if memory.retrieved_count else []
    used += [] if memory.retrieved_count else ["never given yet"]
    used += [f"used {times(memory.cited_count)}"] if memory.cited_count else []
    used += [f"ignored {times(memory.ignored_count)}"] if memory.ignored_count else []
    used += [f"last {moment(memory.last_accessed_at, now)}"] if memory.last_accessed_at else []
    lines = [" · ".join([*what, *used])]
    if detail.artifacts:
        supports = ", ".join(one.reference for one in detail.artifacts[:SUPPORTS])
        lines.append(f"Supports: {supports}{' …' if len(detail.artifacts) > SUPPORTS else ''}")
    return tuple(filter(None, lines))


def judged_words(one: Contradiction) -> str:
    """Who says that it is one, where that is not plain rules."""
    return "" if one.judged_by in {"", "rules"} else f" Judged by {app_title(one.judged_by)}."


def entry_words(one: Contradiction, limit: int = 90, *, alike_count: int = 0) -> str:
    """Its state in the queue: the two values where only they differ, else what they are about; how many ask the same.

    >>> _short("a long title", 8)
    'a long…'
    """
    a, b = one.a.text or one.a.summary, one.b.text or one.b.summary
    times = f"{alike_count + 1} × " if alike_count else ""
    if one.kind in _YES_OR_NO:
        return f"{times}Yes or no? {_short(one.a.title, limit // 2)}"
    left, right = differing_spans(a, b)
    if len(left) == 1 == len(right):
        ours, theirs = (_value(text, *spans[0]) for text, spans in ((a, left), (b, right)))
        if max(len(ours), len(theirs)) <= limit // 2:
            about = _short(a[: left[0][0]].strip(" ,.:"), limit // 2)
            return f"{times}{about}: {ours} ⟷ {theirs}" if about else f"{times}{ours} ⟷ {theirs}"
    return f"{times}{_short(one.a.title, limit // 2)} ⟷ {_short(one.b.title, limit // 2)}"


def _value(text: str, start: int, end: int) -> str:
    """What tells two sides apart: the names and numbers of a stretch, else all of it.

    >>> _value("Mail goes through Postmark.", 5, 26), _value("It lives 2 hours", 9, 16)
    ('Postmark', '2 hours')
    """
    said = text[start:end]
    names = [word for word in said.split() if start and any(sign.isupper() for sign in word)]
    return " ".join(names) if names else said


def alike_words(alike: Sequence[Contradiction]) -> str:
    """Which others get the same answer, a few of them in their own words."""
    if not alike:
        return ""
    said = ", ".join(f"“{_short(one.a.text, ALIKE_CHARS)}”" for one in alike[:ALIKE_SHOWN])
    more = f" and {len(alike) - ALIKE_SHOWN} more" if len(alike) > ALIKE_SHOWN else ""
    return f"{counted(len(alike), 'more', 'more')} like it, answered together: {said}{more}"


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def settled_line(one: Contradiction, now: datetime) -> str:
    """What came of a resolved one: the answer, by whom, when, why."""
    who = {"person": "by you", "text": "the newer one says so itself", "": ""}.get(
        one.resolved_by, f"by {app_title(one.resolved_by)}"
    )
    answer = ANSWER_WORDS[one.resolution] if one.resolution is not None else "Resolved"
    when = moment(one.resolved_at, now) if one.resolved_at is not None else ""
    return " · ".join(filter(None, (answer, who, when, one.resolution_note)))


def result_text(detail: ContradictionDetail, answer: Resolution) -> str:
    """What assistants would read after `answer`; for a merge a text to begin with: the proposed one, else one that says both."""
    a, b = (side.memory.levels.full.text for side in (detail.a, detail.b))
    match answer:
        case Resolution.A_WINS:
            return a
        case Resolution.B_WINS:
            return b
        case Resolution.MERGED:
            return detail.proposed_text or text_of_both(a, b)
        case _:
            return both_texts(detail)


def text_of_both(a: str, b: str) -> str:
    """B, and behind it the sentences of A that say a word which B does not; both verbatim, to be cut by a person.

    >>> text_of_both("Use tabs. Lint in CI.", "Use spaces. Lint in CI.")
    'Use spaces. Lint in CI. Use tabs.'
    >>> text_of_both("Use Tabs", "use tabs.")
    'use tabs.'
    """
    known = {word.lower() for word in _WORD.findall(b)}
    more = [
        one
        for one in _SENTENCE.split(a.strip())
        if not {word.lower() for word in _WORD.findall(one.rstrip(".!"))} <= known
    ]
    begun = b.strip()
    return " ".join([begun if not more or begun.endswith((".", "!", "?")) else f"{begun}.", *more])


def both_texts(detail: ContradictionDetail, scope_a: str = "", scope_b: str = "") -> str:
    """Both sides, a line each, with where they hold."""
    sides = ((detail.a, scope_a), (detail.b, scope_b))
    return "\n".join(add_scope(side.memory.levels.full.text.strip(), scope) for side, scope in sides)


def difference_of(detail: ContradictionDetail) -> str:
    """What differs between the two sides, as a sentence."""
    return difference_in_words(*(side.memory.levels.full.text for side in (detail.a, detail.b)))


def says_more(quote: str, text: str) -> bool:
    """Whether a quote tells more than the text made of it.

    >>> says_more("From now on use SQLite!", "Use SQLite."), says_more("Use SQLite, MySQL is too slow", "Use SQLite.")
    (False, True)
    """
    said, kept = (_WORD.findall(one.lower().rstrip(".! ")) for one in (quote, text))
    return len(said) - len(kept) > _FEW_WORDS or not set(kept) >= set(said[-len(kept) :])


def proposed_words(one: Contradiction) -> str:
    """Who proposes the text, and of what it is made."""
    return f"proposed by {app_title(one.judged_by)} in your words"
