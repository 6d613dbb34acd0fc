"""Version 8: an operation knows which app did it and what taking it back needs; an app knows the projects it is bound to.

Both tables are written anew, because a column that is added to a table never reads as one that it was made with. Of what is
older nobody knows who did it: the person's acts stay the person's, undoing too. Source: QUALITY S1, S9.
"""

from alembic.operations import Operations
from sqlalchemy import UniqueConstraint, text

from app.store.migrations.columns import create_table

_APP = (
    "id:int name:str title:str token_hash:str scopes:json is_paused:bool paused_until:at? keeps_answers:bool created_at:at "
    "last_seen_at:at? is_revoked:bool projects:json"
)
_OPERATION = (
    "id:int at:at origin:str kind:str label:str undoes_id:int? undone_by_id:int? group_id:int? is_undoable:bool "
    "conversation_id:int? message_id:int? change_count:int app:str need:str"
)
_OPEN = (  # kinds of version 7 whose labels and images any reader may see
    "create_memory edit_memory tag_memory link_memory rename end reopen set_outcome split merge move clarify correct_intents "
    "correct_reference dismiss_reference expand clear_window retry discard accept_memory reject_memory pin_memory move_memory "
    "merge_memory restore_version unlink_memory attach_memory detach_memory place_memory dismiss_line capture import evaluation "
    "save_search rename_search remove_search"
)


def upgrade(op: Operations) -> None:
    """Adds the three columns; every older operation is the person's or an administrator's to take back."""
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    _rewrite(op, "app", _APP, "*, '[]'", UniqueConstraint("name"))
    op.drop_index("ix_operation_at", "operation")
    op.drop_index("ix_operation_group_id", "operation")
    kinds = ", ".join(f"'{kind}'" for kind in _OPEN.split())
    need = f"CASE WHEN kind IN ({kinds}) THEN 'admin' ELSE 'person' END"
    _rewrite(op, "operation", _OPERATION, f"*, '', {need}")
    op.create_index("ix_operation_at", "operation", ["at"])
    op.create_index("ix_operation_group_id", "operation", ["group_id"])
    op.execute(text("PRAGMA legacy_alter_table=OFF"))


def _rewrite(op: Operations, table: str, columns: str, values: str, *constraints: UniqueConstraint) -> None:
    op.rename_table(table, f"{table}_7")
    create_table(op, table, columns, *constraints)
    op.execute(text(f"INSERT INTO {table} SELECT {values} FROM {table}_7 ORDER BY id"))  # noqa: S608
    op.drop_table(f"{table}_7")
