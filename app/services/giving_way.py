"""Who goes first: a caller that waits for an acknowledgement before understanding, both before an import.

A count of those who are under way, and the wait of the others until there is none. Python's locks are not fair and
its threads share one interpreter, so whoever works long has to stand aside by itself. Source: QUALITY P3, P10.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class GivingWay:
    """`with way.first():` around what must not wait; `way.stand_aside()` wherever long work can pause.

    >>> way = GivingWay()
    >>> with way.first():
    ...     way.is_wanted
    True
    """

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._is_clear = threading.Event()
        self._is_clear.set()

    @property
    def is_wanted(self) -> bool:
        return not self._is_clear.is_set()

    @contextmanager
    def first(self) -> Iterator[None]:
        with self._lock:
            self._count += 1
            self._is_clear.clear()
        try:
            yield
        finally:
            with self._lock:
                self._count -= 1
                if self._count == 0:
                    self._is_clear.set()

    def stand_aside(self, at_most_s: float = 0.05) -> None:
        """Returns at once when nobody is under way; else when they are through, or after `at_most_s`."""
        if not self._is_clear.is_set():
            self._is_clear.wait(at_most_s)


@dataclass(frozen=True, slots=True)
class Ways:
    """Capture goes before understanding, understanding before an import; the last two take turns."""

    capture: GivingWay = field(default_factory=GivingWay)
    understanding: GivingWay = field(default_factory=GivingWay)
    turn: threading.Lock = field(default_factory=threading.Lock)
