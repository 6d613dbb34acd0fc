"""What was said of a thing continues under its new name: a rename closes the name, not the rule.

The heir has the words of the closed memory with the new name in them, its sources, its trust and its place; one click back is the
old one. Knows rows and the decider. Source: issue 16, "real changes of mind that were heard".
"""

from collections.abc import Sequence

from app.deciders.memory.contradictions.reversals import say_with_new_name
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.understanding.message_rows import AnyRow
from app.values import FactType, MemoryStatus, Trust


def carry_over(
    write: Write, row: AnyRow, renames: Sequence[tuple[str, str]], message_text: str, source: NewSource
) -> int | None:
    """The number of the memory that says the same by the new name; None where nothing it speaks of was renamed.

    `renames`: old and new names that the message reports; `message_text`: its words; `source`: where it says so.
    """
    text = next(filter(None, (say_with_new_name(row.full, old, new, message_text) for old, new in renames)), "")
    if not text:
        return None
    heir = NewMemory(
        text=text,
        type=FactType(row.type),
        tags=tuple(row.tags),
        category=row.category,
        importance=row.importance,
        confidence=row.confidence,
        trust=Trust(row.trust),
        status=MemoryStatus(row.status),
        project_id=row.project_id,
        app_id=row.app_id,
        valid_from=source.at,
        supersedes_id=int(row.id),
        reason=f"{row.reason}; by its new name",
        worth=row.worth,
        worded_by=row.worded_by,
    )
    heir_id = insert_memory(write, heir)
    for one in judge_rows.load_sources(write.connection, int(row.id)):
        insert_source(write, heir_id, NewSource(**one._mapping))
    insert_source(write, heir_id, source)
    return heir_id
