"""Ordinals and alternatives: "the second one", "the latter", "the other one", chosen from things that were named side by side.
Source: S1 (ordinal references).
"""

from collections.abc import Sequence

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import ScoredCandidate
from app.deciders.conversation.references.values import (
    AntecedentCandidate,
    ReferenceMention,
)

_LAST, _OTHER, _NEXT = -1, -2, -3
_MAX_AGE = 2.5
_OWNED_BY = frozenset({"by", "featuring"})
_SURE, _LIKELY = 0.85, 0.6


def choose_ordinal(
    mention: ReferenceMention, candidates: Sequence[AntecedentCandidate], rules: ReferenceRules
) -> list[ScoredCandidate]:
    """The alternative that an ordinal picks, best first; empty when nothing was offered."""
    place = next((rules.ordinals[word] for word in mention.modifiers if word in rules.ordinals), None)
    if place is None or place == _NEXT:
        return []
    for members in _offers(mention, candidates):
        chosen = _pick(members, place)
        if chosen is not None:
            reason = f"{mention.text.lower()} of {len(members)} that were named"
            rest = [
                ScoredCandidate(m, 0.0, (1 - _SURE) / len(members), "also named") for m in members if m is not chosen
            ]
            return [ScoredCandidate(chosen, 1.0, _SURE, reason), *rest]
    return []


def _offers(mention: ReferenceMention, candidates: Sequence[AntecedentCandidate]) -> list[list[AntecedentCandidate]]:
    """Groups of alternatives, the nearest first."""
    groups: dict[tuple[int, int], list[AntecedentCandidate]] = {}
    for candidate in candidates:
        is_before = candidate.distance > 0 or candidate.thing.end <= mention.start
        if candidate.thing.group >= 0 and is_before and candidate.age <= _MAX_AGE:
            groups.setdefault((candidate.distance, candidate.thing.group), []).append(candidate)
    offers = [kept for members in groups.values() if len(kept := _alternatives(members, candidates)) > 1]
    return sorted(offers, key=lambda m: (m[0].distance, m[0].thing.joined_by != "or", -m[0].thing.start))


def _alternatives(
    members: list[AntecedentCandidate], candidates: Sequence[AntecedentCandidate]
) -> list[AntecedentCandidate]:
    """The members themselves: of "A by X or B by Y" A and B, of "two albums, A, B" A and B."""
    kept = [_owner_of(member, candidates) if member.thing.preposition in _OWNED_BY else member for member in members]
    first = kept[0].thing
    if len(kept) > 2 and first.is_plural and not first.is_name and all(m.thing.is_name for m in kept[1:]):
        return kept[1:]
    return kept


def _owner_of(member: AntecedentCandidate, candidates: Sequence[AntecedentCandidate]) -> AntecedentCandidate:
    """What "by X" was said of: the phrase just before it."""
    before = [
        o for o in candidates
        if o.distance == member.distance and o.thing.end < member.thing.start and o.thing.sentence == member.thing.sentence
        and o.thing.joined_by != "all" and o.thing.preposition not in _OWNED_BY
    ]  # fmt: skip
    return max(before, key=lambda o: o.thing.end, default=member)


def _pick(members: list[AntecedentCandidate], place: int) -> AntecedentCandidate | None:
    if place == _OTHER:
        return members[1] if len(members) == 2 else None
    if place == _LAST:
        return members[-1]
    return members[place] if place < len(members) else None
