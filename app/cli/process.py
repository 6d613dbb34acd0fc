"""What a process of ours arranges for itself before it works: its log file and how threads take turns.

Owns nothing of the engine; the window sets up its own log. Source: QUALITY P3, P7; STACK-UI section 4.
"""

import gc
import logging
import sys
from contextlib import suppress

from app.log import LOG_FILES, LOG_FORMAT, PrivateLogFile
from app.places import Places, refuse_link

SWITCH_INTERVAL_S = 0.0001  # Python's 5 ms is what an acknowledgement waits whenever a message is being understood
# A context makes a thousand small values that hang in no cycle: Python's 700, 10, 10 cost it an eighth of its time (measured).
GC_THRESHOLDS = (20_000, 5, 50)  # 5 where 20 was: cycles of 5,000 messages stayed, those of 1,500 take 3 MB
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as glibc's malloc.h numbers them
_GIVEN_BACK_BYTES = 131_072  # what glibc itself begins with; said by us, it stays there


def prefer_latency() -> None:
    """Lets waiting threads in sooner than Python would, and looks for cycles less often."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.set_threshold(*GC_THRESHOLDS)


def give_back_memory() -> None:
    """Lets freed memory go back to the system: glibc raises its own bounds as it goes and keeps the holes.

    Eighty messages understood left 368 MB without it and 236 with it; elsewhere it does nothing.
    """
    import ctypes  # for this alone, behind the first paint

    with suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _GIVEN_BACK_BYTES)
        mallopt(_TRIM_THRESHOLD, _GIVEN_BACK_BYTES)


def settle() -> None:
    """What is loaded now stays: no later collection looks at it. Call it when all is warm."""
    gc.freeze()


def start_log(places: Places, max_bytes: int) -> logging.Handler:
    """The handler that writes warnings and worse to the private log file, for `stop_log`."""
    places.prepare()
    refuse_link(places.log_path)
    handler = PrivateLogFile(places.log_path, maxBytes=max_bytes, backupCount=LOG_FILES - 1, encoding="utf-8")
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    return handler


def stop_log(handler: logging.Handler) -> None:
    logging.getLogger().removeHandler(handler)
    handler.close()
