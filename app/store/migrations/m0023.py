"""Version 23: a verdict on a pair may bring one text for both.

The table is written anew, because a column that is added to a table never reads as one that it was made with. Blind to today's
tables, as every step is. Source: S4 "Contradiction Resolution", issue 17 "merged (edited text; the judge may propose one)".
"""

from alembic.operations import Operations
from sqlalchemy import UniqueConstraint, text

from app.store.migrations.columns import create_table

_CHECK = (
    "id:int memory_a_id:int memory_b_id:int a_key:str b_key:str state:str verdict:str kind:str holds:str why:text "
    "confidence:float judged_by:str found_at:at judged_at:at? merged:text"
)
_INDEXES = {"ix_pair_check_b": ["memory_b_id"], "ix_pair_check_state": ["state", "id"]}
_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade(op: Operations) -> None:
    """Adds the column; verdicts of before brought no text."""
    op.execute(text("DROP TRIGGER pair_gone"))
    for name in _INDEXES:
        op.drop_index(name, "pair_check")
    op.rename_table("pair_check", "pair_check_before")
    create_table(op, "pair_check", _CHECK, UniqueConstraint("memory_a_id", "memory_b_id"))
    op.execute(text("INSERT INTO pair_check SELECT *, '' FROM pair_check_before ORDER BY id"))
    op.drop_table("pair_check_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "pair_check", columns)
    op.execute(text(_GONE))
