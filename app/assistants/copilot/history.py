"""Reads the sessions of Copilot CLI: `session-state/<id>/events.jsonl`.

`user.message` holds what was typed in `content`, and beside it what the model was given. Its hooks name no use of a tool.
Source: INTEROP "Seen in the real clients".
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.assistants.assistant import History
from app.assistants.session_file import Session, files_below, read_session
from app.interop.distil import clean_title
from app.interop.prompts import ReadItem, dict_of, str_of
from app.values import CaptureRequest, Distilled, DistilledKind, EventKind

NAME = "copilot"
_FILES = "session-state/*/events.jsonl"


def config_dir(home: Path, _env: Mapping[str, str]) -> Path:
    return home / ".copilot"


def listed_files(path: Path) -> tuple[Path, ...]:
    return files_below(path, _FILES)


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and the start of one session."""
    return read_session(NAME, path, start_offset, _events)


def is_entry(entry: Mapping[str, object]) -> bool:
    """Whether a line has this form."""
    return str_of(entry, "type").startswith(("session.", "user.", "hook.")) and isinstance(entry.get("data"), dict)


def _events(session: Session, entry: dict[str, Any]) -> Iterator[CaptureRequest]:
    if str_of(entry, "agentId"):
        return  # a helper's line: its "user" is the assistant
    data = dict_of(entry, "data")
    match str_of(entry, "type"):
        case "session.start":
            place = dict_of(data, "context")
            session.id = str_of(data, "sessionId")
            session.cwd, session.branch = str_of(place, "cwd"), str_of(place, "branch")
        case "user.message":
            yield from session.prompt(str_of(data, "content"), str_of(data, "messageId") or str_of(entry, "id"))
        case "tool.execution_start":
            yield from session.call(str_of(data, "toolName"), str_of(data, "toolCallId"), data.get("arguments"))
        case "tool.execution_complete":
            status = dict_of(data, "shellExecution").get("exitCode")
            response = {"exit_code": status} if isinstance(status, int) else {"is_error": data.get("success") is False}
            yield from session.settle(str_of(data, "toolCallId"), response)
        case "session.compaction_complete" if session.id and str_of(data, "summaryContent"):
            key = f"{session.id}:compact:{str_of(entry, 'id')}"
            yield session.event(EventKind.COMPACTION, key, text=str_of(data, "summaryContent"))
        case "session.title_changed" if title := clean_title(str_of(data, "title")):
            yield from session.title(Distilled(DistilledKind.TITLE, title))
        case _:
            return


HISTORY = History(NAME, "Copilot CLI sessions", config_dir, listed_files, read_events, is_entry=is_entry)
