"""Undo, redo and the list of operations, over the journal. Source: STYLE "Undo is the engine's journal"."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select, true

from app.actor import actor
from app.errors import ForbiddenError, InvalidError, NotFoundError, StaleError
from app.journal_rights import Act, Need, check_revert
from app.store.journal import Write, table_of
from app.store.revert import revert
from app.store.store import Store
from app.store.tables.core import ChangeRow, OperationRow
from app.store.tables.types import from_microseconds
from app.transfer.import_positions import forget_positions
from app.understanding.message_rows import AnyRow
from app.upkeep.change_wording import say_changes
from app.values import ChangeDetail, Operation, Origin
from app.values.fast_values import value_of

_BY_HAND = (Origin.PERSON.value, Origin.API.value)
_QUERY_CHARS = 500
_FIRST_INSTANT = 10**14  # microseconds, 1973: a number above it is a time
HIDDEN_KIND = "hidden"  # of an operation that is not for whoever asks
_DETAILS = 500  # of an act of many, so many are told
_WHY_NOT = {
    "erase": "What was erased is gone for good.",
    "purge_secrets": "A secret that was taken out is gone for good.",
    "archive_expired": "What expired is gone for good.",
    "evicted": "It came with another entry: undo that one.",
    "connect": "It changed files of the assistant: disconnect it under Apps.",
    "disconnect": "It changed files of the assistant: connect it again under Apps.",
}
_UNDID, _DID_AGAIN = "Undid: ", "Redone: "


def list_operations(
    connection: Connection, *, limit: int, before_id: int | None = None, origin: Origin | None = None, query: str = ""
) -> tuple[Operation, ...]:
    """Newest first."""
    table = table_of(OperationRow)
    statement = select(table).where(_is_shown(table), _is_open(table)).order_by(table.c.id.desc()).limit(limit)
    if before_id is not None:
        statement = statement.where(table.c.id < before_id)
    if origin is not None:
        statement = statement.where(table.c.origin == origin.value)
    if query.strip():
        statement = statement.where(table.c.label.icontains(query.strip()[:_QUERY_CHARS], autoescape=True))
    return tuple(operation_of(row) for row in connection.execute(statement))


def list_since(connection: Connection, seq: int, limit: int) -> tuple[Operation, ...]:
    """Oldest first, those after `seq`; what is not for whoever asks has its number and time only."""
    table = table_of(OperationRow)
    open_one = _is_open(table).label("is_open")
    rows = connection.execute(select(table, open_one).where(table.c.id > seq).order_by(table.c.id).limit(limit))
    return tuple(operation_of(row) if row.is_open else _without_words(operation_of(row)) for row in rows)


def _without_words(operation: Operation) -> Operation:
    return replace(operation, kind=HIDDEN_KIND, label="", app="", conversation_id=None, message_id=None)


def operation_of(row: AnyRow) -> Operation:
    return value_of(
        Operation,
        row,
        origin=Origin(row.origin),
        label=row.label or row.kind.replace("_", " "),
        is_undone=row.undone_by_id is not None,
        is_undoable=row.is_undoable and row.undone_by_id is None,
        why_not=_why_not(row),
    )


def _why_not(row: AnyRow) -> str:
    if row.undone_by_id is not None:
        return "This was undone already."
    return "" if row.is_undoable else _WHY_NOT.get(row.kind, "What it changed can be changed again by hand.")


def list_changes(connection: Connection, operation_id: int) -> tuple[ChangeDetail, ...]:
    table, operation = table_of(ChangeRow), table_of(OperationRow)
    is_open = select(operation.c.id).where(operation.c.id == operation_id, _is_open(operation))
    if actor() is not None and connection.execute(is_open).first() is None:
        raise NotFoundError(f"There is no entry {operation_id} in Activity.", hint="Look at the list again.")
    parts = select(operation.c.id).where((operation.c.id == operation_id) | (operation.c.group_id == operation_id))
    found = select(table).where(table.c.operation_id.in_(parts)).order_by(table.c.seq).limit(_DETAILS)
    rows = connection.execute(found).all()
    words = say_changes(connection, rows, is_person=actor() is None)
    return tuple(
        ChangeDetail(row.table_name, row.row_id, row.action, _for_people(row.before), _for_people(row.after), wording)
        for row, wording in zip(rows, words, strict=True)
    )


def next_undo(connection: Connection) -> AnyRow | None:
    """The newest operation by hand that is not undone (an undo itself does not count); a program's is one of its own."""
    table = table_of(OperationRow)
    row: AnyRow | None = connection.execute(
        select(table)
        .where(
            _is_own(table),
            table.c.undone_by_id.is_(None),
            table.c.undoes_id.is_(None),
            table.c.is_undoable,
        )
        .order_by(table.c.id.desc())
        .limit(1)
    ).one_or_none()
    return row


def next_redo(connection: Connection) -> AnyRow | None:
    """The newest undo with nothing done by hand after it; undoing it is redoing."""
    table = table_of(OperationRow)
    newest = (
        select(table.c.id)
        .where(_is_own(table), table.c.kind.not_in(("undo", "redo")))
        .order_by(table.c.id.desc())
        .limit(1)
    )
    last_act = int(connection.execute(newest).scalar() or 0)
    row: AnyRow | None = connection.execute(
        select(table)
        .where(_is_own(table), table.c.kind == "undo", table.c.undone_by_id.is_(None), table.c.id > last_act)
        .order_by(table.c.id.desc())
        .limit(1)
    ).one_or_none()
    return row


def undone_label(label: str) -> str:
    """What undoing an act is called; undoing an undo is doing it again.

    >>> undone_label("Pinned “x”"), undone_label("Undid: Pinned “x”"), undone_label("Redone: Pinned “x”")
    ('Undid: Pinned “x”', 'Redone: Pinned “x”', 'Undid: Pinned “x”')
    """
    if label.startswith(_UNDID):
        return f"{_DID_AGAIN}{label.removeprefix(_UNDID)}"
    return f"{_UNDID}{label.removeprefix(_DID_AGAIN)}"


def undo(store: Store, operation_id: int | None, origin: Origin = Origin.PERSON) -> Operation:
    """Undoes one operation (None: the person's last). Raises StaleError when later changes stand in the way."""
    with store.write(origin=origin, kind="undo", label="") as write:
        row = next_undo(write.connection) if operation_id is None else _operation(write, operation_id)
        if row is None:
            raise InvalidError(
                "There is nothing to undo.", hint="Activity shows what happened, and what can be undone."
            )
        _check_right(row)
        _check(row)
        _revert(write, row, undone_label(row.label))
        if row.kind == "import":
            forget_positions(write)
    return _written(store, write)


def redo(store: Store, origin: Origin = Origin.PERSON) -> Operation:
    with store.write(origin=origin, kind="redo", label="") as write:
        row = next_redo(write.connection)
        if row is None:
            raise InvalidError("There is nothing to redo.", hint="Only what was undone last can be done again.")
        original = _operation(write, row.undoes_id)
        _check_right(row)
        _check_right(original)
        _revert(write, row, f"{_DID_AGAIN}{original.label.removeprefix(_DID_AGAIN)}")
        # what was done again can be undone again: the original stands once more
        table = table_of(OperationRow)
        write.connection.execute(table.update().where(table.c.id == original.id).values(undone_by_id=None))
    return _written(store, write)


def _is_shown(table: Table) -> ColumnElement[bool]:
    """An act of many transactions shows once: its first operation stands for all. A note of the app's own never does."""
    is_note = and_(table.c.kind == "setting", table.c.label == "")
    return and_(or_(table.c.group_id.is_(None), table.c.group_id == table.c.id), ~is_note)


def _revert(write: Write, row: AnyRow, label: str) -> None:
    table = table_of(OperationRow)
    # A part that was taken back by itself is not taken back twice; one that only stands for the others changed nothing.
    standing = table.c.undone_by_id.is_(None) & (table.c.change_count > 0)
    members = select(table.c.id).where(table.c.group_id == row.id, standing).order_by(table.c.id.desc())
    parts = write.connection.execute(members).scalars().all() if row.group_id == row.id else [row.id]
    for part in parts or [row.id]:
        _check_untouched(write, part)
        revert(write, part)
    write.label = label
    write.need = Need(row.need)
    write.undoes_id = row.id
    write.conversation_id, write.message_id = row.conversation_id, row.message_id


def _operation(write: Write, operation_id: int) -> AnyRow:
    table = table_of(OperationRow)
    row = write.connection.execute(select(table).where(table.c.id == operation_id)).one_or_none()
    if row is None:
        raise NotFoundError(
            f"Entry {operation_id} of Activity is no longer kept.", hint="Undo reaches back 30 days by default."
        )
    return row


def _act_of(row: AnyRow) -> Act:
    return Act(row.app, Need(row.need), row.origin == Origin.API.value)


def _check_right(row: AnyRow) -> None:
    """The one place where any door's undo and redo are allowed or not. Raises ForbiddenError, naming nothing of the entry."""
    check_revert(actor(), _act_of(row))


def _check_untouched(write: Write, operation_id: int) -> None:
    """A program takes back nothing that somebody else has changed since: it would take theirs along."""
    who = actor()
    if who is None or who.is_admin:
        return
    table, change, later = table_of(OperationRow), table_of(ChangeRow), table_of(ChangeRow).alias("later")
    by_others = (
        select(later.c.seq)
        .join(change, and_(change.c.table_name == later.c.table_name, change.c.row_id == later.c.row_id))
        .join(table, table.c.id == later.c.operation_id)
        .where(change.c.operation_id == operation_id, later.c.operation_id > operation_id)
        .where(or_(table.c.origin != Origin.API.value, table.c.app != who.app))
    )
    if write.connection.execute(by_others.limit(1)).first() is not None:
        raise ForbiddenError(
            "Somebody else has changed this since.", hint="Only the person takes it back now, in Activity."
        )


def _is_own(table: Table) -> ColumnElement[bool]:
    """What counts as done by hand by whoever asks: a program sees its own acts, the person all of them."""
    who = actor()
    if who is None:
        return table.c.origin.in_(_BY_HAND)
    return and_(table.c.app == who.app, table.c.origin.in_(_BY_HAND))


def _is_open(table: Table) -> ColumnElement[bool]:
    """`may_see` as a condition: words that only the person may see stand in labels and images."""
    who = actor()
    if who is None:
        return true()
    own = and_(table.c.app == who.app, table.c.origin == Origin.API.value)
    return or_(table.c.need != Need.PERSON.value, own)


def _check(row: AnyRow) -> None:
    if row.undone_by_id is not None:
        raise StaleError("This was undone already.", hint="Redo brings it back.")
    if not row.is_undoable:
        raise InvalidError(f"“{row.label}” cannot be undone.", hint="What it changed can be changed again by hand.")


def _written(store: Store, write: Write) -> Operation:
    if write.operation_id is None:
        raise InvalidError("This changed nothing.", hint="It is as you wanted it already.")
    with store.read() as connection:
        table = table_of(OperationRow)
        return operation_of(connection.execute(select(table).where(table.c.id == write.operation_id)).one())


def _for_people(image: dict[str, Any] | None) -> str:
    return "\n".join(f"{_name_for_people(name)}: {_value_for_people(value)}" for name, value in (image or {}).items())


def _name_for_people(name: str) -> str:
    """The name of a column as words.

    >>> _name_for_people("antecedent_message_id"), _name_for_people("is_pinned")
    ('antecedent message', 'pinned')
    """
    return name.removesuffix("_id").removeprefix("is_").replace("_", " ").strip() or name


def _value_for_people(value: object) -> str:
    """
    >>> _value_for_people(True), _value_for_people(None), _value_for_people(1_767_225_600_000_000)
    ('yes', 'none', '2026-01-01 00:00 UTC')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value > _FIRST_INSTANT:
        return f"{from_microseconds(value):%Y-%m-%d %H:%M} UTC"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
