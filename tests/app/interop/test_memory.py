"""P10: what a reader holds does not grow with the file."""

import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.assistants.histories import reader

FILE_BYTES = 6_000_000
HELD_BYTES = 2_000_000


def transcript(folder: Path) -> Path:
    path = folder / "s-1.jsonl"
    line = {"type": "user", "sessionId": "s-1", "timestamp": "2026-08-20T09:00:00Z"}
    with path.open("w") as file:
        for number in range(FILE_BYTES // 6_000):
            prompt = line | {"uuid": f"u{number}", "message": {"role": "user", "content": "paint the lid " * 420}}
            file.write(json.dumps(prompt) + "\n")
    return path


def export(folder: Path) -> Path:
    message = {"sender": "human", "text": "paint the lid " * 420, "created_at": "2026-08-20T09:00:00Z"}
    chats = (
        {"uuid": f"c{number}", "chat_messages": [message | {"uuid": f"m{number}-{n}"} for n in range(10)]}
        for number in range(FILE_BYTES // 60_000)
    )
    path = folder / "conversations.json"
    path.write_text(f"[{','.join(map(json.dumps, chats))}]")
    return path


def packed(folder: Path) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(export(folder), "conversations.json")
    return path


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("source", "make"), [("claude-code", transcript), ("claude-ai", export), ("claude-ai", packed)]
)
def test_only_a_piece_is_held_at_a_time(tmp_path: Path, source: str, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    count = 0

    def read() -> None:
        nonlocal count
        for _ in reader(source)(path):
            count += 1

    read()  # what is loaded once does not count
    assert peak_bytes(read) < HELD_BYTES
    assert count > 2 * 900
    plain = tmp_path / "conversations.json" if make is packed else path
    assert peak_bytes(plain.read_bytes) > HELD_BYTES
