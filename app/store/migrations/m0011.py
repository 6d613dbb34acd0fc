"""Version 11: the prompt archive and what waits for its index. Blind to today's tables, as every step is. Source: issue 16 point 13."""

from alembic.operations import Operations
from sqlalchemy import Column, LargeBinary, text

from app.store.migrations.columns import create_table

_TRIGGERS = (("came", "INSERT", "NEW"), ("changed", "UPDATE OF text", "NEW"), ("went", "DELETE", "OLD"))


def upgrade(op: Operations) -> None:
    """Adds the two tables, with the triggers that feed the second."""
    create_table(op, "archived_prompt", "id:int conversation_id:int stream_id:int at:at is_imported:bool")
    op.add_column("archived_prompt", Column("text", LargeBinary, nullable=False))
    op.create_index("ix_archived_prompt_conversation", "archived_prompt", ["conversation_id"])
    op.create_index("ix_archived_prompt_stream", "archived_prompt", ["stream_id", "at"])
    op.create_index("ix_archived_prompt_at", "archived_prompt", ["at"])
    create_table(op, "archive_wait", "seq:int prompt_id:int", key=("seq",))
    for name, act, row in _TRIGGERS:
        op.execute(
            text(
                f"CREATE TRIGGER archived_prompt_{name} AFTER {act} ON archived_prompt BEGIN "  # noqa: S608 (our words)
                f"INSERT INTO archive_wait (prompt_id) VALUES ({row}.id); END"
            )
        )
