"""Run by `test_kill_consolidation`: consolidates, and is killed at a point of its n-th action, or never.

Argument 1: where the store is. Argument 2: `point:number`; the points are before, inside and after the transaction of an action,
while the plan is written down, and while the run rests because the person paused it at that action.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from app.api import Engine, FrozenClock, Places
from app.consolidation import runner
from app.store import journal
from app.store.rows import consolidation as run_rows

HOME, (POINT, NUMBER) = Path(sys.argv[1]), sys.argv[2].split(":")
seen = 0
done: list[int] = []


def die_at(point: str) -> None:
    global seen
    if point == POINT:
        seen += 1
        if seen == int(NUMBER):
            os.kill(os.getpid(), signal.SIGKILL)


add_actions, finish, apply_one = run_rows.add_actions, journal.Write.finish, runner.Consolidator._apply_one


def add(connection, rows):  # type: ignore[no-untyped-def]
    add_actions(connection, rows)
    die_at("planned")


def finished(self):  # type: ignore[no-untyped-def]
    finish(self)
    if self.kind == run_rows.KIND:
        die_at("inside")


def apply(self, run_id, action, head_id):  # type: ignore[no-untyped-def]
    die_at("before")
    head_id = apply_one(self, run_id, action, head_id)
    die_at("after")
    done.append(action.id)
    if POINT == "paused" and len(done) == int(NUMBER):
        self.pause()
    return head_id


run_rows.add_actions, journal.Write.finish, runner.Consolidator._apply_one = add, finished, apply  # type: ignore[method-assign]
engine = Engine.open(Places.under(HOME), clock=FrozenClock(datetime(2026, 6, 1, tzinfo=UTC)))
card = engine.consolidation.run()
if POINT == "paused":
    os.kill(os.getpid(), signal.SIGKILL)
print(card.report.deduped, flush=True)
engine.close()
