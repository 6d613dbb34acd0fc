"""What an assistant wrote into its own transcript by the end of a turn and no hook sent: the session's title, Codex's plan.

Reads the end of one file, follows no link, knows no store. Keys are those that an import of the same file gives, so that twice is
once. Source: INTEROP sections 2 and 5, "Seen in the real clients".
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from app.assistants.assistant import LiveTranscript
from app.assistants.registry import find_assistant
from app.errors import InvalidError
from app.interop.distil import title_of_entry
from app.interop.prompts import SkippedLine, dict_of, digest, parse_instant, parse_object, read_lines, str_of
from app.interop.safe_json import parse_json
from app.interop.tool_calls import reduced_call, tool_key
from app.values import CaptureRequest, EventKind

_TAIL_BYTES = 256 * 1024  # titles are written again near the end
_PLANS_MAX = 20


def has_notes(event: CaptureRequest) -> bool:
    """Whether there is a transcript to look into."""
    is_end = event.kind in {EventKind.ANSWER, EventKind.SESSION_END} and not event.agent_id
    return is_end and _transcript_of(event) is not None


def _transcript_of(event: CaptureRequest) -> LiveTranscript | None:
    assistant = find_assistant(event.app)
    live = None if assistant is None else assistant.transcript
    return live if live is not None and live.is_transcript(Path(event.transcript_path), event.session) else None


def read_notes(stop: CaptureRequest) -> tuple[CaptureRequest, ...]:
    """The newest title and Codex's last plans; none when the file cannot be read."""
    if not has_notes(stop):
        return ()
    title: CaptureRequest | None = None
    plans: list[CaptureRequest] = []
    try:
        for entry in _entries(stop):
            found = title_of_entry(entry)
            if found is not None:
                key = f"{stop.app}:{stop.session}:title:{digest(found.text)}"
                title = _request(stop, EventKind.SIGNAL, key, {"distilled": [found.to_json()]})
            elif (plan := _plan(stop, entry)) is not None:
                plans.append(plan)
    except OSError:
        return ()
    return (*plans[-_PLANS_MAX:], *([title] if title is not None else []))


def _entries(stop: CaptureRequest) -> Iterator[dict[str, Any]]:
    live = _transcript_of(stop)
    if live is None:
        return
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(stop.transcript_path, flags), "rb") as stream:
        state = os.fstat(stream.fileno())
        if stat.S_ISREG(state.st_mode):
            yield from _marked(stream, state.st_size, live.marks)


def _marked(stream: BinaryIO, size: int, marks: tuple[bytes, ...]) -> Iterator[dict[str, Any]]:
    start = max(0, size - _TAIL_BYTES)
    stream.seek(start)
    if start:
        stream.readline(_TAIL_BYTES)
    for line in read_lines(stream, start):
        if line.body is None or not any(mark in line.body for mark in marks):
            continue
        entry = parse_object(line)
        if entry is not None and not isinstance(entry, SkippedLine):
            yield entry


def _plan(stop: CaptureRequest, entry: dict[str, Any]) -> CaptureRequest | None:
    payload = dict_of(entry, "payload")
    call_id = str_of(payload, "call_id")
    if payload.get("type") != "function_call" or payload.get("name") != "update_plan" or not call_id:
        return None
    try:
        given = parse_json(
            str_of(payload, "arguments").encode("utf-8", "surrogatepass"), max_bytes=_TAIL_BYTES, max_depth=16
        )
    except InvalidError:
        return None
    use = reduced_call("update_plan", call_id, given)
    if use is None:
        return None
    at = parse_instant(entry.get("timestamp"))
    return _request(stop, EventKind.TOOL, tool_key(stop.session, call_id), use, at=at)


def _request(
    stop: CaptureRequest, kind: EventKind, key: str, payload: dict[str, Any], at: Any = None
) -> CaptureRequest:
    return CaptureRequest(
        app=stop.app, kind=kind, key=key, session=stop.session, at=at or stop.at, cwd=stop.cwd,
        project_root=stop.project_root, git_branch=stop.git_branch, payload=payload,
    )  # fmt: skip
