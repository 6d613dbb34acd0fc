"""Version 18: learned rules get a table of their own.

Source: S1 Tier 2 "Knowledge Graph".
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint

from app.store.migrations.columns import create_table

_COLUMNS = (
    "id:int kind:str pattern:text details:json confidence:float seen_count:int first_seen_at:at last_seen_at:at idle_runs:int "
    "is_on:bool is_edited:bool project_id:int? conversation_ids:json changed_count:int"
)


def upgrade(op: Operations) -> None:
    """Adds the table."""
    create_table(op, "learned_rule", _COLUMNS, ForeignKeyConstraint(["project_id"], ["project.id"]))
    op.create_index("ix_learned_rule_pattern", "learned_rule", ["kind", "pattern"])
