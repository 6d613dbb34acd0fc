"""Histories of our own words for benchmarks: sessions of prompts, answers and tool calls, as assistants write them."""

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

_THINGS = (
    "login page", "CSV export", "search field", "map view", "price table", "dark mode", "image upload", "news feed",
    "retry queue", "settings panel", "audit log", "invoice form", "date picker", "cache layer", "webhook handler",
    "user table", "sidebar", "footer", "chat window", "rate limiter", "parser", "session store", "queue worker",
)  # fmt: skip
_PARTS = ("button", "header", "error message", "index", "tooltip", "timeout", "unit test", "endpoint", "label", "icon")
_OPENINGS = (
    "I want to add a {thing} to the shop, how would you go about it?",
    "Let's work on the {thing} in src/{file}.py",
    "The {thing} throws a TypeError when the list is empty, can you find out why?",
    "Please review the {thing}, I am not sure about `{file}_state`",
    "Add a {thing} with a {part} and write tests for it",
)
_TURNS = (
    "make it wider", "now test it", "yes, go on", "no, I meant the {part}", "why does it do that?",
    "move the {part} below the {thing}", "rename it to {file}_view", "use PostgreSQL 16 instead of SQLite for that",
    "that works, thanks", "commit this", "the {part} is still broken on Safari, see tests/test_{file}.py",
    "and the same for the {other}", "can you explain what {file}.py does with the {part}?",
    "it fails with `KeyError: 'total'` in line 42\n\nTraceback:\n  src/{file}.py, line 42\nKeyError: 'total'",
    "Refactor the {thing} so that the {part} is loaded lazily, keep the public API as it is, and update the docs.",
)  # fmt: skip
_BEGUN = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)


def words(rng: random.Random, thing: str, *, is_first: bool) -> str:
    """One prompt about `thing`."""
    text = rng.choice(_OPENINGS if is_first else _TURNS)
    file = thing.split(maxsplit=1)[0].lower()
    return text.format(thing=thing, part=rng.choice(_PARTS), other=rng.choice(_THINGS), file=file)


def session_lines(number: int, *, prompt_count: int, answer_chars: int = 2_000) -> Iterator[bytes]:
    """One Claude Code transcript: each prompt with an answer, an edit and its result."""
    rng = random.Random(number)
    thing = rng.choice(_THINGS)
    at = _BEGUN + timedelta(hours=number)
    prose = " ".join(rng.choices(("the", *_THINGS, "is", "changed", "because", *_PARTS), k=answer_chars // 8))
    for turn in range(prompt_count):
        if turn and rng.random() < 0.08:
            thing = rng.choice(_THINGS)
        at += timedelta(seconds=rng.randint(40, 600))
        call = {"type": "tool_use", "id": f"t{number}-{turn}", "name": "Edit"}
        call["input"] = {"file_path": f"/w/shop/src/{thing.split()[0].lower()}.py", "new_string": prose[:400]}  # type: ignore[assignment]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "The file was updated."}
        contents = (
            ("user", words(rng, thing, is_first=turn == 0)),
            ("assistant", [{"type": "text", "text": prose}]),
            ("assistant", [call]),
            ("user", [result]),
        )
        for part, (role, content) in enumerate(contents):
            yield _line(number, turn, part, at + timedelta(seconds=part), role, content)


def name(*parts: int) -> str:
    """An id in the shape that assistants give."""
    return str(uuid.UUID(int=hash(parts) & (1 << 128) - 1))


def _line(number: int, turn: int, part: int, at: datetime, role: str, content: object) -> bytes:
    row = {
        "type": role,
        "uuid": name(number, turn, part),
        "sessionId": name(number),
        "timestamp": at.isoformat(),
        "cwd": f"/w/shop-{number % 5}",
        "gitBranch": "main",
        "isSidechain": False,
        "version": "2.1.0",
        "message": {"role": role, "content": content},
    }
    return json.dumps(row).encode() + b"\n"


def write_transcripts(folder: Path, *, session_count: int, prompts_per_session: int) -> int:
    """Writes `session_count` transcripts below `folder`; returns their bytes."""
    size = 0
    for number in range(session_count):
        project = folder / "projects" / f"-w-shop-{number % 5}"
        project.mkdir(parents=True, exist_ok=True)
        with (project / f"{name(number)}.jsonl").open("wb") as file:
            for line in session_lines(number, prompt_count=prompts_per_session):
                size += file.write(line)
    return size
