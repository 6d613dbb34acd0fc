"""What Codex's hooks leave out comes from its rollout when a turn ends: exit statuses and files patched inside a command."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pysqlite3 as sqlite3
import pytest

from app.api import Engine
from app.assistants.codex.turn import read_turn
from app.values import EventKind
from tests.flows.test_recorded_clients import RECORDED, hooks
from tests.patience import PATIENCE_S

SESSION = "01a20a85-2aed-7033-89a9-022dc3f9876f"


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    folder = tmp_path / "codex/sessions/2026/11/23"
    folder.mkdir(parents=True)
    return Path(shutil.copy(RECORDED / "codex.rollout.jsonl", folder / f"rollout-2026-11-23T22-27-09-{SESSION}.jsonl"))


def uses(engine: Engine) -> list[tuple[str, str, int | None]]:
    engine.events.wait_idle(PATIENCE_S)
    store = sqlite3.connect(engine.places.store_path)
    found = store.execute("SELECT command, file, exit_status FROM tool_use ORDER BY id").fetchall()
    store.close()
    return [(command.partition("\n")[0], file, status) for command, file, status in found]


def replay(engine: Engine, rollout: Path) -> None:
    for request in hooks("codex", "prompt tool stop"):
        event = replace(request, transcript_path=str(rollout))
        engine.events.capture([event], wait_s=PATIENCE_S)
        if event.kind is EventKind.ANSWER:
            engine.events.capture_turn(event)


EXPECTED = [
    ("sleep 6; echo slept", "", 0),
    ("echo more", "", 0),
    ("echo boom >&2; exit 3", "", 3),
    ("", "a.py", None),
    ("", "b.py", None),
]


def test_a_turn_brings_how_commands_came_out_and_what_was_patched_in_one(engine: Engine, rollout: Path) -> None:
    replay(engine, rollout)
    assert uses(engine)[:5] == EXPECTED


def test_the_rollout_read_later_tells_of_no_use_twice(engine: Engine, rollout: Path) -> None:
    replay(engine, rollout)
    before = uses(engine)
    engine.transfer.import_history("codex", rollout.parents[4])
    assert uses(engine) == before


def test_a_stop_that_names_another_file_reads_none(tmp_path: Path) -> None:
    stop = next(one for one in hooks("codex", "stop"))
    other = tmp_path / "sessions/notes.jsonl"
    other.parent.mkdir()
    other.write_text(json.dumps({"payload": {"type": "item_completed", "turn_id": stop.payload["turn_id"]}}) + "\n")
    link = tmp_path / "sessions/rollout-1.jsonl"
    link.symlink_to(other)
    for path in (other, link, tmp_path / "sessions", tmp_path / "sessions/rollout-none.jsonl"):
        assert read_turn(replace(stop, transcript_path=str(path))) == ()
