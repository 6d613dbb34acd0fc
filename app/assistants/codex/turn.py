"""What the commands of one turn came to, and which files were patched inside them: read from the rollout when the turn is over.

The hook after a command hands over what it printed and no exit status, and none runs for a patch inside a command. Reads the
end of one file, follows no link, knows no store. Source: INTEROP "Seen in the real clients".
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.assistants.codex import is_rollout
from app.interop.prompts import SkippedLine, dict_of, parse_instant, parse_object, read_lines, str_of
from app.interop.tool_calls import exit_status, named_patch, reduced_call, tool_key
from app.values import CaptureRequest, EventKind

_TAIL_BYTES = 4 * 1024 * 1024  # a turn that wrote more shows its last commands
_USES_MAX = 200


def is_turn_end(event: CaptureRequest) -> bool:
    """Whether there is a rollout to look into."""
    is_stop = event.app == "codex" and event.kind is EventKind.ANSWER and not event.agent_id
    return is_stop and bool(event.payload.get("turn_id")) and is_rollout(Path(event.transcript_path))


def read_turn(stop: CaptureRequest) -> tuple[CaptureRequest, ...]:
    """The tool uses of the turn that this event ended, in order; none when the file cannot be read."""
    if not is_turn_end(stop):
        return ()
    try:
        return tuple(_uses(stop))[-_USES_MAX:]
    except OSError:
        return ()


def _uses(stop: CaptureRequest) -> Iterator[CaptureRequest]:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(stop.transcript_path, flags), "rb") as stream:
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode):
            return
        start = max(0, state.st_size - _TAIL_BYTES)
        stream.seek(start)
        if start:
            stream.readline(_TAIL_BYTES)
        for line in read_lines(stream, start):
            if line.body is None or b'"item_completed"' not in line.body:
                continue
            entry = parse_object(line)
            payload = dict_of(entry, "payload") if not isinstance(entry, SkippedLine | None) else {}
            if payload.get("type") == "item_completed" and payload.get("turn_id") == stop.payload["turn_id"]:
                use = _use(stop, dict_of(payload, "item"))
                if use is not None:
                    yield _request(stop, use, entry)


def _use(stop: CaptureRequest, item: dict[str, Any]) -> dict[str, Any] | None:
    use_id = str_of(item, "id")
    match str_of(item, "type"):
        case "CommandExecution":
            use = reduced_call("exec_command", use_id, {"command": item.get("command")})
            status = exit_status(item)
            return None if use is None else use | {"tool_response": {} if status is None else {"exit_code": status}}
        case "FileChange":
            files = [_inside(name, stop.cwd) for name in dict_of(item, "changes")]
            is_error = str_of(item, "status") not in {"", "completed"}
            use = reduced_call("apply_patch", use_id, named_patch(files))
            return None if use is None else use | {"tool_response": {"is_error": True} if is_error else {}}
        case _:
            return None


def _inside(file: str, folder: str) -> str:
    """A path as the patch names it: from the folder that the session works in."""
    return file.removeprefix(f"{folder.rstrip('/')}/") if folder else file


def _request(stop: CaptureRequest, use: dict[str, Any], entry: object) -> CaptureRequest:
    at = parse_instant(entry.get("timestamp")) if isinstance(entry, dict) else None
    return CaptureRequest(
        app=stop.app,
        kind=EventKind.TOOL,
        key=tool_key(stop.session, str(use["tool_use_id"])),
        session=stop.session,
        at=at or stop.at,
        cwd=stop.cwd,
        project_root=stop.project_root,
        git_branch=stop.git_branch,
        payload=use,
    )
