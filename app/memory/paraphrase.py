"""Whether two sentences say the same by another syntax: "X is hashed with Y" and "we use Y to hash X".

Equal words are not enough where who does it, what "to" points at or the sides of "before" differ: a wrong merge loses a
memory. Knows no slots. Source: S4 (duplicates).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from app.memory.reduction import Said, reduce_sentence
from app.memory.rules import MemoryRules
from app.memory.stems import stem

__all__ = ["Said", "differ_in_build", "reduce_sentence", "say_the_same"]

_LEAST_CONTENT = 2
_MOST_CARRIERS = 2
_THIN = frozenset({"may", "too", "onli", "default", "maximum", "minimum"})


def say_the_same(one: Said, other: Said, rules: MemoryRules, *, idle: frozenset[str] = frozenset()) -> bool:
    """Whether nothing but the syntax of the two differs; `idle` words may be missing on one side beside the usual ones.

    >>> from app.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> one, other = (reduce_sentence(text, rules) for text in ("The map draws tiles.", "Tiles are drawn by the map."))
    >>> say_the_same(one, other, rules)
    True
    """
    left, right = Counter(one.words), Counter(other.words)
    more, less = left - right, right - left
    extra = more or less
    if (more and less) or not extra.keys() <= _carriers(rules) | idle:
        return False
    common = len((set(left) & set(right)) - _THIN)
    if (
        extra.total() > _MOST_CARRIERS
        or common < max(_LEAST_CONTENT, extra.total() + 1)
        or one.is_open
        or other.is_open
    ):
        return False
    return one.negation_count == other.negation_count and one.sides == other.sides and not differ_in_build(one, other)


def differ_in_build(one: Said, other: Said) -> bool:
    """Whether the same words are put together to something else: past and present, who does it, what "to" points at.

    >>> from app.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> texts = ("Admins may delete guests.", "Guests may delete admins.")
    >>> differ_in_build(*(reduce_sentence(text, rules) for text in texts))
    True
    """
    if one.tense ^ other.tense or _is_joint_exchanged(one, other):
        return True
    if one.agent and other.agent and one.agent != other.agent:
        return True
    if one.words == other.words:
        return False
    if one.is_joined or other.is_joined or not _point_alike(one, other):
        return True
    if len(one.segments) > 1 and len(other.segments) > 1 and one.segments != other.segments:
        return True
    return one.is_active and other.is_active and not _is_one_move(one.words, other.words)


@lru_cache(maxsize=8)
def _carriers(rules: MemoryRules) -> frozenset[str]:
    return frozenset(map(stem, rules.likeness.paraphrase.carriers))


def _is_joint_exchanged(one: Said, other: Said) -> bool:
    """Whether two words are joined another way: "written in Rust" and "for Rust", "to 5" and "by 5"."""
    return any(other.joints.get(pair, joint) != joint for pair, joint in one.joints.items())


def _point_alike(one: Said, other: Said) -> bool:
    """Whether each "to", "per", "from" that stands once in both points at the same."""
    left, right = dict(one.pointed), dict(other.pointed)
    return all(left[name] <= right[name] or right[name] <= left[name] for name in left.keys() & right.keys())


def _is_one_move(one: Sequence[str], other: Sequence[str]) -> bool:
    if len(one) != len(other) or one[0] != other[0]:
        return False
    return any([w for w in one if w != word] == [w for w in other if w != word] for word in dict.fromkeys(one))
