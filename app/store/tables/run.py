"""What is kept of consolidation: its runs, and the actions that each proposed. Logged, never journalled.

What an action did is in the journal, in an operation of its own; here stands why it was proposed and what became of it. No column
but `text` holds words of a person. Source: DESIGN section 4 "Run, Action".
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, Text
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


def _instant(*, nullable: bool = False) -> Any:
    return Field(sa_column=Column(Instant, nullable=nullable), default=None)


def _json(default: Any = list) -> Any:
    return Field(sa_column=Column(JSON, nullable=False), default_factory=default)


class RunRow(TableRow, table=True):
    """`mark` is the newest operation of the journal that it had seen when it read the store; the next one begins there."""

    __tablename__ = "run"
    id: int | None = Field(default=None, primary_key=True)
    trigger: str  # button, events, hours, night, api, preview
    state: str  # planning, planned, applying, paused, done, stopped, failed
    started_at: datetime = _instant()
    finished_at: datetime | None = _instant(nullable=True)
    mark: int = 0
    operation_id: int | None = None  # the first of its group in the journal
    problem: str = ""
    seconds: float = 0.0
    figures: dict[str, Any] = _json(dict)  # what steps counted beside their actions


class ActionRow(TableRow, table=True):
    """One thing that a step proposed. `data` holds numbers and names of levels only, `text` a new wording if there is one."""

    __tablename__ = "action"
    __table_args__ = (Index("ix_action_run", "run_id", "id"), Index("ix_action_key", "key"))
    id: int | None = Field(default=None, primary_key=True)
    run_id: int
    step: str
    kind: str
    state: str  # proposed, applied, rejected, undone
    memory_ids: list[int] = _json()
    key: str = ""  # what it would do to memories as they stood then: the same is not proposed twice against a no
    why: str = ""
    text: str = Field(sa_column=Column(Text, nullable=False), default="")
    data: dict[str, Any] = _json(dict)
    saved_tokens: int = 0
    confidence: float = 1.0
    is_sure: bool = True
    is_decided: bool = False  # by the person
    note: str = ""  # why it was not applied
    operation_id: int | None = None
