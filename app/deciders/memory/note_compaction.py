"""Eleven notes, room for ten: which one goes, or which two become one. And whether a decision that somebody else made is one.

Pure. Source: S5 "Memory Compaction Process".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.deciders.memory.note import cut_note, sentences_of
from app.values.notes import NoteDecision

_SAME = 0.8  # of the words of the shorter, so many are in the longer: it says nothing more
_RELATED = 0.5
_USUAL_LEAST, _USUAL_SHARE = 4, 0.4  # so many notes, and such a share of them
_LITTLE = frozenset(  # also what names and ends the sentences of a note
    [
        "about",
        "also",
        "completed",
        "committed",
        "implemented",
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "in",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "that",
        "the",
        "then",
        "this",
        "to",
        "was",
        "we",
        "will",
        "with",
        "you",
    ]
)

_DENYING = frozenset({"no", "not", "never", "without", "none", "neither", "nor", "cannot", "cant", "dont", "doesnt", "isnt", "wont", "stop", "avoid"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A note as a decision needs it; the new one has no number yet."""

    id: int
    content: str
    importance: float = 0.5
    created_at: datetime | None = None
    updated_at: datetime | None = None
    project_id: int | None = None  # notes of two projects are never put together
    is_of_person: bool = False


def decide_compaction(existing: Sequence[KeptNote], new: KeptNote, max_chars: int) -> NoteDecision:
    """What makes room for `new`: it says what one of them says (edit), two of them say the same (delete the older), it goes with
    one of them and both fit (edit); else the least important of the oldest goes.

    `existing` must not be empty.

    >>> notes = [KeptNote(1, "Exports are CSV."), KeptNote(2, "Dates are ISO, in UTC.")]
    >>> decide_compaction(notes, KeptNote(0, "Exports are CSV, with a header."), 200)
    NoteDecision(action='edit', target_id=1, new_content='Exports are CSV, with a header.', reason='the new note says what this one says')
    """
    by_age = sorted(existing, key=_age)
    usual = _usual([*(one.content for one in existing), new.content])

    def share(a: str, b: str) -> float:
        return _share(a, b, usual)

    mergeable = [one for one in by_age if may_merge(one, new)]
    for one in mergeable:
        if share(one.content, new.content) >= _SAME:
            content = max((new.content, one.content), key=lambda text: (len(_words(text)), text == new.content))
            return NoteDecision("edit", one.id, content, "the new note says what this one says")
    for place, one in enumerate(by_age):
        later = (other for other in by_age[place + 1 :] if may_merge(one, other))
        if any(share(one.content, other.content) >= _SAME for other in later):
            return NoteDecision("delete", one.id, "", "a newer note says what this one says")
    for one in mergeable:
        merged = merge_notes(one.content, new.content)
        if share(one.content, new.content) >= _RELATED and len(merged) <= max_chars:
            return NoteDecision("edit", one.id, merged, "the new note goes on with this one")
    return NoteDecision("delete", find_least(existing).id, "", "the least important of the oldest")


def find_least(notes: Sequence[KeptNote]) -> KeptNote:
    """The one that matters least: importance 0..1, and half of that for being the newest.

    >>> find_least([KeptNote(1, "Exports are CSV.", 0.9), KeptNote(2, "Dates are ISO.", 0.3)]).id
    2
    """
    ranks = {one.id: place for place, one in enumerate(sorted(notes, key=_age))}
    return min(notes, key=lambda one: (one.importance + ranks[one.id] / (2 * len(notes)), ranks[one.id]))


def may_merge(older: KeptNote, newer: KeptNote) -> bool:
    """Whether one may take the other's place: of one project, neither denies what the other says, the older not in the person's words."""
    is_alike = _DENYING.isdisjoint(_raw_words(older.content) ^ _raw_words(newer.content))
    return older.project_id == newer.project_id and not older.is_of_person and is_alike


def find_repeated_note(notes: Sequence[KeptNote]) -> list[tuple[KeptNote, KeptNote]]:
    """(older, newer) of notes of which the newer says all that the older does; each older one once.

    >>> notes = [KeptNote(1, "Exports are CSV."), KeptNote(2, "Exports are CSV, with a header."), KeptNote(3, "Exports are not CSV.")]
    >>> [(older.id, newer.id) for older, newer in find_repeated_note(notes)]
    [(1, 2)]
    """
    by_age = sorted(notes, key=_age)
    found = []
    for place, one in enumerate(by_age):
        words = _words(one.content)
        later = (other for other in by_age[place + 1 :] if may_merge(one, other))
        newer = next((other for other in later if words and words <= _words(other.content)), None)
        if newer is not None:
            found.append((one, newer))
    return found


def oldest(existing: Sequence[KeptNote]) -> NoteDecision:
    """The decision where nobody decides: first in, first out."""
    return NoteDecision("delete", min(existing, key=_age).id, "", "the oldest")


def read_decision(value: Mapping[str, Any], ids: Sequence[int], max_chars: int) -> NoteDecision | None:
    """The decision that a model made, in S5's form; None for one that is none.

    >>> read_decision({"action": "edit", "targetMemoryId": "7", "newContent": " Dates  are ISO. ", "reason": "alike"}, [7], 200)
    NoteDecision(action='edit', target_id=7, new_content='Dates are ISO.', reason='alike')
    >>> read_decision({"action": "edit", "targetMemoryId": 8, "newContent": "x", "reason": ""}, [7], 200) is None
    True
    """
    action, target = value.get("action"), value.get("targetMemoryId")
    if isinstance(target, str) and target.strip().isdecimal():
        target = int(target)
    if action not in {"delete", "edit"} or isinstance(target, bool) or not isinstance(target, int) or target not in ids:
        return None
    raw, reason = value.get("newContent"), value.get("reason")
    content = cut_note(raw, max_chars) if isinstance(raw, str) else ""
    if action == "edit" and not content:
        return None
    line = " ".join(reason.split())[:300] if isinstance(reason, str) else ""
    return NoteDecision(str(action), target, content if action == "edit" else "", line)


def merge_notes(older: str, newer: str) -> str:
    """The sentences of both, each thing once, the newer's last.

    >>> merge_notes("Exports are CSV. Dates are ISO.", "Exports are CSV. Names are short.")
    'Dates are ISO. Exports are CSV. Names are short.'
    """
    last = sentences_of(newer)
    first = [one for one in sentences_of(older) if all(_share(one, other) < _SAME for other in last)]
    return " ".join((*first, *last))


def _age(note: KeptNote) -> tuple[float, int]:
    return (note.created_at.timestamp() if note.created_at is not None else 0.0, note.id)


def _raw_words(text: str) -> set[str]:
    words = ("".join(letter for letter in word if letter.isalnum()) for word in text.casefold().split())
    return {word for word in words if word}


def _words(text: str) -> set[str]:
    return _raw_words(text) - _LITTLE


def _usual(contents: Sequence[str]) -> set[str]:
    """Words that so many of the notes say that they tell none apart."""
    counts = Counter(word for content in contents for word in _words(content))
    least = max(_USUAL_LEAST, len(contents) * _USUAL_SHARE)
    return {word for word, count in counts.items() if count >= least}


def _share(a: str, b: str, usual: AbstractSet[str] = frozenset()) -> float:
    """How much of the one with fewer words stands in the other; words in `usual` do not count unless there are no others."""
    first, second = _words(a), _words(b)
    if first - usual and second - usual:
        first, second = first - usual, second - usual
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0
