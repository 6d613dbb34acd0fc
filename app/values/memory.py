"""Long-term memories as they leave the engine, and what the deciders of `app.deciders.memory` take and return.

Offsets are code points into the message's text, half-open [start, end). Confidences, importances, strengths are
0..1. Two time axes, half-open: *valid* (true in the world) and *recorded* (known to us).

What is asked of the person: one card of the review, with those that say nearly the same. Values only.

What became of what was given: the prompts, answers, edits and commands that took it up.

Source: DESIGN section 4, S3, S4 "Usage Tracker"; UX 4.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any


class ActionKind(StrEnum):
    """What took up a memory that was given [S4]."""

    PROMPT = "prompt"
    ANSWER = "answer"
    EDIT = "edit"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Citation:
    """One thing that was said or done and took up a memory of a receipt."""

    memory_id: int
    receipt_id: int
    at: datetime
    kind: ActionKind
    detail: str = ""  # the file or the command; "" for what was said
    is_followed: bool = False  # it shows a rule as followed
    app: str = ""


@dataclass(frozen=True, slots=True)
class UsedMemory:
    """A memory that was of use: what shows it best, and the context that it came in."""

    title: str
    citation: Citation
    prompt: str = ""  # that it was given with; "" at a session start
    project: str = ""
    use_count: int = 1  # contexts that gave it and in which it was used


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """One decision about one memory, or about several that are as good as one."""

    memory_id: int  # the one that is shown
    alike_ids: tuple[int, ...] = ()  # the others; whatever is answered is about all
    times_said: int = 1  # places where any of them was said
    is_held: bool = False  # it reads like an order to an assistant
    is_likely: bool = True  # else it only sounds so: shown after all others, and not counted as waiting

    @property
    def ids(self) -> tuple[int, ...]:
        """All of them, the shown one first."""
        return (self.memory_id, *self.alike_ids)


class MemoryKind(StrEnum):
    FACT = "fact"
    EPISODE = "episode"
    PATTERN = "pattern"
    WORKFLOW = "workflow"


class FactType(StrEnum):
    """The seven types of [S3]; memories of another kind have None, in the store ""."""

    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    ENTITY = "entity"
    PROCEDURE = "procedure"
    CONSTRAINT = "constraint"
    GOAL = "goal"


WRITTEN_BY_HAND = "you wrote it"  # the reason of a memory that the person typed in Remanence itself


class MemoryStatus(StrEnum):
    PROPOSED = "proposed"  # waits in the review inbox; never given to an assistant
    ACTIVE = "active"
    ARCHIVED = "archived"  # forgotten or rejected: restorable
    QUARANTINED = "quarantined"  # instruction-like or suspicious: never given until a person clicks


class Visibility(StrEnum):
    USER_PRIVATE = "user-private"
    PROJECT_SHARED = "project-shared"
    SYSTEM = "system"


class Trust(IntEnum):
    AGENT = 0  # an assistant wrote it
    IMPORTED = 1  # read from a file, quoted, pasted
    SPOKEN = 2  # the person typed it in a prompt
    CONFIRMED = 3  # the person wrote, edited or accepted it here


class Level(StrEnum):
    FULL = "full"
    SUMMARY = "summary"
    COMPRESSED = "compressed"
    INDEX = "index"


class Tier(StrEnum):
    """The four parts of a context, the one that must not be missed first [S4]."""

    CRITICAL = "critical"
    RELEVANT = "relevant"
    BACKGROUND = "background"
    INDEX = "index"


class LinkType(StrEnum):
    RELATED_TO = "related_to"
    DEPENDS_ON = "depends_on"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    REFINES = "refines"
    PART_OF = "part_of"
    CAUSED_BY = "caused_by"
    MERGED_FROM = "merged_from"  # made by merging only: the other was archived then
    ABOUT = "about"  # a memory and an entity, file or conversation
    CAUSES = "causes"
    MENTIONS = "mentions"
    LEARNED_FROM = "learned_from"
    MODIFIED_WITH = "modified_with"
    FOLLOWS = "follows"


class ArtifactKind(StrEnum):
    COMMIT = "commit"
    PR = "pr"
    ADR = "adr"
    FILE = "file"


class UsageKind(StrEnum):
    RETRIEVED = "retrieved"
    CITED = "cited"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Slot:
    """Two live facts with one slot and different values contradict. Lower case, canonical names."""

    subject: str  # "project", "src/auth", "login form"; "" = the project as a whole
    attribute: str  # "database", "package manager", "timeout"
    scope: str = ""  # "typescript", "tests", "staging"; "" = everywhere


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """One statement found in one message, before it is compared with what is known."""

    type: FactType
    text: str  # stands alone: references resolved, no "it", one sentence
    confidence: float
    start: int  # where in the original message it was said
    end: int
    reason: str  # for people: 'says "must"', 'moved from … to …'
    slot: Slot | None = None
    value: str = ""  # canonical value of the slot; for a prohibition the thing forbidden
    is_negated: bool = False  # "never X", "do not use X"
    replaces: str = ""  # "we moved from X to Y": the canonical value X that this statement closes
    entities: tuple[str, ...] = ()  # canonical names
    tags: tuple[str, ...] = ()
    is_instruction_like: bool = False  # would steer an assistant against its person: quarantine (S7)
    is_quoted: bool = False  # pasted or quoted text: trust of an import


@dataclass(frozen=True, slots=True)
class LevelText:
    text: str
    token_count: int = 0


@dataclass(frozen=True, slots=True)
class Levels:
    """The four sizes of one memory [S4]."""

    full: LevelText
    summary: LevelText
    compressed: LevelText
    index: LevelText

    def at(self, level: Level) -> LevelText:
        return {"full": self.full, "summary": self.summary, "compressed": self.compressed, "index": self.index}[level]


@dataclass(frozen=True, slots=True)
class MemoryCard:
    """One row of a list: enough to draw it."""

    id: int
    kind: MemoryKind
    type: FactType | None
    title: str
    summary: str
    status: MemoryStatus
    trust: Trust
    confidence: float
    importance: float
    is_pinned: bool
    is_live: bool  # active, and valid now
    token_count: int  # of the full text
    tags: tuple[str, ...]
    project: str  # name as shown; "" = none
    app: str  # name; "" = none
    updated_at: datetime
    last_accessed_at: datetime | None
    retrieved_count: int
    has_contradiction: bool = False
    text: str = ""  # the beginning of the full text, as a list shows it
    is_withheld: bool = False  # never given to an assistant, as a person chose
    tier: Tier | None = None  # as a person chose, else where it was in the newest context that was given


@dataclass(frozen=True, slots=True)
class AddedMemory:
    """What became of a draft. `is_known`: the number is of a memory that said the same before."""

    id: int
    is_known: bool = False
    is_waiting: bool = False  # it was proposed before, and waits still


@dataclass(frozen=True, slots=True)
class Report:
    """What an assistant reports that the person said: their exact words, and one sentence that says it by itself."""

    statement: str
    quote: str = ""  # "": the assistant's own words, which nobody can verify
    type: FactType | None = None  # None: guessed
    is_for_all_projects: bool = False  # a mark; given elsewhere only after the person's click
    replaces: tuple[int, ...] = ()  # numbers of memories that hold no longer
    tags: tuple[str, ...] = ()


class ReportState(StrEnum):
    """What became of a report."""

    ACTIVE = "active"  # in use, as the person's words
    PROPOSED = "proposed"  # waits for the person, with no trust
    HELD = "held"  # an order that only the person may allow
    KNOWN = "known"
    WAITING = "waiting"  # known, and it waits still
    REFUSED = "refused"  # nothing was kept


@dataclass(frozen=True, slots=True)
class Reported:
    """What became of it, and why it is no more than that."""

    state: ReportState
    id: int | None = None
    reason: str = ""  # "": verified
    closed_ids: tuple[int, ...] = ()  # hold no longer
    disputed_ids: tuple[int, ...] = ()  # the person decides which holds
    left_ids: tuple[int, ...] = ()  # were named as replaced, and stay as they are


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory, whole. `details` by kind: pattern {template, trigger}, workflow {steps, trigger, details},
    episode {narrative, participants, outcome, context, type, valence, significance, turn_range, moments, conversation_id}."""

    id: int
    kind: MemoryKind
    type: FactType | None
    title: str
    levels: Levels
    edited_levels: frozenset[Level]  # written by hand: not rewritten when the full text changes
    slot: Slot | None
    value: str
    is_negated: bool
    details: Mapping[str, Any]
    tags: tuple[str, ...]
    category: str
    importance: float
    confidence: float
    trust: Trust
    status: MemoryStatus
    is_pinned: bool
    visibility: Visibility
    project: str
    project_path: str
    app: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    retired_at: datetime | None
    updated_at: datetime
    last_accessed_at: datetime | None
    retrieved_count: int
    cited_count: int
    ignored_count: int
    decay: float  # computed when read: half-life 30 days and access boost [S3]
    supersedes_id: int | None
    superseded_by_id: int | None
    reason: str  # why it was learned, for people
    revision: int  # for stale edits: bumped by every change
    worth: int | None = None  # 1..3, as a judge said
    worded_by: str = "rules"  # rules: the person's words as they are; person; else the name of an app
    closed_by_message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Gloss:
    """What a pointing word of a quote stands for, or the question that it answers, beside the quote and never in it.

    `start`: in the message, code points.
    """

    mention: str  # "": the antecedent is the question
    start: int
    antecedent: str
    reason: str  # why, or who read it
    message_id: int | None  # the message that names it, the quoted one or an earlier; None: no message does


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Where a memory was said. The quote outlives the message, which leaves with its conversation."""

    id: int
    message_id: int | None
    conversation_id: int | None
    conversation_title: str
    app: str
    at: datetime
    quote: str
    start: int
    end: int
    is_message_kept: bool  # the message can be opened
    glosses: tuple[Gloss, ...] = ()  # as long as its message is kept


@dataclass(frozen=True, slots=True)
class MemoryReason:
    """Why a memory is so: what the person said beside it ("because …"), or what a link to another memory says."""

    text: str  # "" where the link says no more than which memory led to it
    relation: LinkType | None = None  # caused_by or supersedes; None: said
    other_id: int | None = None
    other_title: str = ""


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One earlier state, as it was before the change `label` made by `origin` at `until_at`."""

    id: int
    number: int  # 1 = first
    from_at: datetime
    until_at: datetime
    origin: str
    label: str
    title: str
    full: str
    state: Mapping[str, Any]  # all editable fields


@dataclass(frozen=True, slots=True)
class MemoryLink:
    id: int
    type: LinkType
    strength: float
    other_kind: str  # memory, entity, conversation, file
    other_id: int
    other_title: str
    is_outgoing: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Artifact:
    id: int
    kind: ArtifactKind
    reference: str


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """Everything the inspector shows."""

    memory: Memory
    sources: tuple[MemorySource, ...]
    versions: tuple[MemoryVersion, ...]  # newest first
    links: tuple[MemoryLink, ...]
    artifacts: tuple[Artifact, ...]
    contradiction_ids: tuple[int, ...]  # memories that cannot hold beside it, still open
    usage_days: tuple[int, ...] = ()  # uses per day of the last 90, oldest first
    session_count: int = 0  # in that many sessions the person said it, in these or other words
    citations: tuple[Citation, ...] = ()  # what took it up, newest first


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """What a person (or another program) gives to create a memory. Empty fields are guessed or defaulted."""

    text: str
    kind: MemoryKind = MemoryKind.FACT
    type: FactType | None = None
    title: str = ""
    slot: Slot | None = None
    value: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    importance: float | None = None
    confidence: float | None = None
    is_pinned: bool = False
    visibility: Visibility = Visibility.USER_PRIVATE
    project_path: str = ""
    app: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    compressed: str = ""
    index: str = ""
    reason: str = ""  # why a program's waits; empty: that it asked


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """Changes of one memory: None = leave. An empty level text asks for it to be rewritten from the full text."""

    title: str | None = None
    full: str | None = None
    summary: str | None = None
    compressed: str | None = None
    index: str | None = None
    type: FactType | None = None
    slot: Slot | None = None
    is_slot_removed: bool = False
    value: str | None = None
    tags: tuple[str, ...] | None = None
    category: str | None = None
    importance: float | None = None
    confidence: float | None = None
    visibility: Visibility | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    is_valid_to_removed: bool = False
    details: Mapping[str, Any] | None = None
    expected_revision: int | None = None  # raise StaleError when the memory was changed meanwhile


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a new statement stands to a known one."""

    relation: str  # duplicate, contradict, replace, compatible
    confidence: float
    reason: str
    kind: str = ""  # of a contradiction: value, number, negation, preference…


@dataclass(frozen=True, slots=True)
class Chunk:
    """Ten older messages of a long conversation, summed up [S3]."""

    id: int
    conversation_id: int
    number: int
    first_message_id: int
    last_message_id: int
    message_count: int
    summary: str
    topics: tuple[str, ...]
    token_count: int
    created_at: datetime
    is_merged: bool
