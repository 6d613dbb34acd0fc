"""Notes: at most ten short records per app, made when a conversation ends, and what became of them.

A note is the person's as a memory is: journalled, undone, erased. The log beside it holds numbers, and the reason of a compaction,
which may quote; erasing reaches both. Source: S5 "Data Model".
"""

from datetime import datetime

from sqlalchemy import JSON, Column, Index, Integer, Text
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class NoteRow(TableRow, table=True):
    """Not the table of S5 by name, but each of its columns: `metadata` is importance, tags and related conversations."""

    __tablename__ = "note"
    __table_args__ = (Index("ix_note_app", "app_id", "updated_at"),)
    id: int | None = Field(default=None, primary_key=True)
    app_id: int
    project_id: int | None = Field(sa_column=Column(Integer, nullable=True, index=True), default=None)
    content: str = Field(sa_column=Column(Text, nullable=False), default="")
    created_at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
    updated_at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
    conversation_id: int | None = Field(sa_column=Column(Integer, nullable=True, index=True), default=None)
    importance: float = 0.5  # 0..1
    tags: list[str] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    related_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)  # conversations
    worded_by: str = "rules"  # rules, person, or who reads along
    memory_id: int | None = Field(sa_column=Column(Integer, nullable=True), default=None)  # it was promoted to


class NoteLogRow(TableRow, table=True):
    """One thing that happened to notes: created, compacted, given, failed, or a conversation that had none to make."""

    __tablename__ = "note_log"
    __table_args__ = (Index("ix_note_log_conversation", "conversation_id", "message_id"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
    kind: str  # created, compacted, given, failed, none
    app_id: int
    conversation_id: int = 0
    message_id: int = 0  # the last of the conversation that was read for it
    note_id: int = 0
    note_count: int = 0  # of a context: how many were given
    session: str = ""
    action: str = ""  # of a compaction: delete, edit, fifo; of a failure: its kind
    reason: str = Field(sa_column=Column(Text, nullable=False), default="")


class NoteChoiceRow(TableRow, table=True):
    """For how long notes of an app are kept; no row: until they are deleted."""

    __tablename__ = "note_choice"
    id: int | None = Field(default=None, primary_key=True)  # the app's
    days: int
