"""R15: consolidation killed anywhere goes on to the same result, and its undo leaves the store as it was."""

import shutil
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, Places
from app.values.consolidation import RunState
from tests.app.consolidation.memories import remember
from tests.dump import dump_store
from tests.flows.processes import ROOT
from tests.patience import PATIENCE_S

PAIRS = 6
THEN = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A store to consolidate, its content, and the content after a run that nobody killed."""
    home = tmp_path_factory.mktemp("consolidate") / "home"
    engine = Engine.open(Places.under(home), clock=FrozenClock(THEN))
    for number in range(PAIRS):
        for ending in (".", "!"):
            remember(engine, f"The service number {number} listens on port {9_000 + number}{ending}")
    path = engine.places.store_path
    engine.close()
    before = dump_store(path)
    whole = home.with_name("whole")
    shutil.copytree(home, whole)
    assert consolidate(whole, "never:0").returncode == 0
    return home, before, dump_store(Places.under(whole).store_path)


def consolidate(home: Path, where: str) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m", "tests.faults.children.consolidate_until_killed", str(home), where]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


IN_THE_SUITE = ("planned:1", "inside:4", "after:4", "paused:3")
MORE = ("before:1", "inside:1", "after:1", "before:4", f"inside:{PAIRS}")


@pytest.mark.parametrize("where", [*IN_THE_SUITE, *(pytest.param(one, marks=pytest.mark.slow) for one in MORE)])
def test_killed_anywhere_it_goes_on_to_the_same_and_can_be_undone(
    stores: tuple[Path, str, str], tmp_path: Path, where: str
) -> None:
    home, before, after = stores
    mine = tmp_path / "home"
    shutil.copytree(home, mine)
    killed = consolidate(mine, where)
    assert killed.returncode == -9, killed.stderr
    assert after != before
    with closing(Engine.open(Places.under(mine), clock=FrozenClock(THEN))) as engine:
        if where.startswith("paused"):  # it rests still, until the person goes on
            assert engine.consolidation.runs()[0].state is RunState.PAUSED
            assert dump_store(engine.places.store_path) not in (before, after)
            engine.consolidation.go_on()
        else:
            engine.consolidation.run()  # behind what was broken off; what was only planned is planned anew
        assert dump_store(engine.places.store_path) == after
        done = [one for one in engine.consolidation.runs() if one.state is RunState.DONE and one.is_undoable]
        assert sum(one.report.deduped for one in done) == PAIRS
        for one in done:
            engine.consolidation.undo(one.id)
        assert dump_store(engine.places.store_path) == before
