"""The terms that a query searches for, once the index was asked which of its words exist: each with its weight and its stand-ins.

A word that occurs nowhere is searched by words written alike (a typo, a beginning); every word also by its synonyms, with
less weight. Knows no index: frequencies and neighbouring words are handed in. Source: issue 3 "typos and prefixes".
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from app.deciders.recall.ranking.query import ParsedQuery
from app.deciders.recall.rules import RecallRules
from app.language.search_words import MAX_WORD_CHARS
from app.language.stems import stem
from app.values.fast_values import maker

SYNONYM_WEIGHT = 0.3
ALIKE_WEIGHT = 0.7
_FLAG_WEIGHT = 0.6  # above half: it is looked for in any case
_FLAG_CHARS = 2
_MOST_ALIKE = 6
_SHORT_CHARS, _SHORT_ENDINGS = 4, "drs"  # in a longer word another ending seldom makes another word
MOST_GUESSED = 12  # unknown words that are taken for misspelt ones; a log is full of them
EXACT, SYNONYM, ALIKE = "keyword", "meaning", "character"  # which signal a match counts for


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing looked for. `stands_for`: stem → (weight, signal), the stem itself among them."""

    stem: str
    word: str  # as typed
    idf: float
    is_name: bool
    is_known: bool  # it, or a word written alike, stands somewhere
    stands_for: Mapping[str, tuple[float, str]]


_make_query_term = maker(QueryTerm)


def rarity(count: int, total: int) -> float:
    """The weight of a word that stands in `count` of `total` documents (BM25's idf), above 0.

    >>> rarity(1, 1000) > rarity(100, 1000) > 0
    True
    """
    return math.log(1 + (total - min(count, total) + 0.5) / (count + 0.5))


def list_stand_ins(stems: Sequence[str], rules: RecallRules) -> dict[str, tuple[str, ...]]:
    """Per stem its synonyms, but for those that are looked for anyhow."""
    wanted = set(stems)
    return {one: tuple(other for other in rules.synonyms.get(one, ()) if other not in wanted) for one in stems}


def make_query_terms(
    query: ParsedQuery,
    counts: Mapping[str, int],
    total: int,
    rules: RecallRules,
    words_near: Callable[[str], Sequence[str]],
) -> tuple[QueryTerm, ...]:
    """One entry per stem of the query's content words, in order.

    `counts`: documents per stem, of stand-ins too; `words_near(word)`: words as written that might be meant.
    """
    found: dict[str, QueryTerm] = {}
    guessed_count = 0
    for word in query.content:
        typed = word.text.lower()
        for one in word.stems:
            if one in found:
                continue
            idf = rarity(counts.get(one, 0), total)
            stands_for = {one: (1.0, EXACT)}
            if not counts.get(one) and guessed_count < MOST_GUESSED and may_be_misspelt(typed):
                guessed_count += 1
                near = choose_alike(typed, words_near(typed))
                stands_for |= {stem(other): (ALIKE_WEIGHT, ALIKE) for other in near if stem(other) not in stands_for}
            is_known = bool(counts.get(one)) or len(stands_for) > 1
            for other in rules.synonyms.get(one, ()):
                if other not in stands_for and counts.get(other):
                    share = min(1.0, rarity(counts[other], total) / idf)
                    stands_for[other] = (SYNONYM_WEIGHT * share, SYNONYM)
            if len(one) <= _FLAG_CHARS and one.isascii() and one.isalpha():
                stands_for |= _with_flag(one, is_flag=word.is_flag)
            found[one] = _make_query_term(one, word.text, idf, word.is_name, is_known, stands_for)
    return tuple(found.values())


def _with_flag(letters: str, *, is_flag: bool) -> dict[str, tuple[float, str]]:
    """A word of one or two letters and the option that is written so: each stands for the other, with less weight."""
    typed, other = (f"-{letters}", letters) if is_flag else (letters, f"-{letters}")
    return {typed: (1.0, EXACT), other: (_FLAG_WEIGHT, EXACT)}


def may_be_misspelt(word: str) -> bool:
    """Whether words written alike are worth looking for.

    >>> [may_be_misspelt(word) for word in ("kuberntes", "db", "データ")]
    [True, False, False]
    """
    return (
        3 <= len(word) <= MAX_WORD_CHARS and word.isascii() and " " not in word
    )  # "logged in" was recognised as typed


def choose_alike(word: str, words: Sequence[str]) -> tuple[str, ...]:
    """Those of `words` that `word` begins, or that differ by a slip of the fingers; the nearest first.

    >>> choose_alike("kuberntes", ["kubernetes", "cube", "kubectl"]), choose_alike("kube", ["kubernetes", "rube"])
    (('kubernetes',), ('kubernetes',))
    """
    if not may_be_misspelt(word):
        return ()
    begun = [other for other in words if other.startswith(word)]
    if begun:
        return tuple(sorted(begun, key=len)[:_MOST_ALIKE])
    most = 0 if len(word) < 4 else 1 if len(word) < 8 else 2
    near = [(DamerauLevenshtein.distance(word, other, score_cutoff=most), other) for other in words]
    return tuple(other for distance, other in sorted(near) if distance <= most and not _is_another(word, other))[
        :_MOST_ALIKE
    ]


def _is_another(word: str, other: str) -> bool:
    """Whether two short words that are so near are no slip but one root with two endings.

    >>> [_is_another("user", other) for other in ("use", "uses", "used", "usre")]
    [True, True, True, False]
    """
    return len(word) <= _SHORT_CHARS and word.rstrip(_SHORT_ENDINGS) == other.rstrip(_SHORT_ENDINGS)
