"""What follows from every write of a memory, also when an undo brought it back: tags, cut, revision, the index's list.

Called once at the end of each write, whoever made it. Knows no flow. Source: DESIGN "Canonical and derived".
"""

from sqlalchemy import delete, insert, select, update

from app.store.chunked_parameters import slices
from app.store.journal import Write, table_of
from app.store.search.index import note_changed
from app.store.tables.memory import MemoryCutRow, MemoryRow, MemoryTagRow

_memory, _tag, _cut = table_of(MemoryRow), table_of(MemoryTagRow), table_of(MemoryCutRow)


def follow_memories(write: Write) -> None:
    """Brings up to date what is kept beside the memories whose row came, went or changed in this write."""
    ids = sorted(write.touched_memories)
    for some in slices(ids):
        write.connection.execute(delete(_tag).where(_tag.c.memory_id.in_(some)))
        write.connection.execute(
            delete(_cut).where(_cut.c.memory_id.in_(some))
        )  # made again behind; what was said is gone
        found = write.connection.execute(select(_memory.c.id, _memory.c.tags).where(_memory.c.id.in_(some)))
        rows = [{"memory_id": row.id, "tag": one} for row in found for one in dict.fromkeys(row.tags)]
        if rows:
            write.connection.execute(insert(_tag), rows)
        raised = update(_memory).where(_memory.c.id.in_(some)).values(revision=_memory.c.revision + 1)
        write.connection.execute(raised)
    note_changed(write, ids)
    write.touched_memories.clear()
