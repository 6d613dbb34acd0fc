"""What a session begins with: of all that holds in a project the few lines that are worth an assistant's attention.

A start that says everything is read by nobody. What a reader found worth keeping comes first, then rules that hold whatever is
done, what was said lately, and what the last work in the project was about; of lines that say nearly the same the better one.
Pure: knows no store and no clock. Source: issue 16 point 9.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

# Each stream's best, found on the two others: over nine starts 37 useful lines of 82 instead of 34 of 83.
_WORTH, _NEWNESS, _RULE, _LIKENESS, _EXPECTED, _BRANCH = 2.0, 0.2, 0.4, 0.6, 0.3, 0.8
_SAME_SHARE = 0.7  # of the weight of the words of both: then the two say the same
_ONLY_A_PURPOSE = re.compile(  # "To deploy run `make`" says what to do
    r"to [a-z]+\b(?![^,:;]*(?:`|\b(?:ask|call|execute|must|only|run|see|should|use)\b))[^,:;]*\Z", re.IGNORECASE
)


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
    newness = _ranks([one.recorded_at for one in known])
    worth = [
        _WORTH * one.importance
        + _NEWNESS * new
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


def _ranks(instants: Sequence[int]) -> list[float]:
    """0..1 by order, the newest 1."""
    order = sorted(range(len(instants)), key=lambda at: instants[at])
    ranks = [0.0] * len(instants)
    for place, at in enumerate(order, 1):
        ranks[at] = place / len(order)
    return ranks


def _is_same(one: StartCandidate, other: StartCandidate, weights: Mapping[str, float]) -> bool:
    both = sum(weights[stem] for stem in one.stems | other.stems)
    return both > 0 and sum(weights[stem] for stem in one.stems & other.stems) >= _SAME_SHARE * both
