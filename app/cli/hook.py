"""`remanence hook <app> <event>`: becomes the hook program, for configurations written by hand.

Owns finding it; the hook itself is standard library only and is in `app/hook`. Always exits 0: an assistant must
never wait for or stumble over its memory. Source: INTEROP section 0, DESIGN section 3.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_HOOK = Path(__file__).resolve().parent.parent / "hook" / "remanence_hook.py"


def run_hook(arguments: Sequence[str]) -> int:
    """Replaces this process by the hook; returns 0 where that is not possible."""
    try:
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-E", str(_HOOK), *arguments])  # noqa: S606 (no shell is meant)
    except OSError as error:
        sys.stderr.write(f"The hook cannot be started: {error.strerror}.\n")
    return 0
