"""Consolidation as it leaves the engine: runs, the actions they propose, and what came of them. Source: DESIGN section 4, S4."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class RunState(StrEnum):
    PLANNING = "planning"
    PLANNED = "planned"  # a preview: nothing was done yet
    APPLYING = "applying"
    PAUSED = "paused"  # by the person; it continues when they say so
    DONE = "done"
    STOPPED = "stopped"  # by the person; what was applied until then stays
    FAILED = "failed"


class RunTrigger(StrEnum):
    BUTTON = "button"
    EVENTS = "events"
    HOURS = "hours"
    NIGHT = "night"
    API = "api"
    PREVIEW = "preview"


class ActionState(StrEnum):
    PROPOSED = "proposed"
    APPLIED = "applied"
    REJECTED = "rejected"
    UNDONE = "undone"


class Habit(StrEnum):
    """What a person has said of one kind of action for good."""

    ASK = "ask"  # as it is proposed: sure ones are applied, others wait
    ALWAYS = "always"
    NEVER = "never"


_NOUNS = re.compile(r"(?<=note|rule)s\b|(?<=episode|pattern)s\b|(?<=workflow)s\b")


def label_line(count: int, label: str) -> str:
    """That many changes of a kind.

    >>> label_line(1, "notes corrected"), label_line(2, "code patterns learned"), label_line(1, "merged")
    ('1 note corrected', '2 code patterns learned', '1 merged')
    """
    return f"{count:,} {_NOUNS.sub('', label, 1) if count == 1 else label}"


def is_chosen(habit: Habit, *, is_sure: bool, is_decided: bool) -> bool:
    """Whether a proposal would be applied: what a person said of it goes before what they said of its kind.

    >>> is_chosen(Habit.NEVER, is_sure=True, is_decided=False), is_chosen(Habit.NEVER, is_sure=True, is_decided=True)
    (False, True)
    >>> is_chosen(Habit.ASK, is_sure=False, is_decided=False), is_chosen(Habit.ALWAYS, is_sure=False, is_decided=False)
    (False, True)
    """
    return is_decided or habit is Habit.ALWAYS or (is_sure and habit is not Habit.NEVER)


@dataclass(frozen=True, slots=True)
class HabitCard:
    """What a person has said of one kind of action for good, and since when."""

    step: str
    step_title: str
    kind: str
    label: str
    habit: Habit
    since: datetime


@dataclass(frozen=True, slots=True)
class StepCount:
    """What became of one kind of action of one step."""

    step: str
    title: str
    kind: str
    label: str  # "merged", for people
    proposed: int = 0
    applied: int = 0
    rejected: int = 0
    undone: int = 0


@dataclass(frozen=True, slots=True)
class RunReport:
    """The numbers of the seeds: of what was applied; of a preview, of what would be without another word. Source: S1, S3, S4."""

    deduped: int = 0
    compressed: int = 0
    forgotten: int = 0
    contradictions_found: int = 0
    memories_archived: int = 0
    memories_merged: int = 0
    tokens_reclaimed: int = 0
    patterns_added: int = 0
    patterns_reinforced: int = 0
    patterns_pruned: int = 0
    promoted: int = 0
    demoted: int = 0
    linked: int = 0
    episodes_merged: int = 0
    notes_compacted: int = 0


@dataclass(frozen=True, slots=True)
class RunCard:
    id: int
    state: RunState
    trigger: RunTrigger
    started_at: datetime
    finished_at: datetime | None
    counts: tuple[StepCount, ...] = ()
    report: RunReport = field(default_factory=RunReport)
    waiting_count: int = 0  # proposed, and only applied after a yes
    chosen_count: int = 0  # that would be applied now
    action_count: int = 0
    seconds: float = 0.0
    problem: str = ""
    operation_id: int | None = None
    is_undoable: bool = False


@dataclass(frozen=True, slots=True)
class ActionCard:
    """One line of the diff. The texts are as they are now, `about` those that stay; empty where the memory was erased."""

    id: int
    run_id: int
    step: str
    step_title: str
    kind: str
    label: str
    state: ActionState
    why: str
    memory_ids: tuple[int, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    saved_tokens: int = 0
    confidence: float = 1.0
    is_sure: bool = True
    note: str = ""
    habit: Habit = Habit.ASK
    operation_id: int | None = None
    is_decided: bool = False  # by the person
    about: tuple[str, ...] = ()

    @property
    def is_chosen(self) -> bool:
        """Whether it would be applied now."""
        return self.state is ActionState.PROPOSED and is_chosen(
            self.habit, is_sure=self.is_sure, is_decided=self.is_decided
        )


@dataclass(frozen=True, slots=True)
class ConsolidationState:
    """Its state: what runs, when the next run is due, and what it would do as far as that is known without planning."""

    is_running: bool = False
    run_id: int | None = None
    step: str = ""  # for people: "Finding duplicates"
    step_number: int = 0
    step_count: int = 0
    step_titles: tuple[str, ...] = ()
    step_found: tuple[int, ...] = ()  # how many changes each step that is over proposes
    done: int = 0
    total: int | None = None
    remaining_s: float | None = None
    is_stopping: bool = False
    is_pausing: bool = False
    events_since: int = 0
    events_due: int = 0
    next_at: datetime | None = None  # at the latest; None: not by itself
    deferred: str = ""  # why a run that is due waits
    last_run: RunCard | None = None
    preview: RunCard | None = None  # the newest preview that was not applied
    paused: RunCard | None = None  # the run that rests until the person continues it
    later_run_id: int | None = None  # the run whose waiting changes were applied last, since the start
    later_act_id: int | None = None  # its operation in the journal; None where nothing was changed
    later_act: str = ""  # what that is called
    waiting_count: int = 0
