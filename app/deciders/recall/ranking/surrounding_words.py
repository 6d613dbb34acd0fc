"""Lifts hits that share words with what surrounds a query (the file that is open, what was said last), or that mean what it means.

Neither decides: it brings no hit in and keeps none out; surroundings lift one by a quarter at most. Knows no index and no model: how rare
words are and how like texts are is handed in. Source: S3 "Retrieval Query" (`context`: additional context for boosting), S4 "Embedding".
"""

from collections.abc import Mapping, Sequence
from math import fsum

from app.deciders.recall.ranking.rank import RankedCandidate
from app.settings import EMBEDDING_SHARE

MOST_LIFT = 0.25
_WORDS_ENOUGH = 3  # a hit that shares the three rarest words shares all that can be asked of it


def lift_by_surroundings(
    ranked: Sequence[RankedCandidate], rarity: Mapping[str, float]
) -> tuple[list[RankedCandidate], dict[int, float]]:
    """The hits in their new order, and how much each shares with the surroundings, 0..1; none shares nothing.

    `rarity`: weight of each stem around the query that the query does not hold itself. Ties keep their order.
    """
    enough = sum(sorted(rarity.values(), reverse=True)[:_WORDS_ENOUGH])
    shares: dict[int, float] = {}
    for one in ranked if enough else ():
        held = fsum(map(rarity.__getitem__, rarity.keys() & set(one.candidate.stems)))  # whatever the order of the set
        if held:
            shares[one.candidate.id] = share = min(1.0, held / enough)
            one.score *= 1.0 + MOST_LIFT * share
    return _scaled(ranked), shares


def lift_by_meaning(ranked: Sequence[RankedCandidate], alike: Mapping[int, float]) -> list[RankedCandidate]:
    """The hits in their new order, each lifted by how like in meaning it is to the query, 0..1; without a vector by nothing."""
    for one in ranked:
        one.score += EMBEDDING_SHARE * alike.get(one.candidate.id, 0.0)
    return _scaled(ranked)


def add_meaning(one: RankedCandidate, likeness: float) -> None:
    """Says of a hit whose parts are filled what its likeness in meaning added."""
    one.values = {**one.values, "meaning": max(one.values.get("meaning", 0.0), likeness)}
    one.parts = {**one.parts, "meaning": one.parts.get("meaning", 0.0) + EMBEDDING_SHARE * likeness}


def _scaled(ranked: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    highest = max((one.score for one in ranked), default=0.0)
    if highest > 1.0:
        for one in ranked:
            one.score /= highest
    return sorted(ranked, key=lambda one: -one.score)


def add_to_signals(one: RankedCandidate, share: float) -> None:
    """Says of a hit whose parts are filled what its surroundings added."""
    one.values = {**one.values, "context": share}
    one.parts = {**one.parts, "context": sum(one.parts.values()) * MOST_LIFT * share}
