"""What real clients sent, made fit to be kept: without this machine's paths, users and random ids.

Owns the sanitising and the form on disk: `hooks.jsonl` (one line a call: event and payload, in order) and the transcripts
that the client wrote meanwhile. Dialect tests read them from `tests/clients/recorded`.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.clients.room import ROOT, Room

RECORDED = Path(__file__).with_name("recorded")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_USER_ID = re.compile(r"/tmp/claude-\d+")
_SYSTEM = re.compile(r"Linux \d[\w.+-]*")
_LONG = 400  # what is longer repeats instructions of the vendor; prompts and the paste are kept whole
_ENTRIES = 12  # of a list: of tools, of skills
_TRANSCRIPTS = 6  # the later ones hold nothing that these do not
_KEPT_WHOLE = "shard 59 of the catalogue"


class Sanitiser:
    """Replaces what differs from machine to machine, the same thing always by the same word."""

    def __init__(self, room: Room) -> None:
        self._ids: dict[str, str] = {}
        places = {
            str(room.project): "/home/dev/work/shop",
            str(room.home): "/home/dev",
            str(room.folder): "/home/dev/room",
            str(ROOT): "/opt/remanence",
            sys.executable: "/usr/bin/python3",
            str(Path(sys.executable).parent): "/usr/bin",
        }
        slugs = {re.sub(r"[^A-Za-z0-9]", "-", old): re.sub(r"[^A-Za-z0-9]", "-", new) for old, new in places.items()}
        self._places = sorted((places | slugs).items(), key=lambda pair: -len(pair[0]))

    def text(self, text: str) -> str:
        for old, new in self._places:
            text = text.replace(old, new)
        text = _USER_ID.sub("/tmp/claude-1000", _SYSTEM.sub("Linux 6.1", _PORT.sub("127.0.0.1:8080", text)))
        return _UUID.sub(lambda found: self._id(found[0]), text)

    def _id(self, found: str) -> str:
        number = self._ids.setdefault(found, f"{len(self._ids) + 1:012x}")
        return f"{found[:8] if found.startswith('01') else '00000000'}-0000-4000-8000-{number}"


def _is_whole(text: str) -> bool:
    """The paste of the play as the client sent it, and not a request that repeats it among other things."""
    return _KEPT_WHOLE in text and len(text) < 10 * _LONG


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return (
            value
            if len(value) <= _LONG or _is_whole(value)
            else f"{value[:_LONG]}… [{len(value) - _LONG} characters left out]"
        )
    if isinstance(value, list):
        return [_shortened(item) for item in value[:_ENTRIES]]
    return {name: _shortened(item) for name, item in value.items()} if isinstance(value, dict) else value


def dump(client: str, version: str, room: Room, target: Path) -> None:
    """Writes what this play recorded."""
    clean = Sanitiser(room)
    target.mkdir(parents=True, exist_ok=True)
    (target / "VERSION").write_text(f"{client} {version}\n", encoding="utf-8")
    lines = [
        clean.text(json.dumps({"event": record.event, "payload": record.payload}, ensure_ascii=False))
        for record in room.records()
    ]
    (target / "hooks.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    first = sorted(transcripts(room), key=lambda path: path.stat().st_mtime_ns)[:_TRANSCRIPTS]
    for number, path in enumerate(first, start=1):
        own = []
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                own.append(clean.text(json.dumps(_shortened(json.loads(line)), ensure_ascii=False)))
            except ValueError:
                own.append(clean.text(line))
        (target / f"transcript-{number:02d}.jsonl").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")


def transcripts(room: Room) -> list[Path]:
    """The histories that clients leave, wherever they leave them."""
    patterns = (
        ".claude/projects/**/*.jsonl", ".codex/sessions/**/*.jsonl", ".copilot/session-state/*/events.jsonl",
        ".gemini/tmp/*/chats/*.json*", ".qwen/projects/*/chats/*.jsonl",
    )  # fmt: skip
    return [path for pattern in patterns for path in room.home.glob(pattern)]
