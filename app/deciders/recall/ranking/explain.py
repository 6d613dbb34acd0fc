"""Says why a memory is in an answer: shares of the score, words that matched and where, one sentence.

Pure. Source: issue 3 "Every hit says why", UX 4.4 "Why it is given".
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from app.deciders.recall.ranking.query import QueryTerm
from app.language.search_words import Marks, mark_texts, split_stems
from app.values import Signal
from app.values.fast_values import maker

_MOST_NAMED = 4
_WORTH_SAYING = 0.1  # share of the score
_DAY = 86_400_000_000  # microseconds
_NAMED_PARTS = frozenset(("neighbours", "time"))  # parts of a score that the sentence speaks of
_make_signal = maker(Signal)  # a hundred for one answer


def mark_words(text: str, query_terms: Sequence[QueryTerm]) -> Marks:
    """Where `text` holds what was looked for."""
    return mark_texts([text], list_match_stems(query_terms))[0]


def list_match_stems(query_terms: Sequence[QueryTerm]) -> frozenset[str]:
    """All stems that count as a match: made once for many texts."""
    return frozenset([stem for entry in query_terms for stem in entry.stands_for])


def mark_title_or_terms(
    title: str, query_terms: Sequence[QueryTerm], wanted: AbstractSet[str], found: Iterable[int]
) -> Marks:
    """By what a memory was found whose text holds nothing of it: the words of its title, else of its tags and slot."""
    return Marks(mark_texts([title], wanted)[0].words or tuple([query_terms[at].word for at in found]), ())


def list_signals(parts: Mapping[str, float], values: Mapping[str, float]) -> tuple[Signal, ...]:
    """The parts of a score, largest share first; shares sum to 1.

    >>> [(signal.name, signal.share) for signal in list_signals({"recency": 1.0, "keyword": 3.0}, {})]
    [('keyword', 0.75), ('recency', 0.25)]
    """
    ordered = sorted([(-value, name) for name, value in parts.items() if value > 0])
    total = -sum([value for value, _ in ordered])
    return tuple([_make_signal(name, values.get(name, 0.0), -value / total) for value, name in ordered])


def explain_hit(
    marks: Marks,
    signals: Sequence[Signal],
    recorded_at: int,
    now: int,
    *,
    is_live: bool,
    query_terms: Sequence[QueryTerm] = (),
) -> str:
    """One sentence part for people: says “port” and “staging”; recorded last week. Instants in microseconds since 1970.

    `query_terms`: what was looked for; a word that only stands for one of them is said with it.
    """
    shares = {signal.name: signal.share for signal in signals if signal.name in _NAMED_PARTS}
    said = []
    if marks.words:
        said.append(f"says {_list_quoted([_with_asked(word, query_terms) for word in marks.words[:_MOST_NAMED]])}")
    if shares.get("neighbours", 0.0) >= _WORTH_SAYING:
        said.append("said beside others that fit" if marks.words else "said right beside one that fits")
    if shares.get("time", 0.0) > 0:
        said.append("from the time asked about")
    said.append(f"recorded {say_age(now // _DAY - recorded_at // _DAY)}")
    if not is_live:
        said.append("no longer true")
    return "; ".join(said)


def say_age(days: int) -> str:
    """How long ago, in words.

    >>> say_age(2), say_age(31)
    ('2 days ago', '4 weeks ago')
    """
    if days <= 1:
        return "today" if days <= 0 else "yesterday"
    if days < 14:
        return f"{days} days ago"
    if days < 60:
        return f"{days // 7} weeks ago"
    return f"{days // 30} months ago" if days < 730 else f"{days // 365} years ago"


def _with_asked(word: str, query_terms: Sequence[QueryTerm]) -> str:
    """“login” for “session”, where that was asked for; what was typed itself stands alone."""
    stems = set(split_stems(word))
    if not stems.isdisjoint([one.stem for one in query_terms]):
        return f"“{word}”"
    asked = next((one.word for one in query_terms if not stems.isdisjoint(one.stands_for)), "")
    return f"“{word}” (close to “{asked}”)" if asked else f"“{word}”"


def _list_quoted(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
