"""Messages that a person moves to another conversation, with all that goes along: tool uses, sources of memories, references.

Runs in the caller's journalled write; knows no queue and no boundary. Source: UX 4.3 (split, join, drop on a card); DESIGN section
5: provenance names the conversation that holds the message.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select

from app.store.journal import Write, table_of
from app.store.slices import slices
from app.store.tables.core import (
    ConversationRow,
    MessageRow,
    ReferenceRow,
    ToolUseRow,
)
from app.store.tables.memory import MemorySourceRow
from app.understanding.conversations.derived import derive_conversation
from app.understanding.episodes.writing import retell_episodes

_message, _tool, _reference = table_of(MessageRow), table_of(ToolUseRow), table_of(ReferenceRow)
_source = table_of(MemorySourceRow)


def message_ids(write: Write, conversation_id: int, *, since_id: int = 0) -> list[int]:
    """The messages of a conversation from `since_id` on, oldest first."""
    statement = select(_message.c.id).where(_message.c.conversation_id == conversation_id, _message.c.id >= since_id)
    return list(write.connection.execute(statement.order_by(_message.c.id)).scalars().all())


def move_messages(write: Write, ids: Sequence[int], source_id: int, target_id: int, *, since: datetime | None) -> None:
    """Moves these messages and what belongs to them. `since` None: they are all that `source` had.

    A tool was used for the message before it, so that its uses at or after `since` go along.
    """
    for moved in ids:
        write.update(MessageRow, moved, {"conversation_id": target_id})
    tools = _tool.c.conversation_id == source_id
    _repoint(write, ToolUseRow, tools if since is None else tools & (_tool.c.at >= since), "conversation_id", target_id)
    if since is None:
        _repoint(write, MemorySourceRow, _source.c.conversation_id == source_id, "conversation_id", target_id)
        there = _reference.c.antecedent_conversation_id == source_id
        _repoint(write, ReferenceRow, there, "antecedent_conversation_id", target_id)
        _settle_questions(write, source_id, target_id)
    for some in slices(ids):
        moved_sources = _source.c.message_id.in_(some) & (_source.c.conversation_id == source_id)
        _repoint(write, MemorySourceRow, moved_sources, "conversation_id", target_id)
        there = _reference.c.antecedent_message_id.in_(some) & (_reference.c.antecedent_conversation_id == source_id)
        _repoint(write, ReferenceRow, there, "antecedent_conversation_id", target_id)
    _name_sources(write, target_id)
    retell_episodes(write, (source_id, target_id))


def _repoint(write: Write, row: type[Any], where: ColumnElement[bool], column: str, target_id: int) -> None:
    table = table_of(row)
    for row_id in write.connection.execute(select(table.c.id).where(where).order_by(table.c.id)).scalars().all():
        write.update(row, row_id, {column: target_id})


def _settle_questions(write: Write, source_id: int, target_id: int) -> None:
    """Open questions that offer to continue `source`: inside `target` they are answered, elsewhere they offer it."""
    asked = select(_message.c.id, _message.c.conversation_id).where(_message.c.continue_conversation_id == source_id)
    for row in write.connection.execute(asked).all():
        values: dict[str, Any] = {"continue_conversation_id": target_id}
        if row.conversation_id == target_id:
            values = {
                "is_start": False, "boundary_state": "corrected", "boundary_confidence": 1.0,
                "boundary_reason": "you joined it here", "continue_conversation_id": None,
            }  # fmt: skip
        write.update(MessageRow, row.id, values)


def _name_sources(write: Write, conversation_id: int) -> None:
    """Memories that were said here name the conversation as it is called now."""
    derive_conversation(write, conversation_id)  # one that was just made gets its title
    row = write.get(ConversationRow, conversation_id)
    title = row.title or row.auto_title
    other = (_source.c.conversation_id == conversation_id) & (_source.c.conversation_title != title)
    for source_id in write.connection.execute(select(_source.c.id).where(other)).scalars().all():
        write.update(MemorySourceRow, source_id, {"conversation_title": title})
