"""Version 9: a memory knows its worth, whose wording it is and what closed it; the meter and the ends of answers.

The table of memories is written anew, because a column that is added to a table never reads as one that it was made with. Of
older ones the trust tells who worded them. Blind to today's tables, as every step is. Source: DESIGN section 4, JUDGE.
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, text

from app.store.migrations.columns import create_table

_MEMORY = (
    "id:int kind:str type:str title:text full:text summary:text compressed:text index_text:text full_tokens:int "
    "summary_tokens:int compressed_tokens:int index_tokens:int edited_levels:json subject:str key:str value:text "
    "scope:str slot_key:str text_key:str is_negated:bool details:json tags:json category:str importance:float "
    "confidence:float trust:int status:str is_pinned:bool visibility:str user_id:str project_id:int? app_id:int? "
    "valid_from:at valid_to:at? recorded_at:at retired_at:at? updated_at:at supersedes_id:int? reason:text "
    "revision:int last_accessed_at:at? retrieved_count:int cited_count:int ignored_count:int "
    "worth:int? worded_by:str closed_by_message_id:int?"
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
_REQUEST = (
    "id:int at:at adapter:str app_id:int project_id:int state:str error:str message_count:int prompt_tokens:int "
    "answer_tokens:int seconds:float money_usd:float? is_paid_by_key:bool memory_count:int closed_count:int "
    "dropped_count:int operation_id:int?"
)
_GONE = (
    "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN DELETE FROM answer_end WHERE message_id = OLD.id; END"
)


def upgrade(op: Operations) -> None:
    """Adds the columns and the three tables."""
    _rewrite_memories(op)
    create_table(op, "judge_request", _REQUEST)
    op.create_index("ix_judge_request_at", "judge_request", ["at"])
    create_table(op, "judge_reading", "message_id:int request_id:int", key=("message_id",))
    op.create_index("ix_judge_reading_request_id", "judge_reading", ["request_id"])
    create_table(op, "answer_end", "id:int message_id:int text:text", UniqueConstraint("message_id"))
    op.execute(text(_GONE))


def _rewrite_memories(op: Operations) -> None:
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES:
        op.drop_index(name, "memory")
    op.rename_table("memory", "memory_before")
    ends = (ForeignKeyConstraint([f"{one}_id"], [f"{one}.id"]) for one in ("project", "app"))
    create_table(op, "memory", _MEMORY, *ends)
    worded = "CASE WHEN trust = 3 THEN 'person' WHEN trust = 0 THEN 'api' ELSE 'rules' END"
    op.execute(text(f"INSERT INTO memory SELECT *, NULL, {worded}, NULL FROM memory_before ORDER BY id"))  # noqa: S608
    op.drop_table("memory_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "memory", columns)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
