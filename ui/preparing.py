"""Builds the screens that nobody has visited yet, one at a time, while the window has nothing else to do.

A screen of many parts takes some hundredths of a second to build: better before it is asked for than after. Knows no screen.
Source: QUALITY P9, P7.
"""

from collections import deque
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer

PAUSE_MS = 250  # between two screens: whoever types meanwhile waits for one of them at most


class Preparing(QObject):
    """`build` makes what one name stands for; `is_idle` says whether now is a good moment."""

    def __init__(
        self, build: Callable[[str], object], is_idle: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._build = build
        self._is_idle = is_idle
        self._waiting: deque[str] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._on_time)

    def begin(self, names: Sequence[str]) -> None:
        """From now on, in this order."""
        self._waiting = deque(names)
        self._timer.start()

    def put_off(self) -> None:
        """The person does something: wait for the whole pause again."""
        if self._timer.isActive():
            self._timer.start()

    @property
    def is_done(self) -> bool:
        return not self._waiting

    def _on_time(self) -> None:
        if self._waiting and self._is_idle():
            self._build(self._waiting.popleft())
        if not self._waiting:
            self._timer.stop()
