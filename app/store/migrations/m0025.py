"""Version 25: where a person put a thing on the map is kept beside where they put it in parts. Blind to today's tables, as every step is.

The table is written anew, because a column that is added to a table never reads as one that it was made with.
Source: UX 4.5 "positions are kept".
"""

from alembic.operations import Operations
from sqlalchemy import text

from app.store.migrations.columns import create_table

_PIN = "id:int kind:str number:int name:str x:float y:float is_on_map:bool"


def upgrade(op: Operations) -> None:
    """Every place that is kept was put in a part."""
    op.drop_index("ix_graph_pin_node", "graph_pin")
    op.rename_table("graph_pin", "graph_pin_before")
    create_table(op, "graph_pin", _PIN)
    op.execute(text("INSERT INTO graph_pin SELECT *, 0 FROM graph_pin_before ORDER BY id"))
    op.drop_table("graph_pin_before")
    op.create_index("ix_graph_pin_node", "graph_pin", ["kind", "number"])
