"""Where somebody asks from: the project of a folder's path or of a name. A folder may be new, a name may not.

Shared by whatever takes a project from outside; creates none. Source: DESIGN section 1 "project".
"""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from app.capture.streams import find_project_root
from app.deciders.recall.context.render import neutralise
from app.errors import AmbiguousError, InvalidError, NotFoundError
from app.store.rows.project import find_project, names_remembered, projects_named
from app.store.store import Store

_MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class CallerProject:
    """Where somebody asks from: a project, or none. `project_id` None: nothing is known of it yet."""

    path: str = ""
    name: str = ""
    project_id: int | None = None


def is_name(wanted: str) -> bool:
    """Whether this names a project, not a folder.

    >>> is_name("shop"), is_name("/w/shop"), is_name("C:\\\\w\\\\shop"), is_name("")
    (True, False, False, False)
    """
    return bool(wanted) and not {"/", "\\"} & set(wanted)


def find_place(connection: Connection, wanted: str) -> CallerProject:
    """The project of a folder's path or of a name; "" is no project.

    Raises NotFoundError for a name that nobody knows, AmbiguousError for one that two projects have.
    """
    if not is_name(wanted):
        root = find_project_root(wanted)
        return CallerProject(root, Path(root).name, find_project(connection, root))
    found = projects_named(connection, wanted)
    if len(found) == 1:
        return CallerProject(found[0].path, found[0].name, int(found[0].id))
    if found:
        paths = tuple(str(row.path) for row in found)
        raise AmbiguousError(f"{len(found)} projects are called {wanted[:80]}.", paths, hint="Ask from one of them.")
    known = [neutralise(name) for name in names_remembered(connection, _MAX_NAMES)]
    hint = f"Known are: {', '.join(known)}." if known else "Nothing is remembered of any project yet."
    raise NotFoundError(f"There is no project called {wanted[:80]}.", hint=hint)


def resolve_folder(store: Store, project: str) -> str:
    """The folder of a project that was given by its name; a folder as it is.

    Raises InvalidError for a name that nobody knows, AmbiguousError for one that two projects have.
    """
    if not is_name(project):
        return project
    with store.read_for_caller() as connection:
        try:
            return find_place(connection, project).path
        except NotFoundError as error:
            raise InvalidError(str(error), hint=error.hint) from error
