"""Reads what Claude Code keeps on disk: transcripts, and the prompt list for sessions whose transcript is gone.

Streams a transcript line by line and yields prompts, tool outcomes and starts of sessions; nothing else of it is
kept. That a file ends does not say that its session is over. A resumed or forked session copies earlier lines with their ids, so equal keys mean one event. The
format belongs to its vendor and drifts: what is unknown is stepped over. Source: INTEROP section 2.
"""

import re
from collections import deque
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from app.assistants.assistant import History
from app.assistants.session_file import ReadAt, read_remembered
from app.injected_text import strip_injected
from app.interop.distil import clean_title, distil_memory, title_of_entry
from app.interop.prompts import (
    RawLine,
    ReadItem,
    SkippedLine,
    dict_of,
    digest,
    file_time,
    first_instant,
    parse_instant,
    parse_object,
    read_lines,
    str_of,
    text_of,
)
from app.interop.safe_json import parse_json
from app.interop.tool_calls import reduced_call, status_in, tool_key
from app.values import CaptureRequest, Distilled, DistilledKind, EventKind

NAME = "claude-code"
HISTORY_FILE = "history.jsonl"
_KINDS = frozenset({"user", "assistant", "system", "attachment", "queue-operation"})  # others repeat prompts
_PERSON = frozenset({"", "human", "sdk"})  # whose turn it was; "sdk": typed behind `-p`
_TITLES = frozenset({"ai-title", "custom-title", "summary"})
_QUEUED_KEPT, _LINES_SEEN = 64, 256
_ORIGIN = re.compile(rb'"session_id":"([0-9a-f-]{36})"')
_CWD = re.compile(rb'"cwd":\s?("(?:[^"\\]|\\.){1,4096}")')
_FOLDERS_LOOKED_AT = 5
_ORIGIN_BYTES = 256 * 1024  # it is in the first answer
_NO_TRANSCRIPTS = ("agent-", "rollout-", "conversation-")  # of helpers, of Codex, of ours
_ERROR_CHARS = 2_000  # the status is at the beginning
_PENDING_TOOLS = 64  # tool calls whose result has not been read yet; the oldest is given up
_COMMAND = re.compile(r"<command-name>\s*(/[^\s<]{1,100})\s*</command-name>")
_COMMAND_ARGS = re.compile(r"<command-args>([^<]{0,2000})</command-args>")
_CLEARING = frozenset({"/clear", "/reset", "/new"})
_TYPED_COMMAND = re.compile(r"(/[a-z][\w:-]{0,60})(?:\s+(.{0,2000}))?", re.DOTALL)
_PASTED = re.compile(r"\[Pasted text #(\d{1,6})(?: \+\d+ lines)?\]")


@dataclass(slots=True)
class _Pending:
    payload: dict[str, Any]
    line: "_Line"
    start: int


class _Line(NamedTuple):
    """The fields of a line that every event of it carries."""

    key: str
    session: str
    at: datetime
    cwd: str
    branch: str
    path: str

    def event(self, kind: EventKind, *, key: str = "", text: str = "", **payload: Any) -> CaptureRequest:
        place = ReadAt(NAME, self.session, self.at, self.cwd, self.branch, self.path)
        return place.event(kind, key or self.key, text=text, payload=payload)


@dataclass(slots=True)
class _Transcript:
    """What has to be remembered from line to line."""

    path: str
    fallback_at: datetime
    last: _Line | None = None
    sessions: set[str] = field(default_factory=set)
    pending: dict[str, _Pending] = field(default_factory=dict)
    origin: str = ""  # the session that this one was forked from, or continued from
    queued: dict[tuple[str, str], "deque[_Queued]"] = field(default_factory=dict)  # by session and words
    titles: set[str] = field(default_factory=set)
    seen: "deque[str]" = field(default_factory=lambda: deque(maxlen=_LINES_SEEN))  # names of the last lines


class _Queued(NamedTuple):
    """What was typed while the assistant was at work."""

    at: datetime | None
    start: int


def config_dir(home: Path, env: Mapping[str, str]) -> Path:
    """Where Claude Code keeps its files."""
    return Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")


def history_files(path: Path) -> tuple[Path, ...]:
    """The files to read below a dropped file or folder, by the time they begin with, the prompt list last.

    By time, so that the newest conversations come last and a message that a resumed session copied is taken in
    where it was said: copies begin with the same time, and the original is the older file.
    """
    listed_all = listed_files(path)
    remembered = tuple(file for file in listed_all if file.suffix == ".md")
    found = [file for file in listed_all if file.suffix != ".md" and (file.name != HISTORY_FILE or file == path)]
    found.sort(key=lambda file: (first_instant(file), file.stat().st_mtime, file.name))
    listed = path / HISTORY_FILE
    return (*remembered, *found, listed) if listed.is_file() else (*remembered, *found)


def listed_files(path: Path) -> tuple[Path, ...]:
    """The same files as they come, without a look inside."""
    if path.is_file():
        return (path,)
    found = tuple(file for file in path.rglob("*.jsonl") if _is_transcript_path(file))
    found += tuple(file for file in path.glob("projects/*/memory/*.md") if file.is_file() and not file.is_symlink())
    listed = path / HISTORY_FILE
    return (*found, listed) if listed.is_file() else found


def _is_transcript_path(file: Path) -> bool:
    is_own_session = "subagents" not in file.parts and not file.name.startswith(_NO_TRANSCRIPTS)
    return is_own_session and file.name != HISTORY_FILE and file.is_file() and not file.is_symlink()


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Prompts, tool outcomes and starts of sessions of one transcript, the prompts of `history.jsonl`, or what it remembers."""
    if path.suffix == ".md":
        return read_remembered(
            NAME, path, start_offset, partial(distil_memory, path.name), cwd=_folder_of(path.parent.parent)
        )
    if path.name == HISTORY_FILE:
        return read_history(path, start_offset=start_offset)
    return _read_transcript(path, start_offset)


def _folder_of(project: Path) -> str:
    """The folder that a project's sessions worked in, as one of its transcripts names it; the folder's name is ambiguous."""
    for file in sorted(project.glob("*.jsonl"))[:_FOLDERS_LOOKED_AT]:
        with file.open("rb") as stream:
            found = _CWD.search(stream.read(_ORIGIN_BYTES))
        if found:
            return str(parse_json(found[1], max_bytes=_ORIGIN_BYTES, max_depth=2))
    return ""


def _read_transcript(path: Path, start_offset: int) -> Iterator[ReadItem]:
    state = _Transcript(path=str(path), fallback_at=file_time(path))
    offset = start_offset
    with path.open("rb") as stream:
        state.origin = _origin(stream)
        stream.seek(start_offset)
        for line in read_lines(stream, start_offset):
            events = list(_events_of_line(state, line))
            if line.is_torn and not events:
                break
            offset = _safe_offset(state, line.end)
            if not events:
                continue
            for event in events[:-1]:
                yield ReadItem(event, min(offset, line.start))
            yield ReadItem(events[-1], offset)
    for left in state.pending.values():
        yield ReadItem(_tool_event(left, is_error=None), offset)


def _safe_offset(state: _Transcript, line_end: int) -> int:
    starts = [left.start for left in state.pending.values()]
    starts += [waiting.start for queue in state.queued.values() for waiting in queue]
    return min(line_end, *starts) if starts else line_end


def _events_of_line(state: _Transcript, raw: RawLine) -> Iterator[CaptureRequest | SkippedLine]:
    entry = parse_object(raw)
    if entry is None:
        return
    if isinstance(entry, SkippedLine):
        yield entry
        return
    kind = str_of(entry, "type")
    if kind == "queue-operation":
        _note_queued(state, entry, raw.start)
        return
    if kind in _TITLES:
        yield from _title_events(state, kind, entry)
    elif kind in _KINDS and entry.get("isSidechain") is not True and not entry.get("agentId"):
        yield from _events_of_entry(state, kind, entry, raw)


def _events_of_entry(
    state: _Transcript, kind: str, entry: dict[str, Any], raw: RawLine
) -> Iterator[CaptureRequest | SkippedLine]:
    line = _line_of(state, entry)
    if line is None:
        yield SkippedLine("The line names no session.")
        return
    if line.session not in state.sessions:
        state.sessions.add(line.session)
        yield line.event(EventKind.SESSION_START, key=f"{line.session}:start", source="transcript")
    state.last = line
    state.seen.append(line.key)
    if kind == "assistant":  # most lines of a file
        _note_tool_calls(state, entry, line, raw.start)
        while len(state.pending) > _PENDING_TOOLS:
            yield _tool_event(state.pending.pop(next(iter(state.pending))), is_error=None)
    elif kind == "user":
        yield from _user_events(state, entry, line)
    else:
        yield from _other_events(state, kind, entry, line)


def _title_events(state: _Transcript, kind: str, entry: dict[str, Any]) -> Iterator[CaptureRequest]:
    """What the session is called. A summary that is before all of its lines, or points elsewhere, is another session's."""
    if state.last is None or str_of(entry, "sessionId") not in {"", state.last.session}:
        return
    if kind == "summary":
        title = clean_title(str_of(entry, "summary")) if str_of(entry, "leafUuid") in state.seen else ""
        found = Distilled(DistilledKind.TITLE, title) if title else None
    else:
        found = title_of_entry(entry)
    if found is not None and found.text not in state.titles:
        state.titles.add(found.text)
        key = f"{state.last.session}:title:{digest(found.text)}"
        yield state.last.event(EventKind.SIGNAL, key=key, distilled=[found.to_json()])


def _other_events(state: _Transcript, kind: str, entry: dict[str, Any], line: _Line) -> Iterator[CaptureRequest]:
    match kind, str_of(entry, "subtype"):
        case "attachment", _:
            yield from _queued_events(state, dict_of(entry, "attachment"), line)
        case "system", "local_command":
            yield from _command_events(str_of(entry, "content"), line)
        case "system", "compact_boundary":
            yield line.event(EventKind.COMPACTION)
        case _:
            return


def _line_of(state: _Transcript, entry: dict[str, Any]) -> _Line | None:
    before = state.last
    session = str_of(entry, "sessionId") or (before.session if before is not None else "")
    if not session:
        return None
    at = parse_instant(entry.get("timestamp")) or (before.at if before is not None else state.fallback_at)
    cwd = str_of(entry, "cwd") or (before.cwd if before is not None else "")
    branch = str_of(entry, "gitBranch") or (before.branch if before is not None else "")
    key = str_of(entry, "uuid") or digest(session, at.isoformat(), text_of(dict_of(entry, "message").get("content")))
    return _Line(key=key, session=session, at=at, cwd=cwd, branch=branch, path=state.path)


def _user_events(state: _Transcript, entry: dict[str, Any], line: _Line) -> Iterator[CaptureRequest]:
    content = dict_of(entry, "message").get("content")
    yield from _settle_tool_calls(state, content)
    if entry.get("isCompactSummary") is True:
        yield line.event(EventKind.COMPACTION, key=f"{line.key}:summary", text=text_of(content))
    if entry.get("isMeta") is True or entry.get("isCompactSummary") is True or not _is_from_person(entry):
        return
    text = text_of(content)
    yield from _command_events(text, line)
    prompt = strip_injected(text)
    if not prompt.strip():
        return
    payload = _prompt_payload(entry)
    if state.origin and state.origin != line.session:
        payload["forked_from"] = state.origin
    if entry.get("promptSource") == "typed":
        state.queued.clear()  # nobody waits any more
    typed_at = _take_queued(state, line.session, text)
    if typed_at is None and entry.get("promptSource") == "queued":
        payload["is_queued"] = True  # was typed while another turn ran; nothing says when
    line = line._replace(at=typed_at or line.at)
    yield line.event(EventKind.PROMPT, text=prompt, **payload)


def _note_queued(state: _Transcript, entry: dict[str, Any], start: int) -> None:
    """Remembers when a prompt was typed that waits for its turn: the line that it becomes names a later time."""
    words = (str_of(entry, "sessionId"), str_of(entry, "content"))
    match str_of(entry, "operation"):
        case "enqueue" if sum(map(len, state.queued.values())) < _QUEUED_KEPT:
            waiting = _Queued(parse_instant(entry.get("timestamp")), start)
            state.queued.setdefault(words, deque()).append(waiting)
        case "popAll":  # the person took it back
            state.queued.clear()
        case "remove" if entry.get("reason") != "absorbed_mid_turn":
            _take_queued(state, *words)


def _take_queued(state: _Transcript, session: str, text: str) -> datetime | None:
    waiting = state.queued.get((session, text))
    if not waiting:
        return None
    typed = waiting.popleft()
    if not waiting:
        del state.queued[session, text]
    return typed.at


def _origin(stream: BinaryIO) -> str:
    """The session whose lines this file begins with, where it names another than its own."""
    left = _ORIGIN_BYTES
    while left > 0 and (line := stream.readline(left)):
        left -= len(line)
        found = _ORIGIN.search(line)
        if found and b'"sessionId":"%s"' % found[1] not in line:
            return found[1].decode()
    return ""


def _queued_events(state: _Transcript, attachment: dict[str, Any], line: _Line) -> Iterator[CaptureRequest]:
    """What a person typed while the assistant was at work; it never becomes a line of its own."""
    is_typed = attachment.get("commandMode", "prompt") == "prompt" and _is_from_person(attachment)
    if str_of(attachment, "type") == "queued_command" and is_typed:
        text = text_of(attachment.get("prompt"))
        waited_since = _take_queued(state, line.session, text)  # it waits no more, whoever says when it was typed
        typed_at = parse_instant(attachment.get("timestamp")) or waited_since
        prompt = strip_injected(text)
        if prompt.strip():
            more = {"forked_from": state.origin} if state.origin and state.origin != line.session else {}
            yield line._replace(at=typed_at or line.at).event(EventKind.PROMPT, text=prompt, **more)


def _is_from_person(entry: dict[str, Any]) -> bool:
    """Newer versions name the origin of a line; notifications of tasks and teammates come this way too."""
    kind = str_of(dict_of(entry, "origin"), "kind")
    return kind == "human" if kind else str_of(entry, "turnOrigin") in _PERSON


def _command_events(text: str, line: _Line) -> Iterator[CaptureRequest]:
    command = _COMMAND.search(text) if "<command-name>" in text else None
    if command is not None:
        args = _COMMAND_ARGS.search(text)
        yield _command_event(line, command[1], args[1].strip() if args else "")


def _prompt_payload(entry: dict[str, Any]) -> dict[str, Any]:
    prompt_id = str_of(entry, "promptId")
    return {"prompt_id": prompt_id} if prompt_id else {}


def _command_event(line: _Line, command: str, args: str) -> CaptureRequest:
    """A slash command is no prompt; `/clear` tells that what was talked about is over."""
    if command in _CLEARING:
        return line.event(EventKind.SESSION_END, key=f"{line.key}:clear", reason="clear")
    return line.event(EventKind.SIGNAL, key=f"{line.key}:command", command=command, args=args)


def _note_tool_calls(state: _Transcript, entry: dict[str, Any], line: _Line, start: int) -> None:
    content = dict_of(entry, "message").get("content")
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        call_id = str_of(block, "id") or f"{line.key}:{len(state.pending)}"
        payload = reduced_call(str_of(block, "name"), call_id, block.get("input"))
        if payload is not None:
            state.pending[call_id] = _Pending(payload, line, start)


def _settle_tool_calls(state: _Transcript, content: object) -> Iterator[CaptureRequest]:
    for block in content if isinstance(content, list) and state.pending else ():
        if isinstance(block, dict) and block.get("type") == "tool_result":
            waiting = state.pending.pop(str_of(block, "tool_use_id"), None)
            if waiting is not None:
                is_error = block.get("is_error") is True
                status = status_in(text_of(block.get("content"))[:_ERROR_CHARS]) if is_error else None
                yield _tool_event(waiting, is_error=is_error, status=status)


def _tool_event(waiting: _Pending, *, is_error: bool | None, status: int | None = None) -> CaptureRequest:
    call_id = str(waiting.payload["tool_use_id"])
    response = {} if is_error is None else {"is_error": is_error} | ({} if status is None else {"exit_code": status})
    return waiting.line.event(
        EventKind.TOOL, key=tool_key(waiting.line.session, call_id), **waiting.payload, tool_response=response
    )


def read_history(
    path: Path, *, start_offset: int = 0, known_sessions: Container[str] = frozenset()
) -> Iterator[ReadItem]:
    """Prompts of `history.jsonl` for the sessions that have no transcript beside it and are not known.

    Lines without a session id are from versions that wrote none; they cannot be distinguished from what a
    transcript holds, and are skipped.
    """
    on_disk = {file.stem for file in path.parent.glob("projects/*/*.jsonl")}
    state = _Transcript(path=str(path), fallback_at=file_time(path))
    with path.open("rb") as stream:
        stream.seek(start_offset)
        for line in read_lines(stream, start_offset):
            entry = parse_object(line)
            if entry is None:
                continue
            if isinstance(entry, SkippedLine):
                yield ReadItem(entry, line.end)
                continue
            session = str_of(entry, "sessionId")
            if session in on_disk or session in known_sessions:
                continue
            yield ReadItem(_listed_prompt(state, entry, session), line.end)


def _listed_prompt(state: _Transcript, entry: dict[str, Any], session: str) -> CaptureRequest | SkippedLine:
    typed = str_of(entry, "display").strip()
    if not session:
        return SkippedLine("The line names no session.")
    if not typed or typed in {"exit", "quit"}:
        return SkippedLine("The line holds no prompt.")
    at = parse_instant(entry.get("timestamp")) or state.fallback_at
    key = f"history:{digest(session, at.isoformat(), typed)}"
    line = _Line(key=key, session=session, at=at, cwd=str_of(entry, "project"), branch="", path="")
    command = _TYPED_COMMAND.fullmatch(typed)
    if command is not None:
        return _command_event(line, command[1], (command[2] or "").strip())
    text = _with_pasted(typed, dict_of(entry, "pastedContents"))
    return line.event(
        EventKind.PROMPT, text=text, is_queued=True
    )  # listed when its turn took it, not when it was typed


def _with_pasted(typed: str, pasted: dict[str, Any]) -> str:
    """The text with its placeholders replaced by what was pasted, where that was kept, in the mark that a live prompt has."""

    def content(placeholder: re.Match[str]) -> str:
        found = str_of(pasted.get(placeholder[1]), "content")
        mark = f'pasted_content id="{digest(found)[:4]}"'
        return f"<{mark}>\n{found}\n</{mark}>" if found else placeholder[0]

    return strip_injected(_PASTED.sub(content, typed))


def is_entry(entry: Mapping[str, object]) -> bool:
    """Whether a line is one of a transcript or of the list of prompts."""
    is_listed_prompt = "display" in entry and "timestamp" in entry
    return is_listed_prompt or ("type" in entry and not _ENTRY_KEYS.isdisjoint(entry))


_ENTRY_KEYS = frozenset({"sessionId", "uuid", "leafUuid", "messageId", "customTitle", "operation"})
HISTORY = History(
    NAME, "Claude Code transcripts", config_dir, listed_files, read_events, names_uses=True, ordered_files=history_files, is_entry=is_entry,
    folder_glob="projects/*/*.jsonl",
)  # fmt: skip
