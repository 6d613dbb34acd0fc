"""Finds the histories that assistants left on this disk, and names a file or folder that a person dropped.

Cheap: folders are listed and a few first lines read; no history is parsed. Knows the readers, not what is done
with them. Source: INTEROP sections 2, 5 and 8; UX 4.9.
"""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from app.assistants.assistant import History
from app.assistants.histories import HISTORIES, ordered_files
from app.errors import UserError
from app.interop import chat_export
from app.interop.prompts import parse_object, read_lines
from app.values import FoundSource

SEED_HISTORY = "seed-history"
SEED_CONTEXT = "seed-context"
OWN_ARCHIVE = "seed-prompts"
PROJECT_MEMORY = "project-memory"
PROJECT_MEMORY_SOURCES = frozenset({PROJECT_MEMORY, "seed-conversations", "seed-chunks", "seed-episodes"})
UNKNOWN = "unknown"
TITLES = {
    **{one.name: one.title for one in HISTORIES},
    "chatgpt": "ChatGPT export",
    "claude-ai": "Claude.ai export",
    SEED_HISTORY: "Remanence conversation history",
    SEED_CONTEXT: "Remanence conversation context",
    OWN_ARCHIVE: "Remanence prompt archive",
    PROJECT_MEMORY: "Project memory (four JSON files)",
    UNKNOWN: "Unknown",
}
_BY_NAME = {one.name: one for one in HISTORIES}
_LOOKED_AT_LINES = 12
_LOOKED_AT_FILES = 400
_LOOK_LINE_BYTES = 4 * 1024 * 1024
_MARK_BYTES = 4096


def find_histories(home: Path, env: Mapping[str, str]) -> tuple[FoundSource, ...]:
    """What assistants left on this disk; one that left nothing is not listed."""
    places = ((one, one.config_dir(home, env)) for one in HISTORIES)
    found = (describe(one.name, folder, one.listed_files(folder)) for one, folder in places)
    return tuple(entry for entry in found if entry.file_count)


def history_files(source: str, path: Path) -> tuple[Path, ...]:
    """The files to read for a source at or below a path, in the order to read them."""
    if source in _BY_NAME:
        return ordered_files(_BY_NAME[source], path)
    if source in {SEED_HISTORY, SEED_CONTEXT, OWN_ARCHIVE}:
        return (path,) if path.is_file() else tuple(f for f in _some_files(path) if recognise(f) == source)
    if path.is_file():
        return (path,)
    packed = tuple(file for file in _some_files(path) if file.suffix == ".zip")
    return tuple(file for file in (*chat_export.export_files(path), *packed) if recognise(file) == source)


def describe(source: str, path: Path, files: Iterable[Path]) -> FoundSource:
    """A source with its number of files, their size and the newest date."""
    states = [file.stat() for file in files]
    newest = max((state.st_mtime for state in states), default=None)
    return FoundSource(
        source=source,
        title=TITLES[source],
        path=path,
        file_count=len(states),
        byte_count=sum(state.st_size for state in states),
        newest_at=None if newest is None else datetime.fromtimestamp(newest, UTC),
    )


def recognise(path: Path) -> str | None:
    """The source that a dropped file or folder comes from; None when it is none that we can read."""
    if path.is_dir():
        return _of_own_folder(path) or next(
            (source for file in _some_files(path) if (source := recognise(file)) is not None), None
        )
    if not path.is_file():
        return None
    own = next((one.name for one in HISTORIES if one.is_file(path)), None)
    if own is not None:
        return own
    try:
        if path.suffix == ".jsonl":
            return _of_lines(path)
        if path.suffix == ".zip" or path.name.startswith("conversations"):
            return _of_export(path)
    except (OSError, ValueError, RecursionError, UserError):
        return None  # unreadable, or no JSON: unknown to us
    return None


def recognise_drop(paths: Iterable[Path]) -> tuple[FoundSource, ...]:
    """What was dropped on the window: for each path one entry per source in it, files that are not ours last.

    A large folder is judged by its first files.
    """
    found: list[FoundSource] = []
    for path in paths:
        own = _of_own_folder(path) if path.is_dir() else None
        if own is not None:
            found.append(describe(own, path, history_files(own, path)))
            continue
        files = _some_files(path) if path.is_dir() else [path]
        sources = [recognise(file) for file in files]
        known = dict.fromkeys(source for source in sources if source is not None)
        found.extend(describe(source, path, history_files(source, path)) for source in known)
        strange = [file for file, source in zip(files, sources, strict=True) if source is None and file.is_file()]
        if strange or not known:
            found.append(describe(UNKNOWN, path, strange))
    return tuple(found)


def resume_mark(source: str, path: Path) -> str:
    """What must be the same for an offset in this file to hold; keep it with the offset.

    Transcripts only grow, so their beginning names them. An export is rewritten, with its newest chats first.
    """
    if source in {"chatgpt", "claude-ai"}:
        state = path.stat()
        return f"{state.st_size}:{state.st_mtime_ns}"
    with path.open("rb") as stream:
        return hashlib.sha256(stream.readline(_MARK_BYTES)).hexdigest()[:24]


def _some_files(folder: Path) -> list[Path]:
    """The first few files below a folder, sorted; links are not followed."""
    if not folder.is_dir():
        return []
    files = (file for file in folder.rglob("*") if not file.is_symlink() and file.is_file())
    return sorted(islice(files, _LOOKED_AT_FILES))


def _of_own_folder(folder: Path) -> str | None:
    """An assistant's whole folder is known by its shape, however much else is in it."""
    return next((one.name for one in HISTORIES if _has_its_shape(one, folder)), None)


def _has_its_shape(history: History, folder: Path) -> bool:
    if history.folder_glob:
        return next(folder.glob(history.folder_glob), None) is not None
    return bool(history.listed_files(folder))


def _of_export(path: Path) -> str | None:
    chat = chat_export.first_chat(path)
    if chat is None:
        return None
    if "mapping" in chat:
        return "chatgpt"
    return "claude-ai" if "chat_messages" in chat else None


def _of_lines(path: Path) -> str | None:
    with path.open("rb") as stream:
        for line in islice(read_lines(stream, 0, limit_bytes=_LOOK_LINE_BYTES), _LOOKED_AT_LINES):
            entry = parse_object(line)
            source = _of_entry(entry) if isinstance(entry, dict) else None
            if source is not None:
                return source
    return None


def _of_entry(entry: Mapping[str, object]) -> str | None:
    if "user_message" in entry and "timestamp" in entry:
        return SEED_CONTEXT
    if entry.get("kind") == "archived_prompt":
        return OWN_ARCHIVE
    if "conversation_id" in entry and "messages" in entry:
        return SEED_HISTORY
    return next(
        (one.name for one in reversed(HISTORIES) if one.is_entry(entry)), None
    )  # Claude Code's keys are others' too
