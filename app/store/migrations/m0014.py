"""Version 14: the branch that a message was typed on, and what was done when a memory was taken up.

Both are logs beside the journal. A branch stays while its message or a memory's source does; what was done goes with its receipt.
Blind to today's tables, as every step is. Source: issue 16 points 9 and 11, S4 "Usage Tracker".
"""

from alembic.operations import Operations
from sqlalchemy import UniqueConstraint, text

from app.store.migrations.columns import create_table

_CITATION = "id:int receipt_id:int memory_id:int at:at kind:str detail:str is_followed:bool"
_WITH_MESSAGE = (
    "CREATE TRIGGER branch_gone AFTER DELETE ON message WHEN NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.id; END"
)
_WITH_SOURCE = (
    "CREATE TRIGGER branch_gone_with_source AFTER DELETE ON memory_source WHEN OLD.message_id IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM message WHERE id = OLD.message_id) "
    "AND NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.message_id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.message_id; END"
)
_GONE = (_WITH_MESSAGE, _WITH_SOURCE)


def upgrade(op: Operations) -> None:
    """Adds the two tables."""
    create_table(op, "message_branch", "id:int message_id:int branch:str", UniqueConstraint("message_id"))
    op.create_index("ix_message_branch_branch", "message_branch", ["branch", "message_id"])
    create_table(op, "citation", _CITATION)
    op.create_index("ix_citation_receipt", "citation", ["receipt_id"])
    op.create_index("ix_citation_memory", "citation", ["memory_id", "at"])
    for made in _GONE:
        op.execute(text(made))
