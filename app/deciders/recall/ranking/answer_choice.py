"""Which hits answer a question, bear on a task or are named by an open file, where somebody asks for a context.

A word says much that is rare in English and that few memories of the project say: where everything is about widgets, "widget" tells
no memory from another. What shares less than most of what the best hit shares is about something else; where the best shares little
and nothing sets it apart from the next, the answer is not remembered.

The bounds were fitted on 59 questions and 23 files of two real projects (README of app/context).
Pure. Source: QUALITY A11.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from app.deciders.recall.ranking.query import QueryTerm, rarity
from app.deciders.recall.ranking.rank import Candidate

_CUT_OFF = 200  # candidates: so many are looked at when a context is asked for, or a few more
UNSAID = 0.5  # words that question and memory are taken to be longer
UNSAID_BY_NAME = 0.1  # the few words of a file's name say less
_LEAST = 0.45  # of both shares together
_SHARE_OF_BEST = 0.8
_LEAST_APART, _APART = 0.3, 1.35  # of a hit that shares so many times as much as the next
_LEAST_RELATED, _LEAST_RELATED_PAST, _SHARE_OF_MOST_RELATED = 0.4, 0.35, 0.4
_LEAST_BY_NAME = 0.9


def make_word_weights(
    candidates: Sequence[Candidate],
    terms: Iterable[QueryTerm],
    total: int,
    rarity_of: Callable[[str], float],
) -> Callable[[str], float]:
    """0..1, how much a stem says among the memories of a project.

    `candidates`: those that hold a word of what is looked for, the best where there are many; `total`: memories of the project;
    `rarity_of`: 0..1, in the language.
    """
    holders: dict[str, float] = dict(Counter(stem for one in candidates for stem in set(one.stems)))
    total = max(total, len(candidates))
    most = rarity(0, total)
    if len(candidates) >= _CUT_OFF:  # the rest was not looked at: as many hold a word as in the whole store
        holders |= {entry.stem: total * math.exp(-entry.idf) for entry in terms}

    def weigh(stem: str) -> float:
        return rarity_of(stem) * rarity(holders.get(stem, 0), total) / most

    return weigh


def choose_answers(shares: Mapping[int, float]) -> set[int]:
    """The keys of the hits that answer. `shares`: what question and hit share, of each hit.

    >>> choose_answers({1: 0.9, 2: 0.75, 3: 0.5}) == {1, 2}
    True
    >>> choose_answers({1: 0.4, 2: 0.35}), choose_answers({1: 0.4, 2: 0.2})
    (set(), {1})
    """
    best, second = (*sorted(shares.values(), reverse=True)[:2], 0.0, 0.0)[:2]
    least = _LEAST_APART if best >= _APART * second else _LEAST
    return {key for key, share in shares.items() if share >= max(least, _SHARE_OF_BEST * best)}


def choose_related(shares: Mapping[int, float], *, tells_past: bool = False) -> set[int]:
    """The keys of the hits that bear on a task: more than of a question, since it has many sides. `shares`: as of `choose_answers`.

    `tells_past`: the hits say what was done before, in more words than a statement has.
    """
    bound = _LEAST_RELATED_PAST if tells_past else _LEAST_RELATED
    least = max(bound, _SHARE_OF_MOST_RELATED * max(shares.values(), default=0.0))
    return {key for key, share in shares.items() if share >= least}


def holding_asked_kind(stems_of: Mapping[int, Sequence[str]], kinds: Mapping[str, AbstractSet[str]]) -> set[int]:
    """Of the hits those that name one of the kind that is asked for; all where none does: it may bear a name that nobody listed.

    `kinds`: what is asked for with "which" ("database") with the names of that kind, all as stems; none: every hit.

    >>> holding_asked_kind({1: ("databas", "backup"), 2: ("sqlit",)}, {"databas": {"sqlit"}})
    {2}
    """
    keys = set(stems_of)
    for names in kinds.values():
        naming = {key for key in keys if not names.isdisjoint(stems_of[key])}
        keys = naming or keys
    return keys


def choose_named(shares: Mapping[int, float]) -> list[int]:
    """The keys of the hits that the open file's name names, the best first, the newest of equals first. `shares`: of name and hit."""
    fitting = [key for key, share in shares.items() if share >= _LEAST_BY_NAME]
    return sorted(fitting, key=lambda key: (-shares[key], -key))
