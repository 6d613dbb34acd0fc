"""Which of the known memories a new one may contradict, the likeliest first: by slot, rare words in common, values of one kind, cues.

Decides no verdict: nine of ten true contradictions shall be among the first twenty. Pure. Source: S4 `vector_search(k=20)`, issue 17.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.deciders.memory.contradictions.compared_statement import Clause, ComparedStatement, read_compared_statement
from app.deciders.memory.contradictions.detection import retired_parts
from app.deciders.memory.contradictions.rules import ContradictionRules, load_contradiction_rules
from app.deciders.memory.rules import MemoryRules

CANDIDATES_MOST = 20
_SLOT, _RETIRED, _KIND, _TOPIC = 6.0, 4.0, 1.5, 1.0
LEAST_SCORE = 2.0  # what shares less is not worth a question


@dataclass(frozen=True, slots=True)
class CandidateMemory:
    """One memory as candidates are chosen."""

    id: int
    text: str
    slot_key: str = ""


def rank_candidates(
    new: CandidateMemory, known: Sequence[CandidateMemory], rules: MemoryRules, words: ContradictionRules | None = None
) -> tuple[int, ...]:
    """Numbers of the memories that the new one may contradict, the likeliest first; at most CANDIDATES_MOST."""
    words = words or load_contradiction_rules()
    statement = read_compared_statement(new.text, rules, words)
    others = [(one, read_compared_statement(one.text, rules, words)) for one in known if one.id != new.id]
    counts = Counter(stem for _, other in others for stem in other.whole.about)
    retired = retired_parts(statement, words)
    weights = {stem: math.log(1 + len(others) / counts[stem]) for stem in statement.whole.about if stem in counts}
    scored = [(_score(new, statement, one, other, weights, retired, words), one.id) for one, other in others]
    best = sorted((pair for pair in scored if pair[0] >= LEAST_SCORE), key=lambda pair: (-pair[0], -pair[1]))
    return tuple(number for _, number in best[:CANDIDATES_MOST])


def _score(
    new: CandidateMemory,
    statement: ComparedStatement,
    one: CandidateMemory,
    other: ComparedStatement,
    weights: Mapping[str, float],
    retired: frozenset[str],
    words: ContradictionRules,
) -> float:
    """`weights`: how rare each word of the new one is among the known. Summed without rounding: the same in whatever order a set is read."""
    ours, theirs = statement.whole, other.whole
    shared = ours.about & theirs.about
    score = math.fsum([weights[stem] for stem in shared]) + 0.5 * len(ours.stems & theirs.stems)
    topics = _topics(ours.about - shared, words)
    if topics:
        score += _TOPIC * len(topics & _topics(theirs.about - shared, words))
    score += _SLOT * bool(new.slot_key and new.slot_key == one.slot_key)
    score += _RETIRED * (not retired.isdisjoint(theirs.stems))
    return score + _KIND * _same_kinds(ours, theirs)


def _topics(stems: frozenset[str], words: ContradictionRules) -> set[int]:
    """What these words are about, where the other names it by another."""
    return {number for stem in stems if stem in words.topics for number in words.topics[stem]}


def _same_kinds(ours: Clause, theirs: Clause) -> int:
    """Of how many kinds both have a value: quantities of one dimension, places, rival technologies, alternatives."""
    count = len((ours.dimensions & theirs.dimensions) - {""}) if ours.dimensions else 0
    if ours.choices and theirs.choices:
        count += 2 * len({group for group, _ in ours.choices} & {group for group, _ in theirs.choices})
    return count + bool(ours.places and theirs.places) + 2 * (not ours.answers.isdisjoint(theirs.answers))
