"""Version 5: the use of a tool that failed keeps the line that named the error. Blind to today's tables, as every step is.

The table is written anew, because a column that is added to a table never reads as one that it was made with. Source: DESIGN
section 2 "errors and fixes".
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, text

from app.store.migrations.columns import create_table

_TOOL_USE = "id:int conversation_id:int at:at tool:str file:str command:str exit_status:int? is_error:bool error:str"


def upgrade(op: Operations) -> None:
    """Adds the column; of what failed before no line is known."""
    op.drop_index("ix_tool_use_conversation_id", "tool_use")
    op.rename_table("tool_use", "tool_use_4")
    conversation = ForeignKeyConstraint(["conversation_id"], ["conversation.id"])
    create_table(op, "tool_use", _TOOL_USE, conversation)
    op.execute(text("INSERT INTO tool_use SELECT *, '' FROM tool_use_4 ORDER BY id"))
    op.drop_table("tool_use_4")
    op.create_index("ix_tool_use_conversation_id", "tool_use", ["conversation_id"])
