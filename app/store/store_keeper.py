"""The store's own quiet thread: sees that its file is still there, and moves the write-ahead log into it."""

import logging
import threading
import time
from collections.abc import Callable

from app.errors import RemanenceError

_log = logging.getLogger(__name__)
LOOK_EVERY_S = (
    1.0  # at most so long we go on in a file that was taken away while nothing is captured; a capture looks itself
)
MOVE_LOG_EVERY_S = 5.0  # what a short history would lose with its log; moving it costs two syncs in a thread of its own


class StoreKeeper:
    def __init__(self, look: Callable[[], object], move_log: Callable[[], bool]) -> None:
        self._look = look
        self._move_log = move_log
        self._is_stopping = threading.Event()
        self._moved_s = -MOVE_LOG_EVERY_S  # what is written first is moved at once
        self._thread = threading.Thread(target=self._run, name="remanence-store", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping.wait(LOOK_EVERY_S):
            try:
                self._look()
                if time.monotonic() - self._moved_s >= MOVE_LOG_EVERY_S and self._move_log():
                    self._moved_s = time.monotonic()
            except RemanenceError as error:  # the disk; the banner says it, and the next round tries again
                _log.debug("the store's thread: %s", error)
            except Exception:  # noqa: BLE001 (this thread must outlive everything; the next round tries again)
                _log.exception("the store's thread failed")
