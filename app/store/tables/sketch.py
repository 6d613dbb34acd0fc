"""What is kept of a sentence to know it again in other words: hashed stems, no text. Derived: neither journalled nor exported.

A sketch belongs to the place where a memory was said and goes with it, whoever takes that away: an undo, an erasure, a merge.
One whose quote is rewritten (a secret was taken out) goes too. Source: issue 16, "said again is evidence".
"""

from sqlalchemy import Column, Text
from sqlmodel import Field

from app.store.tables.types import TableRow


class SketchRow(TableRow, table=True):
    """One sentence that was a candidate for a memory. `stream_id`: the session in which it was said."""

    __tablename__ = "sketch"
    source_id: int = Field(primary_key=True)
    stream_id: int = Field(index=True)
    project_id: int = Field(index=True)  # 0: none
    stems: str = Field(sa_column=Column(Text, nullable=False), default="")  # hexadecimal, sorted, with spaces between
    marks: str = Field(sa_column=Column(Text, nullable=False), default="")  # the same of negations, numbers and names


SKETCH_GONE = (
    "CREATE TRIGGER source_gone AFTER DELETE ON memory_source BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)
SKETCH_CHANGED = (
    "CREATE TRIGGER source_rewritten AFTER UPDATE OF quote ON memory_source WHEN NEW.quote IS NOT OLD.quote "
    "BEGIN DELETE FROM sketch WHERE source_id = OLD.id; END"
)
