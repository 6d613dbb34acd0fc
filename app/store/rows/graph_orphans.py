"""What a person said about the graph and that speaks of nothing any more: it goes when what it spoke of is erased.

Read after the erasing, also from images of the journal, because a row that was taken back is a row that could come again.
Source: QUALITY S10, issue 18 "The graph".
"""

# ruff: noqa: S608 (our own words)
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select, text

from app.store.journal import table_of
from app.store.tables.core import GRAPH_TABLES, ChangeRow, EntityAliasRow, GraphPinRow, LinkVerdictRow
from app.store.tables.memory import LinkRow

_change, _link, _verdict, _alias, _pin = (
    table_of(row) for row in (ChangeRow, LinkRow, LinkVerdictRow, EntityAliasRow, GraphPinRow)
)
TABLES = {table_of(row).name: table_of(row) for row in (LinkRow, *GRAPH_TABLES)}
_ENDS = {_link.name: ("from", "to"), _verdict.name: ("a", "b"), _alias.name: (), _pin.name: ("",)}
_KEPT = {
    # what an undo could bring back is there still: erasing takes it out of the journal too
    **{
        kind: f"SELECT id FROM {name} UNION SELECT row_id FROM change WHERE table_name = '{name}'"
        for kind, name in (
            ("memory", "memory"),
            ("entity", "entity"),
            ("conversation", "conversation"),
            ("rule", "learned_rule"),
            ("app", "app"),
        )
    },
    "file": "SELECT f.value FROM conversation c, json_each(c.files) f UNION SELECT reference FROM artifact WHERE kind = 'file'",
}
End = tuple[str, int | str]


def find_orphans(connection: Connection) -> dict[str, set[int]]:
    """By table: numbers of rows, live or in the journal, of which an end is no more. Empty sets are left out."""
    rows = [
        *(
            (name, int(row.id), row._mapping)
            for name, table in TABLES.items()
            for row in connection.execute(
                select(table).where(table.c.origin == "person") if table is _link else select(table)
            )
        ),
        *_images(connection),
    ]
    ends = {(name, number, end) for name, number, row in rows for end in _ends_of(name, row)}
    missing = _missing(connection, {end for _, _, end in ends})
    found: dict[str, set[int]] = {}
    for name, number, end in ends:
        if end in missing:
            found.setdefault(name, set()).add(number)
    return found


def _images(connection: Connection) -> list[tuple[str, int, Mapping[Any, Any]]]:
    of_graph = _change.c.table_name.in_(sorted(TABLES)) & _change.c.before.is_not(None)
    rows = connection.execute(select(_change.c.table_name, _change.c.row_id, _change.c.before).where(of_graph))
    return [(row.table_name, int(row.row_id), row.before) for row in rows]


def _ends_of(table: str, row: Mapping[Any, Any]) -> Iterable[End]:
    """What a row speaks of; of an image of an update only what it holds."""
    if table == _alias.name and row.get("entity_id") is not None:
        yield "entity", int(row["entity_id"])
    for side in _ENDS[table]:
        kind, number, name = (
            f"{side}_{part}" if side else part for part in ("kind", "id" if side else "number", "name")
        )
        if row.get(kind) == "file":
            yield "file", str(row.get(name) or "")
        elif row.get(kind) in _KEPT:
            yield str(row[kind]), int(row[number])


def _missing(connection: Connection, ends: Iterable[End]) -> set[End]:
    by_kind: dict[str, set[int | str]] = {}
    for kind, value in ends:
        by_kind.setdefault(kind, set()).add(value)
    missing: set[End] = set()
    for kind, values in by_kind.items():
        kept = set(connection.execute(text(_KEPT[kind])).scalars())
        missing |= {(kind, value) for value in values - kept}
    return missing


def find_unsaid_aliases(connection: Connection, texts: Iterable[str]) -> dict[int, tuple[str, str]]:
    """Names that were merged into another and that one of these texts says: number, name, canonical. Also from the journal."""
    said = [one.casefold() for one in texts]
    rows: list[tuple[int, Mapping[Any, Any]]] = [
        (int(row.id), row._mapping) for row in connection.execute(select(_alias)).all()
    ]
    rows += [(number, row) for name, number, row in _images(connection) if name == _alias.name]
    return {
        number: (str(row["name"]), str(row["canonical"]))
        for number, row in rows
        if row.get("name") and any(str(row["name"]).casefold() in one for one in said)
    }
