"""What the window's other screens show: search hits, statistics, health, imports, assistants, backups.

Owns figures and sentences as values, ready to be shown; knows neither Qt nor where they come from. Source: UX 4.9 and
4.10.
"""

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from app.values.notes import NoteStats


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One message that fits a search; `marks` are spans of `snippet`."""

    conversation_id: int
    conversation_title: str
    message_id: int
    at: datetime
    snippet: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Stats:
    conversation_count: int  # in the queue
    queue_size: int
    active_count: int
    message_count: int
    event_pending_count: int
    event_failed_count: int
    clarification_count: int
    ambiguous_count: int  # references waiting for a person, in conversations that go on
    captured_today_count: int
    redacted_count: int
    messages_per_day: tuple[tuple[date, int], ...]  # last 14 days, oldest first
    app_names: tuple[str, ...]
    project_names: tuple[str, ...]  # all, also those that only memories belong to
    ambiguous_older_count: int = 0  # the same in conversations that are paused or over: they can wait
    judge_pending_count: int = 0  # requests to a model that reads along, queued or running
    judge_token_count: int = 0  # of all such requests so far
    archive: str = "off"  # what happens to prompts that leave the queue
    archive_prompt_count: int = 0
    archive_byte_count: int = 0  # texts and index
    notes: NoteStats | None = None  # the metrics of S5
    energy_level: float = 0.0  # units that are there for background work
    energy_capacity: float = 0.0
    energy_used_today: float = 0.0  # in the last 24 hours
    question_count: int = 0  # of the open questions those that are asked today: at most three
    topic_question_count: int = 0  # of these, those about where a topic begins
    queue_count: int = 0  # conversations in the whole queue, whatever the filter hides
    queue_byte_count: int = 0  # texts of the messages in it
    rule_count: int = 0  # learned from conversations
    rule_byte_count: int = 0


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What would be sent to whoever reads along."""

    request_count: int
    prompt_count: int
    token_count: int
    readers: tuple[str, ...]
    unread_by_nobody_count: int = 0  # prompts of assistants that cannot be asked
    requests: tuple[str, ...] = ()  # as they would be sent
    past_prompt_count: int = 0  # of the prompts, those that have left the queue
    gone_count: int = 0  # prompts that nobody read and that are no longer kept anywhere


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the capture socket listens; `error` when it does not."""

    host: str = "127.0.0.1"
    port: int = 0
    socket_path: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    endpoint: Endpoint
    is_capturing: bool
    paused_until: datetime | None
    disk_problem: str  # "" when all is well, else a sentence that says what to do
    store_path: Path
    store_bytes: int
    wal_bytes: int
    sqlite_version: str
    schema_version: int
    last_backup_at: datetime | None
    last_error: str
    is_paused: bool = False
    aside_count: int = 0  # events of hooks that could not be captured, and are kept
    aside_reason: str = ""
    store_notice: str = ""  # what of store, rules, settings or the hooks' files was wrong and mended, or is not used


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A history of an assistant that is on this disk, or a file that was dropped."""

    source: str  # claude-code, codex, chatgpt, claude-ai, seed-history, seed-context, unknown
    title: str
    path: Path
    file_count: int
    byte_count: int
    newest_at: datetime | None


@dataclass(frozen=True, slots=True)
class HistorySize:
    """What of a history has not been taken in yet: counted, nothing kept."""

    message_count: int
    session_count: int


@dataclass(frozen=True, slots=True)
class ImportReport:
    source: str
    path: Path
    message_count: int  # taken in now
    duplicate_count: int
    skipped_count: int
    failed_count: int
    conversation_count: int  # of the queue touched by it
    is_cancelled: bool
    took_s: float
    operation_id: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file of an assistant's configuration before and after; None = it does not exist."""

    path: Path
    before: bytes | None
    after: bytes | None
    diff: str


@dataclass(frozen=True, slots=True)
class AssistantCard:
    """An assistant that we know how to connect."""

    name: str
    title: str
    is_found: bool
    is_connected: bool
    config_paths: tuple[Path, ...]
    problem: str  # "" or a sentence: "settings.json line 4 is not JSON"
    last_seen_at: datetime | None
    message_count: int
    is_paused: bool
    waiting: str = ""  # "" or a sentence: it is connected, and nothing comes before the person has done this
    is_unheard: bool = False  # a session of it was written for an hour, and nothing came


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    at: datetime
    byte_count: int
    reason: str
    is_verified: bool


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """One row of the journal inside an operation, for Activity's before/after."""

    table: str
    row_id: int
    action: str  # insert, update, delete
    before: str  # for people, "" when none
    after: str
    words: str = ""  # what it is about and how it was and is, a line each; "" for what only belongs to another row
