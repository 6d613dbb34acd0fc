"""What the app notes for itself under a name: one text each, in the table `meta`. Neither journalled nor announced."""

from collections.abc import Mapping

from sqlalchemy import Connection, Table, bindparam, delete, insert, select

from app.store.tables.core import MetaRow

_meta: Table = MetaRow.__table__  # type: ignore[attr-defined]
_FORGET = delete(_meta).where(_meta.c.name == bindparam("mark"))
_ADD = insert(_meta)


def read_mark(connection: Connection, name: str) -> str | None:
    found: str | None = connection.execute(select(_meta.c.value).where(_meta.c.name == name)).scalar()
    return found


def read_marks(connection: Connection, prefix: str) -> dict[str, str]:
    """All whose name begins so, by name."""
    marks = select(_meta.c.name, _meta.c.value).where(_meta.c.name.startswith(prefix)).order_by(_meta.c.name)
    return {str(name): str(value) for name, value in connection.execute(marks)}


def set_marks(connection: Connection, values: Mapping[str, str]) -> None:
    """In place of what was under these names; two statements for all of them."""
    if values:
        connection.execute(_FORGET, [{"mark": name} for name in values])
        connection.execute(_ADD, [{"name": name, "value": value} for name, value in values.items()])


def drop_marks(connection: Connection, prefix: str) -> None:
    """All whose name begins so."""
    connection.execute(delete(_meta).where(_meta.c.name.startswith(prefix)))
