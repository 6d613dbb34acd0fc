"""Rows of one table by the values of their columns: what a flow asks that needs no join. Knows no flow."""

from functools import cache
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select
from sqlmodel import SQLModel

from app.store.chunked_parameters import slices
from app.store.journal import table_of

_SEVERAL = (list, tuple, set, frozenset)


def rows_with(connection: Connection, kind: type[SQLModel], /, *names: str, **values: Any) -> list[Row[Any]]:
    """The rows whose columns hold these values, by number; a collection of values: any of them, None: nothing.

    `names`: the columns that are read, else all. A table that has no number (`id`), or of which it is not read, in no order.
    """
    several = {name: sorted(set(value)) for name, value in values.items() if isinstance(value, _SEVERAL)}
    forms = ((name, "in" if name in several else "null" if value is None else "is") for name, value in values.items())
    statement = _select(kind, names, tuple(forms))
    bound = {name: value for name, value in values.items() if value is not None} | several
    longest = max(several, key=lambda name: len(several[name]), default="")
    found: list[Row[Any]] = []
    for some in slices(several[longest]) if longest else ((),):
        found += connection.execute(statement, bound | {longest: some} if longest else bound).all()
    if len(found) > 1 and "id" in found[0]._fields:
        found.sort(key=attrgetter("id"))  # not by the database, which might leave an index for the order of the rows
    return found


def ids_with(connection: Connection, kind: type[SQLModel], /, **values: Any) -> list[int]:
    """The numbers of the rows whose columns hold these values, ascending."""
    return [int(row[0]) for row in rows_with(connection, kind, "id", **values)]


def newest_id(connection: Connection, kind: type[SQLModel]) -> int:
    """The largest number in a table; 0 while it is empty."""
    return int(connection.execute(_newest(kind)).scalar() or 0)


@cache
def _newest(kind: type[SQLModel]) -> Select[Any]:
    return select(func.max(table_of(kind).c.id))


@cache
def _select(kind: type[SQLModel], names: tuple[str, ...], forms: tuple[tuple[str, str], ...]) -> Select[Any]:
    """Built once for each question: the library keeps what it compiled beside the statement."""
    table = table_of(kind)
    listed: list[Any] = [table.c[name] for name in names] or [table]
    statement = select(*listed)
    for name, form in forms:
        column = table.c[name]
        if form == "in":
            statement = statement.where(column.in_(bindparam(name, expanding=True)))
        else:
            statement = statement.where(column.is_(None) if form == "null" else column == bindparam(name))
    return statement
