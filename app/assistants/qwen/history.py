"""Reads the sessions of Qwen Code: `projects/<folder>/chats/<id>.jsonl`.

What a hook put in is a second part of the person's line; a result of a tool is a line of its own. Its hooks name a tool's use
otherwise than its transcript does. Source: INTEROP "Seen in the real clients".
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from app.assistants.assistant import History
from app.assistants.session_file import Session, files_below, first_text, read_remembered, read_session
from app.interop.distil import added_memories
from app.interop.prompts import ReadItem, dict_of, str_of
from app.values import CaptureRequest

NAME = "qwen"
_REMEMBERED = "QWEN.md"  # with what it was told to remember
_FILES = "projects/*/chats/*.jsonl"


def config_dir(home: Path, _env: Mapping[str, str]) -> Path:
    return home / ".qwen"


def listed_files(path: Path) -> tuple[Path, ...]:
    remembered = path / _REMEMBERED
    found = files_below(path, _FILES)
    is_own = path.name == ".qwen" and remembered.is_file() and not remembered.is_symlink()
    return (*found, remembered) if is_own else found


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and the start of one session."""
    if path.name == _REMEMBERED:
        return read_remembered(NAME, path, start_offset, partial(added_memories, place=_REMEMBERED))
    return read_session(NAME, path, start_offset, _events)


def is_entry(entry: Mapping[str, object]) -> bool:
    """Whether a line has this form."""
    return "sessionId" in entry and "uuid" in entry and isinstance(dict_of(entry, "message").get("parts"), list)


def _events(session: Session, entry: dict[str, Any]) -> Iterator[CaptureRequest]:
    session.id = str_of(entry, "sessionId") or session.id
    session.cwd = str_of(entry, "cwd") or session.cwd
    session.branch = str_of(entry, "gitBranch") or session.branch
    parts = dict_of(entry, "message").get("parts")
    match str_of(entry, "type"):
        case "user":
            yield from session.prompt(first_text(parts), str_of(entry, "uuid"))
        case "assistant":
            for call in _named(parts, "functionCall"):
                yield from session.call(str_of(call, "name"), str_of(call, "id"), call.get("args"))
        case "tool_result":
            is_error = str_of(dict_of(entry, "toolCallResult"), "status") == "error"
            for part in _named(parts, "functionResponse"):
                response = {"llmContent": str_of(dict_of(part, "response"), "output")} | (
                    {"is_error": True} if is_error else {}
                )
                yield from session.settle(str_of(part, "id"), response)
        case _:
            return


def _named(parts: object, name: str) -> list[dict[str, Any]]:
    found = [dict_of(part, name) for part in parts] if isinstance(parts, list) else []
    return [one for one in found if one]


HISTORY = History(NAME, "Qwen Code sessions", config_dir, listed_files, read_events, is_entry=is_entry)
