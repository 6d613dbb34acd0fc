"""Puts our hook entries into a Claude-shaped hooks file and takes them out: bytes in, bytes out.

Claude Code's `settings.json` and Codex's `hooks.json` share the shape `{"hooks": {event: [{matcher, hooks: []}]}}`.
Only entries that run our hook script, or the launcher that does, count as ours; each of ours has a group of its own. Source: INTEROP section 1.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.connect.base import HOOK_SCRIPT_NAME, ConnectRefusedError
from app.connect.json_text import Child, Json, JsonTextError, Node, append, parse, remove
from app.connect.launcher import LAUNCHER_NAME

_EMPTY = "{\n}\n"
_RUNS_LAUNCHER = re.compile(rf"[/\\]{re.escape(LAUNCHER_NAME)}(?![\w.-])")


@dataclass(frozen=True, slots=True)
class HookEntry:
    """One event of the assistant and the command to run at it."""

    event: str
    command: str
    timeout_s: int
    matcher: str = ""
    is_async: bool = False

    def group(self) -> dict[str, Json]:
        """The entry as it is in the file."""
        handler: dict[str, Json] = {"type": "command", "command": self.command, "timeout": self.timeout_s}
        if self.is_async:
            handler["async"] = True
        group: dict[str, Json] = {"hooks": [handler]}
        return {"matcher": self.matcher, **group} if self.matcher else group


def with_hooks(path: Path, before: bytes | None, entries: tuple[HookEntry, ...]) -> bytes:
    """The file with exactly these entries of ours; the same bytes when they are all in already.

    Raises ConnectRefusedError for a file that is not what it should be.
    """
    if before is not None and has_exactly(path, before, entries):
        return before
    cleaned = without_hooks(path, before) if before is not None else b""
    mark, text = decode_json(path, cleaned)
    text = text if text.strip() else _EMPTY
    for entry in entries:
        text = _with_entry(path, text, entry)
    return mark + text.encode("utf-8")


def without_hooks(path: Path, before: bytes) -> bytes:
    """The file without our entries, and without the lists that are empty then; nothing else changes."""
    mark, text = decode_json(path, before)
    if not text.strip():
        return before
    while (found := _first_own(_root(path, text))) is not None:
        text = remove(text, *found)
    return mark + text.encode("utf-8")


def has_exactly(path: Path, content: bytes, entries: tuple[HookEntry, ...]) -> bool:
    """Are these entries in the file, each once, and no other of ours?"""
    root = _root(path, decode_json(path, content)[1])
    groups = [(event.key, group.node.value) for event, group in _groups(root) if _is_own_group(group.node)]
    wanted = [(entry.event, entry.group()) for entry in entries]
    return len(groups) == len(wanted) and all(entry in groups for entry in wanted)


def own_handlers(path: Path, content: bytes) -> list[tuple[str, int, int, Mapping[str, Any]]]:
    """Our handlers as they are: the event, the number of the group in it, the number of the handler in that, the group."""
    found: list[tuple[str, int, int, Mapping[str, Any]]] = []
    hooks = _root(path, decode_json(path, content)[1]).member("hooks")
    for event in hooks.children if hooks is not None else ():
        for group_index, group in enumerate(event.node.children):
            handlers = group.node.member("hooks") if group.node.is_object else None
            for handler_index, handler in enumerate(handlers.children if handlers is not None else ()):
                if _is_own_handler(handler.node) and isinstance(group.node.value, dict):
                    found.append((str(event.key), group_index, handler_index, group.node.value))
    return found


def has_any_hook(path: Path, content: bytes) -> bool:
    """Does the file name any hook at all, ours or another's?"""
    return any(True for _ in _groups(_root(path, decode_json(path, content)[1])))


def is_switched_on(path: Path, content: bytes | None, key: str) -> bool:
    """Is a switch at the top of the file on?"""
    node = _root(path, decode_json(path, content or b"")[1]).member(key)
    return node is not None and node.value is True


def _with_entry(path: Path, text: str, entry: HookEntry) -> str:
    root = _root(path, text)
    hooks = root.member("hooks")
    if hooks is None:
        return append(text, root, {entry.event: [entry.group()]}, key="hooks")
    listed = hooks.member(entry.event)
    if listed is None:
        return append(text, hooks, [entry.group()], key=entry.event)
    return append(text, listed, entry.group())


def _root(path: Path, text: str) -> Node:
    """The file's value with positions, its shape checked as far as we touch it."""
    root = parse_json(path, text)
    hooks = root.member("hooks") if root.is_object else None
    events = hooks.children if hooks is not None and hooks.is_object else ()
    is_sound = root.is_object and (hooks is None or hooks.is_object) and all(e.node.is_list for e in events)
    if not is_sound:
        raise ConnectRefusedError(
            f"{path} does not have the shape of a hooks file: “hooks” must hold one list per event.",
            hint="Correct the entry “hooks”, then try again. The file was not changed.",
        )
    return root


def _groups(root: Node) -> list[tuple[Child, Child]]:
    """(event, group) for every group of the file."""
    hooks = root.member("hooks")
    return [(event, group) for event in hooks.children for group in event.node.children] if hooks else []


def _is_own_group(group: Node) -> bool:
    handlers = group.member("hooks") if group.is_object else None
    return handlers is not None and any(_is_own_handler(child.node) for child in handlers.children)


def _is_own_handler(handler: Node) -> bool:
    if not handler.is_object:
        return False
    command, args = handler.member("command"), handler.member("args")
    words = [str(node.value) for node in (command, args) if node is not None]
    return any(HOOK_SCRIPT_NAME in word or _RUNS_LAUNCHER.search(word) for word in words)


def _first_own(root: Node) -> tuple[Node, Child] | None:
    """What to take out next: our handler, or the group, list or object that holds nothing else."""
    hooks_child = next((child for child in reversed(root.children) if child.key == "hooks"), None)
    for event, group in _groups(root):
        handlers = group.node.member("hooks") if group.node.is_object else None
        own = [c for c in handlers.children if _is_own_handler(c.node)] if handlers is not None else []
        if handlers is None or not own or hooks_child is None:
            continue
        if len(handlers.children) > len(own):
            return handlers, own[0]
        if len(event.node.children) > 1:
            return event.node, group
        hooks = hooks_child.node
        return (hooks, event) if len(hooks.children) > 1 else (root, hooks_child)
    return None


def decode_json(path: Path, content: bytes) -> tuple[bytes, str]:
    """(byte order mark, text)"""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, content[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConnectRefusedError(
            f"{path} is not valid UTF-8: line {line}.",
            hint="Save the file as UTF-8, then try again. The file was not changed.",
        ) from error


def parse_json(path: Path, text: str) -> Node:
    """The text's value with positions; an empty file is an empty object. Raises ConnectRefusedError with the line."""
    try:
        return parse(text if text.strip() else "{}")
    except JsonTextError as error:
        raise ConnectRefusedError(
            f"{path} is not valid JSON: line {error.line}, {error}.",
            hint="Correct that line, then try again. The file was not changed.",
        ) from error
