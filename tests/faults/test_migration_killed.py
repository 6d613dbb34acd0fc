"""R14: a migration that is killed in the middle leaves the old store, whole; the next start does it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pysqlite3
import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.store.migrations import read_version
from tests.dump import dump_store
from tests.flows.processes import ROOT, wait_for
from tests.patience import PATIENCE_S

STEP = """
import os, time
from pathlib import Path
def upgrade_{version}(op):
    op.execute("ALTER TABLE conversation ADD COLUMN mood TEXT")
    op.execute("UPDATE message SET text = 'changed'")
    op.execute("CREATE TABLE fresh (id INTEGER PRIMARY KEY)")
    Path(os.environ["IN_THE_MIDDLE"]).touch()
    time.sleep(float(os.environ["REST_S"]))
"""
MIGRATE = """
import os, sys
from app.api import FrozenClock, Places
from app.clock import SystemClock
from app.store.backups import Backups
from app.store.migrations import migrate_if_old, read_version
places = Places.find()
newest = read_version(places.store_path) + 1
migrate_if_old(places.store_path, Backups(places, SystemClock()), package="steps", newest=newest)
"""


def columns(path: Path) -> set[str]:
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return {row[1] for row in connection.execute("PRAGMA table_info(conversation)")}


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.3])
def test_killed_in_the_middle_it_is_the_old_store(
    places: Places, clock: FrozenClock, tmp_path: Path, after_s: float
) -> None:
    engine = Engine.open(places, clock=clock)
    engine.events.capture(
        [CaptureRequest(app="api", kind=EventKind.PROMPT, key="k", session="s", text="Add a map")], wait_s=PATIENCE_S
    )
    engine.close()
    before, version = dump_store(places.store_path), read_version(places.store_path)
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "__init__.py").touch()
    (tmp_path / "steps" / f"m{version + 1:04d}.py").write_text(STEP.replace("{version}", str(version + 1)))
    middle = tmp_path / "middle"
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "IN_THE_MIDDLE": str(middle), "REST_S": "60"}
    with subprocess.Popen([sys.executable, "-c", MIGRATE], env=env, cwd=tmp_path) as process:
        wait_for(middle.exists)
        time.sleep(after_s)
        process.send_signal(signal.SIGKILL)
    assert "mood" not in columns(places.store_path)
    assert (read_version(places.store_path), dump_store(places.store_path)) == (version, before)
    assert len(list(places.backups_dir.glob("*before-migration.db"))) == 1
    done = subprocess.run([sys.executable, "-c", MIGRATE], env={**env, "REST_S": "0"}, cwd=tmp_path, check=True)
    assert done.returncode == 0
    assert "mood" in columns(places.store_path), "the control: not killed, it changes the store"
    assert read_version(places.store_path) == version + 1
