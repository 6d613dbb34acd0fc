"""Groups of a list in the words of this window, and the hits of a search put into groups. Pure. Source: UX 4.4 "Group by"."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from app.values import FacetValue, MemoryCard, MemoryGroup, MemoryKind, MemoryStatus, RecallHit, Trust
from ui.wording.memories import GROUPLESS_WORDS, KIND_WORDS, STATUS_WORDS, TRUST_WORDS, TYPE_WORDS
from ui.wording.values import app_title

_SPANS = (("today", "Changed today", 1), ("week", "In the last 7 days", 7), ("month", "In the last 30 days", 30))
_OLDER = ("older", "Older")
_WORDS: dict[MemoryGroup, dict[str, str]] = {
    MemoryGroup.TYPE: {kind.value: word for kind, word in KIND_WORDS.items()}
    | {one.value: word for one, word in TYPE_WORDS.items()},
    MemoryGroup.STATUS: {one.value: word for one, word in STATUS_WORDS.items()},
    MemoryGroup.TRUST: {str(int(one)): word for one, word in TRUST_WORDS.items()},
}


def group_title(group: MemoryGroup, one: FacetValue) -> str:
    """What stands above a group.

    >>> group_title(MemoryGroup.STATUS, FacetValue("quarantined", "Quarantined", 2))
    'Held back'
    """
    value = one.value
    if not value:
        return GROUPLESS_WORDS.get(group, "Others")
    said = _WORDS.get(group, {}).get(value)
    if said is not None:
        return said.capitalize()
    if group is MemoryGroup.APP:
        return app_title(value)
    return one.title or value


def group_hits(
    hits: Sequence[RecallHit], group: MemoryGroup, now: datetime
) -> tuple[tuple[RecallHit, ...], tuple[FacetValue, ...]]:
    """The hits of a search in groups: the group of the best hit first, within each as they were."""
    found: dict[str, list[RecallHit]] = {}
    for hit in hits:
        found.setdefault(value_of(hit.card, group, now), []).append(hit)
    values = [FacetValue(value, "", len(some)) for value, some in found.items()]
    return (
        tuple(hit for some in found.values() for hit in some),
        tuple(replace(one, title=_hit_title(group, one)) for one in values),
    )


def _hit_title(group: MemoryGroup, one: FacetValue) -> str:
    if group is MemoryGroup.TIME:
        return {value: title for value, title, _ in _SPANS}.get(one.value, _OLDER[1])
    return group_title(group, one)


def value_of(card: MemoryCard, group: MemoryGroup, now: datetime) -> str:
    """The group of a card, as far as a card tells it: its topic it does not."""
    match group:
        case MemoryGroup.TYPE:
            return card.type.value if card.type is not None and card.kind is MemoryKind.FACT else card.kind.value
        case MemoryGroup.PROJECT:
            return card.project
        case MemoryGroup.APP:
            return card.app
        case MemoryGroup.STATUS:
            return MemoryStatus(card.status).value
        case MemoryGroup.TRUST:
            return str(int(Trust(card.trust)))
        case MemoryGroup.TIME:
            aged = (value for value, _, days in _SPANS if card.updated_at > now - timedelta(days=days))
            return next(aged, _OLDER[0])
        case MemoryGroup.TOPIC:
            return ""
