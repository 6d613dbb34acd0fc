"""Run by test_kill: captures one message after another and prints each acknowledgement, until it is killed."""

import sys
from pathlib import Path

from app.api import CaptureRequest, Engine, EventKind, Places


def main(home: str, first: str) -> None:
    engine = Engine.open(Places.under(Path(home)))
    engine.warm_up()  # a cold start would spend the time until the kill on reading rules
    number = int(first)
    print("ready", flush=True)
    while True:
        request = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session=f"s{number // 40}",
            text=f"Add field {number} to the form", cwd="/w/app",
        )  # fmt: skip
        engine.events.capture([request], wait_s=0)
        print(f"acked {number}", flush=True)
        number += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
