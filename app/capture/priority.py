"""Who goes first: a caller that waits for an acknowledgement before understanding, both before an import.

A count of those who are under way, and the wait of the others until there is none. Python's locks are not fair and
its threads share one interpreter, so whoever works long has to stand aside by itself. Source: QUALITY P3, P10.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class PriorityGate:
    """`with gate.foreground():` around what must not wait; `gate.yield_to_foreground()` wherever long work can pause.

    >>> gate = PriorityGate()
    >>> with gate.foreground():
    ...     gate.is_busy
    True
    """

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._is_clear = threading.Event()
        self._is_clear.set()
        self._cleared_at_s = -1.0

    @property
    def is_busy(self) -> bool:
        return not self._is_clear.is_set()

    @contextmanager
    def foreground(self) -> Iterator[None]:
        with self._lock:
            self._count += 1
            self._is_clear.clear()
        try:
            yield
        finally:
            with self._lock:
                self._count -= 1
                if self._count == 0:
                    self._cleared_at_s = time.monotonic()
                    self._is_clear.set()

    def yield_to_foreground(self, at_most_s: float = 0.05) -> None:
        """Returns at once when nobody is under way; else when they are through, or after `at_most_s`."""
        if not self._is_clear.is_set():
            self._is_clear.wait(at_most_s)

    def wait_for_quiet(self, quiet_s: float, *, at_most_s: float = 0.05) -> bool:
        """True as soon as nobody was under way for `quiet_s`; False after `at_most_s`: who asks often will ask again."""
        end_s = time.monotonic() + at_most_s
        while (now_s := time.monotonic()) < end_s:
            if not self._is_clear.is_set():
                self._is_clear.wait(end_s - now_s)
            elif now_s - self._cleared_at_s >= quiet_s:
                return True
            else:
                time.sleep(min(self._cleared_at_s + quiet_s, end_s) - now_s)
        return False


@dataclass(frozen=True, slots=True)
class PriorityGates:
    """Capture goes before understanding, understanding before an import; the last two take turns."""

    capture: PriorityGate = field(default_factory=PriorityGate)
    understanding: PriorityGate = field(default_factory=PriorityGate)
    turn: threading.Lock = field(default_factory=threading.Lock)
