"""How it stands with searching by meaning: which model answers, which takes its place, how far that is. Source: S4 "Embedding"."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class EmbeddingModelState:
    """One model and its vectors."""

    model: str
    address: str
    version: int  # grows each time that all is worked out anew with a model of the same name
    dimension_count: int
    started_at: datetime
    finished_at: datetime | None
    memory_count: int  # that have a vector of it


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    is_on: bool  # a model is named
    serving: EmbeddingModelState | None  # whose vectors answer; None: words alone do
    building: EmbeddingModelState | None  # what takes its place when it is whole
    is_stopped: bool  # the building was stopped, and goes on when it is asked for
    memory_count: int
    problem: str = ""  # why nothing goes on, for people
