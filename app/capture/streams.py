"""Who speaks from where: apps, projects and streams, found or made while capturing.

A project is a repository or folder; worktrees of one repository are one project. Owns the small caches of
ids; knows nothing of conversations. Source: DESIGN section 1, words.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection

from app.assistants.registry import TITLES
from app.store.journal import Record, Write
from app.store.rows.project import find_project
from app.store.rows.work_history import note_first_branch
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow, ProjectRow, StreamRow
from app.understanding.message_rows import AnyEvent

_STREAMS_CACHED = 4_096


def title_of_app(name: str) -> str:
    return TITLES.get(name, name.replace("-", " ").title())


def find_project_root(cwd: str) -> str:
    """The main folder of the repository that `cwd` is in, worktrees followed home; else `cwd` itself."""
    if not cwd:
        return ""
    start = Path(cwd)
    for folder in (start, *start.parents):
        mark = folder / ".git"
        try:
            if mark.is_dir():
                return str(folder)
            if mark.is_file():
                return _root_of_worktree(mark) or str(folder)
        except OSError:
            break
    return str(start)


def _root_of_worktree(mark: Path) -> str:
    with mark.open(encoding="utf-8", errors="replace") as handle:
        line = handle.readline(4096)
    kind, _, place = line.partition(":")
    git_dir = Path(place.strip())
    if kind == "gitdir" and git_dir.parent.name == "worktrees":
        return str(git_dir.parent.parent.parent)
    return ""


@dataclass(frozen=True, slots=True)
class StreamIds:
    app_id: int
    project_id: int
    stream_id: int


class Streams:
    """Ids of apps, projects and streams; `forget` after anything but a capture has changed the tables."""

    def __init__(self) -> None:
        self._roots: dict[str, str] = {}
        self._apps: dict[str, int] = {}
        self._projects: dict[str, int] = {}
        self._streams: dict[tuple[int, int, str], int] = {}
        self._on_branch: set[int] = set()

    def forget(self) -> None:
        self._roots.clear()
        self._apps.clear()
        self._projects.clear()
        self._streams.clear()
        self._on_branch.clear()

    def find_app(self, name: str) -> int | None:
        """The app's number when it is remembered."""
        return self._apps.get(name)

    def ensure_app(self, write: Write, name: str) -> int:
        if name not in self._apps:
            found = ids_with(write.connection, AppRow, name=name)
            self._apps[name] = found[0] if found else write.insert(AppRow, new_app(name, title_of_app(name), write.at))
        return self._apps[name]

    def name_of(self, connection: Connection, app_id: int) -> str:
        """The name of an app by its number."""
        known = next((name for name, number in self._apps.items() if number == app_id), None)
        if known is None:
            known = next((row.name for row in rows_with(connection, AppRow, "name", id=app_id)), "")
        return known

    def find_stream(self, event: AnyEvent, payload: dict[str, str]) -> StreamIds | None:
        """The stream of an event when it is remembered."""
        root = self._roots.get(payload.get("project_root") or payload.get("cwd", ""))
        project_id = None if root is None else self._projects.get(root)
        stream_id = None if project_id is None else self._streams.get((event.app_id, project_id, event.session))
        if project_id is None or stream_id is None:
            return None
        return StreamIds(event.app_id, project_id, stream_id)

    def ensure_stream(self, write: Write, event: AnyEvent, payload: dict[str, str]) -> StreamIds:
        """The stream of an event: (app, project, session), made when it is new."""
        cwd = payload.get("project_root") or payload.get("cwd", "")
        if cwd not in self._roots:
            self._roots[cwd] = find_project_root(cwd)
        return self.ensure_in(
            write,
            app_id=event.app_id,
            path=self._roots[cwd],
            session=event.session,
            at=event.at,
            git_branch=payload.get("git_branch", ""),
        )

    def note_branch(self, connection: Connection, stream_id: int, branch: str) -> None:
        """The branch that a stream began on, when nobody said it; nothing that an undo takes back."""
        if stream_id not in self._on_branch:
            note_first_branch(connection, stream_id, branch)
            self._on_branch.add(stream_id)

    def ensure_in(
        self, write: Write, *, app_id: int, path: str, session: str, at: datetime, git_branch: str = ""
    ) -> StreamIds:
        project_id = self.ensure_project(write, path)
        key = (app_id, project_id, session)
        if len(self._streams) > _STREAMS_CACHED:
            self._streams.clear()
            self._on_branch.clear()
        if key not in self._streams:
            which: Record = {"app_id": app_id, "project_id": project_id, "session": session}
            found = ids_with(write.connection, StreamRow, **which)
            self._streams[key] = (
                found[0]
                if found
                else write.insert(
                    StreamRow,
                    {
                        "app_id": app_id,
                        "project_id": project_id,
                        "session": session,
                        "git_branch": git_branch,
                        "started_at": at,
                        "ended_at": None,
                    },
                )
            )
        return StreamIds(app_id, project_id, self._streams[key])

    def ensure_project(self, write: Write, path: str) -> int:
        if path not in self._projects:
            found = find_project(write.connection, path)
            name = Path(path).name if path else "No project"
            self._projects[path] = found or write.insert(ProjectRow, {"path": path, "name": name or path})
        return self._projects[path]


def new_app(name: str, title: str, at: datetime) -> dict[str, object]:
    return {
        "name": name,
        "title": title,
        "token_hash": "",
        "scopes": [],
        "is_paused": False,
        "paused_until": None,
        "keeps_answers": False,
        "created_at": at,
        "last_seen_at": None,
        "is_revoked": False,
        "projects": [],
    }
