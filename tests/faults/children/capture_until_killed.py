"""Run by test_kill: for each number on stdin a child captures one message after another from there on, until it is killed.

The children are forked from a process that has read the libraries and rules: what is killed is a capture, not a start.
"""

import os
import sys
import tempfile
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places


def main(home: str) -> None:
    with tempfile.TemporaryDirectory(dir=Path(home).parent) as other:
        engine = Engine.open(Places.under(Path(other)))
        engine.warm_up()
        engine.close()  # and its threads end: only then may one fork
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            capture_from(Path(home), int(line))
        print(f"child {child}", flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)


def capture_from(home: Path, number: int) -> None:
    engine = Engine.open(Places.under(home))
    while True:
        request = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session=f"s{number // 40}",
            text=f"Add field {number} to the form", cwd="/w/app",
        )  # fmt: skip
        engine.events.capture([request], wait_s=0)
        os.write(1, b"acked %d\n" % number)
        number += 1


if __name__ == "__main__":
    main(sys.argv[1])
