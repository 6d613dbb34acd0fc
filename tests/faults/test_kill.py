"""R1: killed during capture, again and again: what was acknowledged is there, once, and the store is whole."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest

from app.api import CaptureRequest, Engine, EventKind, Places

SCRIPT = Path(__file__).parent / "children" / "capture_until_killed.py"
ROOT = Path(__file__).parents[2]


def run_and_kill(process: "subprocess.Popen[str]", first: int, after_s: float) -> int:
    """Lets a child capture from `first` on, kills it `after_s` after its first acknowledgement; returns the last one acked."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{first}\n")
    process.stdin.flush()
    acked, child, is_killed = first - 1, 0, False
    while (line := process.stdout.readline().strip()) != "ended":
        assert line, "the process that forks is gone"
        word, number = line.split()
        if word == "child":
            child = int(number)
        else:
            acked = int(number)
        if child and acked >= first and not is_killed:
            time.sleep(after_s)
            os.kill(child, signal.SIGKILL)
            is_killed = True
    return acked


def kill_rounds(home: Path, rounds: int, *, at_least: int = 0) -> tuple[int, int]:
    """How many kills there were, and how many acknowledgements: no fewer than asked for of either."""
    chance = random.Random(7)
    acked, count = -1, 0
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=home.parent,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while count < rounds or acked + 1 < at_least:
            acked = run_and_kill(process, acked + 1, chance.uniform(0.0, 0.3))
            count += 1
    check(home, acked)
    return count, acked + 1


def check(home: Path, acked: int) -> None:
    with closing(Engine.open(Places.under(home))) as engine:
        again = [
            CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session="x", text="again")
            for number in range(acked + 1)
        ]
        results = engine.events.capture(again, wait_s=0)
        assert all(result.is_duplicate for result in results), "an acknowledged event was lost"
        assert engine.events.wait_idle(2_400)
        assert engine.stats.now().event_failed_count == 0
    with contextlib.closing(pysqlite3.connect(str(Places.under(home).store_path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        twice = connection.execute("SELECT event_id FROM message GROUP BY event_id HAVING count(*) > 1").fetchall()
        assert twice == []


def test_a_few_kills_lose_nothing(tmp_path: Path) -> None:
    kills, acked = kill_rounds(tmp_path / "killed", 4)
    assert kills == 4
    assert acked > 0


@pytest.mark.slow
@pytest.mark.timeout(14_400)
def test_five_hundred_kills_and_ten_thousand_acknowledged_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kills, acked = kill_rounds(tmp_path / "killed", 500, at_least=10_000)
    with capsys.disabled():
        print(f"\nR1: {kills} kills, {acked} acknowledged, 0 lost, 0 twice, the store whole")
