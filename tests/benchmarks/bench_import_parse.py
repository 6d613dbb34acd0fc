"""P10: how fast histories are parsed, and that memory does not grow with the file.

Writes a transcript and an export of our own words, a small and a large one, and reads each in a fresh process.
Run: `python -m tests.benchmarks.bench_import_parse [--mb 200]`. Prints one line of JSON per measurement.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from app.assistants.histories import reader
from app.values import CaptureRequest, EventKind

WORDS = [
    "paint",
    "the",
    "lid",
    "teal",
    "and",
    "move",
    "the",
    "box",
    "under",
    "it",
    "because",
    "tests",
    "of",
    "the",
    "latch",
    "fail",
    "when",
    "rain",
    "comes",
]


def transcript_lines(size_bytes: int) -> Iterator[bytes]:
    """Turns of a session: a prompt, an answer, a tool call with a long input, its longer result."""
    rng = random.Random(7)
    written = turn = 0
    while written < size_bytes:
        turn += 1
        code = " ".join(rng.choices(WORDS, k=rng.randint(100, 600)))
        call = [
            {
                "type": "tool_use",
                "id": f"t{turn}",
                "name": "Edit",
                "input": {"file_path": f"/w/{turn % 40}.py", "new_string": code},
            }
        ]
        contents = (
            ("user", " ".join(rng.choices(WORDS, k=rng.randint(3, 60)))),
            ("assistant", [{"type": "text", "text": code}]),
            ("assistant", call),
            ("user", [{"type": "tool_result", "tool_use_id": f"t{turn}", "content": code * rng.randint(1, 3)}]),
        )
        for part, (role, content) in enumerate(contents):
            row = {
                "type": role,
                "uuid": f"u{turn}-{part}",
                "parentUuid": None,
                "sessionId": "s-1",
                "timestamp": f"2026-08-20T{turn // 3600 % 24:02}:{turn // 60 % 60:02}:{turn % 60:02}Z",
                "cwd": "/w/api",
                "gitBranch": "main",
                "isSidechain": False,
                "version": "2.1.0",
                "message": {"role": role, "content": content},
            }
            line = json.dumps(row).encode() + b"\n"
            written += len(line)
            yield line


def export_chats(size_bytes: int) -> Iterator[bytes]:
    """Chats of a Claude.ai export, as one array."""
    rng = random.Random(7)
    written = number = 0
    while written < size_bytes:
        number += 1
        messages = [
            {
                "uuid": f"c{number}-{n}",
                "sender": ("human", "assistant")[n % 2],
                "text": " ".join(rng.choices(WORDS, k=rng.randint(20, 400))),
                "created_at": "2026-08-20T09:00:00Z",
            }
            for n in range(rng.randint(2, 40))
        ]
        chat = {"uuid": f"c{number}", "name": "A chat", "created_at": "2026-08-20T09:00:00Z", "chat_messages": messages}
        piece = (b"[" if number == 1 else b",") + json.dumps(chat).encode()
        written += len(piece)
        yield piece
    yield b"]"


def measure(source: str, path: Path) -> dict[str, object]:
    """Figures of one file, read in this process."""
    reader(source)
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    prompts = events = 0
    for read in reader(source)(path):
        if isinstance(read.item, CaptureRequest):
            events += 1
            prompts += read.item.kind is EventKind.PROMPT
    took_s = time.perf_counter() - begun
    size_mb = path.stat().st_size / 1e6
    return {
        "source": source,
        "file": path.name,
        "size_mb": round(size_mb, 1),
        "took_s": round(took_s, 2),
        "prompts_per_s": round(prompts / took_s),
        "events_per_s": round(events / took_s),
        "mb_per_s": round(size_mb / took_s, 1),
        "prompts": prompts,
        "rss_before_mb": round(before_kb / 1024, 1),
        "rss_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=200, help="size of the large files")
    parser.add_argument("--measure", nargs=2, metavar=("SOURCE", "PATH"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], Path(options.measure[1]))), flush=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size_mb in (options.mb // 10, options.mb):
            for source, path in _files(folder, size_mb):
                command = [sys.executable, "-m", "tests.benchmarks.bench_import_parse", "--measure", source, str(path)]
                subprocess.run(command, check=True)
                path.unlink()


def _files(folder: Path, size_mb: int) -> Iterator[tuple[str, Path]]:
    transcript = folder / f"transcript-{size_mb}.jsonl"
    with transcript.open("wb") as file:
        file.writelines(transcript_lines(size_mb * 1_000_000))
    yield "claude-code", transcript
    export = folder / "conversations.json"
    with export.open("wb") as file:
        file.writelines(export_chats(size_mb * 1_000_000))
    packed = folder / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(export, export.name)
    yield "claude-ai", export
    yield "claude-ai", packed


if __name__ == "__main__":
    main()
