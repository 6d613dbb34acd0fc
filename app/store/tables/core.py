"""The SQLModel tables, named as DESIGN section 4 binds. Rows never leave store and flows.

`DERIVED` names columns that are a function of other rows: never journalled, rebuilt by
`understanding.conversations.derived`. Everything else is canonical and passes the journal.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import DDL, JSON, Column, Index, String, Text, UniqueConstraint, event
from sqlmodel import Field, SQLModel

from app.store.embeddings import EMBEDDING_GONE
from app.store.tables.archive import ArchivedPromptRow
from app.store.tables.context import BRANCH_GONE, CitationRow, MessageBranchRow, ReceiptItemRow, ReceiptRow
from app.store.tables.energy import EnergyEntryRow
from app.store.tables.graph import GRAPH_TABLES
from app.store.tables.judge import (
    GONE_WITH_MESSAGE,
    AnswerEndRow,
    JudgePastRow,
    JudgeReadingRow,
    JudgeRequestRow,
    JudgeResultRow,
    JudgeTaskRow,
)
from app.store.tables.memory import MEMORY_TABLES, MemoryRow, MemorySourceRow
from app.store.tables.note import NoteChoiceRow, NoteLogRow, NoteRow
from app.store.tables.pair import PAIR_GONE, PairCheckRow
from app.store.tables.rule import LearnedRuleRow
from app.store.tables.run import ActionRow, RunRow
from app.store.tables.sketch import SKETCH_CHANGED, SKETCH_GONE, SketchRow
from app.store.tables.types import Instant, TableRow

SCHEMA_VERSION = 26


def _instant(*, nullable: bool = False, index: bool = False) -> Any:
    return Field(sa_column=Column(Instant, nullable=nullable, index=index), default=None)


def _json(default: Any = list) -> Any:
    return Field(sa_column=Column(JSON, nullable=False), default_factory=default)


def _text(default: str = "") -> Any:
    return Field(sa_column=Column(Text, nullable=False), default=default)


class MetaRow(TableRow, table=True):
    __tablename__ = "meta"
    name: str = Field(primary_key=True)
    value: str


class AppRow(TableRow, table=True):
    __tablename__ = "app"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    title: str
    token_hash: str = ""
    scopes: list[str] = _json()
    is_paused: bool = False
    paused_until: datetime | None = _instant(nullable=True)
    keeps_answers: bool = False
    created_at: datetime = _instant()
    last_seen_at: datetime | None = _instant(nullable=True)
    is_revoked: bool = False
    # Folders of those that its token is bound to; none: all. With a default, for images that are older than the column.
    projects: list[str] = Field(sa_column=Column(JSON, nullable=False, default=list), default_factory=list)


class ProjectRow(TableRow, table=True):
    __tablename__ = "project"
    id: int | None = Field(default=None, primary_key=True)
    path: str = Field(unique=True)
    name: str


class StreamRow(TableRow, table=True):
    __tablename__ = "stream"
    __table_args__ = (UniqueConstraint("app_id", "project_id", "session"),)
    id: int | None = Field(default=None, primary_key=True)
    app_id: int = Field(foreign_key="app.id")
    project_id: int = Field(foreign_key="project.id")
    session: str
    git_branch: str = ""
    started_at: datetime = _instant()
    ended_at: datetime | None = _instant(nullable=True)


class EventRow(TableRow, table=True):
    """The inbox. The payload is dropped once the event is done."""

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("app_id", "key"),
        Index("ix_event_state", "state", "id"),
        Index("ix_event_session", "session", "text_hash"),
    )
    id: int | None = Field(default=None, primary_key=True)
    app_id: int = Field(foreign_key="app.id")
    key: str
    kind: str
    state: str
    session: str = ""
    text_hash: str = ""
    at: datetime = _instant()
    received_at: datetime = _instant()
    payload: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True), nullable=True), default=None)
    error: str = ""
    attempt_count: int = 0
    message_id: int | None = None
    is_imported: bool = False


class ConversationRow(TableRow, table=True):
    __tablename__ = "conversation"
    __table_args__ = (Index("ix_conversation_queue", "state", "queue_key"),)
    id: int | None = Field(default=None, primary_key=True)
    stream_id: int = Field(foreign_key="stream.id", index=True)
    queue_key: int = Field(sa_column=Column(Instant.impl, nullable=False))
    title: str = ""
    is_title_edited: bool = False
    state: str = "active"
    outcome: str | None = None
    is_outcome_edited: bool = False
    merged_into_id: int | None = None
    started_at: datetime = _instant()
    ended_at: datetime | None = _instant(nullable=True)
    # derived from here on
    auto_title: str = ""
    auto_outcome: str | None = None
    outcome_reason: str = ""
    last_message_at: datetime | None = _instant(nullable=True)
    message_count: int = 0
    topics: list[str] = _json()
    intents: list[str] = _json()
    files: list[str] = _json()
    related_ids: list[int] = _json()
    # With defaults, for images that are older than these columns.
    summary: str | None = Field(sa_column=Column(Text, nullable=True, default=None), default=None)
    summary_by: str | None = Field(sa_column=Column(String, nullable=True, default=None), default=None)  # an app
    distilled: dict[str, Any] | None = Field(  # what its assistant wrote of the work; goes with the text
        sa_column=Column(JSON(none_as_null=True), nullable=True, default=None), default=None
    )


class MessageRow(TableRow, table=True):
    __tablename__ = "message"
    __table_args__ = (Index("ix_message_conversation", "conversation_id", "id"),)
    id: int | None = Field(default=None, primary_key=True)
    conversation_id: int = Field(foreign_key="conversation.id")
    stream_id: int = Field(foreign_key="stream.id", index=True)
    event_id: int | None = None
    at: datetime = _instant()
    speaker: str = "user"
    text: str = _text()
    expanded_text: str | None = Field(sa_column=Column(Text, nullable=True), default=None)  # None = same as text
    intents: list[Any] = _json()  # [intent, confidence, reason]
    is_intent_corrected: bool = False
    is_start: bool = False
    boundary_state: str = "decided"
    boundary_confidence: float = 0.0
    boundary_reason: str = ""
    boundary_factors: list[Any] = _json()
    continue_conversation_id: int | None = None  # the other choice while asked
    redaction_count: int = 0
    is_imported: bool = False
    is_out_of_window: bool = False


_gone = DDL(GONE_WITH_MESSAGE).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
event.listen(MessageRow.__table__, "after_create", _gone)  # type: ignore[attr-defined]
for _trigger in (SKETCH_GONE, SKETCH_CHANGED):
    _followed = DDL(_trigger).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
    event.listen(MemorySourceRow.__table__, "after_create", _followed)  # type: ignore[attr-defined]
for _made, _listened in zip(BRANCH_GONE, (MessageRow, MemorySourceRow), strict=True):
    _made_trigger = DDL(_made).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
    event.listen(_listened.__table__, "after_create", _made_trigger)  # type: ignore[attr-defined]


for _with_memory in (PAIR_GONE, *EMBEDDING_GONE):
    _made_with = DDL(_with_memory).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
    event.listen(MemoryRow.__table__, "after_create", _made_with)  # type: ignore[attr-defined]


class EntityRow(TableRow, table=True):
    __tablename__ = "entity"
    id: int | None = Field(default=None, primary_key=True)
    canonical: str = Field(unique=True)
    kind: str
    name: str


class MentionRow(TableRow, table=True):
    __tablename__ = "mention"
    id: int | None = Field(default=None, primary_key=True)
    message_id: int = Field(foreign_key="message.id", index=True)
    entity_id: int = Field(foreign_key="entity.id")
    text: str
    kind: str
    start: int
    end: int
    confidence: float
    head: str = ""
    is_plural: bool = False


class ReferenceRow(TableRow, table=True):
    __tablename__ = "reference"
    id: int | None = Field(default=None, primary_key=True)
    message_id: int = Field(foreign_key="message.id", index=True)
    mention: str
    start: int
    end: int
    kind: str
    state: str
    antecedent: str | None = None
    confidence: float
    reason: str
    antecedent_message_id: int | None = None
    antecedent_conversation_id: int | None = None
    candidates: list[Any] = _json()


class ToolUseRow(TableRow, table=True):
    """What a tool did while a conversation was active: files, commands, exit status, the line that named an error."""

    __tablename__ = "tool_use"
    id: int | None = Field(default=None, primary_key=True)
    conversation_id: int = Field(foreign_key="conversation.id", index=True)
    at: datetime = _instant()
    tool: str
    file: str = ""
    command: str = ""
    exit_status: int | None = None
    is_error: bool = False
    error: str = ""


class RuleRow(TableRow, table=True):
    """Something learned from a person's answer: an intent example, a boundary answer."""

    __tablename__ = "rule"
    id: int | None = Field(default=None, primary_key=True)
    kind: str = Field(index=True)
    pattern: str = _text()
    data: dict[str, Any] = _json(dict)
    confidence: float = 0.6
    learned_from: int = 1
    created_at: datetime = _instant()


class SettingRow(TableRow, table=True):
    __tablename__ = "setting"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    value: Any = _json(lambda: None)


class OperationRow(TableRow, table=True):
    __tablename__ = "operation"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = _instant(index=True)
    origin: str
    kind: str
    label: str
    undoes_id: int | None = None
    undone_by_id: int | None = None
    group_id: int | None = Field(default=None, index=True)  # first operation of a long act done in many transactions
    is_undoable: bool = True
    conversation_id: int | None = None
    message_id: int | None = None
    change_count: int = 0
    app: str = ""  # that did it; "" for the person and the engine
    need: str = "person"  # what taking it back takes (`app.journal_rights`)


class ChangeRow(TableRow, table=True):
    """The journal: one row changed, with before image (update, delete) and after image (update)."""

    __tablename__ = "change"
    __table_args__ = (Index("ix_change_row", "table_name", "row_id"),)
    seq: int | None = Field(default=None, primary_key=True)
    operation_id: int = Field(foreign_key="operation.id", index=True)
    table: str = Field(sa_column=Column("table_name", Text, nullable=False))
    row_id: int
    action: str
    before: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True), nullable=True), default=None)
    after: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True), nullable=True), default=None)


DERIVED: dict[str, frozenset[str]] = {
    "conversation": frozenset(
        {
            "auto_title",
            "auto_outcome",
            "outcome_reason",
            "last_message_at",
            "message_count",
            "topics",
            "intents",
            "files",
            "related_ids",
        }
    ),
    "app": frozenset({"last_seen_at"}),
    "learned_rule": frozenset({"changed_count"}),
    "memory": frozenset({"last_accessed_at", "retrieved_count", "cited_count", "ignored_count", "revision"}),
}

_JOURNALLED_ROWS: tuple[type[SQLModel], ...] = (
    AppRow,
    ProjectRow,
    StreamRow,
    EventRow,
    ConversationRow,
    MessageRow,
    EntityRow,
    MentionRow,
    ReferenceRow,
    ToolUseRow,
    RuleRow,
    SettingRow,
    ArchivedPromptRow,
    LearnedRuleRow,
    NoteRow,
    NoteChoiceRow,
    *GRAPH_TABLES,
    *MEMORY_TABLES,
)
JOURNALLED: dict[str, type[SQLModel]] = {str(row.__tablename__): row for row in _JOURNALLED_ROWS}

LOGGED = (
    ReceiptRow,
    ReceiptItemRow,
    JudgeRequestRow,
    JudgeResultRow,
    JudgeTaskRow,
    JudgeReadingRow,
    JudgePastRow,
    AnswerEndRow,
    SketchRow,
    PairCheckRow,
    MessageBranchRow,
    CitationRow,
    EnergyEntryRow,
    RunRow,
    ActionRow,
    NoteLogRow,
)  # kept for a while, never journalled
