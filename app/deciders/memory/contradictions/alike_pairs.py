"""When two questions about memories are one: the same two things stand against each other, in the same slot or in the same words.

Ten alike are asked as one, and what a person has called no contradiction is not asked again in another wording. Pure.
Source: issue 16 "ten alike are one", UX 4.7 "teaches the detector".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.deciders.memory.rules import MemoryRules
from app.language.likeness import NEGATION, content_words

_MOST_CHARS = 700  # of longer texts the beginning is read
_STANDS_MOST = 6  # words on one side: of more nobody can say that they are the same two things


@dataclass(frozen=True, slots=True)
class PairSide:
    """What is compared of a memory."""

    text: str
    slot_key: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class PairShape:
    """What stands against what in a pair, the older side first."""

    project_id: int
    slot_key: str  # "" unless both fill one slot with a value
    values: tuple[str, str]
    stands: tuple[frozenset[str], frozenset[str]]  # stems that only this side has

    def turned(self) -> "PairShape":
        (a, b), (left, right) = self.values, self.stands
        return PairShape(self.project_id, self.slot_key, (b, a), (right, left))


def shape_pair(project_id: int | None, a: PairSide, b: PairSide, rules: MemoryRules) -> PairShape:
    """The shape of a pair, `a` the older side."""
    ours, theirs = (frozenset(content_words(one.text[:_MOST_CHARS], rules.likeness)) - {NEGATION} for one in (a, b))
    is_one_slot = bool(a.slot_key and a.slot_key == b.slot_key and a.value and b.value)
    return PairShape(
        project_id or 0,
        a.slot_key if is_one_slot else "",
        (a.value.casefold(), b.value.casefold()),
        (ours - theirs, theirs - ours),
    )


def is_same_question(one: PairShape, other: PairShape) -> bool:
    """Whether both ask the same, with the same side as the older one.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> asked = shape_pair(1, PairSide("Mail goes through Falcon."), PairSide("Mail goes through Kestrel."), rules)
    >>> again = shape_pair(1, PairSide("Invoices go by Falcon."), PairSide("Invoices go by Kestrel."), rules)
    >>> is_same_question(asked, again), is_same_question(asked, again.turned())
    (True, False)
    """
    if one.project_id != other.project_id:
        return False
    if one.slot_key and one.slot_key == other.slot_key and one.values == other.values:
        return True
    if not all(one.stands) or max(map(len, one.stands)) > _STANDS_MOST:
        return False
    return one.stands == other.stands


def is_answered_by(one: PairShape, dismissed: Sequence[PairShape]) -> bool:
    """Whether a person has said of the same two things that they do not contradict each other, whichever was older."""
    return any(is_same_question(one, other) or is_same_question(one, other.turned()) for other in dismissed)


def group_alike(shapes: Sequence[PairShape]) -> tuple[tuple[int, ...], ...]:
    """Places of the pairs that ask the same, each group in the order of its first."""
    groups: list[list[int]] = []
    for place, shape in enumerate(shapes):
        found = next((one for one in groups if is_same_question(shapes[one[0]], shape)), None)
        if found is None:
            groups.append([place])
        else:
            found.append(place)
    return tuple(map(tuple, groups))
