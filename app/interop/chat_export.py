"""What the ChatGPT and the Claude.ai export have in common: one big array of chats, plain or in a zip.

Yields the chats one by one with the place to go on reading from. Several numbered files count as one long
file, in the order of their numbers. Source: INTEROP section 8.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from app.interop.json_array import split_array
from app.interop.packed import open_member, open_zip
from app.interop.prompts import ReadItem, SkippedLine, digest
from app.values import CaptureRequest, EventKind

_CHATS_FILE = re.compile(r"conversations(?:-\d{1,6})?\.json")
_SKIP_BYTES = 1024 * 1024

Chat = dict[str, Any]
Event = CaptureRequest | SkippedLine


@dataclass(frozen=True, slots=True)
class Prompt:
    """One typed message of a chat; `at` None when the export does not tell."""

    id: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ChatHead:
    """What every event of a chat carries."""

    app: str
    id: str
    title: str
    project: str
    path: str
    at: datetime


def export_files(path: Path) -> tuple[Path, ...]:
    """The export files at or below a path: a zip or a JSON file as it is, a folder's numbered files in order."""
    if path.is_file():
        return (path,)
    return tuple(sorted(file for file in path.rglob("conversations*.json") if _CHATS_FILE.fullmatch(file.name)))


def read_chats(path: Path, start_offset: int, events_of: Callable[[Chat, str], Sequence[Event]]) -> Iterator[ReadItem]:
    """The events of every chat in a file; a chat's last event carries the offset behind the chat."""
    offset = start_offset
    for body, end in _bodies(path, start_offset):
        events = _parse(body, events_of, str(path))
        for event in events[:-1]:
            yield ReadItem(event, offset)
        offset = end
        for event in events[-1:]:
            yield ReadItem(event, offset)


def _parse(body: bytes | None, events_of: Callable[[Chat, str], Sequence[Event]], path: str) -> Sequence[Event]:
    if body is None:
        return [SkippedLine("The chat is too long.")]
    try:
        chat = json.loads(body)
    except (ValueError, RecursionError):
        return [SkippedLine("The chat is not valid JSON.")]
    return events_of(chat, path) if isinstance(chat, dict) else [SkippedLine("The entry is not a chat.")]


def _bodies(path: Path, start_offset: int) -> Iterator[tuple[bytes | None, int]]:
    if zipfile.is_zipfile(path):
        yield from _zip_bodies(path, start_offset)
        return
    with path.open("rb") as stream:
        stream.seek(start_offset)
        for element in split_array(stream, start_offset):
            yield element.body, element.end


def _zip_bodies(path: Path, start_offset: int) -> Iterator[tuple[bytes | None, int]]:
    base = 0
    with open_zip(path, _holds_chats) as archive:
        for member in _chat_members(archive):
            if start_offset < base + member.file_size:
                begin = max(0, start_offset - base)
                with open_member(archive, member, path) as stream:
                    _step_over(stream, begin)
                    for element in split_array(stream, begin):
                        yield element.body, base + element.end
            base += member.file_size


def _chat_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members that hold chats, in the order of their numbers."""
    return sorted(filter(_holds_chats, archive.infolist()), key=lambda member: member.filename)


def _holds_chats(member: zipfile.ZipInfo) -> bool:
    return _CHATS_FILE.fullmatch(PurePosixPath(member.filename).name) is not None and not member.is_dir()


def _step_over(stream: BinaryIO, count: int) -> None:
    while count > 0 and (piece := stream.read(min(count, _SKIP_BYTES))):
        count -= len(piece)


def first_chat(path: Path) -> Chat | None:
    """The first chat of a file, to tell by its keys who wrote it; None when there is none."""
    for body, _ in _bodies(path, 0):
        parsed = json.loads(body) if body else None
        return parsed if isinstance(parsed, dict) else None
    return None


def chat_events(head: ChatHead, prompts: Sequence[Prompt]) -> list[Event]:
    """Session start, the prompts in order, session end; times never run backwards within a chat."""
    if not prompts:
        return []
    at = prompts[0].at or head.at
    events: list[Event] = [_event(head, EventKind.SESSION_START, f"{head.id}:start", at)]
    for prompt in prompts:
        at = max(at, prompt.at or at)
        key = prompt.id or digest(head.id, at.isoformat(), prompt.text)
        events.append(_event(head, EventKind.PROMPT, key, at, prompt.text))
    events.append(_event(head, EventKind.SESSION_END, f"{head.id}:end:{prompts[-1].id or len(prompts)}", at))
    return events


def _event(head: ChatHead, kind: EventKind, key: str, at: datetime, text: str = "") -> CaptureRequest:
    return CaptureRequest(
        app=head.app,
        kind=kind,
        key=f"{head.app}:{key}",
        session=head.id,
        text=text,
        at=at,
        project_root="",
        transcript_path=head.path,
        payload={"title": head.title, "project": head.project},
        is_imported=True,
    )
