"""What a person said about the graph: links that they accepted or rejected, names that mean one thing, places that stay.

All of it is canonical: journalled, undone, erased with what it speaks of. What is worked out of the store (derived links, communities,
a layout) is not here. Source: issue 18 "The graph", "One thing, one node", "The view".
"""

from datetime import datetime

from sqlalchemy import Boolean, Column, Index
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class LinkVerdictRow(TableRow, table=True):
    """What a person said about one link, which may be derived and so have no row of its own. The smaller end is `a`."""

    __tablename__ = "link_verdict"
    __table_args__ = (Index("ix_link_verdict_a", "a_kind", "a_id"), Index("ix_link_verdict_b", "b_kind", "b_id"))
    id: int | None = Field(default=None, primary_key=True)
    a_kind: str
    a_id: int
    a_name: str = ""  # of a file, which has no row
    b_kind: str
    b_id: int
    b_name: str = ""
    type: str  # a relation, or same_as for two names
    basis: str = ""  # how it was found: similar, same_entity, cause, fix, name …
    is_accepted: bool
    created_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)


class EntityAliasRow(TableRow, table=True):
    """A name that was merged into an entity: whoever says it again means that one."""

    __tablename__ = "entity_alias"
    __table_args__ = (Index("ix_entity_alias_entity", "entity_id"),)
    id: int | None = Field(default=None, primary_key=True)
    canonical: str = Field(unique=True)
    kind: str
    name: str
    entity_id: int
    created_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)


class GraphPinRow(TableRow, table=True):
    """Where a person put a node, in lengths of a link: in parts of the graph, or on the map, which has places of its own."""

    __tablename__ = "graph_pin"
    __table_args__ = (Index("ix_graph_pin_node", "kind", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    number: int
    name: str = ""  # of a file
    x: float
    y: float
    is_on_map: bool = Field(sa_column=Column(Boolean, nullable=False, default=False), default=False)  # for older images


GRAPH_TABLES = (LinkVerdictRow, EntityAliasRow, GraphPinRow)
