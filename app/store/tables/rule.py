"""Learned rules: the knowledge graph of [S1] beside the memories. What a person made (exclusions, always/never, searches) is `RuleRow`.

A row holds no words of a message but those of the shipped lists, and knows from which conversations it was learned, so that none
counts twice and an erased one takes along what only it taught. Source: S1 Tier 2, DESIGN section 4.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, Text
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class LearnedRuleRow(TableRow, table=True):
    __tablename__ = "learned_rule"
    __table_args__ = (Index("ix_learned_rule_pattern", "kind", "pattern"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    pattern: str = Field(sa_column=Column(Text, nullable=False), default="")
    details: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=dict)
    confidence: float = 0.6
    seen_count: int = 1
    first_seen_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)
    # when a conversation last taught it: runs since then are idle ones
    last_seen_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)
    is_on: bool = True
    is_edited: bool = False
    project_id: int | None = Field(default=None, foreign_key="project.id")
    conversation_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    changed_count: int = 0  # counted, never journalled
