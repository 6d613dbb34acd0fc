"""Steps to the versions 10 to 18. Each is blind to today's tables, written out column by column, so that it does the same in every
later release; a test holds the result against a store that is created fresh.

A table that gets a column is written anew, because a column that is added to a table never reads as one that it was made with.
"""

from alembic.operations import Operations
from sqlalchemy import Column, ForeignKeyConstraint, LargeBinary, UniqueConstraint, text

from app.store.migrations.columns import create_table

_GONE = (
    "CREATE TRIGGER source_gone AFTER DELETE ON memory_source BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)
_CHANGED = (
    "CREATE TRIGGER source_rewritten AFTER UPDATE OF quote ON memory_source WHEN NEW.quote IS NOT OLD.quote "
    "BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)


def upgrade_10(op: Operations) -> None:
    """Version 10: sketches of what was said, by which the same rule in other words is known again.

    Adds the table, its indexes and what takes its rows away. What was said before has none: its sentences are known
    by their words alone, as they were. Source: issue 16, "said again is evidence".
    """
    create_table(op, "sketch", "source_id:int stream_id:int project_id:int stems:text marks:text", key=("source_id",))
    op.create_index("ix_sketch_stream_id", "sketch", ["stream_id"])
    op.create_index("ix_sketch_project_id", "sketch", ["project_id"])
    op.execute(text(_GONE))
    op.execute(text(_CHANGED))


_TRIGGERS = (("came", "INSERT", "NEW"), ("changed", "UPDATE OF text", "NEW"), ("went", "DELETE", "OLD"))


def upgrade_11(op: Operations) -> None:
    """Version 11: the prompt archive and what waits for its index. Source: issue 16 point 13.

    Adds the two tables, with the triggers that feed the second.
    """
    create_table(op, "archived_prompt", "id:int conversation_id:int stream_id:int at:at is_imported:bool")
    op.add_column("archived_prompt", Column("text", LargeBinary, nullable=False))
    op.create_index("ix_archived_prompt_conversation", "archived_prompt", ["conversation_id"])
    op.create_index("ix_archived_prompt_stream", "archived_prompt", ["stream_id", "at"])
    op.create_index("ix_archived_prompt_at", "archived_prompt", ["at"])
    create_table(op, "archive_wait", "seq:int prompt_id:int", key=("seq",))
    for name, act, row in _TRIGGERS:
        op.execute(
            text(
                f"CREATE TRIGGER archived_prompt_{name} AFTER {act} ON archived_prompt BEGIN "  # noqa: S608 (our words)
                f"INSERT INTO archive_wait (prompt_id) VALUES ({row}.id); END"
            )
        )


_CONVERSATION = (
    "id:int stream_id:int queue_key:at title:str is_title_edited:bool state:str outcome:str? is_outcome_edited:bool "
    "merged_into_id:int? started_at:at ended_at:at? auto_title:str auto_outcome:str? outcome_reason:str last_message_at:at? "
    "message_count:int topics:json intents:json files:json related_ids:json summary:text? summary_by:str? distilled:json?"
)
_INDEXES = {"ix_conversation_queue": ["state", "queue_key"], "ix_conversation_stream_id": ["stream_id"]}


def upgrade_12(op: Operations) -> None:
    """Version 12: a conversation has a summary, and what its assistant wrote of the work while it is in the queue.

    Adds the three columns, empty. Blind to today's tables, as every step is. Source: DESIGN section 5 "distil".
    """
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES:
        op.drop_index(name, "conversation")
    op.rename_table("conversation", "conversation_before")
    create_table(op, "conversation", _CONVERSATION, ForeignKeyConstraint(["stream_id"], ["stream.id"]))
    op.execute(text("INSERT INTO conversation SELECT *, NULL, NULL, NULL FROM conversation_before ORDER BY id"))
    op.drop_table("conversation_before")
    for name, columns in _INDEXES.items():
        op.create_index(name, "conversation", columns)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))


_RESULT = (
    "request_id:int model:str conversation_ids:json remembered_ids:json closed_ids:json put_away_ids:json "
    "drop_reasons:json"
)


def upgrade_13(op: Operations) -> None:
    """Version 13: what came of each request to a judge, as numbers and counted reasons. Source: JUDGE "The meter".

    Adds the table; of what was read before only the counts are known.
    """
    create_table(op, "judge_result", _RESULT, key=("request_id",))


_CITATION = "id:int receipt_id:int memory_id:int at:at kind:str detail:str is_followed:bool"
_WITH_MESSAGE = (
    "CREATE TRIGGER branch_gone AFTER DELETE ON message WHEN NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.id; END"
)
_WITH_SOURCE = (
    "CREATE TRIGGER branch_gone_with_source AFTER DELETE ON memory_source WHEN OLD.message_id IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM message WHERE id = OLD.message_id) "
    "AND NOT EXISTS (SELECT 1 FROM memory_source WHERE message_id = OLD.message_id) "
    "BEGIN DELETE FROM message_branch WHERE message_id = OLD.message_id; END"
)
_GONE_14 = (_WITH_MESSAGE, _WITH_SOURCE)


def upgrade_14(op: Operations) -> None:
    """Version 14: the branch that a message was typed on, and what was done when a memory was taken up.

    Adds the two tables. Both are logs beside the journal. A branch stays while its message or a memory's source
    does; what was done goes with its receipt. Source: issue 16 points 9 and 11, S4 "Usage Tracker".
    """
    create_table(op, "message_branch", "id:int message_id:int branch:str", UniqueConstraint("message_id"))
    op.create_index("ix_message_branch_branch", "message_branch", ["branch", "message_id"])
    create_table(op, "citation", _CITATION)
    op.create_index("ix_citation_receipt", "citation", ["receipt_id"])
    op.create_index("ix_citation_memory", "citation", ["memory_id", "at"])
    for made in _GONE_14:
        op.execute(text(made))


_AS_ERASED = (
    "INSERT INTO judge_past (event_id, request_id) SELECT id, 0 FROM event WHERE kind = 'prompt' AND state = 'done' "
    "AND message_id IS NULL AND text_hash = '-' AND EXISTS (SELECT 1 FROM operation WHERE kind = 'erase')"
)


def upgrade_15(op: Operations) -> None:
    """Version 15: which prompts were read, or shall never be, of those that have no message's number.

    Adds the table. An imported prompt that was erased before looks like one that never was a message: where
    anything was ever erased, such prompts are not read again. Source: JUDGE "The past".
    """
    create_table(op, "judge_past", "event_id:int request_id:int", key=("event_id",))
    op.create_index("ix_judge_past_request_id", "judge_past", ["request_id"])
    op.execute(text(_AS_ERASED))


_ENTRY = "id:int at:at work:str units:float level:float cpu_s:float token_count:int put_off:str"


def upgrade_16(op: Operations) -> None:
    """Version 16: the ledger of background work. Source: S5 "Energy Consumption".

    Adds the table.
    """
    create_table(op, "energy_entry", _ENTRY)
    op.create_index("ix_energy_entry_at", "energy_entry", ["at"])
    op.create_index("ix_energy_entry_work", "energy_entry", ["work", "at"])


_CONTRADICTION = (
    "id:int memory_a_id:int memory_b_id:int state:str resolution:str resolution_note:text reason:text confidence:float "
    "detected_at:at resolved_at:at? kind:str judged_by:str holds:str resolved_by:str"
)
_INDEXES_17 = {
    "ix_contradiction_a": ["memory_a_id"],
    "ix_contradiction_b": ["memory_b_id"],
    "ix_contradiction_state": ["state"],
}
_CHECK = (
    "id:int memory_a_id:int memory_b_id:int a_key:str b_key:str state:str verdict:str kind:str holds:str why:text "
    "confidence:float judged_by:str found_at:at judged_at:at?"
)
_GONE_17 = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade_17(op: Operations) -> None:
    """Version 17: a contradiction knows its kind, who judged it, which side is said to hold, and who resolved it;
    verdicts on pairs.

    Adds the columns and the table. Those of before were found by rules. A verdict goes with either of its memories.
    Source: S4 "Contradiction Scanner".
    """
    op.execute(text("PRAGMA legacy_alter_table=ON"))  # else the tables that point here would follow the old name
    for name in _INDEXES_17:
        op.drop_index(name, "contradiction")
    op.rename_table("contradiction", "contradiction_before")
    ends = (ForeignKeyConstraint([f"memory_{one}_id"], ["memory.id"]) for one in "ab")
    create_table(op, "contradiction", _CONTRADICTION, *ends)
    by = "CASE WHEN state = 'resolved' THEN 'text' ELSE '' END"
    insert = f"INSERT INTO contradiction SELECT *, '', 'rules', '', {by} FROM contradiction_before ORDER BY id"  # noqa: S608
    op.execute(text(insert))
    op.drop_table("contradiction_before")
    for name, columns in _INDEXES_17.items():
        op.create_index(name, "contradiction", columns)
    op.execute(text("PRAGMA legacy_alter_table=OFF"))
    create_table(op, "pair_check", _CHECK, UniqueConstraint("memory_a_id", "memory_b_id"))
    op.create_index("ix_pair_check_b", "pair_check", ["memory_b_id"])
    op.create_index("ix_pair_check_state", "pair_check", ["state", "id"])
    op.execute(text(_GONE_17))


_COLUMNS = (
    "id:int kind:str pattern:text details:json confidence:float seen_count:int first_seen_at:at last_seen_at:at idle_runs:int "
    "is_on:bool is_edited:bool project_id:int? conversation_ids:json changed_count:int"
)


def upgrade_18(op: Operations) -> None:
    """Version 18: learned rules get a table of their own.

    Adds the table. Source: S1 Tier 2 "Knowledge Graph".
    """
    create_table(op, "learned_rule", _COLUMNS, ForeignKeyConstraint(["project_id"], ["project.id"]))
    op.create_index("ix_learned_rule_pattern", "learned_rule", ["kind", "pattern"])
