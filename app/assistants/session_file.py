"""What the readers of one session's file share: who speaks, where, the commands that wait for their outcome.

Such a file is read from its first line, where the session is named; what was read before is left out by its key or by the
offset. Knows no assistant. Source: INTEROP "Seen in the real clients".
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from app.injected_text import strip_injected
from app.interop.prompts import (
    ReadItem,
    SkippedLine,
    digest,
    file_time,
    parse_instant,
    parse_object,
    read_lines,
    str_of,
)
from app.interop.tool_calls import reduced_call, tool_key
from app.values import CaptureRequest, Distilled, EventKind

REMEMBERED = "remembered"  # the session of what no session said
_REMEMBERED_BYTES = 256 * 1024

_PENDING_TOOLS = 64


class ReadAt(NamedTuple):
    """Where and when a line of a history was written."""

    app: str
    session: str
    at: datetime
    cwd: str
    branch: str
    path: str

    def event(self, kind: EventKind, key: str, *, text: str, payload: dict[str, Any]) -> CaptureRequest:
        """The event as an import hands it on; a tool's key is whole already."""
        return CaptureRequest(
            app=self.app, kind=kind, key=key if kind is EventKind.TOOL else f"{self.app}:{key}", session=self.session, text=text,
            at=self.at, cwd=self.cwd, git_branch=self.branch, transcript_path=self.path, payload=payload, is_imported=True,
        )  # fmt: skip


@dataclass(slots=True)
class Session:
    """What has to be remembered from line to line."""

    app: str
    path: str
    at: datetime
    id: str = ""
    cwd: str = ""
    branch: str = ""
    is_begun: bool = False
    pending: dict[str, tuple[dict[str, Any], datetime]] = field(default_factory=dict)

    def event(self, kind: EventKind, key: str, *, text: str = "", **payload: Any) -> CaptureRequest:
        place = ReadAt(self.app, self.id, self.at, self.cwd, self.branch, self.path)
        return place.event(kind, key, text=text, payload=payload)

    def begin(self) -> Iterator[CaptureRequest]:
        if self.id and not self.is_begun:
            self.is_begun = True
            yield self.event(EventKind.SESSION_START, f"{self.id}:start", source="transcript")

    def prompt(self, text: str, entry_id: str) -> Iterator[CaptureRequest]:
        """The person's words; nothing when there are none."""
        own = strip_injected(text)
        if own.strip() and self.id:
            yield from self.begin()
            yield self.event(EventKind.PROMPT, entry_id or digest(self.id, self.at.isoformat(), own), text=own)

    def title(self, found: Distilled | None) -> Iterator[CaptureRequest]:
        """What the session is called."""
        if found is not None and self.id:
            yield self.event(EventKind.SIGNAL, f"{self.id}:title:{digest(found.text)}", distilled=[found.to_json()])

    def call(self, name: str, call_id: str, given: object) -> Iterator[CaptureRequest]:
        """A tool that was asked for; its result comes later."""
        payload = reduced_call(name, call_id, given) if call_id else None
        if payload is not None:
            self.pending[call_id] = (payload, self.at)
        if len(self.pending) > _PENDING_TOOLS:
            yield from self.settle(next(iter(self.pending)), {})

    def settle(self, call_id: str, response: dict[str, Any]) -> Iterator[CaptureRequest]:
        """What came of a tool's use."""
        if call_id in self.pending:
            payload, _ = self.pending.pop(call_id)
            yield self.event(EventKind.TOOL, tool_key(self.id, call_id), **payload, tool_response=response)


ReadEntry = Callable[[Session, dict[str, Any]], Iterator[CaptureRequest]]


def read_session(app: str, path: Path, start_offset: int, read_entry: ReadEntry) -> Iterator[ReadItem]:
    """The events of a file with one JSON object a line; what ends at or before `start_offset` is left out."""
    session = Session(app, str(path), file_time(path))
    offset = 0
    with path.open("rb") as stream:
        for line in read_lines(stream, 0):
            entry = parse_object(line)
            if entry is None:
                continue
            if isinstance(entry, SkippedLine):
                events: list[CaptureRequest | SkippedLine] = [entry]
            else:
                session.at = parse_instant(entry.get("timestamp")) or session.at
                events = list(read_entry(session, entry))
            before, offset = offset, line.end if not session.pending else offset
            if line.end > start_offset:
                yield from (ReadItem(event, before) for event in events[:-1])
                yield from (ReadItem(event, offset) for event in events[-1:])
    for call_id in list(session.pending):
        yield from (ReadItem(event, offset) for event in session.settle(call_id, {}))


def read_remembered(
    app: str, path: Path, start_offset: int, distil: Callable[[str], Iterable[Distilled]], *, cwd: str = ""
) -> Iterator[ReadItem]:
    """What an assistant remembers by itself in a file of its own: one event, known by what the file says."""
    try:
        text = path.read_bytes()[:_REMEMBERED_BYTES].decode("utf-8", "replace")
    except OSError:
        return
    size = path.stat().st_size
    found = [one.to_json() for one in distil(text)] if size > start_offset else []
    if found:
        request = CaptureRequest(
            app=app, kind=EventKind.SIGNAL, key=f"{app}:remembered:{digest(str(path), text)}", session=REMEMBERED,
            cwd=cwd, payload={"distilled": found}, is_imported=True,
        )  # fmt: skip
        yield ReadItem(request, size)


def first_text(parts: object) -> str:
    """The first text of a message's parts: what was typed. What a program added is in parts of their own behind it."""
    texts = (str_of(part, "text") for part in parts if isinstance(part, dict)) if isinstance(parts, list) else iter(())
    return next((text for text in texts if text), "")


def files_below(path: Path, pattern: str) -> tuple[Path, ...]:
    """The files of that form at or below a path, as they come; links are not followed."""
    if path.is_file():
        return (path,)
    return tuple(file for file in path.glob(pattern) if file.is_file() and not file.is_symlink())
