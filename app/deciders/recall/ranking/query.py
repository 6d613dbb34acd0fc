"""Reads a query as a person types it: words, quoted phrases, a beginning still being typed, the time it speaks of; and the terms it
searches for, each with its weight and its stand-ins, once the index was asked which of its words exist.

A word that occurs nowhere is searched by words written alike (a typo, a beginning); every word also by its synonyms, with less weight.
Knows no index and no ranking: frequencies and neighbouring words are handed in. Source: issue 3 "Recall", "typos and prefixes", UX 4.4.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from rapidfuzz.distance import DamerauLevenshtein

from app.deciders.recall.ranking.times import TimeSpan, find_time, may_say_time
from app.deciders.recall.rules import RecallRules, load_recall_rules
from app.language.search_words import FLAG, MAX_WORD_CHARS, Run, find_runs
from app.language.stems import stem
from app.values.fast_values import maker

_QUOTED = re.compile(r"[\"“„]([^\"“”„]+)[\"”“]")
_NAME = re.compile(r"[A-Z][a-zà-ÿ]+(?:[-’'][A-Z]?[a-zà-ÿ]+)*")  # no acronym, no identifier
_ASKED_KIND = re.compile(r"\b(?:which|what)(?:\s+[\w-]+){1,5}")  # "which version of the web framework"
_READ_CHARS = 8_000  # a pasted log says what it is about before its end
_MOST_STEMS = 256  # a script without spaces is one word of as many pairs
_MOST_PHRASES = 16
SYNONYM_WEIGHT = 0.3
ALIKE_WEIGHT = 0.7
_FLAG_WEIGHT = 0.6  # above half: it is looked for in any case
_FLAG_CHARS = 2
_MOST_ALIKE = 6
_SHORT_CHARS, _SHORT_ENDINGS = 4, "drs"  # in a longer word another ending seldom makes another word
MOST_GUESSED = 12  # unknown words that are taken for misspelt ones; a log is full of them
EXACT, SYNONYM, ALIKE = "keyword", "meaning", "character"  # which signal a match counts for


class QueryWord(NamedTuple):
    """One written word of the query, or several that are looked for as one. `stems`: the whole first, then its parts."""

    text: str  # as typed
    start: int
    stems: tuple[str, ...]
    is_stop: bool
    is_flag: bool  # typed as an option: "-q"
    is_name: bool  # begins with a capital letter inside the sentence: somebody or something asked about


_make_word = partial(tuple.__new__, QueryWord)  # of all its values in their order, in half the time


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    text: str
    words: tuple[QueryWord, ...]
    phrases: tuple[tuple[str, ...], ...] = ()  # stems of what stood in quotes: all must be there, side by side
    span: TimeSpan | None = None

    @property
    def content(self) -> tuple[QueryWord, ...]:
        """The words that are looked for, as far as they are read: all but stop words and times, unless there is nothing else."""
        span = self.span
        words = tuple(word for word in self.words if span is None or not span.start <= word.start < span.end)
        return tuple(word for word in words if not word.is_stop) or (words if span is None else ())

    @property
    def stems(self) -> tuple[str, ...]:
        """Stems of `content`, each once, in order."""
        return tuple(dict.fromkeys(stem for word in self.content for stem in word.stems))


def parse_query(text: str, now: datetime, rules: RecallRules | None = None) -> ParsedQuery:
    """What is looked for, times seen from `now`.

    >>> query = parse_query('who owns "release notes" on kube*', datetime(2026, 3, 2))
    >>> query.stems, query.phrases
    (('own', 'releas', 'note', 'kube'), (('releas', 'note'),))
    """
    rules = rules or load_recall_rules()
    text = text[:_READ_CHARS]
    phrases = dict.fromkeys(map(_read_phrase, _QUOTED.findall(text)))
    words: list[QueryWord] = []
    seen: set[str] = set()
    flags = _find_flags(text)
    folded, phrase_spans = _fold_phrases(text, rules)
    calendar, stop_words = rules.calendar, rules.stop_words
    for run in find_runs(folded):
        if len(seen) >= _MOST_STEMS:
            break
        start, end, parts, stems = run
        word = parts[0]
        written = text[start : _end_of(run, phrase_spans) if phrase_spans else end]
        is_capital = start > 0 and written[0].isupper()
        is_date = word in calendar
        is_stop = word in stop_words and not (is_date and is_capital)  # "May", not "may"
        is_name = is_capital and not is_stop and not is_date and _NAME.fullmatch(written) is not None
        stems = stems[:_MOST_STEMS]
        seen.update(stems)
        words.append(_make_word((written, start, stems, is_stop, start in flags, is_name)))
    return ParsedQuery(
        text=text,
        words=tuple(words),
        phrases=tuple(phrase for phrase in phrases if len(phrase) > 1)[:_MOST_PHRASES],
        span=find_time(text, now) if may_say_time(text) else None,
    )


def _fold_phrases(text: str, rules: RecallRules) -> tuple[str, list[tuple[int, int]]]:
    """`text` with "logged in" as "login", as long as before, so that what follows stays in its place; where such a phrase stood."""
    low = text.lower()
    if len(low) != len(text):
        return text, []
    spans: list[tuple[int, int]] = []
    for phrase, name in rules.phrases.items():
        if phrase in low:
            found = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
            for hit in found.finditer(text):
                text = f"{text[: hit.start()]}{name.ljust(len(phrase))}{text[hit.end() :]}"
                spans.append(hit.span())
    return text, spans


def _end_of(run: Run, phrase_spans: Sequence[tuple[int, int]]) -> int:
    """Where the word ends as it was typed: a folded phrase was longer than the name that stands for it."""
    return max([run.end, *(end for start, end in phrase_spans if run.start <= start < run.end)])


def _read_phrase(text: str) -> tuple[str, ...]:
    """One stem per word, an option of a command with its dash, as memories are ranked."""
    flags = _find_flags(text)
    return tuple(f"-{run.stems[0]}" if run.start in flags else run.stems[0] for run in find_runs(text))


def _find_flags(text: str) -> set[int]:
    """Where the letters of options stand."""
    return {found.start(1) for found in FLAG.finditer(text)} if "-" in text else set()


MOST_TERMS = 12
MOST_SHARE = 0.10
_FEW_DOCUMENTS = 2_000  # below, every list is short


def choose_terms(stems: Sequence[str], counts: Sequence[int], total: int, *, most: int = MOST_TERMS) -> tuple[str, ...]:
    """The stems to ask for, rarest first. `counts`: in how many of `total` documents each stands.

    Words of more than a tenth of a large store are left out unless all are such; those nowhere found stay out.

    >>> choose_terms(["deploi", "server", "zebra"], [40, 90_000, 0], 100_000)
    ('deploi',)
    """
    known = sorted((count, at) for at, count in enumerate(counts) if count)
    allowed = [pair for pair in known if total < _FEW_DOCUMENTS or pair[0] <= total * MOST_SHARE]
    return tuple(stems[at] for _, at in (allowed or known[:2])[:most])


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


def rarity(count: float, total: int) -> float:
    """The weight of a word that stands in `count` of `total` documents (BM25's idf), above 0.

    >>> rarity(1, 1000) > rarity(100, 1000) > 0
    True
    """
    return math.log(1 + (total - min(count, total) + 0.5) / (count + 0.5))


def list_stand_ins(
    stems: Sequence[str], rules: RecallRules, kinds: Mapping[str, AbstractSet[str]]
) -> dict[str, tuple[str, ...]]:
    """Per stem its synonyms and, of a kind that is asked for, its names; but for those that are looked for anyhow."""
    wanted = set(stems)
    return {
        one: tuple(other for other in (*rules.synonyms.get(one, ()), *kinds.get(one, ())) if other not in wanted)
        for one in stems
    }


def list_asked_kinds(text: str, rules: RecallRules) -> dict[str, frozenset[str]]:
    """The kinds of technology whose name is asked for: stem of the kind → stems of names that are of it.

    >>> names = list_asked_kinds("Which version of the web framework is this on?", load_recall_rules())["framework"]
    >>> "nuxt" in names, list_asked_kinds("The framework is slow. Which page?", load_recall_rules())
    (True, {})
    """
    asked = (stem(word) for found in _ASKED_KIND.findall(text.lower()) for word in found.split()[1:])
    return {one: rules.kinds[one] for one in asked if one in rules.kinds}


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
    kinds = list_asked_kinds(query.text, rules)
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
            for other in (*rules.synonyms.get(one, ()), *kinds.get(one, ())):
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
