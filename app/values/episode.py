"""What a conversation came to, as it leaves the engine: its episode with moments, arc and what hangs on it.

A value without a sign stays empty: `type` None, `valence` None, `significance` None. Turns count the person's messages from 1.
Source: S3 "Episodic Memory", S4 "Episodes".
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.values.conversation import Outcome
from app.values.memory import Artifact, MemoryCard, MemoryStatus


class EpisodeType(StrEnum):
    """The six types of [S3]."""

    DECISION_MADE = "decision_made"  # an important choice
    PROBLEM_SOLVED = "problem_solved"  # what failed works
    BREAKTHROUGH = "breakthrough"  # it works after several attempts that did not
    ISSUE_IDENTIFIED = "issue_identified"  # a problem was found
    TASK_COMPLETED = "task_completed"  # a milestone: a commit, a pull request, a finished topic
    PIVOT = "pivot"  # the direction changed


@dataclass(frozen=True, slots=True)
class Moment:
    """A milestone of an episode. `memory_id`: the memory that says it, whose text it then shows."""

    type: EpisodeType
    turn: int
    at: datetime
    text: str
    significance: float
    memory_id: int | None = None


@dataclass(frozen=True, slots=True)
class TurnRange:
    """The person's messages from `start` to `end`, both counted from 1 and both in it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ConversationRef:
    """Where an episode was. `is_kept`: its text is still in the queue."""

    conversation_id: int
    turn_range: TurnRange | None
    title: str = ""
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode. `conversations` are several where episodes were merged; `id` is its memory's number."""

    id: int
    title: str
    summary: str
    context: str  # what it began from
    outcome: Outcome | None
    participants: tuple[str, ...]  # "you" and names of apps
    valence: float | None  # -1..1
    significance: float | None  # 0..1
    type: EpisodeType | None
    conversations: tuple[ConversationRef, ...]
    moments: tuple[Moment, ...]
    artifacts: tuple[Artifact, ...]
    memory_count: int  # learned in its conversations, archived ones left out
    done: tuple[str, ...]
    works: tuple[str, ...]
    next: str
    began_at: datetime
    ended_at: datetime
    project: str
    project_path: str
    app: str
    status: MemoryStatus


@dataclass(frozen=True, slots=True)
class NarrativeArc:
    """The moments by the third of the conversation in which they came [S3]."""

    beginning: tuple[Moment, ...]
    middle: tuple[Moment, ...]
    end: tuple[Moment, ...]
    key_moments: tuple[Moment, ...]  # of a significance of 0.7 and more


@dataclass(frozen=True, slots=True)
class EpisodeDetail:
    """One episode, whole: its story in full, its arc, and the memories of its conversations."""

    episode: Episode
    narrative: str
    arc: NarrativeArc
    memories: tuple[MemoryCard, ...]


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes: of a project (name or path), begun in a span [since, until). `text`: words, and a time as people say it."""

    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    type: EpisodeType | None = None
    file: str = ""
    is_key: bool = False  # only those that hold a key moment
    app: str | None = None


class ReferenceWay(StrEnum):
    """How one conversation refers to another."""

    CONTINUES = "continues"
    MENTIONS = "mentions"


@dataclass(frozen=True, slots=True)
class CrossReference:
    """Another conversation. `is_outgoing`: this one refers to it; else it refers to this one."""

    conversation_id: int
    title: str
    way: ReferenceWay
    is_outgoing: bool
    is_kept: bool


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that was changed, and in one line how. `line` "" where nothing says it; `worded_by`: the app whose words it is."""

    file: str
    line: str = ""
    is_commit: bool = False  # the first line of a commit message; else of the end of an answer
    worded_by: str = ""


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """What is kept of a conversation beside its messages, also when they are gone [S1]."""

    conversation_id: int
    changes: tuple[FileChange, ...]
    references: tuple[CrossReference, ...]
    episode_ids: tuple[int, ...]
