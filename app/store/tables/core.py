"""The SQLModel tables, named as DESIGN section 4 binds, but for those of memories, contexts and the judge, which are beside.

Rows never leave store and flows. `DERIVED` names columns that are a function of other rows: they are never journalled, and
`understanding.conversations.derived` makes them again. Runs, actions, the ledger of energy and the log of notes are logs: not
journalled either. All else is canonical and passes the journal.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.store.embeddings import EMBEDDING_GONE
from app.store.tables.context import BRANCH_GONE, CitationRow, MessageBranchRow, ReceiptItemRow, ReceiptRow
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
from app.store.tables.types import Instant, PackedText, TableRow, after_create, instant_column, json_column, text_column


class RunRow(TableRow, table=True):
    """`mark` is the newest operation of the journal that it had seen when it read the store; the next one begins there."""

    __tablename__ = "run"
    id: int | None = Field(default=None, primary_key=True)
    trigger: str  # button, events, hours, night, api, preview
    state: str  # planning, planned, applying, paused, done, stopped, failed
    started_at: datetime = instant_column()
    finished_at: datetime | None = instant_column(nullable=True)
    mark: int = 0
    operation_id: int | None = None  # the first of its group in the journal
    problem: str = ""
    seconds: float = 0.0
    figures: dict[str, Any] = json_column(dict)  # what steps counted beside their actions


class ActionRow(TableRow, table=True):
    """One thing that a step proposed. `data` holds numbers and names of levels only, `text` a new wording if there is one."""

    __tablename__ = "action"
    __table_args__ = (Index("ix_action_run", "run_id", "id"), Index("ix_action_key", "key"))
    id: int | None = Field(default=None, primary_key=True)
    run_id: int
    step: str
    kind: str
    state: str  # proposed, applied, rejected, undone
    memory_ids: list[int] = json_column()
    key: str = ""  # what it would do to memories as they stood then: the same is not proposed twice against a no
    why: str = ""
    text: str = text_column()
    data: dict[str, Any] = json_column(dict)
    saved_tokens: int = 0
    confidence: float = 1.0
    is_sure: bool = True
    is_decided: bool = False  # by the person
    note: str = ""  # why it was not applied
    operation_id: int | None = None


class LinkVerdictRow(TableRow, table=True):
    """What a person said about one link, which may be derived and so have no row of its own. The smaller end is `a`."""

    __tablename__ = "link_verdict"
    __table_args__ = (Index("ix_link_verdict_a", "a_kind", "a_id"), Index("ix_link_verdict_b", "b_kind", "b_id"))
    id: int | None = Field(default=None, primary_key=True)
    a_kind: str
    a_id: int
    a_name: str = ""  # of a file, which has no row
    b_kind: str
    b_id: int
    b_name: str = ""
    type: str  # a relation, or same_as for two names
    basis: str = ""  # how it was found: similar, same_entity, cause, fix, name …
    is_accepted: bool
    created_at: datetime = instant_column()


class EntityAliasRow(TableRow, table=True):
    """A name that was merged into an entity: whoever says it again means that one."""

    __tablename__ = "entity_alias"
    __table_args__ = (Index("ix_entity_alias_entity", "entity_id"),)
    id: int | None = Field(default=None, primary_key=True)
    canonical: str = Field(unique=True)
    kind: str
    name: str
    entity_id: int
    created_at: datetime = instant_column()


class GraphPinRow(TableRow, table=True):
    """Where a person put a node, in lengths of a link: in parts of the graph, or on the map, which has places of its own."""

    __tablename__ = "graph_pin"
    __table_args__ = (Index("ix_graph_pin_node", "kind", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    number: int
    name: str = ""  # of a file
    x: float
    y: float
    is_on_map: bool = Field(sa_column=Column(Boolean, nullable=False, default=False), default=False)  # for older images


GRAPH_TABLES = (LinkVerdictRow, EntityAliasRow, GraphPinRow)


class NoteRow(TableRow, table=True):
    """Not the table of S5 by name, but each of its columns: `metadata` is importance, tags and related conversations."""

    __tablename__ = "note"
    __table_args__ = (Index("ix_note_app", "app_id", "updated_at"),)
    id: int | None = Field(default=None, primary_key=True)
    app_id: int
    project_id: int | None = Field(sa_column=Column(Integer, nullable=True, index=True), default=None)
    content: str = text_column()
    created_at: datetime = instant_column(index=True)
    updated_at: datetime = instant_column(index=True)
    conversation_id: int | None = Field(sa_column=Column(Integer, nullable=True, index=True), default=None)
    importance: float = 0.5  # 0..1
    tags: list[str] = json_column()
    related_ids: list[int] = json_column()  # conversations
    worded_by: str = "rules"  # rules, person, or who reads along
    memory_id: int | None = Field(sa_column=Column(Integer, nullable=True), default=None)  # it was promoted to


class NoteLogRow(TableRow, table=True):
    """One thing that happened to notes: created, compacted, given, failed, or a conversation that had none to make."""

    __tablename__ = "note_log"
    __table_args__ = (Index("ix_note_log_conversation", "conversation_id", "message_id"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = instant_column(index=True)
    kind: str  # created, compacted, given, failed, none
    app_id: int
    conversation_id: int = 0
    message_id: int = 0  # the last of the conversation that was read for it
    note_id: int = 0
    note_count: int = 0  # of a context: how many were given
    session: str = ""
    action: str = ""  # of a compaction: delete, edit, fifo; of a failure: its kind
    reason: str = text_column()


class NoteChoiceRow(TableRow, table=True):
    """For how long notes of an app are kept; no row: until they are deleted."""

    __tablename__ = "note_choice"
    id: int | None = Field(default=None, primary_key=True)  # the app's
    days: int


class ArchivedPromptRow(TableRow, table=True):
    __tablename__ = "archived_prompt"
    __table_args__ = (
        Index("ix_archived_prompt_conversation", "conversation_id"),
        Index("ix_archived_prompt_stream", "stream_id", "at"),
    )
    id: int | None = Field(default=None, primary_key=True)  # the message's
    conversation_id: int
    stream_id: int
    at: datetime = instant_column(index=True)
    is_imported: bool = False
    text: str = Field(sa_column=Column(PackedText, nullable=False), default="")


class ArchiveWaitRow(TableRow, table=True):
    """A prompt that came, changed or went since the index took it in."""

    __tablename__ = "archive_wait"
    seq: int | None = Field(default=None, primary_key=True)
    prompt_id: int


TRIGGERS = tuple(
    f"CREATE TRIGGER archived_prompt_{name} AFTER {act} ON archived_prompt BEGIN "  # noqa: S608 (our own words)
    f"INSERT INTO archive_wait (prompt_id) VALUES ({row}.id); END"
    for name, act, row in (("came", "INSERT", "NEW"), ("changed", "UPDATE OF text", "NEW"), ("went", "DELETE", "OLD"))
)
after_create(ArchivedPromptRow, *TRIGGERS)


class PairCheckRow(TableRow, table=True):
    """A pair to compare; `a` is the older memory. Pairs that wait are not shown."""

    __tablename__ = "pair_check"
    __table_args__ = (
        UniqueConstraint("memory_a_id", "memory_b_id"),
        Index("ix_pair_check_b", "memory_b_id"),
        Index("ix_pair_check_state", "state", "id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    memory_a_id: int
    memory_b_id: int
    a_key: str  # `memory.text_key` of the text that was judged
    b_key: str
    state: str  # waiting, judged
    verdict: str = ""  # contradict, compatible, duplicate, refines
    kind: str = ""
    holds: str = ""  # a, b, both
    why: str = text_column()
    confidence: float = 0.0
    judged_by: str = ""  # rules, or the name of the judge
    found_at: datetime = instant_column()
    judged_at: datetime | None = instant_column(nullable=True)
    merged: str = text_column()  # one text for both, "" where none was proposed


PAIR_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


class SketchRow(TableRow, table=True):
    """One sentence that was a candidate for a memory. `stream_id`: the session in which it was said."""

    __tablename__ = "sketch"
    source_id: int = Field(primary_key=True)
    stream_id: int = Field(index=True)
    project_id: int = Field(index=True)  # 0: none
    stems: str = text_column()  # hexadecimal, sorted, with spaces between
    marks: str = text_column()  # the same of negations, numbers and names


SKETCH_GONE = (
    "CREATE TRIGGER source_gone AFTER DELETE ON memory_source BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)
SKETCH_CHANGED = (
    "CREATE TRIGGER source_rewritten AFTER UPDATE OF quote ON memory_source WHEN NEW.quote IS NOT OLD.quote "
    "BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)


class EnergyEntryRow(TableRow, table=True):
    """One piece of work that is over, or with a reason in `put_off` one that was not begun."""

    __tablename__ = "energy_entry"
    __table_args__ = (Index("ix_energy_entry_work", "work", "at"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = instant_column(index=True)
    work: str
    units: float = 0.0
    level: float = 0.0  # of the store of energy, after it
    cpu_s: float = 0.0
    token_count: int = 0
    put_off: str = ""  # battery, load, energy


class LearnedRuleRow(TableRow, table=True):
    __tablename__ = "learned_rule"
    __table_args__ = (Index("ix_learned_rule_pattern", "kind", "pattern"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    pattern: str = text_column()
    details: dict[str, Any] = json_column(dict)
    confidence: float = 0.6
    seen_count: int = 1
    first_seen_at: datetime = instant_column()
    # when a conversation last taught it: runs since then are idle ones
    last_seen_at: datetime = instant_column()
    is_on: bool = True
    is_edited: bool = False
    project_id: int | None = Field(default=None, foreign_key="project.id")
    conversation_ids: list[int] = json_column()
    changed_count: int = 0  # counted, never journalled


SCHEMA_VERSION = 27


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
    scopes: list[str] = json_column()
    is_paused: bool = False
    paused_until: datetime | None = instant_column(nullable=True)
    keeps_answers: bool = False
    created_at: datetime = instant_column()
    last_seen_at: datetime | None = instant_column(nullable=True)
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
    started_at: datetime = instant_column()
    ended_at: datetime | None = instant_column(nullable=True)


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
    at: datetime = instant_column()
    received_at: datetime = instant_column()
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
    started_at: datetime = instant_column()
    ended_at: datetime | None = instant_column(nullable=True)
    # derived from here on
    auto_title: str = ""
    auto_outcome: str | None = None
    outcome_reason: str = ""
    last_message_at: datetime | None = instant_column(nullable=True)
    message_count: int = 0
    topics: list[str] = json_column()
    intents: list[str] = json_column()
    files: list[str] = json_column()
    related_ids: list[int] = json_column()
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
    at: datetime = instant_column()
    speaker: str = "user"
    text: str = text_column()
    expanded_text: str | None = Field(sa_column=Column(Text, nullable=True), default=None)  # None = same as text
    intents: list[Any] = json_column()  # [intent, confidence, reason]
    is_intent_corrected: bool = False
    is_start: bool = False
    boundary_state: str = "decided"
    boundary_confidence: float = 0.0
    boundary_reason: str = ""
    boundary_factors: list[Any] = json_column()
    continue_conversation_id: int | None = None  # the other choice while asked
    redaction_count: int = 0
    is_imported: bool = False
    is_out_of_window: bool = False


after_create(MessageRow, GONE_WITH_MESSAGE, BRANCH_GONE[0])
after_create(MemorySourceRow, SKETCH_GONE, SKETCH_CHANGED, BRANCH_GONE[1])
after_create(MemoryRow, PAIR_GONE, *EMBEDDING_GONE)


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
    candidates: list[Any] = json_column()


class ToolUseRow(TableRow, table=True):
    """What a tool did while a conversation was active: files, commands, exit status, the line that named an error."""

    __tablename__ = "tool_use"
    id: int | None = Field(default=None, primary_key=True)
    conversation_id: int = Field(foreign_key="conversation.id", index=True)
    at: datetime = instant_column()
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
    pattern: str = text_column()
    data: dict[str, Any] = json_column(dict)
    confidence: float = 0.6
    learned_from: int = 1
    created_at: datetime = instant_column()


class SettingRow(TableRow, table=True):
    __tablename__ = "setting"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    value: Any = json_column(lambda: None)


class OperationRow(TableRow, table=True):
    __tablename__ = "operation"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = instant_column(index=True)
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
