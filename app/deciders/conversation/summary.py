"""What a conversation is about: topics, timeline, the conversations it refers to, and one sentence for whoever carries a message out.

Owns short words for people out of messages as they are; must not know the store, times or the queue.
Source: S1, "Each Conversation Contains" (title, entities_discussed, entity timeline).
"""

from collections.abc import Sequence

from app.deciders.conversation.outcome import infer_outcome
from app.deciders.conversation.title import make_title, shorten_words, tidy_words
from app.values import Intent, IntentScore
from app.values.conversation import TimelineEntry
from app.values.understanding import EntityKind, PriorMessage, Reference, ReferenceKind

__all__ = ["find_cross_references", "infer_outcome", "list_topics", "make_timeline", "make_title", "shorten_words"]

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


_DOES = {
    Intent.PLAN: "planning", Intent.EXECUTE: "refining", Intent.CORRECT: "correcting", Intent.TEST: "testing",
    Intent.DEBUG: "debugging", Intent.REVIEW: "reviewing", Intent.QUESTION: "asking about",
}  # fmt: skip


def tell_context(intents: Sequence[IntentScore], antecedents: Sequence[str], title: str, *, is_new: bool) -> str:
    """What the message is about, for who was not there.

    >>> made = [IntentScore(Intent.EXECUTE, 0.9, "")]
    >>> tell_context(made, ["FAB button"], "FAB button", is_new=False)
    'The user is refining the FAB button.'
    >>> tell_context(made, [], "Dark mode", is_new=False), tell_context(made, [], "Dark mode", is_new=True)
    ('The user goes on with “Dark mode”.', 'The user begins something new: “Dark mode”.')
    """
    does = next((_DOES[one.intent] for one in intents if one.intent in _DOES), "speaking of")
    named = list(dict.fromkeys(antecedents))
    if named:
        return f"The user is {does} {' and '.join(_with_article(name) for name in named)}."
    return f"The user begins something new: “{title}”." if is_new else f"The user goes on with “{title}”."


def _with_article(name: str) -> str:
    return name if name[:4].lower() == "the " or name[:1].isdigit() or "/" in name or "." in name else f"the {name}"
