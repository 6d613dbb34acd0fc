"""Version 7: what is worked out of a memory knows where it was said first; what was said near is found by one index. Blind to
today's tables, as every step is.

The table is written anew, because a column that is added to a table never reads as one that it was made with. Triggers keep the
place in step with the sources, whoever writes them. Source: QUALITY P1.
"""

from alembic.operations import Operations
from sqlalchemy import text

from app.store.migrations.columns import create_table

_CUT = (
    "memory_id:int cut_revision:int cut_form:int stems:text speaker:str full_line:int summary_line:int "
    "compressed_line:int index_line:int place_conversation_id:int? place_message_id:int?"
)
_FIRST = "(SELECT {} FROM memory_source s WHERE s.memory_id = c.memory_id ORDER BY s.id LIMIT 1)"
_PLACE = (
    "UPDATE memory_cut SET (place_conversation_id, place_message_id) = (SELECT conversation_id, message_id "
    "FROM memory_source WHERE memory_source.memory_id = memory_cut.memory_id ORDER BY id LIMIT 1) WHERE memory_id"
)


def upgrade(op: Operations) -> None:
    """Adds the columns with what they hold, the triggers, and the index in place of a narrower one."""
    op.rename_table("memory_cut", "memory_cut_6")
    create_table(op, "memory_cut", _CUT, key=("memory_id",))
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
