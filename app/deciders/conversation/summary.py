"""What a conversation is called and about: title, topics, timeline, the conversations it refers to.

Owns short words for people out of messages as they are; must not know the store, times or the queue.
Source: S1, "Each Conversation Contains" (title, entities_discussed, entity timeline).
"""

from collections.abc import Sequence

from app.deciders.conversation.outcome import infer_outcome
from app.deciders.conversation.title import make_title, shorten_words, tidy_words
from app.values.conversation import TimelineEntry
from app.values.understanding import EntityKind, PriorMessage, Reference, ReferenceKind

__all__ = [
    "find_cross_references",
    "infer_outcome",
    "list_topics",
    "make_timeline",
    "make_title",
    "shorten_words",
]

_MAX_TOPIC_CHARS = 40
_MIN_TOPIC_CHARS = 2
_NAMES = {
    EntityKind.FEATURE: 3.0,
    EntityKind.COMPONENT: 3.0,
    EntityKind.COMMAND: 2.0,
    EntityKind.SYMBOL: 2.0,
    EntityKind.FILE: 1.8,
    EntityKind.TECHNOLOGY: 1.6,
    EntityKind.QUOTED: 1.5,
    EntityKind.PATH: 1.2,
    EntityKind.THING: 1.0,
    EntityKind.PERSON: 0.6,
    EntityKind.VALUE: 0.2,
}


def list_topics(messages: Sequence[PriorMessage], limit: int = 6) -> tuple[str, ...]:
    """The things spoken of most, at most `limit`, as the person wrote them first. Runs for every message."""
    counts: dict[str, float] = {}
    names: dict[str, str] = {}
    for message in messages:
        for entity in message.entities:
            if entity.kind is EntityKind.VALUE or not _says_something(entity.text):
                continue
            names.setdefault(entity.canonical, entity.text)
            counts[entity.canonical] = counts.get(entity.canonical, 0.0) + _NAMES[entity.kind]
    chosen: dict[str, set[str]] = {}
    for canonical in sorted(counts, key=lambda canonical: -counts[canonical]):  # of two alike the first spoken of
        words = set(canonical.split())
        if not any(words <= other for other in chosen.values()):
            chosen[canonical] = words
            if len(chosen) == limit:
                break
    return tuple(shorten_words(tidy_words(names[canonical]), _MAX_TOPIC_CHARS) for canonical in chosen)


def _says_something(text: str) -> bool:
    if len(text) >= _MIN_TOPIC_CHARS and text[:_MIN_TOPIC_CHARS].isalnum():
        return True  # nearly all, and counting every sign costs more
    return sum(sign.isalnum() for sign in text) >= _MIN_TOPIC_CHARS


def make_timeline(messages: Sequence[PriorMessage]) -> tuple[TimelineEntry, ...]:
    """Every entity in order of first mention, with where it was last spoken of and how often."""
    entries: dict[str, TimelineEntry] = {}
    for message in messages:
        for entity in message.entities:
            known = entries.get(entity.canonical)
            entries[entity.canonical] = TimelineEntry(
                entity=known.entity if known else entity.text,
                kind=known.kind if known else entity.kind.value,
                first_message_id=known.first_message_id if known else message.id,
                last_message_id=message.id,
                mention_count=known.mention_count + 1 if known else 1,
            )
    return tuple(entries.values())


def find_cross_references(references: Sequence[Reference]) -> tuple[int, ...]:
    """The other conversations that `references` point to, each once, in order of mention."""
    found = (
        reference.antecedent_conversation_id
        for reference in references
        if reference.kind is ReferenceKind.CONVERSATION and reference.antecedent_conversation_id is not None
    )
    return tuple(dict.fromkeys(found))
