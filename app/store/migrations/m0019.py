"""Steps to the versions 19 to 27. Each is blind to today's tables, written out column by column, so that it does the same in every
later release; a test holds the result against a store that is created fresh.

A table that gets a column is written anew, because a column that is added to a table never reads as one that it was made with.
"""

from alembic.operations import Operations
from sqlalchemy import Column, Integer, LargeBinary, PrimaryKeyConstraint, UniqueConstraint, text

from app.store.migrations.columns import MEMORY_9, create_table, rewrite_memories

_RUN = (
    "id:int trigger:str state:str started_at:at finished_at:at? mark:int operation_id:int? problem:str seconds:float "
    "figures:json"
)
_ACTION = (
    "id:int run_id:int step:str kind:str state:str memory_ids:json key:str why:str text:text data:json saved_tokens:int "
    "confidence:float is_sure:bool is_decided:bool note:str operation_id:int?"
)
# stands on the table of memories, and would go with the old one
_PAIR_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade_19(op: Operations) -> None:
    """Version 19: runs of consolidation, the actions that they proposed, and the longest form in which a memory is
    given unasked.

    Adds the two tables; what was there is given in full, as it was until now. Blind to today's tables, as every
    step is. Source: DESIGN section 4 "Run, Action", S4 "Compression".
    """
    create_table(op, "run", _RUN)
    create_table(op, "action", _ACTION)
    op.create_index("ix_action_run", "action", ["run_id", "id"])
    op.create_index("ix_action_key", "action", ["key"])
    rewrite_memories(op, f"{MEMORY_9} given_level:str", "'full'")
    op.execute(text(_PAIR_GONE))


_NOTE = (
    "id:int app_id:int project_id:int? content:text created_at:at updated_at:at conversation_id:int? importance:float "
    "tags:json related_ids:json worded_by:str memory_id:int?"
)
_LOG = (
    "id:int at:at kind:str app_id:int conversation_id:int message_id:int note_id:int note_count:int session:str action:str "
    "reason:text"
)


def upgrade_20(op: Operations) -> None:
    """Version 20: notes, what became of them, for how long an app's are kept, and which task a request to a judge was.
    Source: S5 "Data Model".

    Adds the tables.
    """
    create_table(op, "note", _NOTE)
    op.create_index("ix_note_app", "note", ["app_id", "updated_at"])
    for column in ("project_id", "created_at", "updated_at", "conversation_id"):
        op.create_index(f"ix_note_{column}", "note", [column])
    create_table(op, "note_log", _LOG)
    op.create_index("ix_note_log_at", "note_log", ["at"])
    op.create_index("ix_note_log_conversation", "note_log", ["conversation_id", "message_id"])
    create_table(op, "note_choice", "id:int days:int")
    create_table(op, "judge_task", "request_id:int task:str", key=("request_id",))


def upgrade_21(op: Operations) -> None:
    """Version 21: how many runs a rule lay idle is counted from the runs, not kept beside it.

    Takes the column out. Source: DESIGN section 2 (a rule is pruned after ten runs without reinforcement).
    """
    op.execute(text("ALTER TABLE learned_rule DROP COLUMN idle_runs"))


_LINK = (
    "id:int from_kind:str from_id:int to_kind:str to_id:int to_name:str type:str strength:float created_at:at "
    "from_name:str reason:text origin:str"
)
_ENDS = {"ix_link_from": ["from_kind", "from_id"], "ix_link_to": ["to_kind", "to_id"]}
_VERDICT = "id:int a_kind:str a_id:int a_name:str b_kind:str b_id:int b_name:str type:str basis:str is_accepted:bool created_at:at"
_ALIAS = "id:int canonical:str kind:str name:str entity_id:int created_at:at"
_PIN = "id:int kind:str number:int name:str x:float y:float"


def upgrade_22(op: Operations) -> None:
    """Version 22: a link knows its reason and who made it, and may begin at a file; verdicts on links, names that mean
    one thing, pinned places.

    Adds the columns and the tables; links of before were made by nobody that is known. Source: issue 18 "The
    graph".
    """
    for name in _ENDS:
        op.drop_index(name, "link")
    op.rename_table("link", "link_before")
    create_table(op, "link", _LINK)
    op.execute(text("INSERT INTO link SELECT *, '', '', '' FROM link_before ORDER BY id"))
    op.drop_table("link_before")
    for name, columns in _ENDS.items():
        op.create_index(name, "link", columns)
    create_table(op, "link_verdict", _VERDICT)
    op.create_index("ix_link_verdict_a", "link_verdict", ["a_kind", "a_id"])
    op.create_index("ix_link_verdict_b", "link_verdict", ["b_kind", "b_id"])
    create_table(op, "entity_alias", _ALIAS, UniqueConstraint("canonical"))
    op.create_index("ix_entity_alias_entity", "entity_alias", ["entity_id"])
    create_table(op, "graph_pin", _PIN)
    op.create_index("ix_graph_pin_node", "graph_pin", ["kind", "number"])


_CHECK = (
    "id:int memory_a_id:int memory_b_id:int a_key:str b_key:str state:str verdict:str kind:str holds:str why:text "
    "confidence:float judged_by:str found_at:at judged_at:at? merged:text"
)
_INDEXES_23 = {"ix_pair_check_b": ["memory_b_id"], "ix_pair_check_state": ["state", "id"]}
_GONE = (
    "CREATE TRIGGER pair_gone AFTER DELETE ON memory BEGIN DELETE FROM pair_check WHERE memory_a_id = OLD.id; "
    "DELETE FROM pair_check WHERE memory_b_id = OLD.id; END"
)


def upgrade_23(op: Operations) -> None:
    """Version 23: a verdict on a pair may bring one text for both.

    Adds the column; verdicts of before brought no text. Blind to today's tables, as every step is. Source: S4
    "Contradiction Resolution", issue 17 "merged (edited text; the judge may propose one)".
    """
    op.execute(text("DROP TRIGGER pair_gone"))
    for name in _INDEXES_23:
        op.drop_index(name, "pair_check")
    op.rename_table("pair_check", "pair_check_before")
    create_table(op, "pair_check", _CHECK, UniqueConstraint("memory_a_id", "memory_b_id"))
    op.execute(text("INSERT INTO pair_check SELECT *, '' FROM pair_check_before ORDER BY id"))
    op.drop_table("pair_check_before")
    for name, columns in _INDEXES_23.items():
        op.create_index(name, "pair_check", columns)
    op.execute(text(_GONE))


def upgrade_24(op: Operations) -> None:
    """Version 24: uses and memories are counted by day without reading them: an index of each.

    Adds two indexes; nothing is changed. Source: issue 18 "Timeline and statistics".
    """
    op.create_index("ix_usage_kind", "usage_event", ["kind", "at", "receipt_id"])
    op.create_index("ix_memory_recorded", "memory", ["recorded_at", "kind", "worded_by"])


_PIN_25 = "id:int kind:str number:int name:str x:float y:float is_on_map:bool"


def upgrade_25(op: Operations) -> None:
    """Version 25: where a person put a thing on the map is kept beside where they put it in parts.

    Every place that is kept was put in a part. Source: UX 4.5 "positions are kept".
    """
    op.drop_index("ix_graph_pin_node", "graph_pin")
    op.rename_table("graph_pin", "graph_pin_before")
    create_table(op, "graph_pin", _PIN_25)
    op.execute(text("INSERT INTO graph_pin SELECT *, 0 FROM graph_pin_before ORDER BY id"))
    op.drop_table("graph_pin_before")
    op.create_index("ix_graph_pin_node", "graph_pin", ["kind", "number"])


_MODEL = "id:int address:str model:str version:int dimension_count:int state:str started_at:at finished_at:at?"
_GONE_26 = (
    "CREATE TRIGGER embedding_gone AFTER DELETE ON memory BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END",
    (
        "CREATE TRIGGER embedding_stale AFTER UPDATE OF full, summary ON memory "
        "WHEN NEW.full IS NOT OLD.full OR NEW.summary IS NOT OLD.summary "
        "BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END"
    ),
)


def upgrade_26(op: Operations) -> None:
    """Version 26: beside a memory may stand its vectors, of one model or, while another takes its place, of two.

    Adds two tables and two triggers. Both tables begin empty: vectors are derived, and there are none until the
    person names a model. Source: S4 "Embedding", issue 18.
    """
    create_table(op, "embedding_model", _MODEL)
    op.create_table(
        "embedding",
        Column("memory_id", Integer(), nullable=False),
        Column("model_id", Integer(), nullable=False),
        Column("full", LargeBinary(), nullable=False),
        Column("summary", LargeBinary(), nullable=False),
        PrimaryKeyConstraint("memory_id", "model_id"),
    )
    op.create_index("ix_embedding_model_id", "embedding", ["model_id"])
    for trigger in _GONE_26:
        op.execute(trigger)


def upgrade_27(op: Operations) -> None:
    """Version 27: the episodes of a project are found without reading what stands beside them.

    Adds an index; nothing is changed. Source: QUALITY P2.
    """
    is_given = text("kind = 'episode' AND status = 'active'")
    op.create_index("ix_memory_episode", "memory", ["project_id", "valid_from"], sqlite_where=is_given)
