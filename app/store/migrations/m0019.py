"""Version 19: runs of consolidation, the actions that they proposed, and the longest form in which a memory is given unasked.

The table of memories is written anew, because a column that is added to a table never reads as one that it was made with. Blind
to today's tables, as every step is. Source: DESIGN section 4 "Run, Action", S4 "Compression".
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, text

from app.store.migrations.columns import create_table

_MEMORY = (
    "id:int kind:str type:str title:text full:text summary:text compressed:text index_text:text full_tokens:int "
    "summary_tokens:int compressed_tokens:int index_tokens:int edited_levels:json subject:str key:str value:text "
    "scope:str slot_key:str text_key:str is_negated:bool details:json tags:json category:str importance:float "
    "confidence:float trust:int status:str is_pinned:bool visibility:str user_id:str project_id:int? app_id:int? "
    "valid_from:at valid_to:at? recorded_at:at retired_at:at? updated_at:at supersedes_id:int? reason:text "
    "revision:int last_accessed_at:at? retrieved_count:int cited_count:int ignored_count:int "
    "worth:int? worded_by:str closed_by_message_id:int? given_level:str"
)
_INDEXES = {
    "ix_memory_updated": ["updated_at", "id"],
    "ix_memory_status": ["status", "updated_at", "id"],
    "ix_memory_type": ["type", "updated_at", "id"],
    "ix_memory_project": ["project_id", "updated_at", "id"],
    "ix_memory_slot": ["slot_key"],
    "ix_memory_text": ["text_key"],
    "ix_memory_supersedes": ["supersedes_id"],
}
_RUN = (
    "id:int trigger:str state:str started_at:at finished_at:at? mark:int operation_id:int? problem:str seconds:float "
    "figures:json"
)
_ACTION = (
    "id:int run_id:int step:str kind:str state:str memory_ids:json key:str why:str text:text data:json saved_tokens:int "
    "confidence:float is_sure:bool is_decided:bool note:str operation_id:int?"
)
# stands on the table of memories, and would go with the old one
_PAIR_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade(op: Operations) -> None:
    """Adds the two tables; what was there is given in full, as it was until now."""
    create_table(op, "run", _RUN)
    create_table(op, "action", _ACTION)
    op.create_index("ix_action_run", "action", ["run_id", "id"])
    op.create_index("ix_action_key", "action", ["key"])
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES:
        op.drop_index(name, "memory")
    op.rename_table("memory", "memory_before")
    ends = (ForeignKeyConstraint([f"{one}_id"], [f"{one}.id"]) for one in ("project", "app"))
    create_table(op, "memory", _MEMORY, *ends)
    op.execute(text("INSERT INTO memory SELECT *, 'full' FROM memory_before ORDER BY id"))
    op.drop_table("memory_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "memory", columns)
    op.execute(text(_PAIR_GONE))
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
