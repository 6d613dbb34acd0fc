"""Puts the current statement above the one it replaced, when both are near the top of an answer.

Sure signs are the store's: one supersedes the other, or both fill one slot. Without them two short statements about one thing
are rivals when the later one says that something changed, denies, or gives another number. Pure. Source: QUALITY A7.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from app.recall.rank import Ranked
from app.recall.rules import RecallRules
from app.recall.sought import Sought

_DEPTH = 10
_MOST_STEMS = 30  # longer texts say many things: that they share words means little
_LEAST_OVERLAP = 0.25
_LEAST_SCORE_SHARE = 0.4  # of the older one's; what answers so much less is about something else
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class _Said(NamedTuple):
    """What a short statement holds, for comparing it with another."""

    content: AbstractSet[
        str
    ]  # without the words that every text has, and without those that say that something changed
    changes: AbstractSet[str]
    numbers: AbstractSet[str]


def order_rivals(ranked: Sequence[Ranked], rules: RecallRules, sought: Sequence[Sought] = ()) -> list[Ranked]:
    """`ranked` with every newer rival directly above the older one that stood before it.

    Who asks for a number, or for a name with one in it (`sought`), means that: what lacks it replaces nothing.
    """
    meant = frozenset(at for at, entry in enumerate(sought) if _DIGIT.search(entry.stem))
    head, rest = list(ranked[:_DEPTH]), list(ranked[_DEPTH:])
    said = {one.candidate.id: _read(one, rules) for one in head}
    at = 1
    while at < len(head):
        newer = head[at]
        above = next((spot for spot in range(at) if _replaces(newer, head[spot], said, meant)), None)
        if above is not None:
            head.insert(above, head.pop(at))
            newer.score = max(newer.score, head[above + 1].score)
        at += 1
    return head + rest


def _read(one: Ranked, rules: RecallRules) -> _Said | None:
    """None of a text that is too long."""
    if len(one.candidate.stems) > _MOST_STEMS:
        return None
    stems = set(one.candidate.stems)
    changes = stems & rules.change_stems
    numbers = {word for word in stems if word[0].isdigit() and _NUMBER.fullmatch(word)}
    return _Said(stems - rules.stop_stems - changes, changes, numbers)


def _replaces(newer: Ranked, older: Ranked, said: Mapping[int, _Said | None], meant: AbstractSet[int]) -> bool:
    """Whether `newer` says what holds now of what `older` said."""
    new, old = newer.candidate, older.candidate
    if new.supersedes_id == old.id:
        return True
    if new.recorded_at < old.recorded_at or (new.recorded_at == old.recorded_at and new.id < old.id):
        return False
    if not new.is_live:
        return False
    if new.slot_key and new.slot_key == old.slot_key:
        return True
    one, other = said[new.id], said[old.id]
    if one is None or other is None or newer.found.keys().isdisjoint(older.found):
        return False
    if newer.score < _LEAST_SCORE_SHARE * older.score or meant & (older.found.keys() - newer.found.keys()):
        return False
    return _is_about_same(one, other)


def _is_about_same(new: _Said, old: _Said) -> bool:
    has_changed = bool(new.changes - old.changes)
    if not has_changed and not (new.numbers and old.numbers and new.numbers != old.numbers):
        return False
    shared = new.content & old.content
    return len(shared) >= _LEAST_OVERLAP * min(len(new.content), len(old.content))
