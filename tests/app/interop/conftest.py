"""Builders of histories as assistants leave them; every text in them is our own."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.interop.prompts import ReadItem
from app.values import CaptureRequest

Write = Callable[..., Path]


@pytest.fixture
def claude_line() -> Callable[..., dict[str, Any]]:
    """A transcript line of Claude Code; keywords replace or add fields."""

    def line(uuid: str, content: object, role: str = "user", **fields: Any) -> dict[str, Any]:
        usual = {
            "type": role,
            "uuid": uuid,
            "parentUuid": None,
            "sessionId": "s-1",
            "timestamp": "2026-08-20T09:00:00Z",
            "cwd": "/w/api",
            "gitBranch": "main",
            "isSidechain": False,
            "message": {"role": role, "content": content},
        }
        return usual | fields

    return line


@pytest.fixture
def write_lines(tmp_path: Path) -> Write:
    """Writes JSON lines; strings go in as they are."""

    def write(name: str, *lines: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def events() -> Callable[[Iterator[ReadItem]], list[CaptureRequest]]:
    """The events among what a reader yields."""
    return lambda items: [read.item for read in items if isinstance(read.item, CaptureRequest)]
