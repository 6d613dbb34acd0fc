"""Reads the sessions of Gemini CLI: `tmp/<project>/chats/session-*.jsonl`.

A line with a number that was there before replaces it, and `$rewindTo` takes back what came after one; so a file is read whole
before it is told. A `user` line may be the result of a tool. Source: INTEROP section 6, "Seen in the real clients".
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from app.assistants.assistant import History
from app.assistants.session_file import Session, files_below, first_text, read_remembered
from app.interop.distil import added_memories, title_of_entry
from app.interop.prompts import (
    ReadItem,
    SkippedLine,
    dict_of,
    file_time,
    parse_instant,
    parse_object,
    read_lines,
    str_of,
)
from app.interop.tool_calls import reduced_call
from app.values import CaptureRequest

NAME = "gemini"
_REMEMBERED = "GEMINI.md"  # with what it was told to remember
_FILES = "tmp/*/chats/session-*.jsonl"
_ROOT_CHARS = 4_096


def config_dir(home: Path, env: Mapping[str, str]) -> Path:
    return Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini"


def listed_files(path: Path) -> tuple[Path, ...]:
    remembered = path / _REMEMBERED
    found = files_below(path, _FILES)
    is_own = path.name == ".gemini" and remembered.is_file() and not remembered.is_symlink()
    return (*found, remembered) if is_own else found


def is_entry(entry: Mapping[str, object]) -> bool:
    """Whether a line has this form."""
    return "projectHash" in entry and "sessionId" in entry


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and the start of one session; what is known already is known by its key."""
    if path.name == _REMEMBERED:
        yield from read_remembered(NAME, path, start_offset, partial(added_memories, place=_REMEMBERED))
        return
    session = Session(NAME, str(path), file_time(path), cwd=_project_root(path))
    kept: dict[str, dict[str, Any]] = {}
    end = 0
    title = None
    with path.open("rb") as stream:
        for line in read_lines(stream, 0):
            entry = parse_object(line)
            end = end if entry is None else line.end
            if isinstance(entry, SkippedLine):
                yield ReadItem(entry, 0)
            elif entry is not None:
                session.id = str_of(entry, "sessionId") or session.id
                title = title_of_entry(entry) or title
                _keep(kept, entry)
    if end > start_offset:
        for entry in kept.values():
            session.at = parse_instant(entry.get("timestamp")) or session.at
            yield from (ReadItem(event, 0) for event in _events(session, entry))
        yield from (ReadItem(event, 0) for event in session.title(title))


def _keep(kept: dict[str, dict[str, Any]], entry: dict[str, Any]) -> None:
    """Of an entry what will be read."""
    if rewound := str_of(entry, "$rewindTo"):
        names = list(kept)
        for name in names[names.index(rewound) :] if rewound in kept else ():
            del kept[name]
        return
    replaced = dict_of(entry, "$set").get("messages")
    for one in replaced if isinstance(replaced, list) else [entry]:
        if str_of(one, "id") and str_of(one, "type") in {"user", "gemini"}:
            calls = [_reduced(call) for call in one.get("toolCalls") or () if isinstance(call, dict)]
            kept[one["id"]] = {
                "id": one["id"],
                "timestamp": one.get("timestamp"),
                "text": _typed(one) if one["type"] == "user" else "",
                "calls": [call for call in calls if call is not None],
            }


def _typed(entry: dict[str, Any]) -> str:
    content = entry.get("content")
    if isinstance(content, list) and any(isinstance(part, dict) and "functionResponse" in part for part in content):
        return ""
    return content if isinstance(content, str) else first_text(content)


def _reduced(call: dict[str, Any]) -> dict[str, Any] | None:
    payload = reduced_call(str_of(call, "name"), str_of(call, "id"), call.get("args"))
    if payload is None or not str_of(call, "id"):
        return None
    results = call.get("result")
    responses = (
        [dict_of(dict_of(one, "functionResponse"), "response") for one in results] if isinstance(results, list) else []
    )
    said = "\n".join(str_of(one, "output", "error") for one in responses)
    is_error = {"is_error": True} if str_of(call, "status") == "error" else {}
    return {"call": payload, "response": {"llmContent": said} | is_error}


def _events(session: Session, entry: dict[str, Any]) -> Iterator[CaptureRequest]:
    yield from session.prompt(entry["text"], f"{session.id}:{entry['id']}")
    for use in entry["calls"]:
        call = use["call"]
        session.pending[call["tool_use_id"]] = (call, session.at)
        yield from session.settle(call["tool_use_id"], use["response"])


def _project_root(path: Path) -> str:
    """The folder that the session worked in, where the assistant noted it."""
    try:
        return (path.parents[1] / ".project_root").read_text(encoding="utf-8")[:_ROOT_CHARS].strip()
    except (OSError, UnicodeDecodeError):
        return ""


HISTORY = History(NAME, "Gemini CLI sessions", config_dir, listed_files, read_events, is_entry=is_entry)
