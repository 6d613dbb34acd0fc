"""What a person's choice of level and tier means for a memory that may be given.

A choice says how a memory is given whenever it is given, not that it is given: pinning says that. Knows no store and no budget.
Source: UX 4.6, S4 "Tier", issue 4 "level switch, drag between tiers".
"""

from collections.abc import Mapping
from dataclasses import replace

from app.values import ContextCandidate, Level, Placement, Tier

NEVER_GIVEN = "never given, as you chose"
LEVEL_PHRASES: Mapping[Level, str] = {
    Level.FULL: "in full",
    Level.SUMMARY: "as a summary",
    Level.COMPRESSED: "in short",
    Level.INDEX: "as a line to ask by",
}


def describe_placement(placement: Placement) -> str:
    """The choice in words; "" when nothing is chosen.

    >>> describe_placement(Placement(7, Level.FULL, Tier.CRITICAL))
    'in full, in the tier Critical'
    """
    parts = [LEVEL_PHRASES[placement.level]] if placement.level is not None else []
    parts += [f"in the tier {placement.tier.value.title()}"] if placement.tier is not None else []
    return ", ".join(parts)


def choose_level(placement: Placement, level: Level | None) -> Placement:
    """The choice with another level; the index tier holds only lines to ask by, so a richer level leaves it.

    >>> choose_level(Placement(7, tier=Tier.INDEX), Level.FULL).tier is None
    True
    """
    leaves = placement.tier is Tier.INDEX and level not in (None, Level.INDEX)
    return replace(placement, level=level, tier=None if leaves else placement.tier)


def choose_tier(placement: Placement, tier: Tier | None) -> Placement:
    """The choice with another tier; in the index tier a richer level is given up.

    >>> choose_tier(Placement(7, Level.SUMMARY), Tier.INDEX).level is None
    True
    """
    gives_up = tier is Tier.INDEX and placement.level is not Level.INDEX
    return replace(placement, tier=tier, level=None if gives_up else placement.level)


def choose_withheld(placement: Placement, *, is_withheld: bool) -> Placement:
    """The choice with the memory withheld, or given again as it was to be given.

    >>> choose_withheld(Placement(7, Level.FULL), is_withheld=True).level.value
    'full'
    """
    return replace(placement, is_withheld=is_withheld)


def is_chosen(placement: Placement) -> bool:
    """Whether a person chose anything.

    >>> is_chosen(Placement(7)), is_chosen(Placement(7, is_withheld=True))
    (False, True)
    """
    return placement.level is not None or placement.tier is not None or placement.is_withheld


def place(candidate: ContextCandidate, placement: Placement) -> ContextCandidate:
    """The candidate as the person wants it given; a level that has no text is as if it were not chosen.

    >>> from app.values import ContextCandidate as Candidate
    >>> short = Candidate(7, Tier.INDEX, 0.1, {Level.FULL: "Redis"}, {Level.FULL: 1})
    >>> place(short, Placement(7, Level.FULL)).tier.value
    'background'
    """
    if placement.level is not None and not candidate.texts.get(placement.level):
        placement = replace(placement, level=None)
    tier = placement.tier or _tier_at(placement.level, candidate.tier)
    return candidate._replace(tier=tier, placement=placement)


def _tier_at(level: Level | None, natural: Tier) -> Tier:
    """Where a memory of this tier goes when only its level is chosen."""
    if level is Level.INDEX:
        return Tier.INDEX
    return Tier.BACKGROUND if level is not None and natural is Tier.INDEX else natural
