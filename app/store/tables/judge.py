"""What is kept of reading along: the meter, which prompts were read, and the ends of answers. Logged, never journalled.

The meter holds numbers and no second copy of any text. An answer's end goes with its message, whoever takes that away.
Source: JUDGE "The meter", DESIGN section 2.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Integer
from sqlmodel import Field

from app.store.tables.types import TableRow, instant_column, json_column, text_column


class JudgeRequestRow(TableRow, table=True):
    """One request to a judge, whatever came of it."""

    __tablename__ = "judge_request"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = instant_column(index=True)
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
    conversation_ids: list[int] = json_column()
    remembered_ids: list[int] = json_column()
    closed_ids: list[int] = json_column()
    put_away_ids: list[int] = json_column()
    drop_reasons: dict[str, Any] = json_column(dict)


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
    text: str = text_column()


GONE_WITH_MESSAGE = (
    "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN DELETE FROM answer_end WHERE message_id = OLD.id; END"
)
