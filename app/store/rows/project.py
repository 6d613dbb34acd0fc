"""Projects by their folder or their name."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, or_, select

from app.store.journal import table_of
from app.store.rows.context import fetch
from app.store.tables.core import ProjectRow
from app.store.tables.memory import MemoryRow

_project, _memory = table_of(ProjectRow), table_of(MemoryRow)


def find_project(connection: Connection, path: str) -> int | None:
    """The number of the project in that folder."""
    found = fetch(connection, "SELECT id FROM project WHERE path = :path", {"path": path})
    return int(found[0][0]) if found else None


def is_project(wanted: str) -> ColumnElement[bool]:
    """The condition that a row of `project` has this path or name."""
    return or_(_project.c.path == wanted, _project.c.name == wanted)


def projects_called(connection: Connection, names: Iterable[str]) -> list[int]:
    """The numbers of the projects of these paths or names; one that has the path before one that has the name."""
    wanted = list(names)
    is_one = or_(_project.c.path.in_(wanted), _project.c.name.in_(wanted))
    order = (_project.c.path.in_(wanted).desc(), _project.c.id)
    return list(connection.execute(select(_project.c.id).where(is_one).order_by(*order)).scalars())


def projects_named(connection: Connection, name: str) -> list[Row[Any]]:
    """Projects that have a folder and this name, in capitals or not."""
    is_it = (func.lower(_project.c.name) == name.lower(), _project.c.path != "")
    return list(connection.execute(select(_project).where(*is_it)).all())


def project_paths(connection: Connection) -> dict[int, str]:
    """The folder of each project by its number."""
    return {int(row[0]): str(row[1]) for row in fetch(connection, "SELECT id, path FROM project", {})}


def names_remembered(connection: Connection, most: int) -> list[str]:
    """Names of projects for which something is remembered, the one with the newest memory first."""
    named = (
        select(_project.c.name)
        .join(_memory, _memory.c.project_id == _project.c.id)
        .where(_project.c.path != "")
        .group_by(_project.c.id)
        .order_by(func.max(_memory.c.id).desc())
        .limit(most)
    )
    return [str(name) for name in connection.execute(named).scalars()]


def newest_projects(connection: Connection, most: int = 200) -> tuple[tuple[str, str], ...]:
    """Name and path, the newest first."""
    newest = select(_project.c.name, _project.c.path).order_by(_project.c.id.desc()).limit(most)
    return tuple((str(name), str(path)) for name, path in connection.execute(newest))
