"""Which of the known memories a new one may contradict, the likeliest first: by slot, rare words in common, values of one kind, cues.

Decides no verdict: nine of ten true contradictions shall be among the first twenty. Pure. Source: S4 `vector_search(k=20)`, issue 17.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.deciders.memory.contradictions.contradict import retired_parts
from app.deciders.memory.contradictions.rules import ContradictionRules, load_contradiction_rules
from app.deciders.memory.contradictions.said import Said, answers_of, read_said
from app.deciders.memory.rules import MemoryRules

CANDIDATES_MOST = 20
_SLOT, _RETIRED, _KIND, _TOPIC = 6.0, 4.0, 1.5, 1.0
LEAST_SCORE = 2.0  # what shares less is not worth a question


@dataclass(frozen=True, slots=True)
class Known:
    """One memory as candidates are chosen."""

    id: int
    text: str
    slot_key: str = ""


def rank_candidates(
    new: Known, known: Sequence[Known], rules: MemoryRules, words: ContradictionRules | None = None
) -> tuple[int, ...]:
    """Numbers of the memories that the new one may contradict, the likeliest first; at most CANDIDATES_MOST."""
    words = words or load_contradiction_rules()
    said = read_said(new.text, rules, words)
    others = [(one, read_said(one.text, rules, words)) for one in known if one.id != new.id]
    counts = Counter(stem for _, other in others for stem in other.whole.about)
    retired = retired_parts(said, words)
    scored = [
        (_score(new, said, one, other, counts, len(others), retired, rules, words), one.id) for one, other in others
    ]
    best = sorted((pair for pair in scored if pair[0] >= LEAST_SCORE), key=lambda pair: (-pair[0], -pair[1]))
    return tuple(number for _, number in best[:CANDIDATES_MOST])


def _score(
    new: Known,
    said: Said,
    one: Known,
    other: Said,
    counts: Counter[str],
    total: int,
    retired: frozenset[str],
    rules: MemoryRules,
    words: ContradictionRules,
) -> float:
    shared = said.whole.about & other.whole.about
    score = sum(math.log(1 + total / counts[stem]) for stem in shared) + 0.5 * len(
        set(said.whole.words) & set(other.whole.words)
    )
    score += _TOPIC * len(_topics(said.whole.about - shared, words) & _topics(other.whole.about - shared, words))
    score += _SLOT * bool(new.slot_key and new.slot_key == one.slot_key)
    score += _RETIRED * bool(retired & (other.whole.about | frozenset(other.whole.words)))
    return score + _KIND * _same_kinds(said, other, rules, words)


def _topics(stems: frozenset[str], words: ContradictionRules) -> set[int]:
    """What these words are about, where the other names it by another."""
    return {number for stem in stems for number in words.topics.get(stem, ())}


def _same_kinds(said: Said, other: Said, rules: MemoryRules, words: ContradictionRules) -> int:
    """Of how many kinds both have a value: quantities of one dimension, places, rival technologies, alternatives."""
    ours, theirs = said.whole, other.whole
    dimensions = {one[0] for one in ours.quantities if one[0]} & {one[0] for one in theirs.quantities if one[0]}
    left, right = (
        {kind for name in side.technologies for kind in answers_of(name, rules.slots, words)} for side in (ours, theirs)
    )
    groups = {group for group, _ in ours.choices} & {group for group, _ in theirs.choices}
    return len(dimensions) + bool(ours.places and theirs.places) + 2 * bool(left & right) + 2 * len(groups)
