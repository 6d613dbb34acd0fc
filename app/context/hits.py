"""What the look-ups of one context found, put together: each hit with what it is worth among the hits of its look-up, added up.

A score says how much of a query a memory covers, and no memory covers a long prompt; so the best of a look-up is a good hit
whatever its score. Pure: knows no store. Source: S4 "Context Assembly Algorithm", QUALITY A11.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from app.retrieval.look_up import LookUp

_BEST_LEAST, _NEAREST_LEAST = 0.5, 0.3  # what the best of the hits is worth, and of those judged not to be meant
_CLOSE_SHARE = 0.4  # of the best score; a decision that fits less is not about this task


class Heard(NamedTuple):
    """What was found for one text; `named`: the hits that say something of it, the others only stand beside one that does."""

    found: LookUp
    why: str
    named: AbstractSet[int]
    stated: AbstractSet[int] = frozenset()  # hits that the prompt says itself, when nobody asked

    def shares(self) -> Iterator[tuple[int, float, bool]]:
        """Each hit, what it is worth, and whether it is close to the best.

        The best is worth its score, and not less than a bound: a long prompt is covered by no memory.
        """
        ranked = self.found.ranked
        best = max([one.score for one in ranked.values()], default=0.0)
        weight = max(min(1.0, best), _BEST_LEAST) if self.found.is_fitting else _NEAREST_LEAST
        factor, close = weight / best if best else 0.0, _CLOSE_SHARE * best
        return ((key, one.score * factor, one.score >= close) for key, one in ranked.items())


class Merged(NamedTuple):
    """A hit of several look-ups."""

    score: float
    largest: float
    is_named: bool
    is_close: bool
    heard: Heard  # what gave most of it
    others: tuple[str, ...] = ()  # why it was looked for besides

    def and_(self, other: "Merged") -> "Merged":
        is_named, is_close = self.is_named or other.is_named, self.is_close or other.is_close
        first, second = (self, other) if self.largest >= other.largest else (other, self)
        besides = [why for why in (second.heard.why, *self.others) if why != first.heard.why]
        others = tuple(dict.fromkeys(besides))
        return Merged(self.score + other.score, first.largest, is_named, is_close, first.heard, others)


def merge_hits(looked_up: Iterable[Heard], keys: AbstractSet[int]) -> dict[int, Merged]:
    """Each of `keys` with all that it was found by."""
    merged: dict[int, Merged] = {}
    for one in looked_up:
        for key, share, is_near_best in one.shares():
            if key in keys:
                is_named = key in one.named
                new = Merged(share, share, is_named, is_named and is_near_best, one)
                known = merged.get(key)
                merged[key] = new if known is None else known.and_(new)
    return merged
