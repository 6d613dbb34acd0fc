"""How a step writes its tables down: one word per column. Only ever added to, because old steps must go on doing the same.

Knows no table of today.
"""

from typing import Any

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
    text,
)

_KINDS = {"int": Integer, "str": String, "text": Text, "json": JSON, "bool": Boolean, "float": Float, "at": BigInteger}

MEMORY_9 = (  # the table of memories since version 9
    "id:int kind:str type:str title:text full:text summary:text compressed:text index_text:text full_tokens:int "
    "summary_tokens:int compressed_tokens:int index_tokens:int edited_levels:json subject:str key:str value:text "
    "scope:str slot_key:str text_key:str is_negated:bool details:json tags:json category:str importance:float "
    "confidence:float trust:int status:str is_pinned:bool visibility:str user_id:str project_id:int? app_id:int? "
    "valid_from:at valid_to:at? recorded_at:at retired_at:at? updated_at:at supersedes_id:int? reason:text "
    "revision:int last_accessed_at:at? retrieved_count:int cited_count:int ignored_count:int "
    "worth:int? worded_by:str closed_by_message_id:int?"
)
_MEMORY_INDEXES = {
    "ix_memory_updated": ["updated_at", "id"],
    "ix_memory_status": ["status", "updated_at", "id"],
    "ix_memory_type": ["type", "updated_at", "id"],
    "ix_memory_project": ["project_id", "updated_at", "id"],
    "ix_memory_slot": ["slot_key"],
    "ix_memory_text": ["text_key"],
    "ix_memory_supersedes": ["supersedes_id"],
}


def create_table(op: Operations, name: str, columns: str, *constraints: Any, key: tuple[str, ...] = ("id",)) -> None:
    """Creates a table. `columns` is a list of `name:kind`; a kind with "?" may be null."""
    made = [
        Column(column, _KINDS[kind.rstrip("?")](), nullable=kind.endswith("?"))
        for column, kind in (one.split(":") for one in columns.split())
    ]
    op.create_table(name, *made, PrimaryKeyConstraint(*key), *constraints)


def rewrite_memories(op: Operations, columns: str, added: str) -> None:
    """Writes the table of memories anew with more `columns` than it has; `added`: what older rows have there, as SQL."""
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _MEMORY_INDEXES:
        op.drop_index(name, "memory")
    op.rename_table("memory", "memory_before")
    ends = (ForeignKeyConstraint([f"{one}_id"], [f"{one}.id"]) for one in ("project", "app"))
    create_table(op, "memory", columns, *ends)
    op.execute(text(f"INSERT INTO memory SELECT *, {added} FROM memory_before ORDER BY id"))  # noqa: S608
    op.drop_table("memory_before")
    for name, indexed in _MEMORY_INDEXES.items():
        op.create_index(name, "memory", indexed)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
