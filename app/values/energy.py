"""The energy of background work as the window and the API show it: level, what used it, what was put off. Source: S5."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Work(StrEnum):
    """The kinds of background work that the ledger tells apart."""

    NOTE = "note"
    COMPACTION = "compaction"
    JUDGE = "judge"
    CONTRADICTIONS = "contradictions"
    CONSOLIDATION = "consolidation"
    INDEX = "index"
    UPKEEP = "upkeep"  # backups, learning from corrections


@dataclass(frozen=True, slots=True)
class EnergyUse:
    """What one kind of work took in the last 24 hours."""

    work: Work
    units: float
    cpu_s: float
    token_count: int
    work_count: int
    put_off_count: int


@dataclass(frozen=True, slots=True)
class PutOff:
    at: datetime
    work: Work
    reason: str  # a sentence


@dataclass(frozen=True, slots=True)
class EnergyState:
    level: float  # units that are there now
    capacity: float
    refill_per_hour: float
    low_below: float  # units under which work that can wait does
    is_low: bool
    full_at: datetime | None  # when it will be, if nothing is used; None when it is
    used_today: float  # units in the last 24 hours
    uses: tuple[EnergyUse, ...]  # what took most first
    put_off: tuple[PutOff, ...]  # the newest first
    per_hour: tuple[tuple[datetime, float], ...]  # units in each of the last 24 hours, oldest first


@dataclass(frozen=True, slots=True)
class EnergyPolled:
    consumed_units: float  # since it was asked last, or since the start
