"""The levels at which one memory may stand in a tier: what each costs, and what it gains per token.

Only those are kept that lie on the upper hull of (tokens, value), so that the gain per token falls with each step. Source: S4.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from app.values import ContextCandidate, Level, Tier

# What a level still says of its memory: 1 - (1 - its tokens / all tokens) ** 2.5. A summary of 44 % of the tokens keeps 91 % of the
# words of labelled answers (that would be 4.15), but who reads it cannot know that nothing is missing. Measured inside 500
# tokens, with 4.15, 2.5 and 1.5: the evidence stands there whole 0.47, 0.72, 0.74; words of the answers 0.758, 0.763, 0.746.
_FIDELITY_POWER = 2.5
_INDEX_FIDELITY = 0.2
_ALL = tuple(Level)
_LEVEL_COUNT = len(_ALL)
_counts_of = itemgetter(*_ALL)
_LEVELS_OF_TIER: Mapping[Tier, tuple[Level, ...]] = {
    Tier.CRITICAL: (Level.SUMMARY, Level.FULL),
    Tier.RELEVANT: (Level.COMPRESSED, Level.SUMMARY, Level.FULL),
    Tier.BACKGROUND: (Level.COMPRESSED, Level.SUMMARY, Level.FULL),
    Tier.INDEX: (Level.INDEX,),
}


def levels_of(candidate: ContextCandidate, tier: Tier) -> tuple[Level, ...]:
    """The levels at which it may stand in a tier: those of the tier, or the one that a person chose."""
    level = candidate.placement.level if candidate.placement is not None else None
    if level is None:
        return _LEVELS_OF_TIER[tier]
    return (level,) if tier is not Tier.INDEX or level is Level.INDEX else ()


def fidelity_of(candidate: ContextCandidate, level: Level) -> float:
    """What of the memory a level still says, 0..1."""
    return _fidelity(level, candidate.tokens[level], max(candidate.tokens.values(), default=0))


def _fidelity(level: Level, token_count: int, whole: int) -> float:
    if level is Level.INDEX:
        return _INDEX_FIDELITY
    return 1.0 - (1.0 - min(1.0, token_count / whole)) ** _FIDELITY_POWER if whole else 1.0


class LevelStep(NamedTuple):
    """One step of a candidate's options: from what it has to this level, as if giving it whole were worth 1."""

    level: Level
    cost: int
    gain: float
    rate: float  # gain per token
    total: int  # cost from the ground


class LevelOptions(NamedTuple):
    """Levels worth climbing, cheapest first, with falling gain per token."""

    steps: tuple[LevelStep, ...]
    cost: int  # of the top
    is_rising: bool  # each step costs something
    richest: int  # tokens of the level that has most
    is_whole: bool  # its top says as much as there is


def make_level_options(candidate: ContextCandidate, tier: Tier, line_tokens: int) -> LevelOptions:
    """The options of a candidate in a tier; `line_tokens` is what a line costs beside its text."""
    texts, tokens = candidate.texts, candidate.tokens
    if candidate.placement is None and len(tokens) == len(texts) == _LEVEL_COUNT and all(texts.values()):
        return _full_level_options(tier, line_tokens, *_counts_of(tokens))  # nearly all: known by their lengths
    wanted = _LEVELS_OF_TIER[tier] if candidate.placement is None else levels_of(candidate, tier)
    levels = tuple([(level, tokens[level]) for level in wanted if texts.get(level)])
    return _hull(levels, max(tokens.values(), default=0), line_tokens)


@lru_cache(maxsize=16_384)
def _full_level_options(tier: Tier, line_tokens: int, *counts: int) -> LevelOptions:
    """Of one that has a text at every level; `counts` in their order."""
    tokens = dict(zip(_ALL, counts, strict=True))
    return _hull(tuple([(level, tokens[level]) for level in _LEVELS_OF_TIER[tier]]), max(counts), line_tokens)


@lru_cache(maxsize=16_384)
def _hull(levels: tuple[tuple[Level, int], ...], whole: int, line_tokens: int) -> LevelOptions:
    """The upper hull of (tokens, value) over the levels; what the memory is worth stretches it and bends nothing."""
    points: list[tuple[int, float, Level]] = []
    for level, count in levels:
        cost = count + line_tokens
        if points and cost <= points[-1][0]:
            points.pop()  # the richer level costs no more
        points.append((cost, _fidelity(level, count, whole), level))
    hull = [(0, 0.0, Level.INDEX)]
    for point in points:
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    steps = tuple(
        LevelStep(after[2], after[0] - before[0], after[1] - before[1], _slope(before, after), after[0])
        for before, after in pairwise(hull)
    )
    richest = max((count for _, count in levels), default=0)
    cost = hull[-1][0]
    return LevelOptions(steps, cost, all(step.cost > 0 for step in steps), richest, cost - line_tokens >= richest)


def _slope(a: tuple[int, float, Level], b: tuple[int, float, Level]) -> float:
    return (b[1] - a[1]) / max(1, b[0] - a[0])
