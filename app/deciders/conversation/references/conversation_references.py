"""References to other conversations of the queue: "conversation #2", "the FAB button from yesterday", "as in the dark mode chat".
Source: S1, cross-conversation references.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import NamedTuple

from app.deciders.conversation.references.values import (
    ConversationMention,
)
from app.values import Candidate, Reference, ReferenceKind, ReferenceState

MAX_SEARCHED_CHARS = 2_000
MAX_FOUND = 8
_NUMBERED = re.compile(r"\b(?:conversation|chat|session|thread)\s*(?:#|no\.?\s*|number\s+)?(\d{1,3})\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:the|our|that)\s+([\w][\w .+#-]{1,40}?)\s+(?:conversation|chat|session|discussion|thread)\b", re.IGNORECASE
)
_ABOUT = re.compile(
    r"\b(?:conversation|chat|discussion|thread)\s+(?:about|on|where we \w+)\s+(?:the |our |my )?((?:[\w+#.-]+ ){0,3}[\w+#.-]+)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:the|that|our|my)\s+([\w][\w .+#-]{0,40}?)\s+(?:(?:that\s+)?we\s+[\w ]{2,20}?\s+)?(?:from\s+)?"
    r"(yesterday|this morning|last week|last month|earlier today|today|(?:\d+|two|three|four|five|six)\s+(?:days?|weeks?)\s+ago"
    r"|(?:last |on )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    r"\b(?:like|same as|as in|as with|matching|similar to|the way we did) (?:the|our|that|my) ((?:[\w+#.-]+ ){0,3}[\w+#.-]+)",
    re.IGNORECASE,
)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_VAGUE = frozenset({"previous", "last", "earlier", "other", "same", "current", "new"})


def find_conversation_references(
    text: str,
    conversations: Sequence[ConversationMention],
    now: datetime | None,
    here: AbstractSet[str] = frozenset(),
) -> list[Reference]:
    """References to other conversations, by place. `here`: what this conversation spoke of, in normal form."""
    head = text[:MAX_SEARCHED_CHARS]
    found = [_numbered(match, conversations) for match in _NUMBERED.finditer(head)]
    if conversations:
        named = (_named(match, conversations) for match in _NAMED.finditer(head))
        found.extend(r for r in named if r is not None and not _overlaps(r, found))
        about = (_about(match, conversations) for match in _ABOUT.finditer(head))
        found.extend(r for r in about if r is not None and not _overlaps(r, found))
    if now is not None and conversations:
        dated = (_dated(match, conversations, now) for match in _DATED.finditer(head))
        found.extend(r for r in dated if r is not None and not _overlaps(r, found))
    alike = (_alike(match, conversations, here) for match in _ALIKE.finditer(head))
    found.extend(r for r in alike if r is not None and not _overlaps(r, found))
    return sorted(found, key=lambda reference: reference.start)[:MAX_FOUND]


def _overlaps(reference: Reference, others: Sequence[Reference]) -> bool:
    return any(o.start < reference.end and reference.start < o.end for o in others)


def _numbered(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference:
    position = int(match.group(1))
    chosen = [c for c in conversations if c.position == position]
    return _reference(match, chosen, chosen[0].title if chosen else None, f"number {position} of the queue", 0.95)


def _named(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference | None:
    words = _words(match.group(1))
    if not words or words <= _VAGUE:
        return None
    chosen = [
        c for c in conversations if words <= _words(c.title) | {w for name, _ in c.entities for w in _words(name)}
    ]
    return _reference(match, chosen, chosen[0].title, f"speaks of {match.group(1).lower()}", 0.8) if chosen else None


def _about(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference | None:
    """ "the conversation about the FAB button": as many of the words that follow as one conversation has."""
    words = match.group(1).split()
    while words and (topic := _words(" ".join(words))):
        chosen = [
            c for c in conversations if topic <= _words(c.title) | {w for name, _ in c.entities for w in _words(name)}
        ]
        if chosen:
            end = match.start(1) + len(" ".join(words))
            place = _Place(match.string[match.start() : end], match.start(), end)
            return _reference(place, chosen, chosen[0].title, f"speaks of {' '.join(words).lower()}", 0.8)
        words.pop()
    return None


def _alike(
    match: re.Match[str], conversations: Sequence[ConversationMention], here: AbstractSet[str]
) -> Reference | None:
    """ "like the FAB button": a thing that this conversation did not speak of, and another one did, by its very name."""
    words = match.group(1).lower().split()
    while words:
        name = " ".join(words)
        if name in here:
            return None
        chosen = [c for c in conversations if any(name == spoken.lower() for spoken, _ in c.entities)]
        if chosen:
            end = match.start(1) + len(" ".join(match.group(1).split()[: len(words)]))
            thing = next(spoken for spoken, _ in chosen[-1].entities if spoken.lower() == name)
            titled = [c for c in chosen if name in c.title.lower()]
            return _reference(
                _Place(match.string[match.start(1) : end], match.start(1), end),
                titled[-1:] or chosen,
                thing,
                f"only spoken of in “{(titled or chosen)[-1].title}”",
                0.8,
            )
        words.pop()
    return None


class _Place(NamedTuple):
    """Words of a message that are no match of a pattern as a whole."""

    text: str
    begins: int
    ends: int

    def group(self) -> str:
        return self.text

    def start(self) -> int:
        return self.begins

    def end(self) -> int:
        return self.ends


def _dated(match: re.Match[str], conversations: Sequence[ConversationMention], now: datetime) -> Reference | None:
    words, (since, until) = _words(match.group(1)), _span(match.group(2).lower(), now)
    found: list[tuple[ConversationMention, str]] = []
    for conversation in conversations:
        for name, last_at in conversation.entities:
            at = last_at or conversation.started_at
            if at is not None and since <= at < until and words <= _words(name):
                found.append((conversation, name))
    if not found:
        return None
    ids = {conversation.id for conversation, _ in found}
    chosen = [c for c in conversations if c.id in ids]
    return _reference(match, chosen, found[0][1], f"spoken of {match.group(2).lower()}", 0.85)


def _span(when: str, now: datetime) -> tuple[datetime, datetime]:
    """The days that a time word means, half-open, in the clock's zone."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if "today" in when or when == "this morning":
        return midnight, midnight + day
    if when == "yesterday":
        return midnight - day, midnight
    if when == "last week":
        return midnight - 13 * day, midnight
    if when == "last month":
        return midnight - 62 * day, midnight
    if when.endswith("ago"):
        number, unit = when.split()[:2]
        days = (int(number) if number.isdigit() else _COUNTS[number]) * (7 if unit.startswith("week") else 1)
        slack = 3 if unit.startswith("week") else 0
        return midnight - (days + slack) * day, midnight - (days - 1 - slack) * day
    back = (now.weekday() - _DAYS.index(when.rsplit(maxsplit=1)[-1])) % 7 or 7
    return midnight - back * day, midnight - (back - 1) * day


def _reference(
    match: "re.Match[str] | _Place",
    chosen: Sequence[ConversationMention],
    antecedent: str | None,
    reason: str,
    confidence: float,
) -> Reference:
    candidates = tuple(Candidate(c.title, confidence / len(chosen), None, c.id, reason) for c in chosen[:5])
    state = ReferenceState.UNRESOLVED
    if chosen:
        state = ReferenceState.RESOLVED if len(chosen) == 1 else ReferenceState.AMBIGUOUS
    return Reference(
        match.group(), match.start(), match.end(), ReferenceKind.CONVERSATION, state, antecedent,
        confidence if len(chosen) == 1 else confidence / max(2, len(chosen)), reason if chosen else "no such conversation",
        antecedent_conversation_id=chosen[0].id if len(chosen) == 1 else None, candidates=candidates,
    )  # fmt: skip


def _words(name: str) -> set[str]:
    return {word for word in re.findall(r"[\w+#.]+", name.lower()) if word not in ("the", "a", "an", "our", "my")}
