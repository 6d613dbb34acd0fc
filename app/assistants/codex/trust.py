"""Which hooks of a `hooks.json` Codex runs: it runs those that the person trusted, as they stood then, and skips the others silently.

The person's answer stands in `config.toml` under the place of the hook; it is theirs, so it is read here and never written. Codex
0.169.0 hashes what a hook is: event, matcher, command, time-out, not where it stands. Source: INTEROP last section; seen in
`codex app-server`, method `hooks/list`.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.connect.hooks_json import own_handlers

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
