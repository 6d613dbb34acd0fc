"""The port of consolidation: what a step is, what it may propose, what it gets.

A step loads values, plans over them without store or clock, and names one applier for each kind of action. Knows no step.
Source: DESIGN section 5 "consolidate".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.plan_process import PlanCancelledError
from app.consolidation.snapshot import MemoryFacts, WorkDays, find_aged, load_memories
from app.deciders.memory.rules import load_memory_rules
from app.language.likeness import content_words
from app.settings import Settings
from app.store.journal import Write

FindAlike = Callable[[Connection, str, int | None], Sequence[int]]


class SharedReads:
    """What the steps of one plan read once for all, and a way out of long reading. Stays at home when a plan goes to another process."""

    def __init__(self, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        self._is_cancelled = is_cancelled
        self._memories: tuple[MemoryFacts, ...] | None = None
        self._known: dict[int, MemoryFacts | None] = {}  # None: not in use
        self._aged: tuple[MemoryFacts, ...] | None = None
        self._alike: dict[tuple[str, int | None], Sequence[int]] = {}
        self._words: dict[str, tuple[str, ...]] = {}

    def __reduce__(self) -> tuple[type["SharedReads"], tuple[()]]:
        return SharedReads, ()

    def memories(self, connection: Connection, now: datetime) -> tuple[MemoryFacts, ...]:
        """All in use, as they stood when the first step asked."""
        if self._memories is None:
            self._memories = load_memories(connection, now, go_on=self.go_on)
            self._known = {one.id: one for one in self._memories}
        return self._memories

    def some(self, connection: Connection, now: datetime, ids: Iterable[int]) -> tuple[MemoryFacts, ...]:
        """These of those in use, by number; each is read once in a run."""
        wanted = sorted(set(ids))
        missing = [one for one in wanted if one not in self._known] if self._memories is None else []
        if missing:
            self._known |= dict.fromkeys(missing)
            self._known |= {one.id: one for one in load_memories(connection, now, missing, go_on=self.go_on)}
        return tuple(one for number in wanted if (one := self._known.get(number)) is not None)

    def aged(self, connection: Connection, now: datetime, days: WorkDays, least_days: int) -> tuple[MemoryFacts, ...]:
        """All in use that a step may shorten or put away for their age: recorded at least so many days of work ago, and not the person's to keep."""
        if self._aged is None:
            self._aged = self.some(connection, now, find_aged(connection, days, least_days))
        return self._aged

    def words(self, text: str) -> tuple[str, ...]:
        """`content_words`, of each text once."""
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = content_words(text, load_memory_rules().likeness)
        return found

    def go_on(self) -> None:
        """Raises PlanCancelledError where nobody wants the plan any more."""
        if self._is_cancelled():
            raise PlanCancelledError

    def alike(self, find_alike: FindAlike) -> FindAlike:
        """The same search, each text once. Raises PlanCancelledError."""

        def find(connection: Connection, text: str, project_id: int | None) -> Sequence[int]:
            self.go_on()
            key = text, project_id
            if key not in self._alike:
                self._alike[key] = find_alike(connection, text, project_id)
            return self._alike[key]

        return find


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan may know beside what its step loaded. Can be passed to another process."""

    now: datetime
    settings: Settings
    work_days: WorkDays
    used_after: int = 0  # uses with a larger number are newer than the last run
    changed_ids: frozenset[int] | None = None  # memories that came or changed since the last run; None: all
    shared: SharedReads = field(default_factory=SharedReads, compare=False)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One action. Only `text` may hold words of a person: `why` and `data` are rules, numbers, names of levels."""

    kind: str
    memory_ids: tuple[int, ...]  # those it is about, the one that is shown first
    why: str  # for people: "said twice in the same words"
    data: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""  # a new wording, where there is one
    saved_tokens: int = 0  # of a context, when all of it is given
    confidence: float = 1.0
    is_sure: bool = True  # else it waits for a yes, unless the person said "always so"
    puts_away: tuple[int, ...] = ()  # later steps of the same run propose nothing about these any more
    subject: str = ""  # what it is about where it has no memories, so that a no to it is a no to nothing else


@dataclass(frozen=True, slots=True)
class DiffLines:
    """Before and after, line by line, as the diff shows them; `about` are the texts that stay as they are."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    about: tuple[str, ...] = ()


Texts = Mapping[int, Row[Any]]  # the memories of an action that still exist, whole rows, by number
Apply = Callable[[Write, Row[Any]], None]
Show = Callable[[Texts, Row[Any]], DiffLines]


def show_texts(texts: Texts, action: Row[Any]) -> DiffLines:
    """The memories as they are; after it the new wording, or nothing new."""
    before = tuple(texts[one].full for one in action.memory_ids if one in texts)
    return DiffLines(before, (action.text,) if action.text else before[:1])


@dataclass(frozen=True, slots=True)
class StepAction:
    """One kind of action. `apply` runs in a write of its own, and raises SkipAction when it fits no more."""

    label: str  # for people, after a number: "merged"
    apply: Apply
    counts_as: tuple[str, ...] = ()  # fields of RunReport
    show: Show = show_texts
    needs_unchanged: bool = True  # skipped when any of its memories changed its text, slot, period, pin or status since


@dataclass(frozen=True, slots=True)
class Step:
    """`load` reads, `plan` is pure and a module's own function, so that a child process can run it: both get plain values.

    Above `consolidation_in_place` loaded values a heavy `plan` runs in a child; a plain loop over values stays, which takes less time
    than a process to begin. A `load` that reads only what changed makes a step incremental (`PlanContext.changed_ids`).
    """

    name: str
    title: str  # while it runs: "Finding duplicates"
    load: Callable[[Connection, PlanContext], Any]
    plan: Callable[[Any, PlanContext], Sequence[Proposal]]
    kinds: Mapping[str, StepAction]
    is_heavy: bool = False  # compares texts with each other


class SkipAction(Exception):
    """Raised by an applier when what it would change is not as it was planned for."""
