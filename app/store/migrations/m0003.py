"""Version 3: receipts of the contexts that were handed out. Blind to today's tables, as every step is.

Source: DESIGN section 4 `Receipt`, `ReceiptItem`.
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint

from app.store.migrations.columns import create_table


def upgrade(op: Operations) -> None:
    """Adds the two tables and their indexes."""
    receipt = (
        "id:int at:at app:str project_id:int? session:str delivery:str prompt_key:str activity:str signals:json text:text "
        "token_count:int budget_tokens:int tiers:json left_out:json warnings:json took_ms:float is_settled:bool"
    )
    item = (
        "id:int receipt_id:int memory_id:int revision:int tier:str level:str title:str text:text token_count:int "
        "score:float reason:str signals:json start:int end:int is_pinned:bool is_stale:bool usage:str"
    )
    create_table(op, "receipt", receipt, ForeignKeyConstraint(["project_id"], ["project.id"]))
    op.create_index("ix_receipt_at", "receipt", ["at"])
    op.create_index("ix_receipt_session", "receipt", ["app", "session", "id"])
    create_table(op, "receipt_item", item, ForeignKeyConstraint(["receipt_id"], ["receipt.id"]))
    op.create_index("ix_receipt_item_memory", "receipt_item", ["memory_id"])
    op.create_index("ix_receipt_item_receipt_id", "receipt_item", ["receipt_id"])
