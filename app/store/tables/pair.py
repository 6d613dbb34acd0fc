"""Pairs of memories that may contradict each other: those that wait for a verdict, and the verdicts as they fell.

Logged, never journalled: a verdict is worked out from the two texts and can be asked for again. It holds for the texts of which it
holds the hashes, and goes with either memory, whoever takes that away. Source: S4 `llm.judge(prompt, cache_key)`.
"""

from datetime import datetime

from sqlalchemy import Column, Index, Text, UniqueConstraint
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class PairCheckRow(TableRow, table=True):
    """`a` is the older memory. Nobody sees a pair that waits."""

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
    why: str = Field(sa_column=Column(Text, nullable=False), default="")
    confidence: float = 0.0
    judged_by: str = ""  # rules, or the name of the judge
    found_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)
    judged_at: datetime | None = Field(sa_column=Column(Instant, nullable=True), default=None)
    merged: str = Field(
        sa_column=Column(Text, nullable=False), default=""
    )  # one text for both, "" where none was proposed


PAIR_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)
