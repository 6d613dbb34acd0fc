"""What the person chose in the filter pane, as one value: toggled by clicks, shown as chips, turned into a MemoryFilter.

Knows the words of facets and how choices combine (within a facet any of them, tags all of them, trust and time one).
Also which of its values are in the words
of a search; what those mean is the engine's. No widget, no engine. Source: UX 4.4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta

from app.values import Facets, FactType, MemoryFilter, MemoryKind, MemoryStatus, QueryPart, Tier, Trust

FACET_ORDER = ("type", "status", "project", "app", "tag", "trust", "tier", "time")
SINGLE_FACETS = frozenset({"trust", "time"})
_RIVALS = {
    "type": "kind",
    "kind": "type",
}  # one list under "Type": only statements have a type, so both at once leave nothing
SHOWN_STATUSES = (MemoryStatus.ACTIVE, MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)
OVER = "over"  # a value of the facet "status": replaced or taken back, whatever it was before
INBOX_STATUSES = (MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)
_DAYS = {"today": 1, "week": 7, "month": 30}

_ADDED = {
    "kind": "kinds", "type": "types", "status": "statuses", "tag": "tags", "project": "projects", "app": "apps",
    "tier": "tiers",
}  # fmt: skip

FilterChoice = tuple[str, str]  # facet, value


@dataclass(frozen=True, slots=True)
class FilterState:
    """Chosen values in the order they were chosen; `is_inbox` leaves only what waits for the person, `tray` these only."""

    choices: tuple[FilterChoice, ...] = ()
    is_inbox: bool = False
    tray: tuple[int, ...] | None = None

    def toggled(self, facet: str, value: str) -> "FilterState":
        """With the value taken in or out; in facets of one value it takes the place of another.

        >>> FilterState().toggled("time", "week").toggled("time", "today").choices
        (('time', 'today'),)
        >>> FilterState().toggled("type", "decision").toggled("kind", "episode").choices
        (('kind', 'episode'),)
        """
        choice = (facet, value)
        if choice in self.choices:
            return replace(self, choices=tuple(one for one in self.choices if one != choice))
        given_up = {facet} if facet in SINGLE_FACETS else {_RIVALS.get(facet, "")}
        kept = tuple(one for one in self.choices if one[0] not in given_up)
        return replace(self, choices=(*kept, choice))

    def cleared(self) -> "FilterState":
        return replace(self, choices=())

    def values_of(self, facet: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.choices if name == facet)

    def to_filter(self, now: datetime, *, app: str = "", project: str = "") -> MemoryFilter:
        """As the engine takes it; `app` and `project` are the scope beside the title."""
        chosen = self.values_of("status")
        statuses = tuple(MemoryStatus(value) for value in chosen if value != OVER)
        is_mixed = not chosen or (OVER in chosen and bool(statuses))
        is_over = None if is_mixed else OVER in chosen
        statuses = SHOWN_STATUSES if is_over else statuses
        if self.is_inbox:
            statuses = tuple(one for one in statuses if one in INBOX_STATUSES) or INBOX_STATUSES
        if self.tray is not None:  # wherever they come from, whatever became of them
            app, project, statuses = "", "", statuses or tuple(MemoryStatus)
        trust, time = self.values_of("trust"), self.values_of("time")
        from_at, to_at = span_of(time[0], now) if time else (None, None)
        return MemoryFilter(
            kinds=tuple(MemoryKind(value) for value in self.values_of("kind")),
            types=tuple(FactType(value) for value in self.values_of("type")),
            statuses=statuses,
            tags=self.values_of("tag"),
            projects=self.values_of("project") or ((project,) if project else ()),
            apps=self.values_of("app") or ((app,) if app else ()),
            tiers=tuple(Tier(value) for value in self.values_of("tier")),
            ids=self.tray,
            is_over=is_over,
            min_trust=Trust(int(trust[0])) if trust else None,
            from_at=from_at,
            to_at=to_at,
            valid_at=now if self.is_inbox else None,  # what was replaced while it waited waits for nobody
        )


def span_of(value: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The span of time that a value of the facet "time" means, half-open.

    >>> from datetime import UTC
    >>> span_of("older", datetime(2026, 5, 1, tzinfo=UTC))[1].isoformat()
    '2026-04-01T00:00:00+00:00'
    """
    if value == "older":
        return None, now - timedelta(days=_DAYS["month"])
    days = _DAYS.get(value)
    return (now - timedelta(days=days), None) if days else (None, None)


def merged(state: FilterState, chosen: MemoryFilter, typed: MemoryFilter) -> MemoryFilter:
    """Both at once: within a facet what was clicked and what was typed into the search field add up; else what was typed wins.

    `chosen` is the filter of `state`, with the scope beside the title, which a typed project or assistant takes the place of.
    """
    default = MemoryFilter()
    changes: dict[str, object] = {
        field.name: getattr(typed, field.name)
        for field in fields(MemoryFilter)
        if getattr(typed, field.name) != getattr(default, field.name)
    }
    for facet, name in _ADDED.items():
        if state.values_of(facet):
            changes[name] = tuple(dict.fromkeys((*getattr(chosen, name), *getattr(typed, name))))
    return replace(chosen, **changes)  # type: ignore[arg-type]  # names and values come from the same dataclass


def chip_text(choice: FilterChoice, titles: Mapping[FilterChoice, str]) -> str:
    """What the chip of a choice says: the facet's own title for the value where it is known.

    >>> chip_text(("tag", "auth"), {}), chip_text(("trust", "2"), {("trust", "2"): "said by you"})
    ('#auth', 'said by you or more certain')
    """
    facet, value = choice
    if facet == "tag":
        return f"#{value}"
    title = titles.get(choice, value)
    return f"{title} or more certain" if facet == "trust" and value != str(max(Trust).value) else title


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
    """What of the filter pane is chosen by words; a project may be typed by its name and be there by its path."""
    found: dict[FilterChoice, QueryPart] = {}
    for part in parts:
        choice = choice_of(part)
        if choice is not None:
            facet, value = choice
            known = (one.value for one in facets.get(facet, ()) if value in (one.value, one.title))
            found.setdefault((facet, next(known, value)), part)
    return found


def without_part(text: str, part: QueryPart) -> str:
    """`text` without a part, where it stood or, if the text has changed since, where it is now.

    >>> without_part("ports  type:fact of", QueryPart("type:fact", 7, "type", "fact"))
    'ports of'
    """
    at = part.start if text.startswith(part.text, part.start) else text.find(part.text)
    return text if at < 0 else " ".join(f"{text[:at]} {text[at + len(part.text) :]}".split())
