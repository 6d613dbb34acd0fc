"""Version 6: beside each memory stands what it is ranked by and what its lines cost. Blind to today's tables, as every step is.

The table begins empty: it is derived, and the thread that keeps the search index fills it behind an open window. Source: QUALITY P2.
"""

from alembic.operations import Operations
from sqlalchemy import text

from app.store.migrations.columns import create_table

_CUT = (
    "memory_id:int cut_revision:int cut_form:int stems:text speaker:str full_line:int summary_line:int "
    "compressed_line:int index_line:int"
)


def upgrade(op: Operations) -> None:
    """Adds the table, and an index of the few uses that were citations."""
    create_table(op, "memory_cut", _CUT, key=("memory_id",))
    op.create_index("ix_usage_cited", "usage_event", ["at"], sqlite_where=text("kind = 'cited'"))
