"""Receipts: the record of every context that was given, kept for 30 days (setting). A log, never journalled.

A receipt holds the bytes that were sent; erasing a memory takes them out. Source: DESIGN section 4, S4 "Usage Tracker".
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from app.store.tables.types import TableRow, instant_column, json_column, text_column


class ReceiptRow(TableRow, table=True):
    __tablename__ = "receipt"
    __table_args__ = (Index("ix_receipt_at", "at"), Index("ix_receipt_session", "app", "session", "id"))
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = instant_column()
    app: str = ""
    project_id: int | None = Field(default=None, foreign_key="project.id")
    session: str = ""
    delivery: str = ""
    prompt_key: str = ""  # one assembly is shared by several hook entries of the same prompt
    activity: str = "general"
    signals: dict[str, Any] = json_column(dict)
    text: str = text_column()
    token_count: int = 0
    budget_tokens: int = 0
    tiers: list[Any] = json_column()
    left_out: list[Any] = json_column()
    warnings: list[str] = json_column()
    took_ms: float = 0.0
    is_settled: bool = False  # every item has been found cited or ignored
    is_delivered: bool = True  # False: it came too late, or whoever asked had gone


class ReceiptItemRow(TableRow, table=True):
    """One line of a receipt. `memory_id` 0: a topic line or an open contradiction."""

    __tablename__ = "receipt_item"
    __table_args__ = (Index("ix_receipt_item_memory", "memory_id"),)
    id: int | None = Field(default=None, primary_key=True)
    receipt_id: int = Field(foreign_key="receipt.id", index=True)
    memory_id: int = 0
    revision: int = 0
    tier: str
    level: str
    title: str = ""
    text: str = text_column()
    token_count: int = 0
    score: float = 0.0
    reason: str = ""
    signals: list[Any] = json_column()
    start: int = 0
    end: int = 0
    is_pinned: bool = False
    is_stale: bool = False
    usage: str = "retrieved"  # retrieved, cited, ignored


class MessageBranchRow(TableRow, table=True):
    """The branch that a message was typed on. Stays while the message or a source of a memory does."""

    __tablename__ = "message_branch"
    __table_args__ = (Index("ix_message_branch_branch", "branch", "message_id"),)
    id: int | None = Field(default=None, primary_key=True)
    message_id: int = Field(unique=True)
    branch: str = ""


_WITH_MESSAGE = (
    "CREATE TRIGGER branch_gone AFTER DELETE ON message WHEN NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.id; END"
)
_WITH_SOURCE = (
    "CREATE TRIGGER branch_gone_with_source AFTER DELETE ON memory_source WHEN OLD.message_id IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM message WHERE id = OLD.message_id) "
    "AND NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.message_id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.message_id; END"
)
BRANCH_GONE = (_WITH_MESSAGE, _WITH_SOURCE)  # with the message, then with the last memory that was said in it


class CitationRow(TableRow, table=True):
    """What was said or done that took up a memory of a receipt: the first of each kind."""

    __tablename__ = "citation"
    __table_args__ = (Index("ix_citation_receipt", "receipt_id"), Index("ix_citation_memory", "memory_id", "at"))
    id: int | None = Field(default=None, primary_key=True)
    receipt_id: int
    memory_id: int
    at: datetime = instant_column()
    kind: str = ""  # prompt, answer, edit, command
    detail: str = ""  # the file or the command, redacted and short; "" for what was said
    is_followed: bool = False  # a rule that this shows as followed, not only its words taken up
