"""Puts the current statement above the one it replaced, when both are near the top of an answer.

Sure signs are the store's: one supersedes the other, or both fill one slot. Without them two short statements about one thing
are rivals when the later one says that something changed, denies, or gives another number. Pure. Source: QUALITY A7.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from app.recall.rank import Candidate, Ranked
from app.recall.rules import RecallRules
from app.recall.sought import Sought
from app.recall.words import split_stems

_DEPTH = 10
_MOST_STEMS = 30  # longer texts say many things: that they share words means little
_LEAST_OVERLAP = 0.25
_LEAST_SCORE_SHARE = 0.4  # of the older one's; what answers so much less is about something else
_DIGIT = re.compile(r"\d")
_NAMES = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|\w+_\w+")  # "--no-color", "--now", "NO_COLOR"
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class _Said(NamedTuple):
    """What a short statement holds, for comparing it with another."""

    changes: AbstractSet[str]
    numbers: AbstractSet[str]
    content: AbstractSet[str]  # without words that every text has, and those that say that something changed


def order_rivals(ranked: Sequence[Ranked], rules: RecallRules, sought: Sequence[Sought] = ()) -> list[Ranked]:
    """`ranked` with every newer rival directly above the older one that stood before it.

    Who asks for a number, or for a name with one in it (`sought`), means that: what lacks it replaces nothing.
    """
    head, rest = list(ranked[:_DEPTH]), list(ranked[_DEPTH:])
    rivals = _Rivals(rules, sought)
    for at in range(1, len(head)):
        newer = head[at]
        for above in range(at):
            if rivals.replaces(newer, head[above]):
                head.insert(above, head.pop(at))
                newer.score = max(newer.score, head[above + 1].score)
                break
    return head + rest


class _Rivals:
    """What the statements at the top of one answer say of each other: each is read when it is first asked about."""

    def __init__(self, rules: RecallRules, sought: Sequence[Sought]) -> None:
        self._rules = rules
        self._meant = frozenset([at for at, entry in enumerate(sought) if _DIGIT.search(entry.stem)])
        self._said: dict[int, _Said | None] = {}

    def replaces(self, newer: Ranked, older: Ranked) -> bool:
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
        if newer.score < _LEAST_SCORE_SHARE * older.score or newer.found.keys().isdisjoint(older.found):
            return False
        if self._meant and self._meant & (older.found.keys() - newer.found.keys()):
            return False
        return self._is_about_same(new, old)

    def _is_about_same(self, new: Candidate, old: Candidate) -> bool:
        one, other = self._read(new), self._read(old)
        if one is None or other is None:
            return False
        is_other_number = bool(one.numbers and other.numbers) and one.numbers != other.numbers
        if not is_other_number and one.changes <= other.changes:
            return False
        mine, theirs = one.content, other.content
        return len(mine & theirs) >= _LEAST_OVERLAP * min(len(mine), len(theirs))

    def _read(self, candidate: Candidate) -> _Said | None:
        if candidate.id not in self._said:
            self._said[candidate.id] = _read(candidate, self._rules)
        return self._said[candidate.id]


def _read(candidate: Candidate, rules: RecallRules) -> _Said | None:
    """None of a text that is too long."""
    stems = candidate.stems
    if len(stems) > _MOST_STEMS:
        return None
    said = set(stems)
    changes = rules.change_stems & said
    if changes and _NAMES.search(candidate.text):  # the words of options and names say nothing
        without_names = split_stems(_NAMES.sub(" ", candidate.text))
        changes = changes.difference(split_stems(candidate.text)) | changes.intersection(without_names)
    numbers = {word for word in said if word[0].isdigit() and _NUMBER.fullmatch(word)}
    return _Said(changes, numbers, said - rules.stop_stems - changes)
