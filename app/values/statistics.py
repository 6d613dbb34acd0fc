"""What was learned when, how memories were used, and how often the person corrected a judgement. Source: issue 18 "Timeline and statistics"."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class Judgement(StrEnum):
    """What Remanence decides by itself, and a person can put right."""

    BOUNDARY = "boundary"  # where a conversation begins
    QUESTION = "question"  # which answer it took for granted while it asked
    INTENT = "intent"
    REFERENCE = "reference"  # what "it" stands for
    TITLE = "title"
    OUTCOME = "outcome"
    MEMORY_BY_RULES = "memory-by-rules"
    MEMORY_BY_READER = "memory-by-reader"  # worded by a model that reads along
    CONTRADICTION = "contradiction"
    CONSOLIDATION = "consolidation"


@dataclass(frozen=True, slots=True)
class JudgementFigures:
    """How many were made, and how many of them the person put right. `since` None: of all that are kept."""

    judgement: Judgement
    judged_count: int
    corrected_count: int
    since: datetime | None = None

    @property
    def corrected_ratio(self) -> float:
        """0..1; 0 where nothing was judged.

        >>> JudgementFigures(Judgement.INTENT, 200, 5).corrected_ratio
        0.025
        """
        return self.corrected_count / self.judged_count if self.judged_count else 0.0


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day of the person's own calendar."""

    day: date
    learned_count: int = 0  # memories, also those that were replaced or put away since
    conversation_count: int = 0  # that began
    message_count: int = 0  # in those
    given_count: int = 0  # memories that an assistant was given, each time
    cited_count: int = 0
    ignored_count: int = 0


@dataclass(frozen=True, slots=True)
class LearnedFigures:
    """What was learned in a month. `kind`: a fact's type, else the kind; `project` "": everywhere."""

    month: date  # its first day
    kind: str
    project: str
    count: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Days without a gap, oldest first, the last one `to_day`. `years`: those of which something is known, newest first."""

    from_day: date
    to_day: date
    days: tuple[DayFigures, ...]
    learned: tuple[LearnedFigures, ...]
    judgements: tuple[JudgementFigures, ...]
    years: tuple[int, ...]
