"""Searches for cycles on the window's own thread, and nowhere else.

Python searches on whichever thread happens to allocate; one of the engine's would destroy widgets that are part of a cycle while Qt
paints, styles or asks them, and the window would crash. So the window switches Python's own search off and looks here.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_LOOK_EVERY_MS = 500


class CycleCollector(QObject):
    """Made and started on the thread of the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(collect_due)

    def start(self) -> None:
        gc.disable()
        self._timer.start()


def collect_due() -> int:
    """Searches the oldest generation that is due by Python's own thresholds; returns it, -1 where none is."""
    due = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
    oldest = 2 if all(due) else 1 if all(due[:2]) else 0 if due[0] else -1
    if oldest >= 0:
        gc.collect(oldest)
    return oldest
