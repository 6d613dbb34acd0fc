"""Reads the exports of ChatGPT and of Claude.ai: one big array of chats, plain or in a zip. Prompts only.

Yields the chats one by one with the place to go on reading from. Several numbered files count as one long file, in the order of their
numbers. A chat of ChatGPT is a tree, of which the branch that the person last saw is taken; hidden messages and chats that were not to be
remembered stay out, and so do attachments: they are what a person gave, not what they typed. Source: INTEROP section 8.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from app.injected_text import strip_injected
from app.interop.compressed_files import open_member, open_zip
from app.interop.json_array import split_array
from app.interop.prompts import ReadItem, SkippedLine, dict_of, digest, file_time, parse_instant, str_of, text_of
from app.values import CaptureRequest, EventKind

_CHATS_FILE = re.compile(r"conversations(?:-\d{1,6})?\.json")
_SKIP_BYTES = 1024 * 1024

Chat = dict[str, Any]
Event = CaptureRequest | SkippedLine
CHATGPT = "chatgpt"
_TYPED = frozenset({"text", "multimodal_text"})
CLAUDE_AI = "claude-ai"


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


def read_chatgpt(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Session start, prompts and session end of every chat in `conversations.json` or in the export's zip."""
    return read_chats(path, start_offset, _chatgpt_events)


def _chatgpt_events(chat: Chat, path: str) -> list[Event]:
    if chat.get("is_do_not_remember") is True:
        return [SkippedLine("The chat was not to be remembered.")]
    mapping = dict_of(chat, "mapping")
    if not mapping:
        return [SkippedLine("The entry is not a ChatGPT chat.")]
    title = str_of(chat, "title")
    begun_at = parse_instant(chat.get("create_time")) or parse_instant(chat.get("update_time"))
    chat_id = str_of(chat, "conversation_id", "id") or digest(title, str(chat.get("create_time")), min(mapping))
    head = ChatHead(CHATGPT, chat_id, title, "", path, begun_at or file_time(Path(path)))
    prompts = [prompt for node in _branch(chat, mapping) if (prompt := _chatgpt_prompt(node)) is not None]
    return chat_events(head, prompts)


def _branch(chat: Chat, mapping: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes from the root to the last one seen. A ring in a damaged file ends the walk."""
    name = str_of(chat, "current_node")
    if name not in mapping:
        name = _last_leaf(mapping)
    seen: dict[str, dict[str, Any]] = {}
    while name and name not in seen and isinstance(mapping.get(name), dict):
        seen[name] = mapping[name]
        name = str_of(mapping[name], "parent")
    return list(seen.values())[::-1]


def _last_leaf(mapping: dict[str, Any]) -> str:
    """Where the walk along the last child of each node ends, from the root on."""
    name = next((key for key, node in mapping.items() if not str_of(node, "parent")), "")
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        children = mapping.get(name, {}).get("children") if isinstance(mapping.get(name), dict) else None
        named = [child for child in children if isinstance(child, str)] if isinstance(children, list) else []
        name = named[-1] if named else name
    return name


def _chatgpt_prompt(node: dict[str, Any]) -> Prompt | None:
    message = dict_of(node, "message")
    content = dict_of(message, "content")
    is_typed = dict_of(message, "author").get("role") == "user" and str_of(content, "content_type") in _TYPED
    is_hidden = dict_of(message, "metadata").get("is_visually_hidden_from_conversation") is True
    parts = content.get("parts")
    if not is_typed or is_hidden or not isinstance(parts, list):
        return None
    words = [part if isinstance(part, str) else str_of(part, "text") for part in parts]
    text = strip_injected("\n".join(word for word in words if word))
    if not text.strip():
        return None
    return Prompt(str_of(message, "id") or str_of(node, "id"), text, parse_instant(message.get("create_time")))


def read_claude_ai(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Session start, prompts and session end of every chat in `conversations.json` or in the export's zip."""
    return read_chats(path, start_offset, _claude_ai_events)


def _claude_ai_events(chat: Chat, path: str) -> list[Event]:
    messages = chat.get("chat_messages")
    if not isinstance(messages, list):
        return [SkippedLine("The entry is not a Claude.ai chat.")]
    title = str_of(chat, "name")
    begun_at = parse_instant(chat.get("created_at")) or parse_instant(chat.get("updated_at"))
    chat_id = str_of(chat, "uuid") or digest(title, str(chat.get("created_at")))
    project = str_of(dict_of(chat, "project"), "name")
    head = ChatHead(CLAUDE_AI, chat_id, title, project, path, begun_at or file_time(Path(path)))
    return chat_events(head, [prompt for message in messages if (prompt := _claude_ai_prompt(message)) is not None])


def _claude_ai_prompt(message: Any) -> Prompt | None:
    if not isinstance(message, dict) or message.get("sender") != "human":
        return None
    text = strip_injected(text_of(message.get("content")) or str_of(message, "text"))
    if not text.strip():
        return None
    return Prompt(str_of(message, "uuid"), text, parse_instant(message.get("created_at")))
