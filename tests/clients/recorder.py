"""The person's own hook, beside ours: writes what a client put on its standard input into a file, and prints nothing.

Run as `python -I -S recorder.py FOLDER EVENT`. Standard library only. Each call is one file, whole or not there.
"""

import json
import os
import sys
import time

KEPT = ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CODEX_HOME")


def main() -> None:
    folder, event = sys.argv[1:3]
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        payload = json.loads(text)
    except ValueError:
        payload = None
    record = {
        "event": event,
        "at_ns": time.time_ns(),
        "payload": payload,
        "raw": "" if payload is not None else text,
        "env": sorted(name for name in KEPT if name in os.environ),
    }
    path = os.path.join(folder, f"{record['at_ns']}-{os.getpid()}.json")  # noqa: PTH118 (as quick as may be)
    with open(path + ".partial", "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(record, file, ensure_ascii=False)
    os.rename(path + ".partial", path)  # noqa: PTH104


if __name__ == "__main__":
    main()
