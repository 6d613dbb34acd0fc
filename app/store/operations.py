"""Operations of the journal by what was done and who did it: what is listed, what undo and redo take back next; settings as it knows them.

Who asks is `app.actor`: a program sees its own acts, the person all of them. Taking back is `store.revert`. A setting is here only so
that a change of it can be undone; what holds is in the person's file.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select, true, update

from app.actor import actor
from app.journal_rights import Need
from app.store.journal import Write, table_of
from app.store.tables.core import ChangeRow, OperationRow, SettingRow
from app.values import Origin

_operation, _change = table_of(OperationRow), table_of(ChangeRow)
_BY_HAND = (Origin.PERSON.value, Origin.API.value)
_DETAILS = 500  # of an act of many, so many are told


def load_operations(
    connection: Connection, *, limit: int, before_id: int | None = None, origin: Origin | None = None, query: str = ""
) -> Sequence[Row[Any]]:
    """Newest first. An act of many transactions shows once: its first operation stands for all; a note of the app's own never does."""
    is_note = and_(_operation.c.kind == "setting", _operation.c.label == "")
    is_shown = and_(or_(_operation.c.group_id.is_(None), _operation.c.group_id == _operation.c.id), ~is_note)
    statement = select(_operation).where(is_shown, _is_open()).order_by(_operation.c.id.desc()).limit(limit)
    if before_id is not None:
        statement = statement.where(_operation.c.id < before_id)
    if origin is not None:
        statement = statement.where(_operation.c.origin == origin.value)
    if query:
        statement = statement.where(_operation.c.label.icontains(query, autoescape=True))
    return connection.execute(statement).all()


def load_operations_after(connection: Connection, seq: int, limit: int) -> Sequence[Row[Any]]:
    """Oldest first, with `is_open`: whether whoever asks may read it."""
    listed = select(_operation, _is_open().label("is_open")).where(_operation.c.id > seq)
    return connection.execute(listed.order_by(_operation.c.id).limit(limit)).all()


def may_read(connection: Connection, operation_id: int) -> bool:
    is_it = select(_operation.c.id).where(_operation.c.id == operation_id, _is_open())
    return connection.execute(is_it).first() is not None


def load_changes(connection: Connection, operation_id: int) -> Sequence[Row[Any]]:
    """The first changes of an act, of all its parts."""
    is_part = (_operation.c.id == operation_id) | (_operation.c.group_id == operation_id)
    parts = select(_operation.c.id).where(is_part)
    found = select(_change).where(_change.c.operation_id.in_(parts)).order_by(_change.c.seq).limit(_DETAILS)
    return connection.execute(found).all()


def load_operation(connection: Connection, operation_id: int | None) -> Row[Any] | None:
    return connection.execute(select(_operation).where(_operation.c.id == operation_id)).one_or_none()


def next_undo(connection: Connection) -> Row[Any] | None:
    """The newest operation by hand that is not undone (an undo itself does not count); a program's is one of its own."""
    return _newest(
        connection, _operation.c.undone_by_id.is_(None), _operation.c.undoes_id.is_(None), _operation.c.is_undoable
    )


def next_redo(connection: Connection) -> Row[Any] | None:
    """The newest undo with nothing done by hand after it; undoing it is redoing."""
    last_act = _newest(connection, _operation.c.kind.not_in(("undo", "redo")))
    after = _operation.c.id > (0 if last_act is None else last_act.id)
    return _newest(connection, _operation.c.kind == "undo", _operation.c.undone_by_id.is_(None), after)


def _newest(connection: Connection, *where: ColumnElement[bool]) -> Row[Any] | None:
    found = select(_operation).where(_is_own(), *where).order_by(_operation.c.id.desc()).limit(1)
    return connection.execute(found).one_or_none()


def parts_not_undone(connection: Connection, group_id: int) -> list[int]:
    """The parts of an act that changed something and were not taken back by themselves, the newest first."""
    standing = _operation.c.undone_by_id.is_(None) & (_operation.c.change_count > 0)
    members = select(_operation.c.id).where(_operation.c.group_id == group_id, standing)
    return list(connection.execute(members.order_by(_operation.c.id.desc())).scalars())


def stand_again(connection: Connection, undo_id: int) -> None:
    """What that undo took back holds once more and can be undone again."""
    connection.execute(update(_operation).where(_operation.c.undone_by_id == undo_id).values(undone_by_id=None))


def is_changed_by_others(connection: Connection, operation_id: int, app: str) -> bool:
    """Whether anybody but this app has since changed a row that the operation changed."""
    later = _change.alias("later")
    by_others = (
        select(later.c.seq)
        .join(_change, and_(_change.c.table_name == later.c.table_name, _change.c.row_id == later.c.row_id))
        .join(_operation, _operation.c.id == later.c.operation_id)
        .where(_change.c.operation_id == operation_id, later.c.operation_id > operation_id)
        .where(or_(_operation.c.origin != Origin.API.value, _operation.c.app != app))
    )
    return connection.execute(by_others.limit(1)).first() is not None


def has_since(connection: Connection, kind: str, after: int) -> bool:
    """Whether such an operation came after that number."""
    found = select(_operation.c.id).where(_operation.c.kind == kind, _operation.c.id > after)
    return connection.execute(found.limit(1)).first() is not None


def _is_own() -> ColumnElement[bool]:
    """What counts as done by hand by whoever asks."""
    who = actor()
    is_by_hand = _operation.c.origin.in_(_BY_HAND)
    return is_by_hand if who is None else and_(_operation.c.app == who.app, is_by_hand)


def _is_open() -> ColumnElement[bool]:
    """`may_see` as a condition: words that only the person may see are in labels and images."""
    who = actor()
    if who is None:
        return true()
    own = and_(_operation.c.app == who.app, _operation.c.origin == Origin.API.value)
    return or_(_operation.c.need != Need.PERSON.value, own)


_setting = table_of(SettingRow)


def load_values(connection: Connection, ids: Iterable[int]) -> list[tuple[str, object]]:
    """Name and value of each."""
    found = connection.execute(select(_setting.c.name, _setting.c.value).where(_setting.c.id.in_(list(ids)))).all()
    return [(row.name, row.value) for row in found]


def save_value(write: Write, name: str, value: object, before: object) -> None:
    """`before`: what the file says now. It may have been edited by hand since; undo goes back to that."""
    setting_id = write.connection.execute(select(_setting.c.id).where(_setting.c.name == name)).scalar()
    if setting_id is None:
        setting_id = write.ids.take("setting")
        write.connection.execute(_setting.insert(), {"id": setting_id, "name": name, "value": before})
    else:
        write.connection.execute(_setting.update().where(_setting.c.id == setting_id).values(value=before))
    write.update(SettingRow, setting_id, {"value": value})
