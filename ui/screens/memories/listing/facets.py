"""Facets of what a search found: counted over its hits, in the same shape as the engine counts those of a list. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from app.values import Facets, FacetValue, MemoryCard

SHOWN_TAGS = 40


def facets_of(cards: Sequence[MemoryCard]) -> Facets:
    """Values and counts, largest first; none for "time", which a card does not tell."""
    return {
        "kind": _counted(card.kind.value for card in cards),
        "type": _counted(card.type.value for card in cards if card.type is not None),
        "status": _counted(card.status.value for card in cards),
        "trust": _counted(str(int(card.trust)) for card in cards),
        "project": _counted(card.project for card in cards if card.project),
        "app": _counted(card.app for card in cards if card.app),
        "tier": _counted(card.tier.value for card in cards if card.tier is not None),
        "tag": _counted(tag for card in cards for tag in card.tags)[:SHOWN_TAGS],
    }


def _counted(values: Iterable[str]) -> tuple[FacetValue, ...]:
    found = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(FacetValue(value, value, count) for value, count in found)
