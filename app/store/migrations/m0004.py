"""Version 4: a receipt says whether its context reached anybody; what a file says is found by its name. Blind to today's tables, as every step is.

Both tables are written anew, because a column that is added to a table never reads as one that it was made with. Source: DESIGN
section 4 `Receipt`.
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, text

from app.store.migrations.columns import create_table

_RECEIPT = (
    "id:int at:at app:str project_id:int? session:str delivery:str prompt_key:str activity:str signals:json text:text "
    "token_count:int budget_tokens:int tiers:json left_out:json warnings:json took_ms:float is_settled:bool"
)
_ITEM = (
    "id:int receipt_id:int memory_id:int revision:int tier:str level:str title:str text:text token_count:int "
    "score:float reason:str signals:json start:int end:int is_pinned:bool is_stale:bool usage:str"
)


def upgrade(op: Operations) -> None:
    """Adds the column; what was handed out before counts as delivered."""
    for name in ("receipt", "receipt_item"):
        op.rename_table(name, f"{name}_3")
    create_table(op, "receipt", f"{_RECEIPT} is_delivered:bool", ForeignKeyConstraint(["project_id"], ["project.id"]))
    create_table(op, "receipt_item", _ITEM, ForeignKeyConstraint(["receipt_id"], ["receipt.id"]))
    op.execute(text("INSERT INTO receipt SELECT *, TRUE FROM receipt_3 ORDER BY id"))
    op.execute(text("INSERT INTO receipt_item SELECT * FROM receipt_item_3 ORDER BY id"))
    for name in ("receipt_item", "receipt"):
        op.drop_table(f"{name}_3")
    op.create_index("ix_receipt_at", "receipt", ["at"])
    op.create_index("ix_receipt_session", "receipt", ["app", "session", "id"])
    op.create_index("ix_receipt_item_memory", "receipt_item", ["memory_id"])
    op.create_index("ix_receipt_item_receipt_id", "receipt_item", ["receipt_id"])
    op.create_index("ix_artifact_reference", "artifact", ["reference"])
