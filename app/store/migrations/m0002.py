"""Version 2: the tables of long-term memory. Nothing of version 1 changes.

Written out column by column, blind to today's tables, so that it does the same in every later release. The test
holds the result against a store that is created fresh. Source: DESIGN section 4, S3 and S4.
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint

from app.store.migrations.columns import create_table


def upgrade(op: Operations) -> None:
    """Adds the ten tables and their indexes."""
    for make in (_memory, _memory_parts, _links, _contradictions, _chunks, _derived):
        make(op)


def _of(column: str, target: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], [target])


def _memory(op: Operations) -> None:
    create_table(
        op,
        "memory",
        "id:int kind:str type:str title:text full:text summary:text compressed:text index_text:text full_tokens:int "
        "summary_tokens:int compressed_tokens:int index_tokens:int edited_levels:json subject:str key:str value:text "
        "scope:str slot_key:str text_key:str is_negated:bool details:json tags:json category:str importance:float "
        "confidence:float trust:int status:str is_pinned:bool visibility:str user_id:str project_id:int? app_id:int? "
        "valid_from:at valid_to:at? recorded_at:at retired_at:at? updated_at:at supersedes_id:int? reason:text "
        "revision:int last_accessed_at:at? retrieved_count:int cited_count:int ignored_count:int",
        _of("project_id", "project.id"),
        _of("app_id", "app.id"),
    )
    op.create_index("ix_memory_updated", "memory", ["updated_at", "id"])
    op.create_index("ix_memory_status", "memory", ["status", "updated_at", "id"])
    op.create_index("ix_memory_type", "memory", ["type", "updated_at", "id"])
    op.create_index("ix_memory_project", "memory", ["project_id", "updated_at", "id"])
    op.create_index("ix_memory_slot", "memory", ["slot_key"])
    op.create_index("ix_memory_text", "memory", ["text_key"])
    op.create_index("ix_memory_supersedes", "memory", ["supersedes_id"])


def _memory_parts(op: Operations) -> None:
    create_table(
        op,
        "memory_source",
        "id:int memory_id:int message_id:int? conversation_id:int? conversation_title:str app:str at:at quote:text "
        "start:int end:int",
        _of("memory_id", "memory.id"),
    )
    op.create_index("ix_memory_source_memory_id", "memory_source", ["memory_id"])
    op.create_index("ix_memory_source_message_id", "memory_source", ["message_id"])
    op.create_index("ix_memory_source_conversation_id", "memory_source", ["conversation_id"])
    create_table(
        op,
        "memory_version",
        "id:int memory_id:int number:int from_at:at until_at:at origin:str label:text state:json",
        _of("memory_id", "memory.id"),
    )
    op.create_index("ix_memory_version_memory_id", "memory_version", ["memory_id"])
    create_table(op, "artifact", "id:int memory_id:int kind:str reference:str", _of("memory_id", "memory.id"))
    op.create_index("ix_artifact_memory_id", "artifact", ["memory_id"])


def _links(op: Operations) -> None:
    create_table(
        op,
        "link",
        "id:int from_kind:str from_id:int to_kind:str to_id:int to_name:str type:str strength:float created_at:at",
    )
    op.create_index("ix_link_from", "link", ["from_kind", "from_id"])
    op.create_index("ix_link_to", "link", ["to_kind", "to_id"])


def _contradictions(op: Operations) -> None:
    create_table(
        op,
        "contradiction",
        "id:int memory_a_id:int memory_b_id:int state:str resolution:str resolution_note:text reason:text "
        "confidence:float detected_at:at resolved_at:at?",
        _of("memory_a_id", "memory.id"),
        _of("memory_b_id", "memory.id"),
    )
    op.create_index("ix_contradiction_a", "contradiction", ["memory_a_id"])
    op.create_index("ix_contradiction_b", "contradiction", ["memory_b_id"])
    op.create_index("ix_contradiction_state", "contradiction", ["state"])


def _chunks(op: Operations) -> None:
    create_table(
        op,
        "chunk",
        "id:int conversation_id:int number:int first_message_id:int last_message_id:int message_count:int "
        "summary:text topics:json token_count:int created_at:at is_merged:bool",
        _of("conversation_id", "conversation.id"),
    )
    op.create_index("ix_chunk_conversation_id", "chunk", ["conversation_id"])


def _derived(op: Operations) -> None:
    create_table(op, "memory_tag", "memory_id:int tag:str", key=("memory_id", "tag"))
    op.create_index("ix_memory_tag_tag", "memory_tag", ["tag"])
    create_table(
        op, "usage_event", "id:int memory_id:int at:at kind:str receipt_id:int?", _of("memory_id", "memory.id")
    )
    op.create_index("ix_usage_memory", "usage_event", ["memory_id", "at"])
    create_table(op, "index_wait", "seq:int memory_id:int", key=("seq",))
