"""Version 12: a conversation has a summary, and what its assistant wrote of the work while it is in the queue.

The table is written anew, because a column that is added to a table never reads as one that it was made with. Blind to today's
tables, as every step is. Source: DESIGN section 5 "distil".
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, text

from app.store.migrations.columns import create_table

_CONVERSATION = (
    "id:int stream_id:int queue_key:at title:str is_title_edited:bool state:str outcome:str? is_outcome_edited:bool "
    "merged_into_id:int? started_at:at ended_at:at? auto_title:str auto_outcome:str? outcome_reason:str last_message_at:at? "
    "message_count:int topics:json intents:json files:json related_ids:json summary:text? summary_by:str? distilled:json?"
)
_INDEXES = {"ix_conversation_queue": ["state", "queue_key"], "ix_conversation_stream_id": ["stream_id"]}


def upgrade(op: Operations) -> None:
    """Adds the three columns, empty."""
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES:
        op.drop_index(name, "conversation")
    op.rename_table("conversation", "conversation_before")
    create_table(op, "conversation", _CONVERSATION, ForeignKeyConstraint(["stream_id"], ["stream.id"]))
    op.execute(text("INSERT INTO conversation SELECT *, NULL, NULL, NULL FROM conversation_before ORDER BY id"))
    op.drop_table("conversation_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "conversation", columns)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
