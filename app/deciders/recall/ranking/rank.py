"""Ranks candidates: own words by BM25, what neighbours in the same conversation say, what the recipe adds, and what surrounds the query.

A memory whose neighbours speak of the same thing is more likely meant: memories of adjacent messages share 0.4, 0.3, 0.2 and 0.1
of each other's score, by distance. Length counts little (b = 0.3): memories are short, and a longer one is not a worse one. Words of the
file that is open or of what was said last, and likeness of meaning, decide nothing: they bring no hit in and keep none out, and
surroundings lift one by a quarter at most. Pure: texts come cut, frequencies come counted, likeness is handed in.
Source: eval/README "sharing its neighbours' scores", S3 "Multi-Strategy Scoring", "Retrieval Query" (`context`), S4 "Embedding".
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import NamedTuple

from app.deciders.recall.ranking.query import QueryTerm
from app.deciders.recall.ranking.recipes import Recipe
from app.settings import EMBEDDING_SHARE

K1, B = 1.2, 0.3
NEIGHBOUR_SHARES = (0.4, 0.4, 0.3, 0.2, 0.1)  # by distance in messages; 0: of the same message
_CLOSED_SHARE = 0.6  # what is left of the score of a memory that no longer holds
_PINNED_SHARE = 0.05
_TIME_SLACK = 86_400_000_000  # a day, in microseconds
_OTHER_PARTS = ("meaning", "character", "neighbours")
_HEARD = 2  # messages to either side: what is said there counts as said beside
_NOTHING: Mapping[int, float] = MappingProxyType({})
_NO_PARTS: Mapping[str, float] = MappingProxyType({})
_Wanted = tuple[
    str, int, float, float, str
]  # stem, place in `query_terms`, what it gains, how surely it is meant, signal
_score_alone, _score_and_age = attrgetter("score"), attrgetter("score", "candidate.recorded_at", "candidate.id")
_place_said = itemgetter(0, 1)
MOST_LIFT = 0.25
_WORDS_ENOUGH = 3  # a hit that shares the three rarest words shares all that can be asked of it


class Candidate(NamedTuple):
    """One memory as ranking sees it. Two hundred are made per query: a tuple, because a frozen dataclass costs thrice."""

    id: int
    stems: Sequence[str]
    recorded_at: int  # microseconds since 1970
    conversation_id: int | None = None
    message_id: int | None = None
    importance: float = 0.5
    recency: float = 0.0  # 0..1, decayed
    access: float = 0.0  # -1..1; below 0: given and ignored
    is_pinned: bool = False
    is_live: bool = True
    slot_key: str = ""
    supersedes_id: int | None = None
    label: str = ""  # stem of who says it: "Ana: I moved to Oslo"
    text: str = ""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """[from_at, to_at) in microseconds since 1970; None is open."""

    from_at: int | None
    to_at: int | None


@dataclass(slots=True)
class RankedCandidate:
    """One candidate with its score. What each part adds is only worked out for those that are shown, by `fill_values`."""

    candidate: Candidate
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)  # signal → what it adds; until filled, by own words alone
    values: Mapping[str, float] = field(default_factory=dict)  # signal → its value before the weight, 0..1
    found: Mapping[int, float] = field(default_factory=dict)  # place in `query_terms` → how surely it holds that itself
    own: float = 0.0  # sum of `parts` by own words
    lent: float = 0.0  # what neighbours add, until it is one of `parts`
    beside: tuple[Mapping[int, float], ...] = ()  # what neighbours have found
    gains: tuple[float, float, float, float, float] | None = None  # see `_apply_gated`; None once they are in `parts`

    @property
    def relevance(self) -> float:
        return sum(self.parts.get(part, 0.0) for part in ("keyword", "meaning", "character", "neighbours"))

    @property
    def near(self) -> Mapping[int, float]:
        """As `found`, with what its neighbours hold."""
        if not self.beside:
            return self.found
        near = dict(self.found)
        for found in self.beside:
            for at, weight in found.items():
                if weight > near.get(at, 0.0):
                    near[at] = weight
        return near


def rank_candidates(
    candidates: Sequence[Candidate],
    query_terms: Sequence[QueryTerm],
    recipe: Recipe,
    *,
    span: TimeRange | None = None,
    phrases: Sequence[Sequence[str]] = (),
    idf: Mapping[str, float] | None = None,
) -> list[RankedCandidate]:
    """Candidates with scores, best first, ties by the newer; those that fit in nothing are left out.

    `phrases` must stand in a memory, side by side. `idf`: weights of the memories' other words, for likeness in meaning.
    """
    if phrases:
        candidates = [one for one in candidates if all(_holds(one.stems, phrase) for phrase in phrases)]
    ranked = _score_words(candidates, query_terms)
    if phrases:
        ranked = [one for one in ranked if one.found] or ranked
    _share_with_neighbours(ranked)
    most = sum_rarity(query_terms)
    if recipe.is_gated:
        _apply_gated(ranked, recipe, most, span)
    else:
        for one in ranked:
            fill_values(one, query_terms, idf or {}, span)
            _apply_weighted(one, recipe)
    kept = [one for one in ranked if one.score > 0]
    highest = max([one.score for one in kept], default=0.0)
    if highest > 1.0:
        for one in kept:
            one.score /= highest
    are_tied = len({one.score for one in kept}) < len(kept)
    kept.sort(key=_score_and_age if are_tied else _score_alone, reverse=True)
    return kept


def _holds(stems: Sequence[str], phrase: Sequence[str]) -> bool:
    first, size = phrase[0], len(phrase)
    return any(stem == first and tuple(stems[at : at + size]) == tuple(phrase) for at, stem in enumerate(stems))


def _score_words(candidates: Sequence[Candidate], query_terms: Sequence[QueryTerm]) -> list[RankedCandidate]:
    by_stem: dict[str, list[_Wanted]] = {}
    for at, entry in enumerate(query_terms):
        for stem, (weight, signal) in entry.stands_for.items():
            by_stem.setdefault(stem, []).append((stem, at, weight * entry.idf * (K1 + 1), weight, signal))
    mean = sum([len(one.stems) for one in candidates]) / max(len(candidates), 1) or 1.0
    wanted, known = list(chain.from_iterable(by_stem.values())), frozenset(by_stem)
    return [_score_one(one, wanted, known, mean) for one in candidates]


def _score_one(candidate: Candidate, wanted: Sequence[_Wanted], known: frozenset[str], mean: float) -> RankedCandidate:
    stems = candidate.stems
    held = known.intersection(stems)
    if not held:
        return RankedCandidate(candidate, 0.0, _NO_PARTS, _NO_PARTS, _NOTHING)
    norm = K1 * (1 - B + B * len(stems) / mean)
    parts: dict[str, float] = {}
    found: dict[int, float] = {}
    for stem, at, gain, weight, signal in wanted:
        if stem in held:
            if at in found:
                return _score_twice(candidate, wanted, held, norm)
            count = stems.count(stem)
            parts[signal] = parts.get(signal, 0.0) + gain * count / (count + norm)
            found[at] = weight
    return RankedCandidate(candidate, 0.0, parts, _NO_PARTS, found, sum(parts.values()))


def _score_twice(candidate: Candidate, wanted: Sequence[_Wanted], held: frozenset[str], norm: float) -> RankedCandidate:
    """One that holds a thing in two words, itself and a synonym: the better one counts."""
    best: dict[int, tuple[float, str, float]] = {}
    for stem, at, gain, weight, signal in wanted:
        if stem in held:
            count = candidate.stems.count(stem)
            score = gain * count / (count + norm)
            before = best.get(at)
            if before is None or score > before[0]:
                best[at] = (score, signal, weight)
    parts: dict[str, float] = {}
    found: dict[int, float] = {}
    for at, (score, signal, weight) in best.items():
        parts[signal] = parts.get(signal, 0.0) + score
        found[at] = weight
    return RankedCandidate(candidate, 0.0, parts, _NO_PARTS, found, sum(parts.values()))


def _share_with_neighbours(ranked: Sequence[RankedCandidate]) -> None:
    """Adds to each what memories of adjacent messages score by their own words."""
    talks: defaultdict[int, list[tuple[int, int, RankedCandidate]]] = defaultdict(list)
    for one in ranked:
        candidate = one.candidate
        talk, message = candidate.conversation_id, candidate.message_id
        if talk is not None and message is not None:
            talks[talk].append((message, candidate.id, one))
    reach = len(NEIGHBOUR_SHARES) - 1
    for said in talks.values():
        if len(said) == 1:
            continue
        said.sort(key=_place_said)
        for at, (message, _, one) in enumerate(said, 1):
            for later, _, other in said[at:]:
                distance = later - message
                if distance > reach:
                    break
                if other.own:  # who holds nothing has nothing to give
                    _give(other, one, distance)
                if one.own:
                    _give(one, other, distance)


def _give(giver: RankedCandidate, taker: RankedCandidate, distance: int) -> None:
    taker.lent += NEIGHBOUR_SHARES[distance] * giver.own
    if distance <= _HEARD:
        taker.beside += (giver.found,)


def sum_rarity(query_terms: Sequence[QueryTerm]) -> float:
    """The score of every word once, in a memory of the usual length; above 0."""
    return sum([entry.idf for entry in query_terms]) or 1.0


def fill_values(
    one: RankedCandidate,
    query_terms: Sequence[QueryTerm],
    idf: Mapping[str, float] | None = None,
    span: TimeRange | None = None,
    *,
    total: float = 0.0,
) -> None:
    """Sets what each signal is before its weight, 0..1: what is shown of a hit, and what a weighted recipe weighs.

    `total`: `sum_rarity(query_terms)`, where many are filled.
    """
    _fill_parts(one)
    candidate, stems = one.candidate, one.candidate.stems
    total = total or sum_rarity(query_terms)
    keyword = 0.0
    for at in one.found:
        entry = query_terms[at]
        if entry.stem in stems:
            keyword += entry.idf
    keyword /= total
    meaning, character, neighbours = map(one.parts.get, _OTHER_PARTS)
    meaning = min(1.0, meaning / total) if meaning else 0.0
    if idf:
        meaning = max(meaning, _likeness(stems, query_terms, idf))
    one.values = {
        "keyword": keyword,
        "meaning": meaning,
        "character": min(1.0, character / total) if character else 0.0,
        "neighbours": min(1.0, neighbours / total) if neighbours else 0.0,
        "relevance": (keyword + meaning) / 2,
        "recency": candidate.recency,
        "importance": candidate.importance,
        "access": candidate.access,
        "time": _fits_time(candidate.recorded_at, span) if span is not None else 0.0,
    }


def _likeness(stems: Sequence[str], query_terms: Sequence[QueryTerm], idf: Mapping[str, float]) -> float:
    """Cosine of the two TF-IDF vectors."""
    usual = sum(idf.values()) / len(idf)
    mine: dict[str, float] = {}
    for stem in stems:
        mine[stem] = mine.get(stem, 0.0) + idf.get(stem, usual)
    theirs = {entry.stem: entry.idf for entry in query_terms}
    dot = sum(weight * mine.get(stem, 0.0) for stem, weight in theirs.items())
    norm = math.sqrt(sum(v * v for v in mine.values()) * sum(v * v for v in theirs.values()))
    return dot / norm if norm else 0.0


def _fits_time(at: int, span: TimeRange | None) -> float:
    if span is None:
        return 0.0
    is_after = span.from_at is None or at >= span.from_at
    is_before = span.to_at is None or at < span.to_at
    if is_after and is_before:
        return 1.0
    near_after = span.from_at is None or at >= span.from_at - _TIME_SLACK
    near_before = span.to_at is None or at < span.to_at + _TIME_SLACK
    return 0.5 if near_after and near_before else 0.0


def _apply_gated(ranked: Sequence[RankedCandidate], recipe: Recipe, most: float, span: TimeRange | None) -> None:
    """Relevance, lifted by at most the recipe's shares; a memory that no longer holds is lowered.

    What each part adds is kept as (scale, recency, importance, access, time) for those few that are shown.
    """
    by_recency, by_importance = recipe.weight("recency"), recipe.weight("importance")
    by_access, by_time = recipe.weight("access"), recipe.weight("time")
    for one in ranked:
        total = one.own + one.lent
        if not total:  # neither it nor a neighbour holds anything
            continue
        candidate = one.candidate
        scale = (1.0 if candidate.is_live else _CLOSED_SHARE) / most
        recency = by_recency * candidate.recency
        importance = by_importance * candidate.importance + (_PINNED_SHARE if candidate.is_pinned else 0.0)
        access = by_access * candidate.access
        time = by_time * _fits_time(candidate.recorded_at, span) if span is not None else 0.0
        one.gains = (scale, recency, importance, access, time)
        one.score = total * scale * (1 + recency + importance + access + time)


def _fill_parts(one: RankedCandidate) -> None:
    """Says of each part what it adds, once."""
    parts = dict(one.parts)
    if one.lent:
        parts["neighbours"] = one.lent
        one.lent = 0.0
    if one.gains is not None:
        scale, recency, importance, access, time = one.gains
        one.gains = None
        for part in parts:
            parts[part] *= scale
        base = sum(parts.values())
        parts["recency"], parts["importance"] = base * recency, base * importance
        parts["access"], parts["time"] = base * access, base * time
    one.parts = parts


def _apply_weighted(one: RankedCandidate, recipe: Recipe) -> None:
    """The mean of all parts by weight; what has no word in common with the query is not in it."""
    total = sum(recipe.weights.values())
    is_related = one.relevance > 0
    held = 1.0 if one.candidate.is_live else _CLOSED_SHARE
    parts = {part: weight * one.values[part] * held / total for part, weight in recipe.weights.items()}
    relevance = parts.pop("relevance", 0.0)
    if relevance:
        parts["keyword"] = parts.get("keyword", 0.0) + relevance
    one.score = sum(parts.values()) if is_related else 0.0
    one.parts = parts


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
