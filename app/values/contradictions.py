"""Contradictions as clients see them: two memories that cannot both hold, what came of them, and what each answer would do.

`a` is the older side. Source: S4 "Contradictions table", DESIGN section 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.values.memory import MemoryCard, MemoryDetail


class ContradictionState(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"


class Resolution(StrEnum):
    """The four of [S4], and that there is nothing to resolve."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_VALID = "both_valid"
    MERGED = "merged"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class ResolutionRequest:
    """What a person decides. Scopes are for "both valid": at least one says where its side holds; `text` is for "merged"."""

    resolution: Resolution
    note: str = ""
    text: str = ""
    scope_a: str = ""
    scope_b: str = ""
    since: datetime | None = None  # from when the losing side holds no more; None: from the newer one's beginning


@dataclass(frozen=True, slots=True)
class Contradiction:
    id: int
    state: ContradictionState
    a: MemoryCard
    b: MemoryCard
    kind: str  # value, number, negation, preference, replaced…
    reason: str  # for people
    confidence: float
    judged_by: str  # rules, or the name of the judge
    detected_at: datetime
    resolution: Resolution | None = None
    resolution_note: str = ""
    resolved_at: datetime | None = None
    resolved_by: str = ""  # person; text: the newer side itself says it; or the name of the judge


@dataclass(frozen=True, slots=True)
class ContradictionGroup:
    """One question: the contradiction that weighs most, and those in which the same two things stand against each other."""

    first: Contradiction
    alike: tuple[Contradiction, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        return (self.first.id, *(one.id for one in self.alike))


@dataclass(frozen=True, slots=True)
class ContradictionDetail:
    """All that the merge tool shows of one. `effects`: by the answer, what it would do, one sentence each."""

    contradiction: Contradiction
    a: MemoryDetail
    b: MemoryDetail
    suggested: Resolution
    suggested_because: str
    effects: Mapping[Resolution, tuple[str, ...]]
    proposed_text: str = ""  # one text for both, in their own words, as a judge proposed it
