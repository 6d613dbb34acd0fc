"""What a session begins with: of all that holds in a project the few lines that are worth an assistant's attention; and what its first
prompts are given though the start did not say it.

A start that says everything is read by nobody. What a reader found worth keeping comes first, then rules that hold whatever is
done, what was said lately, and what the last work in the project was about; of lines that say nearly the same the better one.
A memory is rarely worded as the first prompt is. So three texts are held against the prompt: the memory's own words with the person's,
which count half, the prompt that it was said in, the title of that conversation; and what the memory is about counts again. Pure: how
rare a word is in the language is handed in; knows no store and no clock. Source: issue 16 point 9.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

# Each stream's best, found on the two others: over nine starts 37 useful lines of 82 instead of 34 of 83.
_WORTH, _NEWNESS, _RULE, _LIKENESS, _EXPECTED, _BRANCH = 2.0, 0.2, 0.4, 0.6, 0.3, 0.8
# The more there is to choose from, the more what was said lately counts. Of the memories of labelled prompts alone (no other can be counted
# as wanted, and in three of seven parts of streams these are the newest, so that any newness seems to help there) the best nine of 26 starts
# hold 132 wanted ones of 233, without newness 123, with half as much again 131; the best six 96 of 156, 86 and 93.
_FRESHNESS, _FRESH_AMONG, _FEW, _MANY = 1.0, 20, 30, 50
# Of the weight of the words of both: of the pairs at 23 starts both above say the same, of nine below two.
_SAME_SHARE = 0.5
_ONLY_A_PURPOSE = re.compile(  # "To deploy run `make`" says what to do
    r"to [a-z]+\b(?![^,:;]*(?:`|\b(?:ask|call|execute|must|only|run|see|should|use)\b))[^,:;]*\Z", re.IGNORECASE
)
# Over nine starts of three streams that the weight was chosen on two of: 24 wanted statements of 107 instead of 20 with the memories of
# rules (.40 of 55 lines useful instead of .39 of 46), 55 instead of 53 with a judge's (.41 of 46 instead of .42 of 41); in no stream
# fewer. Weights fitted to more signs (titles, episodes, worth, type, newness, likeness to the last work) were no better.
_OWN_SHARE = 0.5
# A judge's statement begins with what it is about ("Jobs use one status"). Over nine starts of three streams 22 useful of 50 lines with it
# instead of 18 of 46 (each stream with what the two others choose: 20 of 49), on a fourth 11 of 34 instead of 11 of 32.
_SUBJECT_SHARE, _LEAST = 1.0, 1.2
# A reader who saw no code judged 63 lines that nobody had confirmed, given to 41 sessions of one project: of the 20 below this one was
# useful and 17 were noise, of the others 11 and 22.
_LEAST_UNCONFIRMED = 1.5
_UNKNOWN_SHARE = 0.7  # of what its own words are alike, for a prompt or a title that is not known
_EXTRA_STEMS = 3  # a title of two words is no better sign than a sentence


class StartCandidate(NamedTuple):
    """A memory that might be given. `importance` 0..1 (what a reader found it worth), `is_rule`: holds whatever is done."""

    key: int
    stems: AbstractSet[str]
    importance: float
    recorded_at: int
    is_rule: bool
    is_kept: bool  # a person pinned or placed it: it stays
    expected: float = 0.0  # 0..1, how sure it is that this work will need it
    is_on_branch: bool = False  # said on the branch that is checked out
    token_count: int = 0  # of its line


def is_half_said(text: str) -> bool:
    """Whether it says what something is for and not what: it was cut out of a sentence, and nobody can follow it.

    >>> is_half_said("To keep the gates open instead of shut."), is_half_said("To open the gates, run `make gates`.")
    (True, False)
    >>> is_half_said("To run the tests use make gates.")
    False
    """
    return _ONLY_A_PURPOSE.match(text) is not None


def choose_lines(
    known: Sequence[StartCandidate], recent_stems: Mapping[str, int], most: int, room_tokens: int = sys.maxsize
) -> list[int]:
    """The keys of at most `most` memories, best first; what a person pinned is among them and counts.

    The first for which there is no room is the last that is looked at: a short line that is worth less takes no place.
    `recent_stems`: stems of what was talked about last, with how often.

    >>> one = StartCandidate(1, frozenset({"rule"}), 0.85, 10, True, False)
    >>> two = StartCandidate(2, frozenset({"colour"}), 0.4, 20, False, False)
    >>> choose_lines([two, one], {}, 1)
    [1]
    """
    weights = _weights(known)
    likeness = _likeness_to(known, {stem: weight for stem, weight in weights.items() if stem in recent_stems})
    newness = _newness([one.recorded_at for one in known])
    worth = [
        _WORTH * one.importance
        + new
        + _RULE * one.is_rule
        + _LIKENESS * like
        + _EXPECTED * one.expected
        + _BRANCH * one.is_on_branch
        for one, new, like in zip(known, newness, likeness, strict=True)
    ]
    order = sorted(range(len(known)), key=lambda at: (not known[at].is_kept, -worth[at], known[at].key))
    chosen: list[StartCandidate] = []
    for at in order:
        one = known[at]
        if not one.is_kept and any(_is_same(one, other, weights) for other in chosen):
            continue
        if not one.is_kept and (len(chosen) >= most or one.token_count > room_tokens):
            break
        chosen.append(one)
        room_tokens -= one.token_count
    return [one.key for one in chosen]


def _weights(known: Sequence[StartCandidate]) -> dict[str, float]:
    """Of each stem: rare ones distinguish memories, one that stands in all of them does not."""
    spread = Counter(stem for one in known for stem in one.stems)
    return {stem: max(0.0, math.log((len(known) + 1) / (count + 0.5))) for stem, count in spread.items()}


def _likeness_to(known: Sequence[StartCandidate], weights: Mapping[str, float]) -> list[float]:
    """0..1: how much of its rarer words was talked about, the likest being 1."""
    raw = [sum(weights.get(stem, 0.0) for stem in one.stems) / math.sqrt(3 + len(one.stems)) for one in known]
    most = max(raw, default=0.0)
    return [one / most for one in raw] if most > 0 else [0.0] * len(raw)


def _newness(instants: Sequence[int]) -> list[float]:
    """What each is worth for being said lately: a little by order, and where there are many more for the last twenty or so."""
    order = sorted(range(len(instants)), key=lambda at: instants[at])
    share = min(1.0, max(0.0, (len(order) - _FEW) / (_MANY - _FEW)))
    worth = [0.0] * len(instants)
    for place, at in enumerate(order, 1):
        newer = len(order) - place
        worth[at] = _NEWNESS * place / len(order) + _FRESHNESS * share * math.exp(-newer / _FRESH_AMONG)
    return worth


def _is_same(one: StartCandidate, other: StartCandidate, weights: Mapping[str, float]) -> bool:
    both = sum(weights[stem] for stem in one.stems | other.stems)
    return both > 0 and sum(weights[stem] for stem in one.stems & other.stems) >= _SAME_SHARE * both


class PromptCandidate(NamedTuple):
    """A memory by the stems of all that is known of where it comes from."""

    key: int
    own: AbstractSet[str]  # its statement, and the person's words for it
    prompts: Sequence[AbstractSet[str]]  # it was said in, as far as these are kept
    title: AbstractSet[str]  # of the conversation
    is_unconfirmed: bool = False
    subject: AbstractSet[str] = frozenset()  # how the statement begins; of a sentence as typed, none


def choose_alike(
    prompt: AbstractSet[str], known: Sequence[PromptCandidate], rarity: Callable[[str], float], most: int
) -> dict[int, float]:
    """The keys of at most `most` memories with how much each has to do with the prompt, best first. `rarity`: 0..1, of a stem.

    >>> gate = PromptCandidate(1, frozenset({"gate", "dusk"}), [frozenset({"gate", "timer"})], frozenset({"gate"}))
    >>> choose_alike(frozenset({"gate", "timer"}), [gate, PromptCandidate(2, frozenset({"port"}), [], frozenset())], lambda stem: 1.0, 5)
    {1: 1.62}
    """

    def liken(stems: AbstractSet[str]) -> float:
        return sum(map(rarity, stems & prompt)) / math.sqrt(_EXTRA_STEMS + len(stems))

    def fit(one: PromptCandidate) -> float:
        own = liken(one.own)
        prompts = max(map(liken, one.prompts)) if one.prompts else _UNKNOWN_SHARE * own
        title = liken(one.title) if one.title else _UNKNOWN_SHARE * own
        subject = sum(map(rarity, one.subject & prompt))
        return round(_OWN_SHARE * own + prompts + title + _SUBJECT_SHARE * subject, 2)

    fits = {one.key: fit(one) for one in known}
    least = {one.key: _LEAST_UNCONFIRMED if one.is_unconfirmed else _LEAST for one in known}
    best = sorted((key for key, share in fits.items() if share >= least[key]), key=lambda key: (-fits[key], key))
    return {key: fits[key] for key in best[: max(0, most)]}
