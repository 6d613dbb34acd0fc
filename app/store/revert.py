"""Undo reads the journal: the inverse of an operation, applied as a new one, so that redo is the undo of an undo.

Rows that came or went in a run of one table go or come back together: an import is a hundred thousand of them.
Source: DESIGN section 3 "One writer", STYLE "Undo is the engine's journal".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Row, Table, bindparam, delete, select, text, update
from sqlalchemy.exc import IntegrityError

from app.errors import NotFoundError, StaleError
from app.store.chunked_parameters import slices
from app.store.journal import Record, Write, table_of
from app.store.tables.context import CitationRow
from app.store.tables.core import (
    JOURNALLED,
    ArchivedPromptRow,
    ChangeRow,
    ConversationRow,
    LearnedRuleRow,
    MessageRow,
    NoteRow,
    OperationRow,
)
from app.store.tables.memory import MemoryRow, UsageEventRow
from app.store.tables.types import Instant, from_microseconds
from app.values import DataKind

_ARCHIVED = str(ArchivedPromptRow.__tablename__)
_PAGE, _AFTER_ALL = 2_000, 2**62
_UNCOUNT = text("""
UPDATE memory SET retrieved_count = max(0, memory.retrieved_count - used.retrieved),
cited_count = max(0, memory.cited_count - used.cited), ignored_count = max(0, memory.ignored_count - used.ignored),
last_accessed_at = NULL
FROM (SELECT memory_id, sum(kind = 'retrieved') AS retrieved, sum(kind = 'cited') AS cited, sum(kind = 'ignored') AS ignored
FROM usage_event WHERE memory_id IN (SELECT value FROM json_each(:ids)) GROUP BY memory_id) AS used
WHERE memory.id = used.memory_id
""")
_change, _usage = table_of(ChangeRow), table_of(UsageEventRow)
_operation, _note = table_of(OperationRow), table_of(NoteRow)
_OLDER = (
    select(_change)
    .where(_change.c.operation_id == bindparam("operation_id"), _change.c.seq < bindparam("before"))
    .order_by(_change.c.seq.desc())
    .limit(_PAGE)
)
_MOVES_ON = {  # what was seen or said again since is not in an undo's way
    "memory": frozenset({"updated_at"}),
    "learned_rule": frozenset({"confidence", "seen_count", "last_seen_at", "details", "conversation_ids"}),
}
_RESTED = ("active", "paused")  # that nobody spoke there for hours is not in an undo's way either
_BY_PARTS = {"conversation": "distilled"}  # what an assistant notes beside something is not in its undo's way
_LEARNED = str(LearnedRuleRow.__tablename__)


def revert(write: Write, operation_id: int) -> None:
    """Applies the inverse of one operation inside `write`.

    Raises StaleError when a later change stands in the way, NotFoundError when its images are gone.
    """
    is_kept = False
    try:
        for rows in _changes(write, operation_id):
            is_kept = True
            for table_name, action, run in _runs(rows):
                _apply(write, table_name, action, run)
            write.relieve()
    except IntegrityError as error:  # what this added has children by now, or what it belonged to is gone
        raise StaleError("A newer change depends on this.", hint="Undo the newer entries of Activity first.") from error
    if not is_kept:
        raise NotFoundError("What this would undo is no longer kept.", hint="Undo reaches back 30 days by default.")
    _touch_conversations(write)


def revert_notes(write: Write, operation_id: int) -> None:
    """Takes back the notes that were written since about conversations that an operation made or ended, and what went to make room for them.

    A note that somebody edited or made a memory of stays, and so does what it took the place of.
    """
    is_over = (_change.c.action == "insert") | _change.c.after["state"].as_string().is_not(None)
    concerned = select(_change.c.row_id).where(
        _change.c.operation_id == operation_id, _change.c.table_name == ConversationRow.__tablename__, is_over
    )
    written = select(_operation.c.id).where(
        _operation.c.kind == NoteRow.__tablename__,
        _operation.c.id > operation_id,
        _operation.c.undone_by_id.is_(None),
        _operation.c.conversation_id.in_(concerned),
    )
    for one in write.connection.execute(written.order_by(_operation.c.id.desc())).scalars().all():
        _revert_note(write, int(one))


def _revert_note(write: Write, operation_id: int) -> None:
    entries = [entry for page in _changes(write, operation_id) for entry in page if entry.table_name == _note.name]
    now = {int(row.id): row for row in write.connection.execute(select(_note)).all()}
    for entry in entries:
        row = now.get(int(entry.row_id))
        if entry.action == "delete":
            is_as_left = row is None
        elif entry.action == "insert":
            is_as_left = row is not None and row.worded_by != "person" and row.memory_id is None
        else:
            after = _values(_note, entry.after)
            is_as_left = row is not None and all(row._mapping[name] == value for name, value in after.items())
        if not is_as_left:
            return
    for entry in entries:
        _apply(write, _note.name, entry.action, [entry])
    undone = update(_operation).where(_operation.c.id == operation_id)
    write.connection.execute(undone.values(undone_by_id=write.begin()))


def _touch_conversations(write: Write) -> None:
    """Every conversation whose messages came, went or changed gets its derived columns again."""
    table = table_of(MessageRow)
    for some in slices(list(write.touched.get(DataKind.MESSAGES, ()))):
        found = select(table.c.conversation_id).where(table.c.id.in_(some)).distinct()
        write.touched_conversations.update(write.connection.execute(found).scalars().all())


def _changes(write: Write, operation_id: int) -> Iterator[Sequence[Row[Any]]]:
    """The changes of an operation, newest first, so many at a time that a whole import's are never held."""
    before = _AFTER_ALL
    while rows := write.connection.execute(_OLDER, {"operation_id": operation_id, "before": before}).all():
        yield rows
        before = rows[-1].seq


def _apply(write: Write, table_name: str, action: str, run: Sequence[Row[Any]]) -> None:
    match action:
        case "insert":
            _take_away(write, table_name, [int(entry.row_id) for entry in run])
        case "delete":
            _bring_back(write, table_name, run)
        case _:
            for entry in run:
                _change_back(write, entry._mapping)


def _runs(rows: Sequence[Row[Any]]) -> Iterator[tuple[str, str, Sequence[Row[Any]]]]:
    for (table_name, action), run in groupby(rows, key=lambda row: (row.table_name, row.action)):
        listed = list(run)
        for some in slices(listed):
            yield table_name, action, some


def _present(write: Write, table: Table, row_ids: Sequence[int]) -> set[int]:
    return set(write.connection.execute(select(table.c.id).where(table.c.id.in_(row_ids))).scalars().all())


def _take_away(write: Write, table_name: str, row_ids: Sequence[int]) -> None:
    present = _present(write, table_of(JOURNALLED[table_name]), row_ids)
    if table_name in {_ARCHIVED, _LEARNED}:  # one that has left the archive, or was pruned, since is away already
        row_ids = [row_id for row_id in row_ids if row_id in present]
    elif not present.issuperset(row_ids):
        raise _gone(table_name)
    if table_name == MemoryRow.__tablename__:  # its uses are only counted: they are in no undo's way
        write.connection.execute(_UNCOUNT, {"ids": json.dumps(list(row_ids))})  # what comes back has had none of them
        for used in (_usage, table_of(CitationRow)):
            write.connection.execute(delete(used).where(used.c.memory_id.in_(row_ids)))
    write.delete_many(JOURNALLED[table_name], row_ids)


def _bring_back(write: Write, table_name: str, run: Sequence[Row[Any]]) -> None:
    table = table_of(JOURNALLED[table_name])
    if _present(write, table, [int(entry.row_id) for entry in run]):
        raise StaleError(f"This {table_name} is there again already.", hint="Look at the newest entries first.")
    records = [{"id": write.ids.use(table_name, int(one.row_id)), **_values(table, one.before)} for one in run]
    write.insert_many(JOURNALLED[table_name], records)


def _change_back(write: Write, entry: Mapping[Any, Any]) -> None:
    row = JOURNALLED[entry["table_name"]]
    table = table_of(row)
    row_id = int(entry["row_id"])
    current = write.connection.execute(select(table).where(table.c.id == row_id)).one_or_none()
    if current is None and table.name == _LEARNED:
        return
    if current is None:
        raise _gone(table.name)
    after, before = _values(table, entry["after"]), _values(table, entry["before"])
    parts = _BY_PARTS.get(table.name, "")
    if parts in after:
        after[parts], before[parts] = _carry_parts(before[parts], after[parts], current._mapping[parts])
        after[parts] = after[parts] or (None if current._mapping[parts] is None else {})
    if table.name == "conversation" and (after.get("state"), current._mapping.get("state")) == _RESTED:
        after["state"] = current.state
        write.touched_conversations.add(row_id)
    changed_since = {name for name, value in after.items() if current._mapping[name] != value}
    if changed_since - _MOVES_ON.get(table.name, frozenset()):
        raise StaleError(
            f"This {table.name} was changed again since.", hint="Undo the newer entries of Activity first."
        )
    before = {name: value for name, value in before.items() if name not in changed_since}
    if "conversation_id" in before and table.name == MessageRow.__tablename__:
        write.touched_conversations.add(current.conversation_id)  # which it leaves; where it goes is found behind
    write.update(row, row_id, before)


def _carry_parts(before: Any, after: Any, current: Any) -> tuple[Any, Any]:
    """The images after and before a change of some parts of a value, with the other parts as they are now.

    >>> _carry_parts({"todos": []}, {"todos": [], "plan": "x"}, {"todos": ["y"], "plan": "x"})
    ({'todos': ['y'], 'plan': 'x'}, {'todos': ['y']})
    """
    was = before
    before, after, current = before or {}, after or {}, current or {}
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    rest = {name: value for name, value in current.items() if name not in changed}
    then, now = ({name: image[name] for name in image if name in changed} for image in (before, after))
    return rest | now, (rest | then) or was


def _gone(table_name: str) -> StaleError:
    return StaleError(
        f"The {table_name} that this changed no longer exists.", hint="Undo the newer entries of Activity first."
    )


def _values(table: Table, image: Mapping[str, Any]) -> Record:
    return {
        name: from_microseconds(value) if value is not None and isinstance(table.c[name].type, Instant) else value
        for name, value in image.items()
    }
