"""R2: a restore killed at every call that changes the disk: the old store or the new one is there, whole, and opens.

The kill comes from strace, at the n-th call of each kind, so nothing of ours is changed for the test. The same for a full disk.
"""

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.store.missing_store import read_numbers
from tests.conftest import START
from tests.dump import dump_store
from tests.patience import PATIENCE_S

SCRIPT = Path(__file__).parent / "children" / "restore_once.py"
ROOT = Path(__file__).parents[2]
CALLS = ("rename", "link", "linkat", "unlink", "fsync", "fdatasync", "ftruncate", "write", "pwrite64", "mkdir")
EVERY_OF_THE_FIRST = 12  # then ever farther apart: the pages of one copy, one like the other
_IS_THERE = shutil.which("strace") is not None
pytestmark = pytest.mark.skipif(not _IS_THERE, reason="needs strace")


@dataclass(frozen=True)
class Homes:
    """A home with two messages and a backup of the first; each try has a copy of it."""

    home: Path
    backup: Path
    old: str
    new: str
    folder: Path

    def copy(self, name: str) -> Places:
        target = self.folder / name
        shutil.copytree(self.home, target, ignore=shutil.ignore_patterns("*.sock"))
        return Places.under(target)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    folder = tmp_path_factory.mktemp("killed")
    places = Places.under(folder / "home")
    engine = Engine.open(places, clock=FrozenClock(START))
    for number, text in enumerate(("Add a map", "Add a legend")):
        request = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session="s", text=text)
        engine.events.capture([request], wait_s=PATIENCE_S)
        if not number:
            backup = engine.backups.create()
    engine.close()
    return Homes(folder / "home", backup.path, dump_store(places.store_path), dump_store(backup.path), folder)


def run(what: str, places: Places, backup: Path, *injected: str) -> int:
    home = places.data_dir.parent
    command = (
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={injected[0].partition(':')[0]}"] if injected else []
    )
    command += [part for one in injected for part in ("-e", f"inject={one}")]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, sys.executable, str(SCRIPT), what, str(home), str(backup)],
        env=env, capture_output=True, text=True, cwd=home.parent,
    )  # fmt: skip
    return done.returncode


def steps(is_every: bool, first: int = EVERY_OF_THE_FIRST) -> Iterator[int]:
    step = 1
    while True:
        yield step
        step += 1 if is_every or step < first else max(1, step // 2)


def open_and_dump(places: Places) -> str:
    Engine.open(places, clock=FrozenClock(START), is_whole=False).close()
    return dump_store(places.store_path)


def kill_at_every(homes: Homes, what: str, call: str, *, is_every: bool = False) -> list[str]:
    """What stood there after each kill at the n-th `call`: until there is no n-th."""
    seen = []
    for step in steps(is_every):
        places = (
            homes.copy(f"{what}-{call}-{step}")
            if what != "first"
            else Places.under(homes.folder / f"first-{call}-{step}")
        )
        status = run(what, places, homes.backup, f"{call}:signal=SIGKILL:when={step}")
        seen.append("whole" if status == 0 else "killed")
        assert status in {0, -signal.SIGKILL, 128 + signal.SIGKILL}, status
        stood = open_and_dump(places)
        wanted = {"restore": {homes.new}, "anew": {EMPTY}, "first": {EMPTY}}[what]
        if status:
            wanted = wanted | ({homes.old} if what != "first" else set())
        assert stood in wanted, f"{what} killed at {call} {step}"
        assert not places.next_store_path.exists()
        assert not [path for path in places.data_dir.iterdir() if path.suffix.startswith((".partial", ".empty"))]
        aside = list(places.data_dir.glob("remanence-before-restore-*.db"))
        assert all(dump_store(kept) == homes.old for kept in aside)
        assert stood == homes.old or what == "first" or aside, "what was there before is kept"
        assert read_numbers(places.store_path).event == {homes.old: 2, homes.new: 1}.get(stood, 0)
        shutil.rmtree(places.data_dir.parent)
        if status == 0:
            break
    return seen


EMPTY = ""
OTHERS = [call for call in CALLS if call not in {"pwrite64", "write", "rename"}]


@pytest.mark.parametrize("call", ["rename", *(pytest.param(call, marks=pytest.mark.slow) for call in OTHERS)])
def test_a_restore_killed_leaves_the_old_store_or_the_new_one(homes: Homes, call: str) -> None:
    assert kill_at_every(homes, "restore", call)[-1] == "whole"


@pytest.mark.slow
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("what", ["restore", "anew", "first"])
def test_killed_at_every_call(homes: Homes, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {call: len(kill_at_every(homes, what, call)) - 1 for call in CALLS}
    with capsys.disabled():
        print(f"\nR2: {what}: {sum(figures.values())} kills {figures}, old or new each time")


@pytest.mark.parametrize("first", [3, pytest.param(EVERY_OF_THE_FIRST, marks=pytest.mark.slow)])
@pytest.mark.parametrize("error", ["ENOSPC", pytest.param("EIO", marks=pytest.mark.slow)])
@pytest.mark.parametrize("call", [pytest.param("pwrite64", marks=pytest.mark.slow), "fsync", "rename", "link"])
def test_a_disk_that_fails_while_restoring_leaves_the_old_store_or_the_new_one(
    homes: Homes, call: str, error: str, first: int
) -> None:
    for step in itertools.takewhile(lambda step: step < 40, steps(is_every=False, first=first)):
        places = homes.copy(f"full-{error}-{call}-{first}-{step}")
        status = run("restore", places, homes.backup, f"{call}:error={error}:when={step}+")
        stood = open_and_dump(places)
        assert stood in ({homes.new} if status == 0 else {homes.old, homes.new}), f"{call} {step}"
        shutil.rmtree(places.data_dir.parent)
        if status == 0:
            break
