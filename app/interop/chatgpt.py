"""Reads a ChatGPT export: each chat is a tree, of which the branch that the person last saw is taken.

Prompts only; hidden messages and chats that were not to be remembered stay out. Source: INTEROP section 8.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.injected_text import strip_injected
from app.interop.chat_export import Chat, ChatHead, Event, Prompt, chat_events, export_files, read_chats
from app.interop.prompts import ReadItem, SkippedLine, dict_of, digest, file_time, parse_instant, str_of

NAME = "chatgpt"
_TYPED = frozenset({"text", "multimodal_text"})

history_files = export_files


def read_events(path: Path, *, start_offset: int = 0) -> Iterator[ReadItem]:
    """Session start, prompts and session end of every chat in `conversations.json` or in the export's zip."""
    return read_chats(path, start_offset, _events_of)


def _events_of(chat: Chat, path: str) -> list[Event]:
    if chat.get("is_do_not_remember") is True:
        return [SkippedLine("The chat was not to be remembered.")]
    mapping = dict_of(chat, "mapping")
    if not mapping:
        return [SkippedLine("The entry is not a ChatGPT chat.")]
    title = str_of(chat, "title")
    begun_at = parse_instant(chat.get("create_time")) or parse_instant(chat.get("update_time"))
    chat_id = str_of(chat, "conversation_id", "id") or digest(title, str(chat.get("create_time")), min(mapping))
    head = ChatHead(NAME, chat_id, title, "", path, begun_at or file_time(Path(path)))
    prompts = [prompt for node in _branch(chat, mapping) if (prompt := _prompt(node)) is not None]
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


def _prompt(node: dict[str, Any]) -> Prompt | None:
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
