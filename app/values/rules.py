"""Learned rules as they leave the engine: what the knowledge graph of [S1] knows beside the memories, and what a
conversation left.

A rule holds no text that a person typed: slots stand for what was named, what is left are words of the shipped
lists.

Workflows and code patterns as they leave the engine: a memory of either kind with its parts.

Source: S1 Tier 2; S4 "Code Patterns", "Workflows".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import inf
from typing import Any

from app.values.memory import MemoryKind


@dataclass(frozen=True, slots=True)
class PracticePart:
    """A step with its command, or a part of a template with its shape."""

    name: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Practice:
    """A workflow or a code pattern. `times`: how often it was seen, 0 for one that was written by hand."""

    id: int  # of its memory
    kind: MemoryKind
    title: str
    trigger: str
    hint: str  # the line of a few tokens
    parts: tuple[PracticePart, ...]
    times: int = 0
    succeeded: int = 0  # of these times; 0 for a pattern
    share: float = 0.0  # of the times that its last step was done, it was done so
    examples: tuple[str, ...] = ()  # of a pattern: path:line
    project: str = ""
    is_on: bool = True  # given to assistants
    is_edited: bool = False


class RuleKind(StrEnum):
    PHRASE = "phrase"  # "make it {color}" → EXECUTE
    PRONOUN = "pronoun"  # how far back "it" points
    DEMONSTRATIVE = "demonstrative"  # "the {entity}" must occur in the last messages
    MARKER = "marker"  # words that begin a conversation
    SIGN = "sign"  # what else begins one: a new session, a pause, little in common
    FILES = "files"  # files that are changed together
    SEQUENCE = "sequence"  # commands that follow each other
    FIX = "fix"  # an error and what repaired it


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """What one conversation teaches. Equal `kind`, `pattern` and `identity` are one rule."""

    kind: RuleKind
    pattern: str
    details: Mapping[str, Any] = field(default_factory=dict)
    is_of_project: bool = False

    @property
    def identity(self) -> str:
        """What tells rules of one pattern apart: two intents for one phrase are two rules, of which the higher holds."""
        return ",".join(map(str, self.details.get("intents", ())))


_CORRECTED_CONFIDENCE = 0.70  # where a person corrected: three times
_USED_CONFIDENCE = {
    RuleKind.PHRASE: 0.95,  # eight times judged alike: what only repeats our own judgement steadies it and corrects nothing
    RuleKind.MARKER: 0.85,  # a boundary that is wrong costs more than an intent
    RuleKind.FILES: 0.0,
    RuleKind.SEQUENCE: 0.0,
    RuleKind.FIX: 0.0,
}  # a pointing word holds where a person set how far, as one that is only seen took no wrong answer away (app/evaluation)


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """One rule of the knowledge graph."""

    id: int
    kind: RuleKind
    pattern: str
    details: Mapping[str, Any]
    confidence: float
    seen_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    idle_runs: int  # consolidations since it was last reinforced
    is_on: bool = True
    is_edited: bool = False
    changed_count: int = 0  # how often it changed what was understood
    project: str = ""
    project_id: int | None = None
    conversation_ids: tuple[int, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether it is sure enough to be more than noticed: to change what is understood, be given or be drawn in the graph."""
        least = _CORRECTED_CONFIDENCE if self.details.get("corrected") else _USED_CONFIDENCE.get(self.kind, inf)
        return self.is_on and (self.is_edited or self.confidence >= least)

    @property
    def candidate(self) -> RuleCandidate:
        return RuleCandidate(self.kind, self.pattern, self.details, self.project_id is not None)


@dataclass(frozen=True, slots=True)
class RuleExample:
    """A message in which a rule was used, or one that taught it."""

    conversation_id: int
    conversation_title: str
    message_id: int
    quote: str
    at: datetime
    meaning: str = ""  # of a pointing word: what it stood for there
    is_used: bool = False  # it changed how the message was understood


@dataclass(frozen=True, slots=True)
class Farewell:
    """What stays of a conversation that leaves the queue, and what goes with it."""

    fact_count: int = 0
    workflow_count: int = 0
    episode_count: int = 0
    rule_count: int = 0
    message_count: int = 0  # that are lost; 0 where the prompt archive keeps them
    is_archived: bool = False

    @property
    def memory_count(self) -> int:
        return self.fact_count + self.workflow_count + self.episode_count
