"""Run by test_kill_import: takes a history in and is killed by itself right after one of its commits."""

import itertools
import os
import signal
import sys
from pathlib import Path

from app.api import Changes, DataKind, Engine, Places


def main(home: str, history: str, commits: str) -> None:
    engine = Engine.open(Places.under(Path(home)))
    numbers = itertools.count(1)

    def die(changes: Changes) -> None:
        if DataKind.MESSAGES in changes.kinds and next(numbers) == int(commits):
            os.kill(os.getpid(), signal.SIGKILL)

    engine.subscribe(die)
    engine.transfer.import_history("claude-code", Path(history))


if __name__ == "__main__":
    main(*sys.argv[1:])
