"""How memories are said to people: words and icons of types, kinds, states, trust, links, signals and facets.

One place, so that a card, its accessible name, a filter and the inspector say the same. Knows no widget and no engine.
Source: UX 2.7 (words of the person, not of the engine), UX 5 (types have colour and icon).
"""

from collections.abc import Iterable
from datetime import datetime

from app.values import (
    ArtifactKind,
    FactType,
    Level,
    LinkType,
    MemoryCard,
    MemoryCounts,
    MemoryGroup,
    MemoryKind,
    MemoryReason,
    MemorySort,
    MemoryStatus,
    Tier,
    Trust,
    Visibility,
)
from ui.wording.values import ago, app_title, counted, curled, percent

TYPE_WORDS = {
    FactType.FACT: "fact",
    FactType.DECISION: "decision",
    FactType.PREFERENCE: "preference",
    FactType.ENTITY: "entity",
    FactType.PROCEDURE: "procedure",
    FactType.CONSTRAINT: "constraint",
    FactType.GOAL: "goal",
}
KIND_WORDS = {
    MemoryKind.FACT: "statement",
    MemoryKind.EPISODE: "episode",
    MemoryKind.PATTERN: "code pattern",
    MemoryKind.WORKFLOW: "workflow",
}
STATUS_WORDS = {
    MemoryStatus.PROPOSED: "to review",
    MemoryStatus.ACTIVE: "in use",
    MemoryStatus.ARCHIVED: "archived",
    MemoryStatus.QUARANTINED: "blocked",
}
TRUST_WORDS = {
    Trust.AGENT: "written by an assistant",
    Trust.IMPORTED: "read or quoted",
    Trust.SPOKEN: "said by you",
    Trust.CONFIRMED: "confirmed by you",
}
VISIBILITY_WORDS = {
    Visibility.USER_PRIVATE: "only in its project",
    Visibility.PROJECT_SHARED: "in all projects",
    Visibility.SYSTEM: "for the program itself",
}
LEVEL_WORDS = {
    Level.FULL: "Full",
    Level.SUMMARY: "Summary",
    Level.COMPRESSED: "Short",
    Level.INDEX: "Index",
}
TIER_WORDS = {
    Tier.CRITICAL: "Critical",
    Tier.RELEVANT: "Relevant",
    Tier.BACKGROUND: "Background",
    Tier.INDEX: "Index",
}
TIER_COLORS = {Tier.CRITICAL: "warn", Tier.RELEVANT: "accent", Tier.BACKGROUND: "good", Tier.INDEX: "sub"}
LINK_WORDS = {
    LinkType.RELATED_TO: ("related to", "related to"),
    LinkType.DEPENDS_ON: ("depends on", "needed by"),
    LinkType.CONTRADICTS: ("contradicts", "contradicts"),
    LinkType.SUPERSEDES: ("replaces", "replaced by"),
    LinkType.REFINES: ("refines", "refined by"),
    LinkType.PART_OF: ("part of", "has part"),
    LinkType.CAUSED_BY: ("caused by", "led to"),
    LinkType.MERGED_FROM: ("merged from", "merged into"),
    LinkType.ABOUT: ("about", "spoken of in"),
    LinkType.CAUSES: ("causes", "caused by"),
    LinkType.MENTIONS: ("mentions", "mentioned in"),
    LinkType.LEARNED_FROM: ("learned from", "taught"),
    LinkType.MODIFIED_WITH: ("changed together with", "changed together with"),
    LinkType.FOLLOWS: ("continues", "continues in"),
}
ARTIFACT_WORDS = {
    ArtifactKind.COMMIT: "commit",
    ArtifactKind.PR: "pull request",
    ArtifactKind.ADR: "decision record",
    ArtifactKind.FILE: "file",
}
SORT_WORDS = {
    MemorySort.RELEVANCE: "Best match",
    MemorySort.UPDATED: "Last changed",
    MemorySort.RETRIEVED: "Given most",
    MemorySort.IMPORTANCE: "Importance",
    MemorySort.CONFIDENCE: "Confidence",
    MemorySort.TOKENS: "Longest",
    MemorySort.OLDEST: "Oldest first",
}
GROUP_WORDS = {
    MemoryGroup.TYPE: "Type",
    MemoryGroup.PROJECT: "Project",
    MemoryGroup.TOPIC: "Topic",
    MemoryGroup.APP: "Assistant",
    MemoryGroup.STATUS: "State",
    MemoryGroup.TRUST: "Where from",
    MemoryGroup.TIME: "When learned",
}
GROUPLESS_WORDS = {
    MemoryGroup.PROJECT: "No project",
    MemoryGroup.TOPIC: "No topic",
    MemoryGroup.APP: "Not from an assistant",
}
SIGNAL_WORDS = {
    "keyword": "same words",
    "meaning": "meaning",
    "character": "similar spelling",
    "recency": "recent",
    "importance": "importance",
    "access": "often used",
    "neighbours": "its neighbours",
}
FACET_TITLES = {
    "type": "Type",
    "kind": "Type",
    "status": "State",
    "project": "Project",
    "app": "Assistant",
    "trust": "Where from",
    "tag": "Tag",
    "tier": "Given in the tier",
    "time": "Learned",
}
_TYPE_TOKENS = {
    FactType.FACT: "sub",
    FactType.DECISION: "accent",
    FactType.PREFERENCE: "good",
    FactType.ENTITY: "edge",
    FactType.PROCEDURE: "accent_hover",
    FactType.CONSTRAINT: "danger",
    FactType.GOAL: "warn",
}


def learned_words(cards: Iterable[MemoryCard]) -> str:
    """How many memories were learned in a conversation, and how many of them are archived.

    >>> learned_words(())
    'Nothing learned yet'
    """
    archived = [card.status is MemoryStatus.ARCHIVED for card in cards]
    if not archived:
        return "Nothing learned yet"
    learned = f"{counted(len(archived) - sum(archived), 'memory', 'memories')} learned"
    return f"{learned}, {sum(archived):,} archived" if any(archived) else learned


def type_word(card: MemoryCard) -> str:
    """What it is, in one word: its type for statements, its kind for all others."""
    return TYPE_WORDS[card.type] if card.type is not None else KIND_WORDS[card.kind]


def icon_of(kind: MemoryKind, fact_type: FactType | None) -> str:
    """Name of the icon that stands for a type or kind."""
    return (fact_type or FactType.FACT).value if kind is MemoryKind.FACT else kind.value


def token_of(kind: MemoryKind, fact_type: FactType | None) -> str:
    """Name of the theme's colour for a type; never the only sign, the icon says it too."""
    return _TYPE_TOKENS[fact_type or FactType.FACT] if kind is MemoryKind.FACT else "sub"


def states_of(card: MemoryCard) -> tuple[str, ...]:
    """What is out of the ordinary about it, in words; empty for a memory in use.

    >>> from tests.ui.made_memories import memory_card
    >>> states_of(memory_card(1, is_live=False)), states_of(memory_card(2))
    (('no longer true',), ())
    """
    said: list[str] = []
    if card.status is not MemoryStatus.ACTIVE:
        said.append(STATUS_WORDS[card.status])
    elif not card.is_live:
        said.append("no longer true")
    if card.has_contradiction:
        said.append("contradicted")
    if card.is_withheld:
        said.append("never given")
    return tuple(said)


def counts_line(counts: MemoryCounts) -> str:
    """
    >>> counts_line(MemoryCounts(1_059, 5, 3, 11, 7)), counts_line(MemoryCounts())
    ('1,059 in use · 7 no longer true · 5 to review · 3 less likely · 11 archived', 'No memory yet')
    """
    named = (
        (counts.in_use, "in use"), (counts.no_longer_true, "no longer true"), (counts.to_review, "to review"),
        (counts.less_likely, "less likely"), (counts.archived, "archived"),
    )  # fmt: skip
    return " · ".join(f"{count:,} {word}" for count, word in named if count) or "No memory yet"


def where_line(card: MemoryCard, now: datetime) -> str:
    """Type, project, assistant and age in one line."""
    app = app_title(card.app) if card.app else ""
    return " · ".join(filter(None, (type_word(card), card.project, app, ago(card.updated_at, now))))


def given_line(card: MemoryCard, now: datetime | None) -> str:
    """When it was told last; nothing when it never was.

    >>> from tests.ui.made_memories import NOW, memory_card
    >>> given_line(memory_card(1, last_accessed_at=NOW), NOW), given_line(memory_card(2), NOW)
    ('given just now', '')
    """
    return f"given {ago(card.last_accessed_at, now)}" if card.last_accessed_at is not None and now is not None else ""


def spoken_card(card: MemoryCard, now: datetime | None, *, is_marked: bool = False, reason: str = "") -> str:
    """One card as a sentence for a screen reader."""
    parts = ["selected"] if is_marked else []
    parts += [card.title, type_word(card), *states_of(card)]
    parts += ["pinned"] if card.is_pinned else []
    parts += [f"{percent(card.confidence)} sure", TRUST_WORDS[card.trust], counted(card.token_count, "token")]
    parts += [card.project] if card.project else []
    parts += [f"in the tier {TIER_WORDS[card.tier]}"] if card.tier is not None else []
    parts += [given_line(card, now)] if given_line(card, now) else []
    parts += [f"changed {ago(card.updated_at, now)}"] if now is not None else []
    parts += [f"found because {reason}"] if reason else []
    return ", ".join(parts)


def spoken_group(title: str, count: int, is_folded: bool) -> str:
    """A heading of the list for a screen reader.

    >>> spoken_group("Decisions", 2, True)
    'Decisions, group of 2 memories, folded'
    """
    return f"{title}, group of {counted(count, 'memory', 'memories')}" + (", folded" if is_folded else "")


def used_line(retrieved: int, cited: int, ignored: int) -> str:
    """How often it was told and what came of it.

    >>> used_line(31, 9, 4), used_line(2, 0, 0), used_line(0, 0, 0)
    ('given 31×, used 9×, not used 4×', 'given 2×', 'never given yet')
    """
    said = (("given", retrieved), ("used", cited), ("not used", ignored))
    return ", ".join(f"{word} {count:,}×" for word, count in said if count) or "never given yet"


def reason_line(reason: MemoryReason) -> str:
    """Why a memory is so, as a sentence; what a person said stays in the person's words.

    >>> reason_line(MemoryReason("because imports locked the table"))
    'Because imports locked the table.'
    >>> reason_line(MemoryReason("imports locked the table.", LinkType.SUPERSEDES, 7, "We use MySQL"))
    'It replaced “We use MySQL”: imports locked the table.'
    >>> reason_line(MemoryReason("", LinkType.CAUSED_BY, 7, "Imports lock the table"))
    'Because of “Imports lock the table”.'
    """
    words = " ".join(reason.text.split()).rstrip(".")
    if reason.relation is None:
        return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('…') else '.'}"
    led = "It replaced" if reason.relation is LinkType.SUPERSEDES else "Because of"
    return f"{led} “{curled(reason.other_title)}”{f': {words}' if words else ''}."
