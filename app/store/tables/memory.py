"""The SQLModel tables of long-term memory. Names as DESIGN section 4 binds; the rest of the tables is in `tables`.

Canonical are memories, sources, versions, links, artifacts, chunks, contradictions. Tags and cuts beside the
memory, the waiting list of the search index and usage counters are derived or counted, never journalled.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, String, Text, text
from sqlmodel import Field, SQLModel

from app.store.tables.types import TableRow, after_create, instant_column, json_column, text_column


class MemoryRow(TableRow, table=True):
    """`slot_key` is subject, key and scope in one, "" without a slot; `text_key` the normalised full text's hash."""

    __tablename__ = "memory"
    __table_args__ = (
        Index("ix_memory_updated", "updated_at", "id"),
        Index("ix_memory_status", "status", "updated_at", "id"),
        Index("ix_memory_type", "type", "updated_at", "id"),
        Index("ix_memory_project", "project_id", "updated_at", "id"),
        Index("ix_memory_slot", "slot_key"),
        Index("ix_memory_text", "text_key"),
        Index("ix_memory_supersedes", "supersedes_id"),
        Index("ix_memory_recorded", "recorded_at", "kind", "worded_by"),
        Index(
            "ix_memory_episode", "project_id", "valid_from", sqlite_where=text("kind = 'episode' AND status = 'active'")
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    type: str = ""
    title: str = text_column()
    full: str = text_column()
    summary: str = text_column()
    compressed: str = text_column()
    index_text: str = text_column()
    full_tokens: int = 0
    summary_tokens: int = 0
    compressed_tokens: int = 0
    index_tokens: int = 0
    edited_levels: list[str] = json_column()
    subject: str = ""
    key: str = ""
    value: str = text_column()
    scope: str = ""
    slot_key: str = ""
    text_key: str = ""
    is_negated: bool = False
    details: dict[str, Any] = json_column(dict)
    tags: list[str] = json_column()
    category: str = ""
    importance: float = 0.5
    confidence: float = 0.8
    trust: int = 2
    status: str = "active"
    is_pinned: bool = False
    visibility: str = "user-private"
    user_id: str = ""
    project_id: int | None = Field(default=None, foreign_key="project.id")
    app_id: int | None = Field(default=None, foreign_key="app.id")
    valid_from: datetime = instant_column()
    valid_to: datetime | None = instant_column(nullable=True)
    recorded_at: datetime = instant_column()
    retired_at: datetime | None = instant_column(nullable=True)
    updated_at: datetime = instant_column()
    supersedes_id: int | None = None
    reason: str = text_column()
    revision: int = 1
    # counted, never journalled
    last_accessed_at: datetime | None = instant_column(nullable=True)
    retrieved_count: int = 0
    cited_count: int = 0
    ignored_count: int = 0
    # With defaults, for images that are older than these columns.
    worth: int | None = Field(sa_column=Column(Integer, nullable=True, default=None), default=None)  # 1..3, by a judge
    worded_by: str = Field(
        sa_column=Column(String, nullable=False, default="rules"), default="rules"
    )  # or person, an app
    closed_by_message_id: int | None = Field(sa_column=Column(Integer, nullable=True, default=None), default=None)
    given_level: str = Field(
        sa_column=Column(String, nullable=False, default="full"), default="full"
    )  # the longest form that is given unasked: full, summary, compressed


class MemorySourceRow(TableRow, table=True):
    """Where a memory was said. The quote outlives the message."""

    __tablename__ = "memory_source"
    __table_args__ = (Index("ix_memory_source_said", "message_id", "conversation_id", "memory_id"),)
    id: int | None = Field(default=None, primary_key=True)
    memory_id: int = Field(foreign_key="memory.id", index=True)
    message_id: int | None = None  # no foreign key: the message may leave first
    conversation_id: int | None = Field(default=None, index=True)
    conversation_title: str = ""
    app: str = ""
    at: datetime = instant_column()
    quote: str = text_column()
    start: int = 0
    end: int = 0


class MemoryVersionRow(TableRow, table=True):
    """A state as it was before a change; `state` holds every editable column."""

    __tablename__ = "memory_version"
    id: int | None = Field(default=None, primary_key=True)
    memory_id: int = Field(foreign_key="memory.id", index=True)
    number: int
    from_at: datetime = instant_column()
    until_at: datetime = instant_column()
    origin: str
    label: str = text_column()
    state: dict[str, Any] = json_column(dict)


class LinkRow(TableRow, table=True):
    __tablename__ = "link"
    __table_args__ = (Index("ix_link_from", "from_kind", "from_id"), Index("ix_link_to", "to_kind", "to_id"))
    id: int | None = Field(default=None, primary_key=True)
    from_kind: str  # memory, entity, conversation, file, rule
    from_id: int
    to_kind: str
    to_id: int
    to_name: str = ""  # of a file, which has no row
    type: str
    strength: float = 0.5
    created_at: datetime = instant_column()
    from_name: str = ""  # of a file
    reason: str = Field(sa_column=Column(Text, nullable=False, default=""), default="")
    origin: str = (
        ""  # person: drawn or accepted; run: found by a consolidation; "": kept at eviction, or older than this column
    )


class ContradictionRow(TableRow, table=True):
    __tablename__ = "contradiction"
    __table_args__ = (Index("ix_contradiction_a", "memory_a_id"), Index("ix_contradiction_b", "memory_b_id"))
    id: int | None = Field(default=None, primary_key=True)
    memory_a_id: int = Field(foreign_key="memory.id")  # the older
    memory_b_id: int = Field(foreign_key="memory.id")
    state: str = Field(default="open", index=True)  # open, resolved, dismissed
    resolution: str = ""  # a_wins, b_wins, both_valid, merged, dismissed
    resolution_note: str = text_column()
    reason: str = text_column()
    confidence: float = 0.8
    detected_at: datetime = instant_column()
    resolved_at: datetime | None = instant_column(nullable=True)
    # With defaults, for images that are older than these columns.
    kind: str = Field(sa_column=Column(String, nullable=False, default=""), default="")
    judged_by: str = Field(
        sa_column=Column(String, nullable=False, default="rules"), default="rules"
    )  # or a judge's name
    holds: str = Field(sa_column=Column(String, nullable=False, default=""), default="")  # a, b, both; "" = nobody said
    resolved_by: str = Field(
        sa_column=Column(String, nullable=False, default=""), default=""
    )  # person, text, a judge's name


class ArtifactRow(TableRow, table=True):
    __tablename__ = "artifact"
    id: int | None = Field(default=None, primary_key=True)
    memory_id: int = Field(foreign_key="memory.id", index=True)
    kind: str  # commit, pr, adr, file
    reference: str = Field(index=True)


class ChunkRow(TableRow, table=True):
    """Older messages of a long conversation, summed up [S3]. The messages themselves stay."""

    __tablename__ = "chunk"
    id: int | None = Field(default=None, primary_key=True)
    conversation_id: int = Field(foreign_key="conversation.id", index=True)
    number: int
    first_message_id: int
    last_message_id: int
    message_count: int
    summary: str = text_column()
    topics: list[str] = json_column()
    token_count: int = 0
    created_at: datetime = instant_column()
    is_merged: bool = False


class MemoryTagRow(TableRow, table=True):
    """Derived from `memory.tags`, for filters and facets."""

    __tablename__ = "memory_tag"
    memory_id: int = Field(primary_key=True)
    tag: str = Field(primary_key=True, index=True)


class MemoryCutRow(TableRow, table=True):
    """Derived: what a memory is ranked by and what its lines cost, worked out once. It holds for one revision and one form.

    Its place is that of its first source, kept in step by triggers, whoever writes a source. Column names that no other table
    has, so that it can be joined as it is.
    """

    __tablename__ = "memory_cut"
    memory_id: int = Field(primary_key=True)
    cut_revision: int
    cut_form: int
    stems: str = text_column()  # a space between two
    speaker: str = ""  # stem of who says it
    full_line: int = 0  # tokens of the level as a line of a context, without its number
    summary_line: int = 0
    compressed_line: int = 0
    index_line: int = 0
    place_conversation_id: int | None = None
    place_message_id: int | None = None


_PLACE = (
    "UPDATE memory_cut SET (place_conversation_id, place_message_id) = (SELECT conversation_id, message_id "
    "FROM memory_source WHERE memory_source.memory_id = memory_cut.memory_id ORDER BY id LIMIT 1) WHERE memory_id"
)
for _name, _when, _whose in (
    ("added", "INSERT", "= NEW.memory_id"),
    ("moved", "UPDATE", "IN (OLD.memory_id, NEW.memory_id)"),
    ("gone", "DELETE", "= OLD.memory_id"),
):
    after_create(
        MemorySourceRow,
        f"CREATE TRIGGER memory_place_{_name} AFTER {_when} ON memory_source BEGIN {_PLACE} {_whose}; END",
    )


class UsageEventRow(TableRow, table=True):
    """One use of a memory: retrieved, cited, ignored. Counted, never journalled."""

    __tablename__ = "usage_event"
    __table_args__ = (
        Index("ix_usage_memory", "memory_id", "at"),
        Index("ix_usage_kind", "kind", "at", "receipt_id"),
        Index("ix_usage_cited", "at", sqlite_where=text("kind = 'cited'")),
    )
    id: int | None = Field(default=None, primary_key=True)
    memory_id: int = Field(foreign_key="memory.id")
    at: datetime = instant_column()
    kind: str
    receipt_id: int | None = None


class IndexWaitRow(TableRow, table=True):
    """Memories changed in the store and not yet in the search index; written in the change's own transaction."""

    __tablename__ = "index_wait"
    seq: int | None = Field(default=None, primary_key=True)
    memory_id: int


MEMORY_TABLES: tuple[type[SQLModel], ...] = (
    MemoryRow,
    MemorySourceRow,
    MemoryVersionRow,
    LinkRow,
    ContradictionRow,
    ArtifactRow,
    ChunkRow,
)
