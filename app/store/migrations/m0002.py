"""Steps to the versions 2 to 9. Each is blind to today's tables, written out column by column, so that it does the same in every
later release; a test holds the result against a store that is created fresh.

A table that gets a column is written anew, because a column that is added to a table never reads as one that it was made with.
"""

from alembic.operations import Operations
from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, text

from app.store.migrations.columns import MEMORY_9, create_table, rewrite_memories


def upgrade_2(op: Operations) -> None:
    """Version 2: the tables of long-term memory. Nothing of version 1 changes.

    Adds the ten tables and their indexes. Written out column by column, blind to today's tables, so that it does
    the same in every later release. The test holds the result against a store that is created fresh. Source: DESIGN
    section 4, S3 and S4.
    """
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


def upgrade_3(op: Operations) -> None:
    """Version 3: receipts of the contexts that were handed out.

    Adds the two tables and their indexes. Source: DESIGN section 4 `Receipt`, `ReceiptItem`.
    """
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


_RECEIPT = (
    "id:int at:at app:str project_id:int? session:str delivery:str prompt_key:str activity:str signals:json text:text "
    "token_count:int budget_tokens:int tiers:json left_out:json warnings:json took_ms:float is_settled:bool"
)
_ITEM = (
    "id:int receipt_id:int memory_id:int revision:int tier:str level:str title:str text:text token_count:int "
    "score:float reason:str signals:json start:int end:int is_pinned:bool is_stale:bool usage:str"
)


def upgrade_4(op: Operations) -> None:
    """Version 4: a receipt says whether its context reached anybody; what a file says is found by its name.

    Adds the column; what was handed out before counts as delivered. Source: DESIGN section 4 `Receipt`.
    """
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


_TOOL_USE = "id:int conversation_id:int at:at tool:str file:str command:str exit_status:int? is_error:bool error:str"


def upgrade_5(op: Operations) -> None:
    """Version 5: the use of a tool that failed keeps the line that named the error.

    Adds the column; of what failed before no line is known. Source: DESIGN section 2 "errors and fixes".
    """
    op.drop_index("ix_tool_use_conversation_id", "tool_use")
    op.rename_table("tool_use", "tool_use_4")
    conversation = ForeignKeyConstraint(["conversation_id"], ["conversation.id"])
    create_table(op, "tool_use", _TOOL_USE, conversation)
    op.execute(text("INSERT INTO tool_use SELECT *, '' FROM tool_use_4 ORDER BY id"))
    op.drop_table("tool_use_4")
    op.create_index("ix_tool_use_conversation_id", "tool_use", ["conversation_id"])


_CUT = (
    "memory_id:int cut_revision:int cut_form:int stems:text speaker:str full_line:int summary_line:int "
    "compressed_line:int index_line:int"
)


def upgrade_6(op: Operations) -> None:
    """Version 6: beside each memory stands what it is ranked by and what its lines cost.

    Adds the table, and an index of the few uses that were citations. The table begins empty: it is derived, and the
    thread that keeps the search index fills it behind an open window. Source: QUALITY P2.
    """
    create_table(op, "memory_cut", _CUT, key=("memory_id",))
    op.create_index("ix_usage_cited", "usage_event", ["at"], sqlite_where=text("kind = 'cited'"))


_CUT_7 = (
    "memory_id:int cut_revision:int cut_form:int stems:text speaker:str full_line:int summary_line:int "
    "compressed_line:int index_line:int place_conversation_id:int? place_message_id:int?"
)
_FIRST = "(SELECT {} FROM memory_source s WHERE s.memory_id = c.memory_id ORDER BY s.id LIMIT 1)"
_PLACE = (
    "UPDATE memory_cut SET (place_conversation_id, place_message_id) = (SELECT conversation_id, message_id "
    "FROM memory_source WHERE memory_source.memory_id = memory_cut.memory_id ORDER BY id LIMIT 1) WHERE memory_id"
)


def upgrade_7(op: Operations) -> None:
    """Version 7: what is worked out of a memory knows where it was said first; what was said near is found by one
    index.

    Adds the columns with what they hold, the triggers, and the index in place of a narrower one. Triggers keep the
    place in step with the sources, whoever writes them. Source: QUALITY P1.
    """
    op.rename_table("memory_cut", "memory_cut_6")
    create_table(op, "memory_cut", _CUT_7, key=("memory_id",))
    places = ", ".join(_FIRST.format(name) for name in ("conversation_id", "message_id"))
    op.execute(text(f"INSERT INTO memory_cut SELECT c.*, {places} FROM memory_cut_6 c ORDER BY memory_id"))  # noqa: S608
    op.drop_table("memory_cut_6")
    for name, when, whose in (
        ("added", "INSERT", "= NEW.memory_id"),
        ("moved", "UPDATE", "IN (OLD.memory_id, NEW.memory_id)"),
        ("gone", "DELETE", "= OLD.memory_id"),
    ):
        made = f"CREATE TRIGGER memory_place_{name} AFTER {when} ON memory_source BEGIN {_PLACE} {whose}; END"
        op.execute(text(made))
    op.drop_index("ix_memory_source_message_id", "memory_source")
    op.create_index("ix_memory_source_said", "memory_source", ["message_id", "conversation_id", "memory_id"])


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


def upgrade_8(op: Operations) -> None:
    """Version 8: an operation knows which app did it and what taking it back needs; an app knows the projects it is
    bound to.

    Adds the three columns; every older operation is the person's or an administrator's to take back. Of what is
    older nobody knows who did it: the person's acts stay the person's, undoing too. Source: QUALITY S1, S9.
    """
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


_REQUEST = (
    "id:int at:at adapter:str app_id:int project_id:int state:str error:str message_count:int prompt_tokens:int "
    "answer_tokens:int seconds:float money_usd:float? is_paid_by_key:bool memory_count:int closed_count:int "
    "dropped_count:int operation_id:int?"
)
_GONE = (
    "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN DELETE FROM answer_end WHERE message_id = OLD.id; END"
)


def upgrade_9(op: Operations) -> None:
    """Version 9: a memory knows its worth, whose wording it is and what closed it; the meter and the ends of answers.

    Adds the columns and the three tables. Of older ones the trust tells who worded them. Source: DESIGN section 4,
    JUDGE.
    """
    worded = "CASE WHEN trust = 3 THEN 'person' WHEN trust = 0 THEN 'api' ELSE 'rules' END"
    rewrite_memories(op, MEMORY_9, f"NULL, {worded}, NULL")
    create_table(op, "judge_request", _REQUEST)
    op.create_index("ix_judge_request_at", "judge_request", ["at"])
    create_table(op, "judge_reading", "message_id:int request_id:int", key=("message_id",))
    op.create_index("ix_judge_reading_request_id", "judge_reading", ["request_id"])
    create_table(op, "answer_end", "id:int message_id:int text:text", UniqueConstraint("message_id"))
    op.execute(text(_GONE))
