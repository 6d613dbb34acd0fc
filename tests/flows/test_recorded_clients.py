"""What real clients sent and wrote, recorded against a local model: each prompt once, live, from the transcript, in any order.

The recordings (`tests/app/assistants/recorded`) hold what was typed while the assistant worked, twice the same words in one
turn, a paste, a prompt taken back, `/compact`, `/clear`, a resumed and a forked session.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pysqlite3 as sqlite3
import pytest

from app.api import Engine, Places
from app.assistants.hook_payload import parse_hook_payload
from app.values import CaptureRequest
from tests.conftest import FrozenClock
from tests.patience import PATIENCE_S

RECORDED = Path(__file__).parents[1] / "app" / "assistants" / "recorded"
LATER = datetime(2026, 11, 24, tzinfo=UTC)
PASTED_A = '<pasted_content id="5282">'
PASTED_B = '<pasted_content id="467c">'
CLAUDE_A = [
    "We decided to use PostgreSQL here.",
    "run the slow thing",
    "and use tabs please",
    "never force push",
    "go on",
    "go on",
    "write long answer",
    "make it purple",
    "make it purple",
    "run the failing command",
    "edit the file a.py",
    PASTED_A,
    "We decided to use MongoDB",
    "use a helper now",
    "run the slow thing again",
    "queued but taken back",
    "after interruption I say this",
    "after compact",
    "a fresh start",
    "same words",
]
CLAUDE_B = [
    "hello there",
    "write long answer",
    "typed while streaming",
    "twice typed",
    "twice typed",
    "run the slow thing",
    "twice in tool",
    "twice in tool",
    PASTED_B,
    "run the slow thing",
    "taken back",
    "run the slow thing",
    "queued then esc",
    "resumed says this",
    "forked says that",
    "one shot prompt",
]
CODEX = [
    "We decided to use PostgreSQL here.",
    "run the slow thing",
    "twice in tool",
    "twice in tool",
    "make it purple",
    "write long answer",
    "typed while streaming",
    "run the failing command",
    "edit the file",
    "patch by shell",
    "pasted line",
    "after compact",
]
TYPED = {"claude-a": CLAUDE_A, "claude-b": CLAUDE_B, "codex": CODEX}
NEVER_SENT = {"taken back"}  # only its hook knows of it
HOOK_COMMAND = "c0ffee00"


def hooks(name: str, words: str = "prompt") -> list[CaptureRequest]:
    """What the hook of this client got, as the server reads it."""
    lines = [json.loads(line) for line in (RECORDED / f"{name}.hooks.jsonl").read_text(encoding="utf-8").splitlines()]
    app = "codex" if name == "codex" else "claude-code"
    read = (
        parse_hook_payload(
            app,
            line["event"],
            json.dumps(line["stdin"]).encode(),
            key=f"{number:024x}{HOOK_COMMAND}",
            cwd="",
            at=datetime.fromtimestamp(line["at"], UTC),
        )
        for number, line in enumerate(lines)
        if line["event"] in words.split()
    )
    return [request for request in read if request is not None]


def transcripts(name: str, folder: Path) -> tuple[str, Path]:
    """The client's own folder with what it wrote."""
    if name == "codex":
        target = folder / "sessions/2026/11/23"
        target.mkdir(parents=True)
        session = "01a20a85-2aed-7033-89a9-022dc3f9876f"
        shutil.copy(RECORDED / "codex.rollout.jsonl", target / f"rollout-2026-11-23T22-27-09-{session}.jsonl")
        return "codex", folder
    target = folder / "projects/-home-dev-shop"
    target.mkdir(parents=True)
    for path in sorted(RECORDED.glob(f"{name}.????????.jsonl")):
        first = next(value for line in path.read_text(encoding="utf-8").splitlines() if (value := json.loads(line)))
        shutil.copy(path, target / f"{first['sessionId']}.jsonl")
    return "claude-code", folder


@pytest.fixture
def opened(places: Places) -> Iterator[Callable[[], Engine]]:
    """Opens the engine; each time again closes it first."""
    running: list[Engine] = []

    def reopen() -> Engine:
        while running:
            running.pop().close()
        running.append(Engine.open(places, clock=FrozenClock(LATER)))
        return running[0]

    yield reopen
    while running:
        running.pop().close()


def kept(engine: Engine) -> list[str]:
    with sqlite3.connect(engine.places.store_path) as store:
        rows = store.execute("SELECT text FROM message WHERE speaker = 'user'").fetchall()
    store.close()
    return sorted(text for (text,) in rows)


def assert_once(engine: Engine, typed: Sequence[str]) -> None:
    found = kept(engine)
    assert len(found) == len(typed)
    for words in typed:
        match = next((text for text in found if text == words or words in text[:40]), None)
        assert match is not None, words
        found.remove(match)


def take(engine: Engine, requests: list[CaptureRequest]) -> None:
    for request in requests:
        engine.events.capture([request], wait_s=PATIENCE_S)


@pytest.mark.parametrize("name", list(TYPED))
def test_each_prompt_that_was_typed_is_kept_once_live(opened: Callable[[], Engine], name: str) -> None:
    engine = opened()
    take(engine, hooks(name))
    assert_once(engine, TYPED[name])


@pytest.mark.parametrize("name", list(TYPED))
def test_the_transcript_says_nothing_new_after_the_hooks(
    opened: Callable[[], Engine], tmp_path: Path, name: str
) -> None:
    engine = opened()
    take(engine, hooks(name))
    engine = opened()
    source, folder = transcripts(name, tmp_path / "client")
    report = engine.transfer.import_history(source, folder)
    assert_once(engine, TYPED[name])
    assert report.message_count == 0


@pytest.mark.parametrize("name", list(TYPED))
def test_hooks_that_were_spooled_say_nothing_new_after_the_transcript(
    opened: Callable[[], Engine], tmp_path: Path, name: str
) -> None:
    engine = opened()
    source, folder = transcripts(name, tmp_path / "client")
    engine.transfer.import_history(source, folder)
    assert_once(engine, [words for words in TYPED[name] if words not in NEVER_SENT])
    engine = opened()
    take(engine, hooks(name))
    take(engine, hooks(name))  # the spool is taken a second time after a crash
    assert_once(engine, TYPED[name])


@pytest.mark.parametrize("heard", [0, 1])
@pytest.mark.parametrize("name", list(TYPED))
def test_the_transcript_brings_what_the_hooks_missed(
    opened: Callable[[], Engine], tmp_path: Path, name: str, heard: int
) -> None:
    """Every second prompt was typed while no hook ran."""
    engine = opened()
    live = hooks(name)
    take(engine, [one for number, one in enumerate(live) if number % 2 == heard or one.text in NEVER_SENT])
    source, folder = transcripts(name, tmp_path / "client")
    engine.transfer.import_history(source, folder)
    engine.transfer.import_history(source, folder)
    assert_once(engine, TYPED[name])


@pytest.mark.parametrize("name", list(TYPED))
def test_two_command_lines_that_see_one_prompt_tell_it_once(opened: Callable[[], Engine], name: str) -> None:
    engine = opened()
    for request in hooks(name):
        second = request.key[:-8] + "0000beef"
        engine.events.capture([request], wait_s=PATIENCE_S)
        engine.events.capture([_with(request, key=second)], wait_s=PATIENCE_S)
    assert_once(engine, TYPED[name])


def _with(request: CaptureRequest, **changes: Any) -> CaptureRequest:
    fields = {name: getattr(request, name) for name in CaptureRequest.__dataclass_fields__}
    return CaptureRequest(**fields | changes)
