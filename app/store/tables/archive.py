"""The prompt archive: prompts whose conversation left the queue, kept by the person's choice; and what its index has to take in.

A row bears its message's number, which is given to no other, so a hit, a source and an erase mean the same thing before and after.
The text is redacted and without pasted code; it is searched, never understood again. The waiting list is fed by triggers, so that
it holds for every writer: eviction, undo, erase. Source: issue 16 point 13, DESIGN section 2.
"""

from datetime import datetime

from sqlalchemy import DDL, Column, Index, event
from sqlmodel import Field

from app.store.tables.types import Instant, PackedText, TableRow


class ArchivedPromptRow(TableRow, table=True):
    __tablename__ = "archived_prompt"
    __table_args__ = (
        Index("ix_archived_prompt_conversation", "conversation_id"),
        Index("ix_archived_prompt_stream", "stream_id", "at"),
    )
    id: int | None = Field(default=None, primary_key=True)  # the message's
    conversation_id: int
    stream_id: int
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
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
for _statement in TRIGGERS:
    _trigger = DDL(_statement).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
    event.listen(ArchivedPromptRow.__table__, "after_create", _trigger)  # type: ignore[attr-defined]
