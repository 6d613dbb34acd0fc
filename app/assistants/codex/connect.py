"""Connects Codex: our hook in its `hooks.json`, the feature flag that makes it read that file, our MCP server.

Codex runs only hooks that the person trusted, as they stood then, and skips the others silently; it keeps that answer in the same
`config.toml`, where it stays. Source: INTEROP section 5.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.connect.base import ConnectContext, McpServer
from app.connect.file_connector import ManagedFile, Recipe, hooks_file
from app.connect.files import WrittenFile, read_config
from app.connect.hooks_json import HookEntry, has_any_hook, own_handlers, without_hooks
from app.connect.toml_text import (
    decode_toml,
    has_server,
    parse_toml,
    read_flag,
    with_flag,
    with_server,
    without_flag,
    without_server,
)

_WORD_BEGIN = re.compile(r"(?<=.)(?=[A-Z])")


def untrusted_events(hooks_path: Path, hooks: bytes, config: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """The events of ours whose hooks Codex leaves out, and how many hooks of ours there are in all."""
    states = _states(config)
    left_out, count = [], 0
    for event, group_index, handler_index, group in own_handlers(hooks_path, hooks):
        count += 1
        name = _snake(event)
        keys = (f"{path}:{name}:{group_index}:{handler_index}" for path in _names_of(hooks_path))
        state = next((states[key] for key in keys if key in states), {})
        handler = group["hooks"][handler_index]
        if state.get("enabled") is False or state.get("trusted_hash") != hook_hash(event, group, handler):
            left_out.append(event)
    return tuple(left_out), count


def hook_hash(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    """What Codex compares with the person's answer.

    >>> command = {"type": "command", "command": "/opt/x/remanence-hook codex prompt", "timeout": 5}
    >>> hook_hash("UserPromptSubmit", {"hooks": [command]}, command)
    'sha256:87d70c0444a9655776d99014b4f3761e8a8d3f15b86dea91be98ebda6d921124'
    """
    wanted: dict[str, object] = {"async": False, **handler}
    known: dict[str, object] = {"event_name": _snake(event), "hooks": [wanted]}
    if group.get("matcher"):
        known["matcher"] = group["matcher"]
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _states(config: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    hooks = config.get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    return {key: one for key, one in states.items() if isinstance(one, dict)} if isinstance(states, dict) else {}


def _names_of(path: Path) -> Iterator[str]:
    """As Codex may call the file: as it was found, or with its links followed."""
    yield str(path)
    yield str(path.resolve())


def _snake(event: str) -> str:
    return _WORD_BEGIN.sub("_", event).lower()


_NAME = "codex"
_TIMEOUT_S = 5  # the hook ends itself after 0.4 s, and after 3 s even when a disk hangs
_TOOLS = "Bash|apply_patch|Edit|Write"
_EVENTS = (  # event, our word for it, matcher; Codex tells no end of a session
    ("SessionStart", "start", ""),
    ("UserPromptSubmit", "prompt", ""),
    ("PostToolUse", "tool", _TOOLS),
    ("PreCompact", "compact", ""),
    ("Stop", "stop", ""),
)
_TABLE, _FLAG = "features", "hooks"


def _folder(ctx: ConnectContext) -> Path:
    return Path(ctx.env.get("CODEX_HOME") or ctx.home / ".codex")


def _files(ctx: ConnectContext) -> tuple[ManagedFile, ...]:
    folder = _folder(ctx)
    entries = tuple(
        HookEntry(event, ctx.command(_NAME, word).shell(), _TIMEOUT_S, matcher) for event, word, matcher in _EVENTS
    )
    return (hooks_file(folder / "hooks.json", entries, ctx, _NAME), _config_file(folder, ctx.mcp_server(_NAME)))


def _config_file(folder: Path, server: McpServer) -> ManagedFile:
    path, hooks_path = folder / "config.toml", folder / "hooks.json"

    def take_out(now: bytes, record: WrittenFile | None) -> bytes | None:
        """Our server goes; the flag goes back to what it was, unless hooks of others have come to need it."""
        now = without_server(path, now)
        if record is None or _others_have_hooks(hooks_path):
            return now
        left = without_flag(path, now, record.before, _TABLE, _FLAG)
        return None if record.before is None and not left.strip() else left

    return ManagedFile(
        path=path,
        insert=lambda before: with_server(path, with_flag(path, before, _TABLE, _FLAG), server),
        is_done=lambda now: read_flag(path, now, _TABLE, _FLAG) is True and has_server(path, now, server),
        take_out=take_out,
    )


def _others_have_hooks(path: Path) -> bool:
    now = read_config(path)
    return now is not None and has_any_hook(path, without_hooks(path, now))


def _waiting(ctx: ConnectContext) -> str:
    """What to press, as long as Codex leaves hooks of ours out."""
    path, config = _folder(ctx) / "hooks.json", _folder(ctx) / "config.toml"
    hooks, settings = read_config(path), read_config(config)
    if hooks is None:
        return ""
    left_out, count = untrusted_events(path, hooks, parse_toml(config, decode_toml(config, settings or b"")))
    if not left_out:
        return ""
    what = "our hooks" if len(left_out) == count else f"{len(left_out)} of our {count} hooks ({', '.join(left_out)})"
    return (
        f"Codex leaves out {what}, because you have not trusted them as they are: start codex and choose "
        "“Trust all and continue”. Until then nothing comes from there; codex exec does not even ask."
    )


CONNECTOR = Recipe(
    name=_NAME,
    title="Codex",
    program="codex",
    folder=_folder,
    files=_files,
    notes=(
        (
            "Codex runs a new hook only after you trusted it: start codex once and choose “Trust all and continue”. "
            "codex exec leaves it out without a word until then."
        ),
        "Codex may ask you before it calls a memory tool such as recall for the first time: allow it, or it works without.",
    ),
    waiting=_waiting,
)
