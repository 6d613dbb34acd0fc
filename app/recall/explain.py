"""Says why a memory is in an answer: shares of the score, words that matched and where, one sentence.

Pure. Source: issue 3 "Every hit says why", UX 4.4 "Why it is told".
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from app.recall.sought import Sought
from app.recall.words import find_spans
from app.values import Signal
from app.values.making import maker

_MOST_NAMED = 4
_WORTH_SAYING = 0.1  # share of the score
_TOLD = frozenset(("neighbours", "time"))  # parts of a score that the sentence speaks of
_make_signal = maker(Signal)  # a hundred for one answer


@dataclass(frozen=True, slots=True)
class Marks:
    """What matched in one text."""

    words: tuple[str, ...]  # as they stand in the text, each once
    spans: tuple[tuple[int, int], ...]


_make_marks = maker(Marks)
NO_MARKS = Marks((), ())


def mark_words(text: str, sought: Sequence[Sought]) -> Marks:
    """Where `text` holds what was looked for."""
    return mark_stems(text, list_wanted(sought))


def list_wanted(sought: Sequence[Sought]) -> frozenset[str]:
    """All stems that count as a match: made once for many texts."""
    return frozenset([stem for entry in sought for stem in entry.stands_for])


def mark_stems(text: str, wanted: AbstractSet[str]) -> Marks:
    """Where `text` holds one of the stems `wanted`."""
    spans = find_spans(text, wanted)
    words = dict.fromkeys([text[start:end] for start, end in spans])
    return _make_marks(tuple(words), tuple(spans))


def mark_found(
    text: str, title: str, sought: Sequence[Sought], wanted: AbstractSet[str], found: Iterable[int]
) -> Marks:
    """Where `text` holds what was looked for; else the words of its title, or of its tags and slot, that it was found by."""
    if not found:
        return NO_MARKS
    marks = mark_stems(text, wanted)
    if marks.words:
        return marks
    return Marks(mark_stems(title, wanted).words or tuple([sought[at].word for at in found]), ())


def list_signals(parts: Mapping[str, float], values: Mapping[str, float]) -> tuple[Signal, ...]:
    """The parts of a score, largest share first; shares sum to 1.

    >>> [(signal.name, signal.share) for signal in list_signals({"recency": 1.0, "keyword": 3.0}, {})]
    [('keyword', 0.75), ('recency', 0.25)]
    """
    ordered = sorted([(-value, name) for name, value in parts.items() if value > 0])
    total = -sum([value for value, _ in ordered])
    return tuple([_make_signal(name, values.get(name, 0.0), -value / total) for value, name in ordered])


def explain_hit(marks: Marks, signals: Sequence[Signal], recorded_at: datetime, now: datetime, *, is_live: bool) -> str:
    """One sentence part for people: says “port” and “staging”; recorded last week."""
    shares = {signal.name: signal.share for signal in signals if signal.name in _TOLD}
    said = []
    if marks.words:
        said.append(f"says {_listed([f'“{word}”' for word in marks.words[:_MOST_NAMED]])}")
    if shares.get("neighbours", 0.0) >= _WORTH_SAYING:
        said.append("said beside others that fit" if marks.words else "said right beside one that fits")
    if shares.get("time", 0.0) > 0:
        said.append("from the time asked about")
    said.append(f"recorded {say_age(recorded_at, now)}")
    if not is_live:
        said.append("no longer holds")
    return "; ".join(said)


def say_age(at: datetime, now: datetime) -> str:
    """How long ago, in words.

    >>> say_age(datetime(2026, 3, 1), datetime(2026, 3, 3))
    '2 days ago'
    """
    days = (now.date() - at.date()).days
    if days <= 1:
        return "today" if days <= 0 else "yesterday"
    if days < 14:
        return f"{days} days ago"
    if days < 60:
        return f"{days // 7} weeks ago"
    return f"{days // 30} months ago" if days < 730 else f"{days // 365} years ago"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
