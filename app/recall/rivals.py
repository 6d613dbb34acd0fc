"""Puts the current statement above the one it replaced, when both are near the top of an answer.

Sure signs are the store's: one supersedes the other, or both fill one slot. Without them two short statements about one thing
are rivals when the later one says that something changed, denies, or gives another number. Pure. Source: QUALITY A7.
"""

import re
from collections.abc import Sequence

from app.recall.rank import Ranked
from app.recall.rules import RecallRules

_DEPTH = 10
_MOST_STEMS = 30  # longer texts say many things: that they share words means little
_LEAST_OVERLAP = 0.25
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def order_rivals(ranked: Sequence[Ranked], rules: RecallRules) -> list[Ranked]:
    """`ranked` with every newer rival directly above the older one that stood before it."""
    head, rest = list(ranked[:_DEPTH]), list(ranked[_DEPTH:])
    at = 1
    while at < len(head):
        newer = head[at]
        above = next((spot for spot in range(at) if replaces(newer, head[spot], rules)), None)
        if above is not None:
            head.insert(above, head.pop(at))
            newer.score = max(newer.score, head[above + 1].score)
        at += 1
    return head + rest


def replaces(newer: Ranked, older: Ranked, rules: RecallRules) -> bool:
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
    return bool(newer.found.keys() & older.found.keys()) and _is_about_same(newer, older, rules)


def _is_about_same(newer: Ranked, older: Ranked, rules: RecallRules) -> bool:
    new, old = newer.candidate.stems, older.candidate.stems
    if max(len(new), len(old)) > _MOST_STEMS:
        return False
    changes = rules.change_stems
    has_changed = not changes.isdisjoint(new) and bool((changes & set(new)) - set(old))
    numbers = [{word for word in words if word[0].isdigit() and _NUMBER.fullmatch(word)} for words in (new, old)]
    if not has_changed and not (numbers[0] and numbers[1] and numbers[0] != numbers[1]):
        return False
    new_content = set(new) - rules.stop_stems - changes
    old_content = set(old) - rules.stop_stems - changes
    shared = new_content & old_content
    return len(shared) >= _LEAST_OVERLAP * min(len(new_content), len(old_content))
