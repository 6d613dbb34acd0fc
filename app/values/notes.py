"""Notes as they leave the engine: short records of an app's conversations. Source: S5."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    app: str
    app_title: str
    project: str  # folder; "" for none
    content: str
    created_at: datetime
    updated_at: datetime
    conversation_id: int | None
    conversation_title: str
    importance: float  # 0..10, as S5 has it
    tags: tuple[str, ...]
    related_ids: tuple[int, ...]  # conversations that went into it besides
    worded_by: str  # rules, person, or who reads along
    memory_id: int | None  # that it was promoted to


@dataclass(frozen=True, slots=True)
class NoteDecision:
    """How eleven become ten (S5 `MemoryCompactionDecision`)."""

    action: str  # delete, edit
    target_id: int
    new_content: str
    reason: str


@dataclass(frozen=True, slots=True)
class NoteContext:
    """Notes as an assistant is given them. `text` is "" where there are none."""

    text: str
    note_ids: tuple[int, ...]
    receipt_id: int | None = None


@dataclass(frozen=True, slots=True)
class NoteStats:
    """The metrics of S5, over the last 14 days unless they say otherwise."""

    note_count: int
    created_today_count: int
    created_per_hour: tuple[tuple[datetime, int], ...]  # of the last 24 hours, oldest first
    compacted_per_day: tuple[tuple[date, str, int], ...]  # day, app, how many
    given_share: float  # of the conversations since: those whose assistant was given notes
    apps_with_notes_share: float  # of the apps that ever had a conversation
    energy_share: float  # of all energy that was used in the last day, what notes took
    energy_units: float
    failed_count: int
    given_per_day: tuple[tuple[date, float], ...] = ()  # share of each day's conversations
