"""SIGTERM, SIGINT and SIGHUP end the window cleanly (QUALITY R18): Python hears them while Qt waits.

The interpreter writes a byte into a socket pair, Qt wakes up and quits; without it a signal would wait for the next
Python line. Nothing is done inside the handler itself.
"""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class StopSignals(QObject):
    """`asked_to_stop` once for each signal."""

    asked_to_stop = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_byte)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno())
        names = ("SIGINT", "SIGTERM", "SIGHUP")
        self._numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self._old = {number: signal.signal(number, _do_nothing) for number in self._numbers}

    def close(self) -> None:
        """Gives the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    def _on_byte(self) -> None:
        try:
            received = self._reader.recv(64)
        except BlockingIOError:
            return
        if any(number in received for number in self._numbers):
            self.asked_to_stop.emit()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """The wake-up byte does the work; a handler must exist so that the default one does not kill us."""
