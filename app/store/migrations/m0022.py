"""Version 22: a link knows its reason and who made it, and may begin at a file; verdicts on links, names that mean one thing, pinned places.

The table of links is written anew, because a column that is added to a table never reads as one that it was made with. Blind to
today's tables, as every step is. Source: issue 18 "The graph".
"""

from alembic.operations import Operations
from sqlalchemy import UniqueConstraint, text

from app.store.migrations.columns import create_table

_LINK = (
    "id:int from_kind:str from_id:int to_kind:str to_id:int to_name:str type:str strength:float created_at:at "
    "from_name:str reason:text origin:str"
)
_ENDS = {"ix_link_from": ["from_kind", "from_id"], "ix_link_to": ["to_kind", "to_id"]}
_VERDICT = "id:int a_kind:str a_id:int a_name:str b_kind:str b_id:int b_name:str type:str basis:str is_accepted:bool created_at:at"
_ALIAS = "id:int canonical:str kind:str name:str entity_id:int created_at:at"
_PIN = "id:int kind:str number:int name:str x:float y:float"


def upgrade(op: Operations) -> None:
    """Adds the columns and the tables; links of before were made by nobody that is known."""
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
