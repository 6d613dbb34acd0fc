"""Reads the sessions that Codex keeps on disk: `rollout-*.jsonl` and its packed form `.jsonl.zst`.

What a person typed is an item of type `UserMessage`, in older versions an event `user_message`; versions that wrote neither
are read by their `response_item` messages of role user, minus what the program put in. A fork copies its parent's lines, in
older versions without ids, so there a prompt is named by its root session, its number and its words. Source: INTEROP section 5,
"Seen in the real clients".
"""

import json
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from app.assistants.assistant import History
from app.assistants.session_file import ReadAt
from app.injected_text import strip_injected
from app.interop.compressed_files import open_zst
from app.interop.distil import title_of_entry
from app.interop.prompts import (
    ReadItem,
    SkippedLine,
    dict_of,
    digest,
    file_time,
    parse_instant,
    parse_object,
    read_lines,
    str_of,
    text_of,
)
from app.interop.tool_calls import exit_status, reduced_call, stated_exit_status, tool_key
from app.values import CaptureRequest, EventKind

NAME = "codex"
_USER_MARKS = (b'"user_message"', b'"UserMessage"')
_CHUNK_BYTES = 1024 * 1024
_PENDING_TOOLS = 64
_INJECTED_STARTS = ("# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>")
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ENDS = frozenset({"exec_command_end", "patch_apply_end"})
HISTORY_FILE = "history.jsonl"
_SESSION_CHARS = 36  # of the id at the end of a rollout's name

_Event = CaptureRequest | SkippedLine


@dataclass(slots=True)
class _Rollout:
    """What has to be remembered from line to line."""

    path: str
    at: datetime
    uses_user_events: bool
    session: str = ""
    root: str = ""  # the first session of a chain of forks
    cwd: str = ""
    branch: str = ""
    is_helpers: bool = False
    prompt_count: int = 0
    event_count: int = 0
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)

    def event(self, kind: EventKind, key: str, *, text: str = "", **payload: Any) -> CaptureRequest:
        self.event_count += 1
        place = ReadAt(NAME, self.session, self.at, self.cwd, self.branch, self.path)
        return place.event(kind, key, text=text, payload=payload)


def config_dir(home: Path, env: Mapping[str, str]) -> Path:
    """Where Codex keeps its files."""
    return Path(env.get("CODEX_HOME") or home / ".codex")


def history_files(path: Path) -> tuple[Path, ...]:
    """The rollouts below a dropped file or folder, oldest first, the list of prompts last.

    Names begin with the time. Where a rollout is there plain and packed, the plain one is taken.
    """
    found = [file for file in listed_files(path) if file.name != HISTORY_FILE or file == path]
    found.sort(key=lambda file: (file.name, str(file)))
    listed = path / HISTORY_FILE
    return (*found, listed) if listed.is_file() else tuple(found)


def listed_files(path: Path) -> tuple[Path, ...]:
    """The same files as they come."""
    if path.is_file():
        return (path,)
    plain = {file for file in path.rglob("rollout-*.jsonl") if file.is_file() and not file.is_symlink()}
    packed = {file for file in path.rglob("rollout-*.jsonl.zst") if file.is_file() and not file.is_symlink()}
    found = (*plain, *(file for file in packed if file.with_suffix("") not in plain))
    listed = path / HISTORY_FILE
    return (*found, listed) if listed.is_file() else found


@contextmanager
def open_rollout(path: Path) -> Iterator[BinaryIO]:
    """The rollout's bytes, unpacked on the way when it is packed."""
    if path.suffix == ".zst":
        with open_zst(path) as unpacked:
            yield unpacked
    else:
        with path.open("rb") as stream:
            yield stream


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and the start of the session of one rollout; what ends at or before `start_offset` is left out.

    A rollout is read from its first line in any case, since its prompts are numbered.
    """
    if path.name == HISTORY_FILE:
        return read_history(path, start_offset=start_offset)
    return _read_rollout(path, start_offset)


def _read_rollout(path: Path, start_offset: int) -> Iterator[ReadItem]:
    state = _Rollout(path=str(path), at=file_time(path), uses_user_events=_has_user_events(path))
    offset = 0
    with open_rollout(path) as stream:
        for line in read_lines(stream, 0):
            entry = parse_object(line)
            if entry is None:
                continue
            events = [entry] if isinstance(entry, SkippedLine) else list(_events_of_line(state, entry))
            for event in events[:-1]:
                if line.end > start_offset:
                    yield ReadItem(event, offset)
            offset = line.end if not state.pending else offset
            for event in events[-1:]:
                if line.end > start_offset:
                    yield ReadItem(event, offset)
    for call_id in list(state.pending):
        yield ReadItem(_tool_event(state, call_id, None), offset)


def _has_user_events(path: Path) -> bool:
    """Does the rollout hold events for what the person typed? Inside a JSON string the quotes would be escaped."""
    tail = b""
    with open_rollout(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            if any(mark in tail + chunk for mark in _USER_MARKS):
                return True
            tail = chunk[-len(_USER_MARKS[0]) :]
    return False


def _events_of_line(state: _Rollout, entry: dict[str, Any]) -> Iterator[_Event]:
    state.at = parse_instant(entry.get("timestamp")) or state.at
    payload = dict_of(entry, "payload")
    if state.is_helpers:
        return
    match entry.get("type"):
        case "session_meta":
            yield from _take_meta(state, payload)
        case "event_msg" if payload.get("type") == "user_message":
            yield from _prompt(state, str_of(payload, "message"))
        case "event_msg" if payload.get("type") == "item_completed" and state.session:
            yield from _item(state, dict_of(payload, "item"))
        case "event_msg" if state.session:
            yield from _completed_event(state, entry, payload)
        case "response_item":
            yield from _response_item(state, payload)
        case "turn_context":
            state.cwd = str_of(payload, "cwd") or state.cwd
        case "compacted" if state.session:
            said = str_of(payload, "message")
            yield state.event(EventKind.COMPACTION, f"{state.session}:compact:{state.prompt_count}", text=said)
        case _:
            return


def _completed_event(state: _Rollout, entry: dict[str, Any], payload: dict[str, Any]) -> Iterator[_Event]:
    """How a tool's use ended; what the session is called."""
    if str_of(payload, "type") in _ENDS:
        yield from _note_end(state, payload)
    elif (title := title_of_entry(entry)) is not None:
        yield state.event(EventKind.SIGNAL, f"{state.session}:title:{digest(title.text)}", distilled=[title.to_json()])


def _take_meta(state: _Rollout, meta: dict[str, Any]) -> Iterator[CaptureRequest]:
    session = str_of(meta, "id", "session_id")
    if not state.session and "subagent" in dict_of(meta, "source"):
        state.is_helpers = True  # its "user" is the assistant that started it
    if state.is_helpers:
        return
    if state.session:  # a copied head of the parent: it names the root of the chain
        if not state.prompt_count:
            state.root = str_of(meta, "forked_from_id") or session or state.root
        return
    if not session:
        return
    state.session = session
    state.root = str_of(meta, "forked_from_id") or session
    state.cwd = str_of(meta, "cwd")
    state.branch = str_of(dict_of(meta, "git"), "branch")
    yield state.event(EventKind.SESSION_START, f"{session}:start", source=str_of(meta, "source") or "transcript")


def _item(state: _Rollout, item: dict[str, Any]) -> Iterator[_Event]:
    """What was completed, as newer versions tell it: the words of the person, a command, changed files."""
    match str_of(item, "type"):
        case "UserMessage":
            yield from _prompt(state, text_of(item.get("content")), item_id=str_of(item, "id"))
        case "CommandExecution" | "FileChange":
            yield from _note_end(state, item | {"call_id": str_of(item, "id")})
        case _:
            return


def _prompt(state: _Rollout, typed: str, *, item_id: str = "") -> Iterator[_Event]:
    text = strip_injected(typed)
    if not text.strip():
        return
    if not state.session:
        yield SkippedLine("The line names no session.")
        return
    state.prompt_count += 1
    key = item_id or digest(state.root, str(state.prompt_count), text)
    yield state.event(EventKind.PROMPT, key, text=text, **_fork(state))


def _fork(state: _Rollout) -> dict[str, str]:
    return {"forked_from": state.root} if state.root != state.session else {}


def _response_item(state: _Rollout, item: dict[str, Any]) -> Iterator[_Event]:
    kind = str_of(item, "type")
    if kind == "message" and item.get("role") == "user" and not state.uses_user_events:
        text = text_of(item.get("content"))
        if _is_from_program(item):
            return
        if not text.lstrip().startswith(_INJECTED_STARTS):
            yield from _prompt(state, text)
    elif kind in _CALLS and state.session:
        yield from _note_call(state, item)
    elif kind in _OUTPUTS and str_of(item, "call_id") in state.pending:
        yield _tool_event(state, str_of(item, "call_id"), item.get("output"))


def _is_from_program(item: dict[str, Any]) -> bool:
    """Newer versions name whose words each part of a message is."""
    metadata = dict_of(item, "internal_chat_message_metadata_passthrough").get("content_item_metadata")
    whose = [str_of(dict_of(part, "provenance"), "type") for part in metadata] if isinstance(metadata, list) else []
    return any(whose) and "user" not in whose


def _note_call(state: _Rollout, item: dict[str, Any]) -> Iterator[CaptureRequest]:
    call_id = str_of(item, "call_id", "id") or f"{state.session}:{state.event_count}"
    given = item.get("arguments") or item.get("input") or item.get("action")
    name = str_of(item, "name") or "shell"
    parsed = _json_or(given) if name != "apply_patch" else _json_or(given) or given
    payload = reduced_call(name, call_id, parsed)
    if payload is not None:
        state.pending[call_id] = payload
    while len(state.pending) > _PENDING_TOOLS:
        yield _tool_event(state, next(iter(state.pending)), None)


def _json_or(given: object) -> object:
    if not isinstance(given, str):
        return given
    try:
        return cast(object, json.loads(given))
    except (ValueError, RecursionError):
        return None


def _note_end(state: _Rollout, ended: dict[str, Any]) -> Iterator[CaptureRequest]:
    """The end of a command or a patch, as versions tell it that write no outputs."""
    call_id = str_of(ended, "call_id")
    changes = [name for name in dict_of(ended, "changes") if name]
    if changes and call_id not in state.pending:
        patch = "\n".join(f"*** Update File: {name}" for name in changes)
        payload = reduced_call("apply_patch", call_id, patch)
        if payload is not None:
            state.pending[call_id] = payload
    if call_id in state.pending:
        yield _tool_event(state, call_id, ended)


def _tool_event(state: _Rollout, call_id: str, output: object) -> CaptureRequest:
    payload = state.pending.pop(call_id)
    parsed = _parse_output(output)
    status = exit_status(parsed)
    if status is None:
        status = stated_exit_status(output)
    response = {} if status is None else {"exit_code": status}
    return state.event(EventKind.TOOL, tool_key(state.session, call_id), **payload, tool_response=response)


def _parse_output(output: object) -> object:
    """What an output tells, from JSON; a text is left to `stated_exit_status`."""
    return None if isinstance(output, str) and not output.lstrip().startswith("{") else _json_or(output)


def read_history(
    path: Path, *, start_offset: int = 0, known_sessions: Container[str] = frozenset()
) -> Iterator[ReadItem]:
    """Prompts of `history.jsonl` for the sessions that have no rollout beside it and are not known."""
    names = (file.name.partition(".jsonl")[0] for file in path.parent.rglob("rollout-*.jsonl*"))
    on_disk = {name[-_SESSION_CHARS:] for name in names}
    state = _Rollout(path="", at=file_time(path), uses_user_events=True)
    with path.open("rb") as stream:
        stream.seek(start_offset)
        for line in read_lines(stream, start_offset):
            entry = parse_object(line)
            if isinstance(entry, SkippedLine):
                yield ReadItem(entry, line.end)
            elif entry is not None:
                state.session = str_of(entry, "session_id")
                if state.session in on_disk or state.session in known_sessions:
                    continue
                yield ReadItem(_listed_prompt(state, entry), line.end)


def _listed_prompt(state: _Rollout, entry: dict[str, Any]) -> _Event:
    text = strip_injected(str_of(entry, "text"))
    if not state.session or not text.strip():
        return SkippedLine("The line holds no prompt of a session.")
    state.at = parse_instant(entry.get("ts")) or state.at
    key = f"history:{digest(state.session, state.at.isoformat(), text)}"
    return state.event(EventKind.PROMPT, key, text=text)


def is_entry(entry: Mapping[str, object]) -> bool:
    """Whether a line is one of a rollout."""
    return entry.get("type") in _ENTRY_TYPES and "payload" in entry


def is_file(path: Path) -> bool:
    """Whether this is a packed rollout, by its name."""
    return path.name.endswith(".jsonl.zst")


_ENTRY_TYPES = frozenset({"session_meta", "event_msg", "response_item", "turn_context", "compacted"})
HISTORY = History(
    NAME, "Codex sessions", config_dir, listed_files, read_events, names_uses=True, ordered_files=history_files, is_entry=is_entry,
    is_file=is_file, folder_glob="sessions/*/*/*/rollout-*.jsonl*",
)  # fmt: skip
