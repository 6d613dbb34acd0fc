"""Reads a Claude.ai export: a list of chats, each with its messages in order. Prompts only.

Attachments are what a person gave, not what they typed, and stay out. Source: INTEROP section 8.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.injected_text import strip_injected
from app.interop.chat_export import Chat, ChatHead, Event, Prompt, chat_events, export_files, read_chats
from app.interop.prompts import ReadItem, SkippedLine, dict_of, digest, file_time, parse_instant, str_of, text_of

NAME = "claude-ai"

history_files = export_files


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Session start, prompts and session end of every chat in `conversations.json` or in the export's zip."""
    return read_chats(path, start_offset, _events_of)


def _events_of(chat: Chat, path: str) -> list[Event]:
    messages = chat.get("chat_messages")
    if not isinstance(messages, list):
        return [SkippedLine("The entry is not a Claude.ai chat.")]
    title = str_of(chat, "name")
    begun_at = parse_instant(chat.get("created_at")) or parse_instant(chat.get("updated_at"))
    chat_id = str_of(chat, "uuid") or digest(title, str(chat.get("created_at")))
    project = str_of(dict_of(chat, "project"), "name")
    head = ChatHead(NAME, chat_id, title, project, path, begun_at or file_time(Path(path)))
    return chat_events(head, [prompt for message in messages if (prompt := _prompt(message)) is not None])


def _prompt(message: Any) -> Prompt | None:
    if not isinstance(message, dict) or message.get("sender") != "human":
        return None
    text = strip_injected(text_of(message.get("content")) or str_of(message, "text"))
    if not text.strip():
        return None
    return Prompt(str_of(message, "uuid"), text, parse_instant(message.get("created_at")))
