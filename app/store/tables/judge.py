"""What is kept of reading along: the meter, which prompts were read, and the ends of answers. Logged, never journalled.

The meter holds numbers and no second copy of any text. An answer's end goes with its message, whoever takes that away.
Source: JUDGE "The meter", DESIGN section 2.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Float, Integer, Text
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class JudgeRequestRow(TableRow, table=True):
    """One request to a judge, whatever came of it."""

    __tablename__ = "judge_request"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
    adapter: str
    app_id: int
    project_id: int
    state: str  # done, failed, refused
    error: str = ""
    message_count: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0
    money_usd: float | None = Field(sa_column=Column(Float, nullable=True), default=None)
    is_paid_by_key: bool = False
    memory_count: int = 0
    closed_count: int = 0
    dropped_count: int = 0
    operation_id: int | None = Field(sa_column=Column(Integer, nullable=True), default=None)


class JudgeResultRow(TableRow, table=True):
    """What came of a request, as numbers and counted reasons: which memories, and whose conversations it was about."""

    __tablename__ = "judge_result"
    request_id: int = Field(primary_key=True)
    model: str = ""
    conversation_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    remembered_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    closed_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    put_away_ids: list[int] = Field(sa_column=Column(JSON, nullable=False), default_factory=list)
    drop_reasons: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), default_factory=dict)


class JudgeTaskRow(TableRow, table=True):
    """What a request asked, where it was something else than what to remember; the failures of one do not stop the others."""

    __tablename__ = "judge_task"
    request_id: int = Field(primary_key=True)
    task: str


class JudgeReadingRow(TableRow, table=True):
    """This message was read in that request. Stays when the message goes: its number is given to no other."""

    __tablename__ = "judge_reading"
    message_id: int = Field(primary_key=True)
    request_id: int = Field(index=True)


class JudgePastRow(TableRow, table=True):
    """The prompt of this event, which has no message's number, was read in that request; with request 0 it never shall be."""

    __tablename__ = "judge_past"
    event_id: int = Field(primary_key=True)
    request_id: int = Field(index=True)


class AnswerEndRow(TableRow, table=True):
    """The last characters of what an assistant answered to a message, redacted."""

    __tablename__ = "answer_end"
    id: int | None = Field(default=None, primary_key=True)
    message_id: int = Field(unique=True)
    text: str = Field(sa_column=Column(Text, nullable=False), default="")


GONE_WITH_MESSAGE = (
    "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN DELETE FROM answer_end WHERE message_id = OLD.id; END"
)
