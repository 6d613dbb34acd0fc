"""The search grammar of the Memories screen: `auth type:fact is:pinned since:7d project:x` → words and a filter.

What is not understood stays part of the words: a search never fails for a colon. Knows no index. Source: UX 4.4.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from app.values import FactType, MemoryFilter, MemoryKind, MemoryStatus, QueryPart, Tier, Trust, Visibility

_PART = re.compile(r"(?<!\S)(?P<key>[a-z]+):(?P<value>\"[^\"]*\"|\S+)|(?<!\S)#(?P<tag>[\w-]+)", re.IGNORECASE)
_READ_CHARS = 8_000
_MOST_PARTS = 100
_AGE = re.compile(r"(\d{1,4})(h|d|w|m|y)", re.IGNORECASE)
_AGE_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}
_MOST_DAYS = 365_000.0  # the calendar begins with the year 1
_BOUND = re.compile(r"(<=?|>=?|)(\d+(?:\.\d+)?)(%?)")
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_Change = Callable[[MemoryFilter], MemoryFilter]

_STATES: Mapping[str, _Change] = {
    "pinned": lambda found: replace(found, is_pinned=True),
    "live": lambda found: replace(found, is_live=True),
    "superseded": lambda found: replace(found, is_live=False),
    "conflict": lambda found: replace(found, has_contradiction=True),
    "used": lambda found: replace(found, is_used=True),
    "unused": lambda found: replace(found, is_used=False),
    "trash": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.ARCHIVED)),
    "forgotten": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.ARCHIVED)),
    "archived": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.ARCHIVED)),
    "proposed": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.PROPOSED)),
    "quarantined": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.QUARANTINED)),
    "active": lambda found: replace(found, statuses=(*found.statuses, MemoryStatus.ACTIVE)),
}


def parse_search(text: str, now: datetime) -> tuple[str, MemoryFilter]:
    """The words to look for and the filter that the rest of `text` asks for, ages counted from `now`.

    >>> words, found = parse_search("auth type:fact is:pinned since:7d", datetime(2026, 3, 9, tzinfo=UTC))
    >>> words, found.types[0].value, found.is_pinned, found.from_at.date().isoformat()
    ('auth', 'fact', True, '2026-03-02')
    """
    found, kept, end = MemoryFilter(), [], 0
    for part, changed in _understood(text, now):
        kept.append(text[end : part.start()])
        end, found = part.end(), changed
    kept.append(text[end:])
    return " ".join(" ".join(kept).split()), found


def query_parts(text: str, now: datetime) -> tuple[QueryPart, ...]:
    """The parts of `text` that are filters, as they stand there; what `parse_search` leaves of it are words.

    >>> query_parts("auth tier:1 #api since:then", datetime(2026, 3, 9, tzinfo=UTC))
    (QueryPart(text='tier:1', start=5, key='tier', value='1'), QueryPart(text='#api', start=12, key='tag', value='api'))
    """
    return tuple(
        QueryPart(part[0], part.start(), (part["key"] or "tag").lower(), (part["tag"] or part["value"]).strip('"'))
        for part, _ in _understood(text, now)
    )


def _understood(text: str, now: datetime) -> Iterator[tuple[re.Match[str], MemoryFilter]]:
    """Each part that means something, and the filter of all up to it."""
    found = MemoryFilter()
    for part in islice(_PART.finditer(text[:_READ_CHARS]), _MOST_PARTS):
        changed = _apply(part, found, now)
        if changed is not None:
            found = changed
            yield part, found


def _apply(part: re.Match[str], found: MemoryFilter, now: datetime) -> MemoryFilter | None:
    if part["tag"]:
        return replace(found, tags=(*found.tags, part["tag"].lower()))
    key, value = part["key"].lower(), part["value"].strip('"')
    if not value:
        return None
    if key in _TIMES:
        at = read_instant(value, now)
        return _TIMES[key](found, at) if at is not None else None
    return _KEYS[key](found, value) if key in _KEYS else None


def read_instant(value: str, now: datetime) -> datetime | None:
    """An age ("7d", "12h", "2w") before `now`, a date, "today", "yesterday"; None for anything else."""
    age = _AGE.fullmatch(value)
    if age is not None:
        days = int(age.group(1)) * _AGE_DAYS[age.group(2).lower()]
        return now - timedelta(days=days) if days < _MOST_DAYS else None
    if value.lower() in {"today", "yesterday"}:
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=value.lower() == "yesterday")
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _type(found: MemoryFilter, value: str) -> MemoryFilter | None:
    if value.lower() in {one.value for one in FactType}:
        return replace(found, types=(*found.types, FactType(value.lower())))
    return _kind(found, value)


def _kind(found: MemoryFilter, value: str) -> MemoryFilter | None:
    if value.lower() not in {one.value for one in MemoryKind}:
        return None
    return replace(found, kinds=(*found.kinds, MemoryKind(value.lower())))


def _tier(found: MemoryFilter, value: str) -> MemoryFilter | None:
    """A tier by its name, or by its place in a context: 1 is critical."""
    tiers = tuple(Tier)
    if value in {"1", "2", "3", "4"}:
        return replace(found, tiers=(*found.tiers, tiers[int(value) - 1]))
    return replace(found, tiers=(*found.tiers, Tier(value.lower()))) if value.lower() in set(tiers) else None


def _state(found: MemoryFilter, value: str) -> MemoryFilter | None:
    change = _STATES.get(value.lower())
    return change(found) if change is not None else None


def _bounded(value: str) -> tuple[str, float] | None:
    bound = _BOUND.fullmatch(value)
    if bound is None:
        return None
    return bound.group(1), float(bound.group(2)) / (100 if bound.group(3) else 1)


def _confidence(found: MemoryFilter, value: str) -> MemoryFilter | None:
    bound = _bounded(value)
    if bound is None:
        return None
    if bound[0].startswith("<"):
        return replace(found, max_confidence=bound[1])
    return replace(found, min_confidence=bound[1])


def _importance(found: MemoryFilter, value: str) -> MemoryFilter | None:
    bound = _bounded(value)
    return None if bound is None or bound[0].startswith("<") else replace(found, min_importance=bound[1])


def _trust(found: MemoryFilter, value: str) -> MemoryFilter | None:
    bound = _bounded(value)
    if bound is None or bound[0].startswith("<") or bound[1] not in {float(level) for level in Trust}:
        return None
    return replace(found, min_trust=Trust(int(bound[1])))


def _used(found: MemoryFilter, value: str) -> MemoryFilter | None:
    said = _YES.get(value.lower())
    return None if said is None else replace(found, is_used=said)


def _visibility(found: MemoryFilter, value: str) -> MemoryFilter | None:
    """By its name, or in short: private, shared, system."""
    named = next((one for one in Visibility if value.lower() in {one.value, one.value.rpartition("-")[2]}), None)
    return None if named is None else replace(found, visibilities=(*found.visibilities, named))


_KEYS: Mapping[str, Callable[[MemoryFilter, str], MemoryFilter | None]] = {
    "type": _type,
    "kind": _kind,
    "is": _state,
    "status": _state,
    "conf": _confidence,
    "confidence": _confidence,
    "importance": _importance,
    "trust": _trust,
    "used": _used,
    "tier": _tier,
    "tag": lambda found, value: replace(found, tags=(*found.tags, value.lower())),
    "project": lambda found, value: replace(found, projects=(*found.projects, value)),
    "from": lambda found, value: replace(found, apps=(*found.apps, value)),
    "app": lambda found, value: replace(found, apps=(*found.apps, value)),
    "category": lambda found, value: replace(found, categories=(*found.categories, value)),
    "file": lambda found, value: replace(found, file=value),
    "artifact": lambda found, value: replace(found, artifact=value),
    "visibility": _visibility,
}
_TIMES: Mapping[str, Callable[[MemoryFilter, datetime], MemoryFilter]] = {
    "since": lambda found, at: replace(found, from_at=at),
    "after": lambda found, at: replace(found, from_at=at),
    "before": lambda found, at: replace(found, to_at=at),
    "until": lambda found, at: replace(found, to_at=at),
    "valid": lambda found, at: replace(found, valid_at=at),
    "believed": lambda found, at: replace(found, believed_at=at),
}
