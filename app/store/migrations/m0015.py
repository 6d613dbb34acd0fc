"""Version 15: which prompts were read, or shall never be, of those that have no message's number.

An imported prompt that was erased before looks like one that never was a message: where anything was ever erased, such prompts are
not read again. Source: JUDGE "The past".
"""

from alembic.operations import Operations
from sqlalchemy import text

from app.store.migrations.columns import create_table

_AS_ERASED = (
    "INSERT INTO judge_past (event_id, request_id) SELECT id, 0 FROM event WHERE kind = 'prompt' AND state = 'done' "
    "AND message_id IS NULL AND text_hash = '-' AND EXISTS (SELECT 1 FROM operation WHERE kind = 'erase')"
)


def upgrade(op: Operations) -> None:
    """Adds the table."""
    create_table(op, "judge_past", "event_id:int request_id:int", key=("event_id",))
    op.create_index("ix_judge_past_request_id", "judge_past", ["request_id"])
    op.execute(text(_AS_ERASED))
