"""Version 10: sketches of what was said, by which the same rule in other words is known again.

What was said before has none: its sentences are known by their words alone, as they were. Blind to today's tables.
Source: issue 16, "said again is evidence".
"""

from alembic.operations import Operations
from sqlalchemy import text

from app.store.migrations.columns import create_table

_GONE = (
    "CREATE TRIGGER source_gone AFTER DELETE ON memory_source BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)
_CHANGED = (
    "CREATE TRIGGER source_rewritten AFTER UPDATE OF quote ON memory_source WHEN NEW.quote IS NOT OLD.quote "
    "BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)


def upgrade(op: Operations) -> None:
    """Adds the table, its indexes and what takes its rows away."""
    create_table(op, "sketch", "source_id:int stream_id:int project_id:int stems:text marks:text", key=("source_id",))
    op.create_index("ix_sketch_stream_id", "sketch", ["stream_id"])
    op.create_index("ix_sketch_project_id", "sketch", ["project_id"])
    op.execute(text(_GONE))
    op.execute(text(_CHANGED))
