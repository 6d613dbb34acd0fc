"""Which one of several: "the second one", "the latter", "the other one".

Looks for the alternatives that were offered last ("A or B", "A, B and C"); counts in them. Scores nothing else.
"""

from collections.abc import Sequence

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import Scored
from app.deciders.conversation.references.values import Option, Spot

_LAST, _OTHER, _NEXT = -1, -2, -3
_MAX_AGE = 2.5
_OWNED_BY = frozenset({"by", "featuring"})
_SURE, _LIKELY = 0.85, 0.6


def choose_ordinal(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Scored]:
    """The alternative that an ordinal picks, best first; empty when nothing was offered."""
    place = next((rules.ordinals[word] for word in spot.modifiers if word in rules.ordinals), None)
    if place is None or place == _NEXT:
        return []
    for members in _offers(spot, options):
        chosen = _pick(members, place)
        if chosen is not None:
            reason = f"{spot.mention.lower()} of {len(members)} that were named"
            rest = [Scored(m, 0.0, (1 - _SURE) / len(members), "also named") for m in members if m is not chosen]
            return [Scored(chosen, 1.0, _SURE, reason), *rest]
    return []


def _offers(spot: Spot, options: Sequence[Option]) -> list[list[Option]]:
    """Groups of alternatives, the nearest first."""
    groups: dict[tuple[int, int], list[Option]] = {}
    for option in options:
        is_before = option.distance > 0 or option.said.end <= spot.start
        if option.said.group >= 0 and is_before and option.age <= _MAX_AGE:
            groups.setdefault((option.distance, option.said.group), []).append(option)
    offers = [kept for members in groups.values() if len(kept := _alternatives(members, options)) > 1]
    return sorted(offers, key=lambda m: (m[0].distance, m[0].said.joined_by != "or", -m[0].said.start))


def _alternatives(members: list[Option], options: Sequence[Option]) -> list[Option]:
    """The members themselves: of "A by X or B by Y" A and B, of "two albums, A, B" A and B."""
    kept = [_owner_of(member, options) if member.said.preposition in _OWNED_BY else member for member in members]
    first = kept[0].said
    if len(kept) > 2 and first.is_plural and not first.is_name and all(m.said.is_name for m in kept[1:]):
        return kept[1:]
    return kept


def _owner_of(member: Option, options: Sequence[Option]) -> Option:
    """What "by X" was said of: the phrase just before it."""
    before = [
        o for o in options
        if o.distance == member.distance and o.said.end < member.said.start and o.said.sentence == member.said.sentence
        and o.said.joined_by != "all" and o.said.preposition not in _OWNED_BY
    ]  # fmt: skip
    return max(before, key=lambda o: o.said.end, default=member)


def _pick(members: list[Option], place: int) -> Option | None:
    if place == _OTHER:
        return members[1] if len(members) == 2 else None
    if place == _LAST:
        return members[-1]
    return members[place] if place < len(members) else None
