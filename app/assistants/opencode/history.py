"""Reads the sessions of OpenCode: one SQLite file for all, `opencode.db`.

The file is OpenCode's and may be in use: a copy of it is read, so that nothing of ours comes to be beside it. A part that is
`synthetic` was put in by a program; a session with a parent is a helper's. A fork copies what was said before it, with its times
and under new ids: that is read where it was said. Source: INTEROP "Seen in the real clients".
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pysqlite3 as sqlite3  # two libraries for one file would take each other's locks

from app.assistants.assistant import History
from app.assistants.opencode.hook import typed_in_parts
from app.assistants.session_file import Session, files_below
from app.interop.distil import clean_title
from app.interop.prompts import ReadItem, SkippedLine, dict_of, file_time, parse_instant, str_of
from app.interop.tool_calls import reduced_call
from app.values import CaptureRequest, Distilled, DistilledKind

NAME = "opencode"
_FILE = "opencode.db"
_MAGIC = b"SQLite format 3\x00"
_SESSIONS = "SELECT * FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
_PARTS = (
    "SELECT message.id, message.time_created, message.data, part.data FROM message"
    " JOIN session ON session.id = message.session_id JOIN part ON part.message_id = message.id"
    " WHERE message.session_id = ? AND NOT (message.time_created < session.time_created AND EXISTS ("
    "SELECT 1 FROM message AS first WHERE first.time_created = message.time_created AND first.session_id <> session.id))"
    " ORDER BY message.time_created, message.id, part.id"
)


def config_dir(home: Path, env: Mapping[str, str]) -> Path:
    return Path(env.get("XDG_DATA_HOME") or home / ".local/share") / "opencode"


def listed_files(path: Path) -> tuple[Path, ...]:
    return files_below(path, _FILE)


def is_file(path: Path) -> bool:
    """Whether this is its store, by its name and form."""
    try:
        with path.open("rb") as stream:
            return path.name == _FILE and stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and starts of all sessions; what is known already is known by its key."""
    del start_offset  # rows have no place in the file
    with tempfile.TemporaryDirectory(prefix="remanence-") as folder:
        copy = Path(folder) / _FILE
        shutil.copyfile(path, copy)
        log = path.with_name(f"{_FILE}-wal")
        if log.is_file():
            shutil.copyfile(log, copy.with_name(log.name))
        try:
            with closing(sqlite3.connect(copy)) as store:
                store.row_factory = sqlite3.Row
                for row in store.execute(_SESSIONS).fetchall():
                    named = dict(row)
                    place = str(named.get("directory") or "")
                    session = Session(NAME, str(path), file_time(path), id=str(named["id"]), cwd=place)
                    yield from (ReadItem(event, 0) for event in _of_session(store, session))
                    title = clean_title(str(named.get("title") or ""))
                    found = Distilled(DistilledKind.TITLE, title) if title else None
                    yield from (ReadItem(event, 0) for event in session.title(found))
        except sqlite3.DatabaseError as error:
            yield ReadItem(SkippedLine(f"OpenCode's store could not be read: {error}."), 0)


def _of_session(store: sqlite3.Connection, session: Session) -> Iterator[CaptureRequest]:
    typed: list[dict[str, Any]] = []
    last = ""
    for message_id, created, data, part_data in store.execute(_PARTS, (session.id,)):
        if message_id != last:
            yield from session.prompt(typed_in_parts(typed), f"{last}")
            typed, last = [], str(message_id)
            session.at = parse_instant(created) or session.at
        part = _object(part_data)
        if _object(data).get("role") == "user":
            typed.append(part)
        elif part.get("type") == "tool":
            yield from _use(session, part)
    yield from session.prompt(typed_in_parts(typed), last)


def _use(session: Session, part: dict[str, Any]) -> Iterator[CaptureRequest]:
    state, call_id = dict_of(part, "state"), str_of(part, "callID")
    payload = reduced_call(str_of(part, "tool"), call_id, state.get("input"))
    if payload is not None and call_id and str_of(state, "status") in {"completed", "error"}:
        session.pending[call_id] = (payload, session.at)
        is_error = {"is_error": True} if state["status"] == "error" else {}
        yield from session.settle(call_id, {"metadata": {"exit": dict_of(state, "metadata").get("exit")}} | is_error)


def _object(data: object) -> dict[str, Any]:
    try:
        value = json.loads(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


HISTORY = History(NAME, "OpenCode sessions", config_dir, listed_files, read_events, names_uses=True, is_file=is_file)
