"""Version 20: notes, what became of them, for how long an app's are kept, and which task a request to a judge was.

Blind to today's tables, as every step is. Source: S5 "Data Model".
"""

from alembic.operations import Operations

from app.store.migrations.columns import create_table

_NOTE = (
    "id:int app_id:int project_id:int? content:text created_at:at updated_at:at conversation_id:int? importance:float "
    "tags:json related_ids:json worded_by:str memory_id:int?"
)
_LOG = (
    "id:int at:at kind:str app_id:int conversation_id:int message_id:int note_id:int note_count:int session:str action:str "
    "reason:text"
)


def upgrade(op: Operations) -> None:
    """Adds the tables."""
    create_table(op, "note", _NOTE)
    op.create_index("ix_note_app", "note", ["app_id", "updated_at"])
    for column in ("project_id", "created_at", "updated_at", "conversation_id"):
        op.create_index(f"ix_note_{column}", "note", [column])
    create_table(op, "note_log", _LOG)
    op.create_index("ix_note_log_at", "note_log", ["at"])
    op.create_index("ix_note_log_conversation", "note_log", ["conversation_id", "message_id"])
    create_table(op, "note_choice", "id:int days:int")
    create_table(op, "judge_task", "request_id:int task:str", key=("request_id",))
