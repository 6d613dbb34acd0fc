"""Version 26: beside a memory may stand its vectors, of one model or, while another takes its place, of two. Blind to today's tables.

Both tables begin empty: vectors are derived, and there are none until the person names a model. Source: S4 "Embedding", issue 18.
"""

from alembic.operations import Operations
from sqlalchemy import Column, Integer, LargeBinary, PrimaryKeyConstraint

from app.store.migrations.columns import create_table

_MODEL = "id:int address:str model:str version:int dimension_count:int state:str started_at:at finished_at:at?"
_GONE = (
    "CREATE TRIGGER embedding_gone AFTER DELETE ON memory BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END",
    (
        "CREATE TRIGGER embedding_stale AFTER UPDATE OF full, summary ON memory "
        "WHEN NEW.full IS NOT OLD.full OR NEW.summary IS NOT OLD.summary "
        "BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END"
    ),
)


def upgrade(op: Operations) -> None:
    """Adds two tables and two triggers."""
    create_table(op, "embedding_model", _MODEL)
    op.create_table(
        "embedding",
        Column("memory_id", Integer(), nullable=False),
        Column("model_id", Integer(), nullable=False),
        Column("full", LargeBinary(), nullable=False),
        Column("summary", LargeBinary(), nullable=False),
        PrimaryKeyConstraint("memory_id", "model_id"),
    )
    op.create_index("ix_embedding_model_id", "embedding", ["model_id"])
    for trigger in _GONE:
        op.execute(trigger)
