"""The unit of work that journals every change, and undo that reads the journal.

An insert is journalled by its id alone (the row itself is its image), a delete with its before image, an
update with the changed columns before and after. Derived columns pass by. Undo is `store.revert`.
Source: DESIGN section 3 "One writer", STYLE rule 3.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import (
    Connection,
    Delete,
    Dialect,
    Insert,
    Row,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlmodel import SQLModel

from app.errors import NotFoundError
from app.journal_rights import need_of
from app.store.app_metadata import read_marks, set_marks
from app.store.chunked_parameters import slices
from app.store.tables.core import DERIVED, JOURNALLED, ChangeRow, OperationRow
from app.store.tables.types import to_microseconds
from app.store.visibility import check_row
from app.values import DataKind, Origin

Record = dict[str, Any]
_Bound = tuple[str, Callable[[Any], Any] | None]  # a column and how its value is bound
_NEWEST = "newest."  # before the name of a table: the largest number that it ever gave
_IMAGES_HELD = 2_000  # of an undo of a whole import, say

KIND_OF_TABLE: dict[str, DataKind] = {
    "app": DataKind.APPS,
    "project": DataKind.CONVERSATIONS,
    "stream": DataKind.CONVERSATIONS,
    "conversation": DataKind.CONVERSATIONS,
    "message": DataKind.MESSAGES,
    "entity": DataKind.MESSAGES,
    "mention": DataKind.MESSAGES,
    "reference": DataKind.MESSAGES,
    "tool_use": DataKind.CONVERSATIONS,
    "rule": DataKind.RULES,
    "setting": DataKind.SETTINGS,
    "event": DataKind.EVENTS,
    "memory": DataKind.MEMORIES,
    "memory_source": DataKind.MEMORIES,
    "memory_version": DataKind.MEMORIES,
    "link": DataKind.MEMORIES,
    "artifact": DataKind.MEMORIES,
    "contradiction": DataKind.CONTRADICTIONS,
    "chunk": DataKind.CHUNKS,
    "archived_prompt": DataKind.MESSAGES,
    "learned_rule": DataKind.RULES,
    "link_verdict": DataKind.MEMORIES,
    "entity_alias": DataKind.MESSAGES,
    "graph_pin": DataKind.GRAPH,
    "note": DataKind.NOTES,
    "note_choice": DataKind.NOTES,
}
PLACEMENT_RULE = "memory.placement"  # how a person wants a memory given: counts as a part of that memory
_MEMORY_COLUMNS: dict[str, tuple[str, ...]] = {
    "memory_source": ("memory_id",),
    "memory_version": ("memory_id",),
    "artifact": ("memory_id",),
    "contradiction": ("memory_a_id", "memory_b_id"),
}


def table_of(row: type[SQLModel]) -> Table:
    table: Table = row.__table__  # type: ignore[attr-defined]
    return table


# Built once: the library keeps what it compiled beside the statement object, so that a capture pays for binding only.


@cache
def _insert_into(table: Table) -> Insert:
    return insert(table)


@lru_cache(maxsize=256)
def _fast_insert(table: Table, names: tuple[str, ...], dialect: Dialect) -> tuple[str, tuple[_Bound, ...]] | None:
    """The words of an insert and how its values are bound, in their order; None where a column would need its default."""
    if any(column.name not in names and column.default is not None for column in table.columns):
        return None
    compiled = insert(table).compile(dialect=dialect, column_keys=list(names))
    order = compiled.positiontup
    if order is None:  # a driver that wants its values by name
        return None
    return str(compiled), tuple(
        (name, table.c[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in order
    )


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds rows that all have the same columns: the library is asked for the words once, not for each row's values."""
    fast = _fast_insert(table, tuple(rows[0]), connection.dialect)
    if fast is None or any(len(row) != len(rows[0]) for row in rows):
        connection.execute(_insert_into(table), _evened(table, rows))
        return
    words, bound = fast
    values = [tuple([row[name] if bind is None else bind(row[name]) for name, bind in bound]) for row in rows]
    connection.exec_driver_sql(words, values if len(values) > 1 else values[0])


def _evened(table: Table, rows: Sequence[Mapping[str, Any]]) -> list[Record]:
    """Rows that were written at different times may lack columns that came since: each gets what the others have."""
    names = {name for row in rows for name in row}
    defaults = {
        name: made.arg for name in names if isinstance(made := table.c[name].default, ScalarElementColumnDefault)
    }
    return [{**{name: value for name, value in defaults.items() if name not in row}, **row} for row in rows]


@cache
def _one_of(table: Table) -> Select[Any]:
    return select(table).where(table.c.id == bindparam("row_id"))


@cache
def _some_of(table: Table) -> Select[Any]:
    return select(table).where(table.c.id.in_(bindparam("row_ids", expanding=True)))


@cache
def _delete_some(table: Table) -> Delete:
    return delete(table).where(table.c.id.in_(bindparam("row_ids", expanding=True)))


@cache
def _update_one(table: Table, names: tuple[str, ...]) -> Update:
    return (
        update(table)
        .where(table.c.id == bindparam("row_id"))
        .values({name: bindparam(f"new_{name}") for name in names})
    )


def set_columns(connection: Connection, table: Table, row_id: int, values: Record) -> None:
    """Changes columns of one row, journal or not."""
    bound = {f"new_{name}": value for name, value in values.items()}
    connection.execute(_update_one(table, tuple(values)), {**bound, "row_id": row_id})


class Write:
    """One operation inside one transaction. Reads see its own writes."""

    def __init__(
        self, connection: Connection, ids: "IdCounter", *, at: datetime, origin: Origin, kind: str, label: str
    ) -> None:
        self.connection = connection
        self.ids = ids
        self.at = at
        self.origin = origin
        self.kind = kind
        self.label = label
        self.app = ""  # that acts; named beside what it did
        self.need = need_of(kind)
        self.undoes_id: int | None = None
        self.group_id: int | None = None
        self.conversation_id: int | None = None
        self.message_id: int | None = None
        self.is_undoable = True
        self.touched: dict[DataKind, set[int]] = {}
        self.touched_conversations: set[int] = set()
        self.touched_memories: set[int] = set()  # whose own row came, went or changed: a use that is counted is none
        self.held_ids: set[int] = (
            set()
        )  # memories that a person wrote and that wait all the same: the order in them is dangerous
        self.is_recorded = False  # an operation even when nothing was journalled: what was erased leaves no image
        self._changes: list[Record] = []
        self._written_count = 0
        self.operation_id: int | None = None
        self.seq = 0

    # reading ------------------------------------------------------------------------------------

    def get(self, row: type[SQLModel], row_id: int) -> Row[Any]:
        """The row, or NotFoundError with a sentence."""
        table = table_of(row)
        check_row(self.connection, table.name, row_id)
        found = self.connection.execute(_one_of(table), {"row_id": row_id}).one_or_none()
        if found is None:
            raise NotFoundError(
                f"There is no {table.name.replace('_', ' ')} number {row_id} any more.",
                hint="Look at the list again: it may have been erased, joined or undone.",
            )
        return found

    # writing ------------------------------------------------------------------------------------

    def insert(self, row: type[SQLModel], values: Record) -> int:
        """Adds a row under a number that was never used before; returns it."""
        table = table_of(row)
        row_id = self.ids.use(table.name, int(values["id"])) if "id" in values else self.ids.take(table.name)
        insert_rows(self.connection, table, [{**values, "id": row_id}])
        self._note(table.name, row_id, "insert", values)
        return row_id

    def insert_many(self, row: type[SQLModel], rows: list[Record]) -> tuple[int, ...]:
        """Adds rows in one statement; returns their numbers in order."""
        if not rows:
            return ()
        table = table_of(row)
        numbered = [values if "id" in values else {**values, "id": self.ids.take(table.name)} for values in rows]
        insert_rows(self.connection, table, numbered)
        for values in numbered:
            self._note(table.name, values["id"], "insert", values)
        return tuple(int(values["id"]) for values in numbered)

    def update(self, row: type[SQLModel], row_id: int, values: Record, *, was: Row[Any] | None = None) -> None:
        """Changes columns of one row; unchanged ones are not journalled. `was`: the row, just read in this write."""
        table = table_of(row)
        if was is not None:
            check_row(self.connection, table.name, row_id)
        old = (was if was is not None else self.get(row, row_id))._mapping
        changed = {name: value for name, value in values.items() if old[name] != value}
        if not changed:
            return
        set_columns(self.connection, table, row_id, changed)
        kept = {name: value for name, value in changed.items() if name not in DERIVED.get(table.name, ())}
        if kept:
            self._note(
                table.name, row_id, "update", old, before=_image({name: old[name] for name in kept}), after=_image(kept)
            )
        else:
            self._touch(table.name, row_id, old)

    def delete(self, row: type[SQLModel], row_id: int) -> None:
        self.delete_many(row, [row_id])

    def delete_many(self, row: type[SQLModel], row_ids: Iterable[int]) -> None:
        table = table_of(row)
        ids = list(row_ids)
        if not ids:
            return
        for row_id in ids:
            check_row(self.connection, table.name, row_id)
        for some_ids in slices(ids):
            some = {"row_ids": some_ids}
            for old in self.connection.execute(_some_of(table), some).all():
                image = {name: value for name, value in old._mapping.items() if name != "id"}
                self._note(table.name, old.id, "delete", image, before=_image(image))
            self.connection.execute(_delete_some(table), some)

    def unjournalled(self, row: type[SQLModel], row_id: int, values: Record) -> None:
        """Sets derived or inbox columns: announced, never journalled."""
        table = table_of(row)
        set_columns(self.connection, table, row_id, values)
        self._touch(table.name, row_id, values)

    def _note(
        self,
        table: str,
        row_id: int,
        action: str,
        row: Mapping[Any, Any],
        *,
        before: Record | None = None,
        after: Record | None = None,
    ) -> None:
        self._changes.append(
            {"table_name": str(table), "row_id": row_id, "action": action, "before": before, "after": after}
        )  # a name of the library is a kind of its own, and the driver asks each such value how it is bound
        self._touch(table, row_id, row)
        if table in {"memory", "rule"}:
            self.touched_memories.update(memories_of(table, row_id, row))

    def _touch(self, table: str, row_id: int, row: Mapping[Any, Any]) -> None:
        memories = memories_of(table, row_id, row)
        kind = DataKind.MEMORIES if memories and table == "rule" else KIND_OF_TABLE[table]
        if kind is not DataKind.MEMORIES:
            self.touched.setdefault(kind, set()).add(row_id)
        if memories or kind is DataKind.MEMORIES:
            self.touched.setdefault(DataKind.MEMORIES, set()).update(memories)
        if table == "conversation":
            self.touched_conversations.add(row_id)

    def mark(self) -> int:
        """Where the journal of this write stands; `rewind` to it after a part of the transaction was taken back."""
        return len(self._changes)

    def rewind(self, mark: int) -> None:
        del self._changes[mark:]

    @property
    def has_changed(self) -> bool:
        """Whether anything canonical was changed so far."""
        return bool(self._changes or self._written_count)

    def begin(self) -> int:
        """This operation's number, for what is logged beside it in the same transaction. Not inside a savepoint."""
        if self.operation_id is None:
            self._write_changes()
        return self.operation_id or 0

    def relieve(self) -> None:
        """Writes the images gathered so far when they are many: a long act does not hold them all. Not inside a savepoint."""
        if len(self._changes) >= _IMAGES_HELD:
            self._write_changes()

    def _write_changes(self) -> None:
        if self.operation_id is None:
            added = self.connection.execute(_insert_into(_operation), self._operation_record())
            self.operation_id = _first_key(added.inserted_primary_key)
        if self._changes:
            listed = [{**entry, "operation_id": self.operation_id} for entry in self._changes]
            insert_rows(self.connection, table_of(ChangeRow), listed)
        self._written_count += len(self._changes)
        self._changes.clear()

    def _operation_record(self) -> Record:
        return {
            "at": self.at,
            "origin": self.origin.value,
            "kind": self.kind,
            "label": f"{self.label} (by {self.app})" if self.app and self.origin is Origin.API else self.label,
            "undoes_id": self.undoes_id,
            "group_id": self.group_id,
            "is_undoable": self.is_undoable,
            "conversation_id": self.conversation_id,
            "message_id": self.message_id,
            "change_count": self._written_count + len(self._changes),
            "app": self.app,
            "need": self.need.value,
        }

    def note_beside(self, kind: str, label: str, *, conversation_id: int | None = None) -> None:
        """A line of its own in Activity for what this write does on the way; undone with the write, never by itself."""
        record = self._operation_record() | {
            "origin": Origin.ENGINE.value, "kind": kind, "label": label, "undoes_id": None, "is_undoable": False,
            "conversation_id": conversation_id, "message_id": None, "change_count": 0, "app": "", "need": need_of(kind).value,
        }  # fmt: skip
        self.connection.execute(_insert_into(_operation), record)
        self.touched.setdefault(DataKind.JOURNAL, set())

    def finish(self) -> None:
        """Writes the operation and its changes; nothing when nothing canonical changed."""
        if not (self._changes or self._written_count or self.is_recorded):
            return
        if self.is_recorded:
            self.ids.keep(self.connection)
        is_begun = self.operation_id is not None
        self._write_changes()
        if is_begun:
            set_columns(self.connection, _operation, self.operation_id or 0, self._operation_record())
        if self.undoes_id is not None:
            undone = update(_operation).where(_operation.c.id == self.undoes_id)
            self.connection.execute(undone.values(undone_by_id=self.operation_id))
        self.seq = self.operation_id or 0
        self.touched.setdefault(DataKind.JOURNAL, set()).add(self.seq)


_operation = table_of(OperationRow)


class IdCounter:
    """Numbers for new rows that are never given twice, so that redo can put a row back under its own."""

    def __init__(self, connection: Connection) -> None:
        change = table_of(ChangeRow)
        used = connection.execute(
            select(change.c.table_name, func.max(change.c.row_id)).group_by(change.c.table_name)
        ).all()
        self._newest = {name: int(newest or 0) for name, newest in used}
        newest_rows = " UNION ALL ".join(
            f"SELECT '{name}', max(id) FROM {table_of(row).name}"  # noqa: S608 (names of our own tables)
            for name, row in JOURNALLED.items()
        )
        for name, newest in connection.exec_driver_sql(newest_rows):
            self._newest[name] = max(self._newest.get(name, 0), int(newest or 0))
        self.use("message", self._newest["archived_prompt"])  # the same numbers: one that was never a row, too
        for name, value in read_marks(connection, _NEWEST).items():
            self.use(name.removeprefix(_NEWEST), int(value))

    def keep(self, connection: Connection) -> None:
        """Writes down what was given so far: rows and journal are about to forget some of it for good."""
        set_marks(connection, {f"{_NEWEST}{name}": str(newest) for name, newest in self._newest.items()})

    def use(self, table: str, row_id: int) -> int:
        """Notes a number that a row brings along."""
        self._newest[table] = max(self._newest.get(table, 0), row_id)
        return row_id

    def take(self, table: str) -> int:
        self._newest[table] = self._newest.get(table, 0) + 1
        return self._newest[table]


def _first_key(key: Row[Any] | None) -> int:
    if key is None:
        raise NotFoundError(
            "The database gave no number for a new row.", hint="Try again; remanence doctor looks at it."
        )
    return int(key[0])


def memories_of(table: str, row_id: int, row: Mapping[Any, Any]) -> tuple[int, ...]:
    """The memories that a row of this table is, or belongs to."""
    if table == "memory":
        return (row_id,)
    if table == "rule":
        return (int(row["data"]["memory_id"]),) if row.get("kind") == PLACEMENT_RULE else ()
    if table == "link":
        return tuple(row[f"{side}_id"] for side in ("from", "to") if row.get(f"{side}_kind") == "memory")
    return tuple(row[name] for name in _MEMORY_COLUMNS.get(table, ()) if name in row)


def _image(values: Mapping[str, Any]) -> Record:
    return {name: to_microseconds(value) if isinstance(value, datetime) else value for name, value in values.items()}
