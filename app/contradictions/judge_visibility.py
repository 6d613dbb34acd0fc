"""Which pairs may go to who reads along: those of which an assistant in that project may be told both sides.

What a person withheld, what falls under an exclusion rule made since, and what was only read somewhere and never confirmed stays
here; rules decide such a pair. Pure. Source: JUDGE "what was erased or excluded meanwhile is dropped", QUALITY S7, S9.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from app.store.visibility import is_unconfirmed
from app.values import MemoryStatus

HoldsFor = Callable[[Iterable[str], Iterable[str]], bool]


@dataclass(frozen=True, slots=True)
class Side:
    """What of a memory decides whether it may be sent. `path`: the folder of its project, "" for none."""

    id: int
    text: str
    status: str
    trust: int
    path: str = ""


def may_be_sent(sides: Sequence[Side], withheld: Collection[int], is_excluded: HoldsFor) -> bool:
    """Whether both sides may be said to a judge. `is_excluded`: whether a rule of the person names one of the places or texts.

    >>> typed, read = Side(1, "Use tabs.", "active", 2), Side(2, "Use spaces.", "proposed", 0)
    >>> may_be_sent([typed], (), lambda places, texts: False), may_be_sent([typed, read], (), lambda places, texts: False)
    (True, False)
    """
    if any(
        one.id in withheld or not (one.status == MemoryStatus.ACTIVE or is_unconfirmed(one.status, one.trust))
        for one in sides
    ):
        return False
    return not is_excluded([one.path for one in sides if one.path], [one.text for one in sides])
