"""Which of the memories that were given are used by what is said or done afterwards: by their own words, names, values, files.

Words of the question prove nothing, since whoever answers repeats them; a word that many of the given memories share proves little. Knows no
store. Source: S4 "Usage Tracker".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import fsum

from app.deciders.recall.rules import RecallRules, load_recall_rules
from app.language.search_words import find_runs, split_firsts
from app.language.sentences import cut_sentences

_NAME_LIKE = re.compile(
    r"\d{3}|[_/\\@#.]|[a-z][A-Z]|[A-Z]{2}|[A-Za-z]\d"
)  # a name of code, a path, a number, an abbreviation
_PATH = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*){1,7}(?<!\.)")
_MARKS = frozenset("#@`$")
_MEMBER = re.compile(r"\b[A-Za-z]\w{2,}(?=(?:\.|::|->)[A-Za-z_])")
_PREFIX = re.compile(r"\b[A-Za-z]{2,5}(?=_\w)")
_TOGETHER = 2  # so many sentences or lines belong together
_STRONG_WEIGHT = 3.0
_SHARED_BY_MOST = 2  # so many of them may share a name that proves it
_KEPT_CHARS = 500
_STRONG_SHARE, _SHARE, _LEAST_WORDS = 0.2, 0.4, 3


@dataclass(frozen=True, slots=True)
class GivenText:
    """One memory that was given; `value` is the canonical value of its slot, "" without one."""

    key: int
    text: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """What was said, split once to be compared with many lists of given memories."""

    spoken: AbstractSet[str]  # stems
    near: Sequence[AbstractSet[str]]  # of passages that stand together


def split_spoken(said: str) -> SpokenWords:
    rules = load_recall_rules()
    passages = [frozenset(_spoken(passage, rules)) for passage in cut_sentences(said)]
    spoken = frozenset(_weighed(said, rules)).union(*passages)
    return SpokenWords(spoken, [frozenset().union(*passages[at : at + _TOGETHER]) for at in range(len(passages))])


def find_citations(said: str | SpokenWords, given: Iterable[GivenText], *, question: str = "") -> frozenset[int]:
    """Keys of the `given` memories that `said` uses, beyond the words of `question`.

    Words are weighed only where that can decide: a long session was given thousands.

    >>> given = [GivenText(1, "The orders service stores money in cents", ""), GivenText(2, "Deploys run on Fly.io", "Fly.io")]
    >>> sorted(find_citations("I wrote the fly.toml for Fly.io", given, question="set up the deployment"))
    [2]
    """
    rules = load_recall_rules()
    heard = said if isinstance(said, SpokenWords) else split_spoken(said)
    asked = frozenset(_weighed(question, rules))
    by_key = {one.key: one for one in given}
    stems = {key: (_stems(one.text, rules) | _stems(one.value, rules)) - asked for key, one in by_key.items()}
    if all(own.isdisjoint(heard.spoken) for own in stems.values()):
        return frozenset()
    often = Counter(chain.from_iterable(stems.values()))
    return frozenset(
        key
        for key, own in stems.items()
        if _may_be_used(own, heard, often)
        and _is_used(_own_words(by_key[key], asked, rules), heard.spoken, heard.near, often)
    )


def _may_be_used(own: AbstractSet[str], heard: SpokenWords, often: Mapping[str, int]) -> bool:
    """Whether `_is_used` could say yes, whatever the words weigh."""
    shared = own & heard.spoken
    if any(often[stem] <= _SHARED_BY_MOST for stem in shared):
        return True
    return len(shared) >= _LEAST_WORDS and any(len(shared & passage) >= _LEAST_WORDS for passage in heard.near)


def _stems(text: str, rules: RecallRules) -> frozenset[str]:
    """Those that `_weighed` weighs."""
    if not text:
        return frozenset()
    cut = _cut_stems if len(text) <= _KEPT_CHARS else _cut_stems.__wrapped__
    return frozenset(cut(text, rules.stop_words))


@lru_cache(maxsize=8_192)  # what a session was given is compared with each of its prompts; some 4 MB
def _cut_stems(text: str, stop_words: frozenset[str]) -> tuple[str, ...]:
    firsts = split_firsts(text.replace("/", " "))
    paths = map(str.lower, _PATH.findall(text))
    return tuple(dict.fromkeys([*(stem for word, stem in firsts if word not in stop_words), *paths]))


def _own_words(one: GivenText, asked: AbstractSet[str], rules: RecallRules) -> dict[str, float]:
    words = _weighed(one.text, rules) | dict.fromkeys(_weighed(one.value, rules), _STRONG_WEIGHT)
    return {stem: weight for stem, weight in words.items() if stem not in asked}


def _weighed(text: str, rules: RecallRules) -> dict[str, float]:
    """Stems of the content words of `text`; names, paths and numbers weigh more."""
    found = dict.fromkeys(map(str.lower, _PATH.findall(text)), _STRONG_WEIGHT)
    text = text.replace("/", " ")  # a path is its parts, too: the file may be named without its folder
    for run in find_runs(text):
        if run.words[0] in rules.stop_words:
            continue
        written = text[run.start : run.end]
        is_name = written[0].isupper() and _is_inside(text, run.start)
        is_marked = text[run.start - 1 : run.start] in _MARKS or text[run.end : run.end + 1] == "_"
        weight = _STRONG_WEIGHT if is_name or is_marked or _NAME_LIKE.search(written) else 1.0
        found[run.stems[0]] = max(weight, found.get(run.stems[0], 0.0))
    return found


def _spoken(passage: str, rules: RecallRules) -> Iterator[str]:
    """Stems of the content words; of a name of code also what it is a member of, and what it begins with."""
    yield from _weighed(passage, rules)
    for name in _MEMBER.findall(passage):
        yield from _weighed(name, rules)
    for path in _PATH.findall(passage.lower()):
        parts = path.split("/")
        yield from (
            "/".join(parts[start:end]) for start in range(len(parts)) for end in range(start + 2, len(parts) + 1)
        )
    for prefix in _PREFIX.findall(passage):
        yield prefix.lower()


def _is_inside(text: str, start: int) -> bool:
    """Not the first word of a sentence, where every word has a capital letter."""
    before = text[:start].rstrip()
    return bool(before) and before[-1] not in ".!?:\n-•"


def _is_used(
    words: Mapping[str, float],
    spoken: AbstractSet[str],
    near: Sequence[AbstractSet[str]],
    often: Mapping[str, int],
) -> bool:
    """A name proves it with a little beside it; words that anybody uses must be many, and stand together."""
    own = {stem: weight / often[stem] for stem, weight in words.items()}
    total = sum(own.values())
    if total == 0 or own.keys().isdisjoint(spoken):
        return False
    is_named = any(words[stem] == _STRONG_WEIGHT and often[stem] <= _SHARED_BY_MOST for stem in own.keys() & spoken)
    if is_named and sum(weight for stem, weight in own.items() if stem in spoken) / total >= _STRONG_SHARE:
        return True
    return any(
        len(found) >= _LEAST_WORDS
        and fsum(map(own.__getitem__, found)) / total >= _SHARE  # whatever the order of the set
        for found in (own.keys() & passage for passage in near)
    )
