"""What a person's answers to "continue or new?" change in later decisions: the threshold and the trust in each factor, within bounds.

Source: S1, User Clarification Flow; regularised stochastic gradient descent as in Bottou 2012.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.values.understanding import BoundaryFactor, BoundaryFeedback

_MAX_ANSWERS = 50  # older answers have had their say
_STEP_RATIO = 0.08  # how far one answer moves
_PULL_RATIO = 0.02  # how far each step falls back to the shipped weights
_MAX_SHIFT = 0.8  # logits; ten answers one way stay inside
_TRUST_RANGE = (0.6, 1.4)
_MAX_VOTE = 0.96  # a vote is tanh(logit / 2): beyond this the logit would explode


@dataclass(frozen=True, slots=True)
class Leaning:
    """What was learned: a shift in logits (positive: rather new) and a trust per factor."""

    shift: float = 0.0
    trust: Mapping[str, float] = field(default_factory=dict)

    def trust_of(self, factor: str) -> float:
        return self.trust.get(factor, 1.0)


def vote_of(logit: float) -> float:
    """A logit as a vote -1..1."""
    return math.tanh(logit / 2)


def logit_of(vote: float) -> float:
    """The logit behind a vote; the inverse of `vote_of` up to the bound of a vote."""
    return 2 * math.atanh(max(-_MAX_VOTE, min(_MAX_VOTE, vote)))


def learn_leaning(feedback: Sequence[BoundaryFeedback], bias: float) -> Leaning:
    """What `feedback`, oldest first, changes; `bias` is the shipped weight without any factor.

    >>> answer = BoundaryFeedback((BoundaryFactor("gap", 0.6, "2 h gap"),), is_new=False)
    >>> leaning = learn_leaning([answer], bias=-1.0)
    >>> leaning.shift < 0, leaning.trust_of("gap") < 1, leaning.trust_of("drift")
    (True, True, 1.0)
    """
    shift = 0.0
    trust: dict[str, float] = {}
    for answer in feedback[-_MAX_ANSWERS:]:
        logits = _logits(answer.factors)
        total = bias + shift + sum(trust.get(name, 1.0) * logit for name, logit in logits.items())
        error = float(answer.is_new) - 1 / (1 + math.exp(-total))
        shift = _clamp((shift + _STEP_RATIO * error) * (1 - _PULL_RATIO), -_MAX_SHIFT, _MAX_SHIFT)
        for name, logit in logits.items():
            moved = trust.get(name, 1.0) + _STEP_RATIO * error * logit
            trust[name] = _clamp(moved + (1 - moved) * _PULL_RATIO, *_TRUST_RANGE)
    return Leaning(shift, trust)


def _logits(factors: Sequence[BoundaryFactor]) -> dict[str, float]:
    return {factor.name: logit_of(factor.vote) for factor in factors if factor.name != "marker"}


def _clamp(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))
