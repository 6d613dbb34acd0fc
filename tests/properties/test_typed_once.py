"""R1, for prompts: random sessions, seen by hooks, by second hooks and by the transcript, in any order, with restarts and repeats.

Claude Code's ways are played: a prompt typed in a running turn is written as an attachment, or as a turn of its own that begins
later, or after a fork a second time under another session.
"""

import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pysqlite3 as sqlite3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api import Engine, Places
from app.assistants.hook_payload import parse_hook_payload
from tests.conftest import FrozenClock
from tests.patience import PATIENCE_S

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
WORDS = ("go on", "make it purple", "use tabs", "never force push", "why?")
COMMANDS = ("c0ffee00", "0000beef")
SESSION, FORK = "6d0cdca2-785f-4572-a123-4cef879f776f", "9869d49f-a645-4f77-bb84-856b91e1fca0"


@dataclass(frozen=True)
class Typed:
    """One prompt: when it was typed, in which turn, how the transcript tells of it."""

    number: int
    text: str
    at: datetime
    turn: int
    form: str  # turn · absorbed · queued
    waited_s: int

    @property
    def uuid(self) -> str:
        return f"{self.number:08d}-0000-4000-8000-000000000000"


@st.composite
def sessions(draw: st.DrawFn) -> list[Typed]:
    at, turn, found = BEGIN, 0, []
    for number in range(draw(st.integers(1, 9))):
        # an assistant that lets queued prompts go tells its hooks of them within a tenth of a second
        at += timedelta(milliseconds=draw(st.sampled_from((80, 900, 4_000, 30_000, 400_000))))
        form = draw(st.sampled_from(("turn", "absorbed", "queued"))) if number else "turn"
        turn += form == "turn"
        found.append(Typed(number, draw(st.sampled_from(WORDS)), at, turn, form, draw(st.integers(1, 900))))
    return found


def hook_bytes(prompt: Typed) -> bytes:
    value = {
        "session_id": SESSION,
        "prompt_id": f"turn-{prompt.turn}",
        "cwd": "/w/shop",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt.text,
    }
    return json.dumps(value).encode()


def see(engine: Engine, prompt: Typed, command: str) -> None:
    """One run of the hook; the same run twice is a spooled event that had arrived after all."""
    key = f"{prompt.number:024x}{command}"
    late = timedelta(milliseconds=40 * COMMANDS.index(command))
    request = parse_hook_payload("claude-code", "prompt", hook_bytes(prompt), key=key, cwd="", at=prompt.at + late)
    assert request is not None
    engine.events.capture([request], wait_s=PATIENCE_S)


def lines_of(prompt: Typed, *, session: str = SESSION) -> list[dict[str, Any]]:
    """What the transcript holds of it; in a fork without the queue, under the fork's name and turn."""
    is_fork = session != SESSION
    at = prompt.at.isoformat()
    base = {"sessionId": session, "cwd": "/w/shop", "uuid": prompt.uuid, "isSidechain": False}
    enqueued = {"type": "queue-operation", "operation": "enqueue", "timestamp": at, "sessionId": session}
    queue = [] if is_fork else [enqueued | {"content": prompt.text}]
    if prompt.form == "absorbed":
        told = {"type": "queued_command", "prompt": prompt.text, "commandMode": "prompt", "origin": {"kind": "human"}}
        return [*queue, base | {"type": "attachment", "timestamp": at, "attachment": told | {"timestamp": at}}]
    is_queued = prompt.form == "queued"
    began = (prompt.at + timedelta(seconds=prompt.waited_s)).isoformat() if is_queued else at
    line = base | {
        "type": "user",
        "timestamp": began,
        "promptId": "turn-fork" if is_fork else f"turn-{prompt.number}-own" if is_queued else f"turn-{prompt.turn}",
        "origin": {"kind": "human"},
        "promptSource": "queued" if is_queued else "typed",
        "turnOrigin": "human",
        "message": {"role": "user", "content": prompt.text},
    }
    dequeued = {"type": "queue-operation", "operation": "dequeue", "timestamp": began, "sessionId": session}
    return [*queue, dequeued, line] if queue and is_queued else [line]


def write(folder: Path, prompts: list[Typed], *, session: str = SESSION) -> None:
    path = folder / f"projects/-w-shop/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line for prompt in prompts for line in lines_of(prompt, session=session)]
    if session != SESSION:
        answer = {"type": "assistant", "uuid": "a", "session_id": SESSION, "sessionId": session, "message": {}}
        lines.insert(0, answer | {"timestamp": BEGIN.isoformat(), "cwd": "/w/shop"})
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


def kept(engine: Engine) -> Counter[str]:
    store = sqlite3.connect(engine.places.store_path)
    found = Counter(text for (text,) in store.execute("SELECT text FROM message WHERE speaker = 'user'"))
    store.close()
    return found


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(sessions(), st.data())
def test_each_typed_prompt_is_one_message_whoever_tells_of_it_and_when(
    prompts: list[Typed], data: st.DataObject
) -> None:
    acts: list[tuple[str, Any, str]] = [
        ("hook", prompt, command)
        for prompt in prompts
        for command in data.draw(st.lists(st.sampled_from(COMMANDS), max_size=3), label="hooks")
    ]
    acts += [("import", data.draw(st.integers(1, len(prompts))), "") for _ in range(data.draw(st.integers(0, 2)))]
    acts += [("reopen", None, "")] * data.draw(st.integers(0, 2))
    acts = data.draw(st.permutations(acts), label="order")
    acts.append(("import", len(prompts), ""))
    with tempfile.TemporaryDirectory() as folder:
        places = Places.under(Path(folder) / "home")
        client = Path(folder) / "client"
        engine = Engine.open(places, clock=FrozenClock(BEGIN + timedelta(days=1)))
        try:
            grown = 0
            for act, what, command in acts:
                if act == "hook":
                    see(engine, what, command)
                elif act == "import":
                    grown = max(grown, what)
                    write(client, prompts[:grown])
                    engine.transfer.import_history("claude-code", client)
                else:
                    engine.close()
                    engine = Engine.open(places, clock=FrozenClock(BEGIN + timedelta(days=1)))
            assert kept(engine) == Counter(prompt.text for prompt in prompts)
            write(client, prompts, session=FORK)
            engine.transfer.import_history("claude-code", client)
            assert kept(engine) == Counter(prompt.text for prompt in prompts)
        finally:
            engine.close()
