"""A fact with its reason, shortened: "DB: PostgreSQL (JSON support, team expertise)", "db:postgres(json,exp)".

Owns how a reason is cut to what it rests on: a possessor and a head, or a name and a head. Where the reason is not of that
form nothing is drafted, and the usual forms hold. Source: S4, "Fact Compression".
"""

import re
from collections.abc import Iterator
from functools import cache

from app.deciders.memory.rules import load_memory_rules
from app.language.abbreviations import load_abbreviations
from app.values.memory import Slot

_REASON = re.compile(r"\b(?:because of|due to|thanks to|owing to|on account of)\s+(?P<why>[^.;!?]+)", re.IGNORECASE)
_PARTS = re.compile(r",\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_WORD = re.compile(r"[\w'#+.-]+")
_DETERMINERS = frozenset(
    {"its", "their", "the", "a", "an", "our", "my", "his", "her", "this", "that", "all", "some", "such"}
)
_PREPOSITIONS = frozenset(
    {"for", "with", "of", "in", "on", "to", "by", "from", "at", "around", "across", "over", "between"}
)
_POINTING = frozenset({"it", "them", "this", "that"})
_MOST_PARTS = 3
_SHORT_CHARS = 3
_ACRONYM_CHARS = 3


def reason_drafts(text: str, slot: Slot, value: str, *, is_negated: bool) -> tuple[str, str] | None:
    """Summary and compressed level of a fact that says why; None where the reason cannot be told so shortly.

    >>> reason_drafts("Use Redis due to its support for Lua scripts", Slot("", "cache"), "Redis", is_negated=False)
    ('Cache: Redis (Lua support)', 'cache:redis(lua)')
    """
    found = _REASON.search(text)
    parts = _PARTS.split(found["why"]) if found and not is_negated and not slot.scope else []
    cut = [_cut(part) for part in parts[:_MOST_PARTS] if part.strip()]
    if not cut or len(parts) > _MOST_PARTS or any(one is None for one in cut):
        return None
    name = " ".join(load_abbreviations().shorten(f"{slot.subject} {slot.attribute}".split()))
    shown = name.upper() if len(name) <= _ACRONYM_CHARS else f"{name[:1].upper()}{name[1:]}"
    long, short = zip(*(one for one in cut if one is not None), strict=True)
    plain = f"{'-'.join(name.lower().split())}:{_short_name(value)}({','.join(short)})"
    return f"{shown}: {value} ({', '.join(long)})", plain


def _cut(part: str) -> tuple[str, str] | None:
    """What a part of the reason rests on, and in short; None where it has no such form.

    >>> _cut("its strong support for JSON operations"), _cut("the team's existing expertise with it")
    (('JSON support', 'json'), ('team expertise', 'exp'))
    """
    words = _WORD.findall(part)
    at = next((place for place, word in enumerate(words) if word.lower() in _PREPOSITIONS), len(words))
    before = [word for word in words[:at] if word.lower() not in _DETERMINERS]
    after = [word for word in words[at + 1 :] if word.lower() not in _DETERMINERS]
    if not before or len(before) > 3 or any(word.lower() in _PREPOSITIONS for word in after):
        return None
    head = before[-1]
    owner = next((word.split("'")[0] for word in before[:-1] if word.endswith(("'s", "s'"))), "")
    names = [word for word in after if _is_name(word)]
    if owner and (not after or after[0].lower() in _POINTING):
        return f"{owner} {head}", _short(head)
    if names and len(after) <= 2:
        return f"{names[0]} {head}", names[0].lower()
    return None


def _is_name(word: str) -> bool:
    return any(char.isupper() for char in word)


def _short(word: str) -> str:
    listed = load_abbreviations().shorten([word.lower()])[0]
    return listed if listed != word.lower() else word.lower()[:_SHORT_CHARS]


def _short_name(value: str) -> str:
    """A technology's usual shorter name, else the name itself: "postgres"."""
    plain = value.lower()
    return max((one for one in _names_of(value) if one != plain and plain.startswith(one)), key=len, default=plain)


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for alias, canonical in load_memory_rules().slots.technologies.items():
        found.setdefault(canonical, []).append(alias)
    return {canonical: tuple(names) for canonical, names in found.items()}


def _names_of(value: str) -> Iterator[str]:
    yield from _aliases().get(value, ())
