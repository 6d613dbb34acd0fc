"""Which pairs of memories may go to a judge: those of which an assistant in that project may be given both sides.

Source: JUDGE "contradictions".
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from app.store.visibility import is_unconfirmed
from app.values import MemoryStatus

IsExcluded = Callable[[Iterable[str], Iterable[str]], bool]


@dataclass(frozen=True, slots=True)
class SentMemory:
    """What of a memory decides whether it may be sent. `path`: the folder of its project, "" for none."""

    id: int
    text: str
    status: str
    trust: int
    path: str = ""


def may_be_sent(sides: Sequence[SentMemory], withheld: Collection[int], is_excluded: IsExcluded) -> bool:
    """Whether both sides may be said to a judge. `is_excluded`: whether a rule of the person names one of the places or texts.

    >>> typed, read = SentMemory(1, "Use tabs.", "active", 2), SentMemory(2, "Use spaces.", "proposed", 0)
    >>> may_be_sent([typed], (), lambda places, texts: False), may_be_sent([typed, read], (), lambda places, texts: False)
    (True, False)
    """
    if any(
        one.id in withheld or not (one.status == MemoryStatus.ACTIVE or is_unconfirmed(one.status, one.trust))
        for one in sides
    ):
        return False
    return not is_excluded([one.path for one in sides if one.path], [one.text for one in sides])
