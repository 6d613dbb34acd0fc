"""Version 3: receipts of the contexts that were handed out. Blind to today's tables, as every step is.

Source: DESIGN section 4 `Receipt`, `ReceiptItem`.
"""

from alembic.operations import Operations
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    String,
    Text,
)

_KINDS = {"int": Integer, "str": String, "text": Text, "json": JSON, "bool": Boolean, "float": Float, "at": BigInteger}


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
    _table(op, "receipt", receipt, ForeignKeyConstraint(["project_id"], ["project.id"]))
    op.create_index("ix_receipt_at", "receipt", ["at"])
    op.create_index("ix_receipt_session", "receipt", ["app", "session", "id"])
    _table(op, "receipt_item", item, ForeignKeyConstraint(["receipt_id"], ["receipt.id"]))
    op.create_index("ix_receipt_item_memory", "receipt_item", ["memory_id"])
    op.create_index("ix_receipt_item_receipt_id", "receipt_item", ["receipt_id"])


def _table(op: Operations, name: str, columns: str, constraint: ForeignKeyConstraint) -> None:
    """`columns` is a list of `name:kind`; a kind with "?" may be null."""
    made = [
        Column(column, _KINDS[kind.rstrip("?")](), nullable=kind.endswith("?"))
        for column, kind in (one.split(":") for one in columns.split())
    ]
    op.create_table(name, *made, PrimaryKeyConstraint("id"), constraint)
