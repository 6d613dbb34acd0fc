"""Filters that stand in the words of a search: which value of the filter pane each is, and the text without one of them.

Pure. What a part means is the engine's; here it only meets what can be clicked. Source: UX 4.4 "Search grammar".
"""

from collections.abc import Iterable

from app.values import Facets, FactType, MemoryKind, MemoryStatus, QueryPart, Tier, Trust
from ui.screens.memories.filter import FilterChoice

_FACET_OF_KEY = {"project": "project", "from": "app", "app": "app", "tag": "tag"}
_STATUS_OF_WORD = {one.value: one.value for one in MemoryStatus} | dict.fromkeys(
    ("trash", "forgotten"), MemoryStatus.ARCHIVED.value
)


def choice_of(part: QueryPart) -> FilterChoice | None:
    """The value of the filter pane that says the same; None where none does.

    >>> choice_of(QueryPart("is:trash", 0, "is", "trash")), choice_of(QueryPart("conf:<0.6", 0, "conf", "<0.6"))
    (('status', 'archived'), None)
    """
    value = part.value.lower()
    match part.key:
        case "type" | "kind":
            return ("type", value) if part.key == "type" and value in set(FactType) else ("kind", _known_kind(value))
        case "is" | "status":
            return ("status", _STATUS_OF_WORD[value]) if value in _STATUS_OF_WORD else None
        case "trust":
            return ("trust", value) if value in {str(int(one)) for one in Trust} else None
        case "tier":
            return "tier", tuple(Tier)[int(value) - 1].value if value.isdigit() else value
        case "tag":
            return "tag", value
        case _:
            return (_FACET_OF_KEY[part.key], part.value) if part.key in _FACET_OF_KEY else None


def _known_kind(value: str) -> str:
    return MemoryKind(value).value


def typed_choices(parts: Iterable[QueryPart], facets: Facets) -> dict[FilterChoice, QueryPart]:
    """What of the filter pane is chosen by words; a project may be typed by its name and stand there by its path."""
    found: dict[FilterChoice, QueryPart] = {}
    for part in parts:
        choice = choice_of(part)
        if choice is not None:
            facet, value = choice
            known = (one.value for one in facets.get(facet, ()) if value in (one.value, one.title))
            found.setdefault((facet, next(known, value)), part)
    return found


def without_part(text: str, part: QueryPart) -> str:
    """`text` without a part, where it stood or, if the text has changed since, where it stands now.

    >>> without_part("ports  type:fact of", QueryPart("type:fact", 7, "type", "fact"))
    'ports of'
    """
    at = part.start if text.startswith(part.text, part.start) else text.find(part.text)
    return text if at < 0 else " ".join(f"{text[:at]} {text[at + len(part.text) :]}".split())
