"""Version 17: a contradiction knows its kind, who judged it, which side is said to hold, and who resolved it; verdicts on pairs.

The table of contradictions is written anew, because a column that is added to a table never reads as one that it was made with.
Those of before were found by rules. A verdict goes with either of its memories. Blind to today's tables, as every step is.
Source: S4 "Contradiction Scanner".
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, text

from app.store.migrations.columns import create_table

_CONTRADICTION = (
    "id:int memory_a_id:int memory_b_id:int state:str resolution:str resolution_note:text reason:text confidence:float "
    "detected_at:at resolved_at:at? kind:str judged_by:str holds:str resolved_by:str"
)
_INDEXES = {
    "ix_contradiction_a": ["memory_a_id"],
    "ix_contradiction_b": ["memory_b_id"],
    "ix_contradiction_state": ["state"],
}
_CHECK = (
    "id:int memory_a_id:int memory_b_id:int a_key:str b_key:str state:str verdict:str kind:str holds:str why:text "
    "confidence:float judged_by:str found_at:at judged_at:at?"
)
_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade(op: Operations) -> None:
    """Adds the columns and the table."""
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES:
        op.drop_index(name, "contradiction")
    op.rename_table("contradiction", "contradiction_before")
    ends = (ForeignKeyConstraint([f"memory_{one}_id"], ["memory.id"]) for one in "ab")
    create_table(op, "contradiction", _CONTRADICTION, *ends)
    by = "CASE WHEN state = 'resolved' THEN 'text' ELSE '' END"
    insert = f"INSERT INTO contradiction SELECT *, '', 'rules', '', {by} FROM contradiction_before ORDER BY id"  # noqa: S608
    op.execute(text(insert))
    op.drop_table("contradiction_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "contradiction", columns)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
    create_table(op, "pair_check", _CHECK, UniqueConstraint("memory_a_id", "memory_b_id"))
    op.create_index("ix_pair_check_b", "pair_check", ["memory_b_id"])
    op.create_index("ix_pair_check_state", "pair_check", ["state", "id"])
    op.execute(text(_GONE))
