"""What the Memories screen shows, read on the read worker: a list or the hits of a search, its facets, one memory.

Owns how what was clicked and what was typed become one question, and what to offer when nothing is found. Knows the
engine's door, no widget.

Groups of a list in the words of this window, and the hits of a search put into groups. Pure.

Source: UX 4.4; UX 4.4 "Group by".
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from app.errors import NotFoundError
from app.values import (
    Absence,
    Facets,
    FacetValue,
    MemoryCard,
    MemoryCounts,
    MemoryDetail,
    MemoryFilter,
    MemoryGroup,
    MemoryKind,
    MemoryPage,
    MemoryReason,
    MemoryRule,
    MemorySort,
    MemoryStatus,
    Placement,
    QueryPart,
    RecallHit,
    RecallQuery,
    Trust,
)
from ui.screens.conversations.message_hits import find_messages
from ui.screens.memories.filter import OVER, SHOWN_STATUSES, FilterChoice, FilterState, merged, without_part
from ui.screens.memories.listing.model import PAGE_ROWS
from ui.wording.memories import GROUPLESS_WORDS, KIND_WORDS, STATUS_WORDS, TRUST_WORDS, TYPE_WORDS
from ui.wording.values import app_title

if TYPE_CHECKING:
    from app.api import Engine


_SPANS = (("today", "Changed today", 1), ("week", "In the last 7 days", 7), ("month", "In the last 30 days", 30))
_OLDER = ("older", "Older")
_WORDS: dict[MemoryGroup, dict[str, str]] = {
    MemoryGroup.TYPE: {kind.value: word for kind, word in KIND_WORDS.items()}
    | {one.value: word for one, word in TYPE_WORDS.items()},
    MemoryGroup.STATUS: {one.value: word for one, word in STATUS_WORDS.items()},
    MemoryGroup.TRUST: {str(int(one)): word for one, word in TRUST_WORDS.items()},
}


def group_title(group: MemoryGroup, one: FacetValue) -> str:
    """What is above a group.

    >>> group_title(MemoryGroup.STATUS, FacetValue("quarantined", "Quarantined", 2))
    'Blocked'
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


_SHOWN_TAGS = 40
HITS_LIMIT = 200
FIRST_HITS = 40  # what is painted first while somebody types: more than fit on a screen
SEARCH_FROM_CHARS = 2
AROUND_MESSAGES, AROUND_CHARS = 5, 4_000  # of the conversation at hand
MARK_LIMIT = 10_000  # marked at once: what is done to them is one transaction


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What the list is asked for: clicked filters, typed text, order, scope."""

    state: FilterState = field(default_factory=FilterState)
    text: str = ""
    sort: MemorySort = MemorySort.UPDATED
    app: str = ""
    project: str = ""
    has_chunks: bool = False  # parts of long conversations are looked through as well
    is_around: bool = False  # what fits the conversation at hand comes first
    conversation_id: int = 0  # the one at hand, 0: the newest
    group: MemoryGroup | None = None

    def is_same_list(self, other: "ListQuery") -> bool:
        """Whether both ask for one list; a tray with one memory less is the same tray."""
        trays = self.state.tray, other.state.tray
        if None in trays:
            return self == other
        return self == replace(other, state=replace(other.state, tray=self.state.tray))


@dataclass(frozen=True, slots=True)
class Offer:
    """The filter whose removal would bring most back: one that was clicked, or one that was typed."""

    filter: FilterChoice | QueryPart
    count: int


@dataclass(frozen=True, slots=True)
class ListReading:
    query: ListQuery
    total: int
    everything: int  # in this mode, without any filter
    counts: MemoryCounts  # in the scope
    pages: Mapping[int, Sequence[MemoryCard]]
    hits: tuple[RecallHit, ...] | None  # None: a plain list
    words: str  # what was searched for, without the typed filters
    suggestion: str
    note: str
    is_complete: bool
    offer: Offer | None
    elsewhere_count: int  # messages that say it, when no memory does
    now: datetime
    homes: Mapping[int, int] = field(default_factory=dict)  # numbers of cards that are parts of conversations → those
    has_more: bool = False  # only the first hits: the others are still to be asked for
    is_explained: bool = True  # what could be done about an empty list was looked for
    parts: tuple[QueryPart, ...] = ()  # filters that are in the typed text
    groups: tuple[FacetValue, ...] = ()  # of all cards, in their order; () without groups, or while they cannot be told


@dataclass(frozen=True, slots=True)
class OneReading:
    """One memory; `detail` None when it is not there any more."""

    detail: MemoryDetail | None
    now: datetime
    placement: Placement | None = None  # what a person chose of how it is told
    reasons: tuple[MemoryReason, ...] = ()  # why it is so, as far as anybody said it


def read_list(
    engine: "Engine",
    query: ListQuery,
    pages: Sequence[int],
    *,
    known: tuple[int, MemoryCounts] | None = None,
    hits_limit: int = HITS_LIMIT,
    is_explained: bool = True,
) -> ListReading:
    """The list with these pages, or the hits of the typed words. `known`: how many there are, if still so.

    Not `is_explained`: nobody reads yet what could be done when there are none.
    """
    now = engine.clock.now()
    words, filters = question(engine, query, now)
    everything, counts = known or _count(engine, query, now)
    made = ListReading(query, 0, everything, counts, {}, None, words, "", "", True, None, 0, now)
    made = replace(made, parts=engine.search.parts(query.text))
    if len(words) >= SEARCH_FROM_CHARS:
        made = _searched(engine, made, filters, hits_limit, is_explained=is_explained)
    else:
        groups = read_groups(engine, query, filters)
        asked = query if groups else replace(query, group=None)
        read = {number: _page(engine, asked, filters, number) for number in pages}
        total = next(iter(read.values())).total if read else engine.memories.count(filters)
        made = replace(made, total=total, pages={number: page.cards for number, page in read.items()}, groups=groups)
    if made.total:
        return made
    return _explained(engine, made, now) if is_explained else replace(made, is_explained=False)


def question(engine: "Engine", query: ListQuery, now: datetime) -> tuple[str, MemoryFilter]:
    """The words to search for and the filter of all that was clicked and typed."""
    chosen = query.state.to_filter(now, app=query.app, project=query.project)
    if not query.text.strip():
        return "", chosen
    words, typed = engine.search.parse(query.text)
    return words.strip(), merged(query.state, chosen, typed)


def read_why_not(engine: "Engine", text: str, query: ListQuery) -> tuple[Absence, ...]:
    """Why what somebody expects is not in this list."""
    words, filters = question(engine, query, engine.clock.now())
    return engine.search.why_not(text, RecallQuery(words, filters=filters))


def plain_sort(query: ListQuery) -> MemorySort:
    """The order of a list without words."""
    return MemorySort.UPDATED if query.sort is MemorySort.RELEVANCE else query.sort


def read_groups(engine: "Engine", query: ListQuery, filters: MemoryFilter) -> tuple[FacetValue, ...]:
    """The groups of a plain list, in the words of this window."""
    if query.group is None:
        return ()
    found = engine.memories.groups(filters, sort=plain_sort(query), group=query.group)
    return tuple(replace(one, title=group_title(query.group, one)) for one in found)


def read_pages(engine: "Engine", query: ListQuery, pages: Sequence[int]) -> dict[int, tuple[MemoryCard, ...]]:
    """Further pages of a plain list."""
    _words, filters = question(engine, query, engine.clock.now())
    return {number: _page(engine, query, filters, number).cards for number in pages}


def read_ids(engine: "Engine", query: ListQuery, first: int, last: int) -> tuple[int, ...]:
    """Ids of the rows first .. last (both included), `MARK_LIMIT` at most, in the inbox without what is held back."""
    _words, filters = question(engine, query, engine.clock.now())
    limit = min(MARK_LIMIT, last - first + 1)
    if not query.state.is_inbox:
        return engine.memories.ids(filters, sort=query.sort, group=query.group)[first : first + limit]
    cards = engine.memories.list(filters, sort=query.sort, start=first, limit=limit, group=query.group).cards
    return tuple(card.id for card in cards if is_for_all(card, query.state))


def is_for_all(card: MemoryCard, state: FilterState) -> bool:
    """Whether "select all" takes it: in the inbox what is held back is only ever marked one by one."""
    return not (state.is_inbox and card.status is MemoryStatus.QUARANTINED)


def facets_of(cards: Sequence[MemoryCard]) -> Facets:
    """Facets of what a search found, in the shape in which the engine counts those of a list: largest first; none for "time", which a card does not tell."""
    return {
        "kind": _count_values(card.kind.value for card in cards),
        "type": _count_values(card.type.value for card in cards if card.type is not None),
        "status": _count_values(_state_of(card) for card in cards),
        "trust": _count_values(str(int(card.trust)) for card in cards),
        "project": _count_values(card.project for card in cards if card.project),
        "app": _count_values(card.app for card in cards if card.app),
        "tier": _count_values(card.tier.value for card in cards if card.tier is not None),
        "tag": _count_values(tag for card in cards for tag in card.tags)[:_SHOWN_TAGS],
    }


def _count_values(values: Iterable[str]) -> tuple[FacetValue, ...]:
    found = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(FacetValue(value, value, count) for value, count in found)


SOURCES_READ = 200


def read_is_said(engine: "Engine", ids: Sequence[int]) -> bool:
    """Whether any of these came from a message that is kept; taken for granted where they are many."""
    if len(ids) > SOURCES_READ:
        return True
    sources = (one for number in ids for one in engine.memories.get(number).sources)
    return any(one.is_message_kept and one.message_id for one in sources)


def read_facets(engine: "Engine", query: ListQuery) -> Facets:
    """Values and counts for the filter pane."""
    _words, filters = question(engine, query, engine.clock.now())
    facets = engine.memories.facets(replace(filters, is_over=None) if query.state.values_of("status") else filters)
    if not facets["status"]:
        return facets  # a large store is still being read
    holding = [
        replace(one, count=engine.memories.count(replace(filters, statuses=(MemoryStatus(one.value),), is_over=False)))
        for one in facets["status"]
    ]
    over = engine.memories.count(replace(filters, statuses=SHOWN_STATUSES, is_over=True))
    states = [*holding, *([FacetValue(OVER, OVER, over)] if over and not query.state.is_inbox else [])]
    return {**facets, "status": tuple(sorted((one for one in states if one.count), key=lambda one: -one.count))}


def _state_of(card: MemoryCard) -> str:
    """The state as a facet; what is no longer true has one of its own."""
    return OVER if card.status is MemoryStatus.ACTIVE and not card.is_live else card.status.value


def read_one(engine: "Engine", memory_id: int) -> OneReading:
    try:
        detail: MemoryDetail | None = engine.memories.get(memory_id)
    except NotFoundError:
        detail = None
    chosen = {one.memory_id: one for one in engine.context.placements()}
    reasons = engine.memories.reasons((memory_id,)).get(memory_id, ())
    return OneReading(detail, engine.clock.now(), chosen.get(memory_id), reasons)


def read_rules(engine: "Engine") -> tuple[MemoryRule, ...]:
    return engine.memories.rules()


def _count(engine: "Engine", query: ListQuery, now: datetime) -> tuple[int, MemoryCounts]:
    """How many there are in this mode, and in the scope by what they are."""
    scope = FilterState().to_filter(now, app=query.app, project=query.project)
    mode = query.state.cleared().to_filter(now, app=query.app, project=query.project)
    return engine.memories.count(mode), engine.memories.counts(scope)


def _page(engine: "Engine", query: ListQuery, filters: MemoryFilter, number: int) -> MemoryPage:
    start, group = number * PAGE_ROWS, query.group
    return engine.memories.list(filters, sort=plain_sort(query), start=start, limit=PAGE_ROWS, group=group)


def _searched(
    engine: "Engine", made: ListReading, filters: MemoryFilter, hits_limit: int, *, is_explained: bool
) -> ListReading:
    statuses = filters.statuses or SHOWN_STATUSES
    asked = RecallQuery(
        made.words,
        context=_surroundings(engine, made.query) if made.query.is_around else "",
        filters=replace(filters, statuses=statuses, includes_chunks=made.query.has_chunks),
        limit=hits_limit,
        is_counted=False,
        is_suggesting=is_explained,
    )
    answer = engine.search.search(asked)
    hits = sorted_hits([_numbered(hit) for hit in answer.hits], made.query.sort)
    groups: tuple[FacetValue, ...] = ()
    if made.query.group is not None:
        hits, groups = group_hits(hits, made.query.group, made.now)
    return replace(
        made,
        total=len(answer.hits),
        hits=hits,
        groups=groups,
        homes=_homes(engine) if any(hit.chunk_id is not None for hit in answer.hits) else {},
        suggestion=answer.suggestion,
        note=answer.note,
        is_complete=answer.is_complete,
        has_more=hits_limit <= len(answer.hits) < HITS_LIMIT,
    )


def _surroundings(engine: "Engine", query: ListQuery) -> str:
    """What was said last in the conversation at hand."""
    kept = engine.conversations.list()
    known = [one.id for one in kept]
    if not known:
        return ""
    wanted = query.conversation_id if query.conversation_id in known else known[0]
    said = engine.conversations.get(wanted).messages[-AROUND_MESSAGES:]
    return "\n".join(message.text for message in said)[-AROUND_CHARS:]


def _numbered(hit: RecallHit) -> RecallHit:
    """A part of a conversation is no memory: its card gets a number of its own, below zero."""
    return hit if hit.chunk_id is None else replace(hit, card=replace(hit.card, id=-hit.chunk_id))


def _homes(engine: "Engine") -> dict[int, int]:
    """The conversation of each part, by the number of its card."""
    return {-chunk.id: one.id for one in engine.conversations.list() for chunk in engine.memories.chunks(one.id)}


def sorted_hits(hits: Sequence[RecallHit], sort: MemorySort) -> tuple[RecallHit, ...]:
    """Hits in the chosen order; by relevance they come sorted already."""
    match sort:
        case MemorySort.UPDATED:
            return tuple(sorted(hits, key=lambda hit: hit.card.updated_at, reverse=True))
        case MemorySort.OLDEST:
            return tuple(sorted(hits, key=lambda hit: hit.card.updated_at))
        case MemorySort.RETRIEVED:
            return tuple(sorted(hits, key=lambda hit: -hit.card.retrieved_count))
        case MemorySort.CONFIDENCE:
            return tuple(sorted(hits, key=lambda hit: -hit.card.confidence))
        case MemorySort.IMPORTANCE:
            return tuple(sorted(hits, key=lambda hit: -hit.card.importance))
        case MemorySort.TOKENS:
            return tuple(sorted(hits, key=lambda hit: -hit.card.token_count))
        case MemorySort.RELEVANCE:
            return tuple(hits)


def _explained(engine: "Engine", made: ListReading, now: datetime) -> ListReading:
    """An empty reading with what could be done about it."""
    narrowing: tuple[FilterChoice | QueryPart, ...] = (*made.query.state.choices, *made.parts)
    offers = [_offer(engine, made, one, now) for one in narrowing]
    best = max(offers, key=lambda offer: offer.count, default=None)
    elsewhere = 0
    if made.words:
        elsewhere = len(find_messages(engine, made.words, 50))
    return replace(made, offer=best if best is not None and best.count else None, elsewhere_count=elsewhere)


def _offer(engine: "Engine", made: ListReading, one: FilterChoice | QueryPart, now: datetime) -> Offer:
    query = made.query
    if isinstance(one, QueryPart):
        query = replace(query, text=without_part(query.text, one))
    else:
        query = replace(query, state=query.state.toggled(*one))
    words, filters = question(engine, query, now)
    if len(words) < SEARCH_FROM_CHARS:
        return Offer(one, engine.memories.count(filters))
    asked = RecallQuery(
        words,
        filters=replace(filters, statuses=filters.statuses or SHOWN_STATUSES),
        limit=50,
        is_counted=False,
        is_suggesting=False,
    )
    return Offer(one, len(engine.search.search(asked).hits))
