"""R2 for an eviction with the archive on: killed anywhere in it, a prompt is in the queue or in the archive, never in both or none."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pysqlite3
import pytest

from app.api import Engine, Places
from app.values import RecallQuery
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
POINTS = ["taught:1", "kept:1", "dropped:2", "indexed:1"]
MORE = [pytest.param(one, marks=pytest.mark.slow) for one in ("linked:2", "kept:3", "finished:9", "indexed:2")]


@pytest.mark.parametrize("point", [*POINTS, *MORE])
def test_each_prompt_is_in_one_place_and_is_found(tmp_path: Path, point: str) -> None:
    home = tmp_path / "home"
    program = [sys.executable, "-m", "tests.faults.children.evict_until_killed", str(home), point]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == -9, done.stderr
    acknowledged = [int(line) for line in done.stdout.split()]
    flags = {"queue_size": 3, "archive": "forever"}
    with contextlib.closing(Engine.open(Places.under(home), flags=flags)) as engine:
        assert engine.events.wait_idle(PATIENCE_S)
        archived = [one.text for one in engine.archive.list()]
        queued = [
            message.text
            for talk in engine.conversations.list()
            for message in engine.conversations.get(talk.id).messages
        ]
        assert len(queued) <= 3
        for number in acknowledged:
            text = f"why does the heron{number} export stop?"
            assert (archived + queued).count(text) == 1, (point, number)
            (hit, *_) = engine.search.find_messages(RecallQuery(f"heron{number}"))
            assert hit.text == text
    with contextlib.closing(pysqlite3.connect(str(Places.under(home).store_path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        out = "SELECT id FROM conversation WHERE state = 'evicted'"
        taught = {
            int(one)
            for (ids,) in connection.execute("SELECT conversation_ids FROM learned_rule")
            for one in json.loads(ids)
        }
        linked = {
            int(row[0]) for row in connection.execute("SELECT from_id FROM link WHERE from_kind = 'conversation'")
        }
        told = {row[0] for row in connection.execute("SELECT conversation_id FROM operation WHERE kind = 'evicted'")}
        gone = {row[0] for row in connection.execute(out)}
    assert taught <= gone, "a conversation that is still in the queue taught nothing yet"
    assert linked <= gone
    assert told == gone, "each that left is told of once"
