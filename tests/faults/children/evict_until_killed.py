"""Run by `test_kill_archive`: captures with a queue of three and the archive on, and is killed by the n-th commit or never.

Prints each acknowledged number. Argument 1: where the store is. Argument 2: at which point of which eviction to die, `point:number`.
"""

import os
import signal
import sys
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places
from app.store import journal
from app.store.rows import archived_prompts
from app.store.tables.core import ArchivedPromptRow, LearnedRuleRow, MessageRow
from app.store.tables.memory import LinkRow

HOME, (POINT, NUMBER) = Path(sys.argv[1]), sys.argv[2].split(":")
seen = 0


def die_at(point: str) -> None:
    global seen
    if point == POINT:
        seen += 1
        if seen == int(NUMBER):
            os.kill(os.getpid(), signal.SIGKILL)


insert_many, delete_many, finish = journal.Write.insert_many, journal.Write.delete_many, journal.Write.finish
insert_one = journal.Write.insert


def insert_rule(self, row, values):  # type: ignore[no-untyped-def]
    made = insert_one(self, row, values)
    if row is LearnedRuleRow:
        die_at("taught")
    return made


journal.Write.insert = insert_rule  # type: ignore[method-assign]


def insert(self, row, rows):  # type: ignore[no-untyped-def]
    made = insert_many(self, row, rows)
    if row is ArchivedPromptRow:
        die_at("kept")
    if row is LinkRow:
        die_at("linked")
    return made


def delete(self, row, ids):  # type: ignore[no-untyped-def]
    delete_many(self, row, ids)
    if row is MessageRow:
        die_at("dropped")


def finished(self):  # type: ignore[no-untyped-def]
    finish(self)
    die_at("finished")


journal.Write.insert_many, journal.Write.delete_many, journal.Write.finish = insert, delete, finished  # type: ignore[method-assign]
forget = archived_prompts.forget_waiting


def forget_waiting(connection, seqs):  # type: ignore[no-untyped-def]
    die_at("indexed")  # the index has taken it in, the store does not know yet
    forget(connection, seqs)


archived_prompts.forget_waiting = forget_waiting

engine = Engine.open(Places.under(HOME), flags={"queue_size": 3, "archive": "forever"})
for number in range(8):
    text = f"why does the heron{number} export stop?"
    request = CaptureRequest("codex", EventKind.PROMPT, f"k{number}", f"s{number}", text, cwd="/w/app")
    engine.events.capture([request], wait_s=60)
    print(number, flush=True)
    engine._core.indexing.prompts.catch_up()

engine.close()
