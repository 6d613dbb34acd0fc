"""Receipts: the record of every context that was handed out, kept for 30 days (setting). A log, never journalled.

A receipt holds the bytes that were sent; erasing a memory takes them out. Source: DESIGN section 4, S4 "Usage Tracker".
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, Text
from sqlmodel import Field

from app.store.types import Instant, TableRow


class ReceiptRow(TableRow, table=True):
    __tablename__ = "receipt"
    __table_args__ = (Index("ix_receipt_at", "at"), Index("ix_receipt_session", "app", "session", "id"))
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)
    app: str = ""
    project_id: int | None = Field(default=None, foreign_key="project.id")
    session: str = ""
    delivery: str = ""
    prompt_key: str = ""  # one assembly is shared by several hook entries of the same prompt
    activity: str = "general"
    signals: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=dict)
    text: str = Field(sa_column=Column(Text, nullable=False), default="")
    token_count: int = 0
    budget_tokens: int = 0
    tiers: list[Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    left_out: list[Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    warnings: list[str] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
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
    text: str = Field(sa_column=Column(Text, nullable=False), default="")
    token_count: int = 0
    score: float = 0.0
    reason: str = ""
    signals: list[Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    start: int = 0
    end: int = 0
    is_pinned: bool = False
    is_stale: bool = False
    usage: str = "retrieved"  # retrieved, cited, ignored
