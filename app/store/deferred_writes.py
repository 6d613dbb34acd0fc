"""Writes that nobody waits for: done in their order by a thread, or before that by whoever reads or writes next.

So everybody sees what anybody was promised. A clean stop does all of them; a kill may lose the newest. Knows no table.
Source: QUALITY P2.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from app.store.database import Database
from app.values import Changes

_log = logging.getLogger(__name__)
_LET_OUT_S = 0.01  # so long after it was asked for, what the asker itself wanted to say has left
Write = Callable[[], Changes | None]  # returns what is to be announced when it is committed


class _Later:
    """One write; what it needs besides the database can be made before anybody is kept waiting."""

    def __init__(self, prepare: Callable[[], Write]) -> None:
        self._prepare = prepare
        self._lock = threading.Lock()
        self._write: Write | None = None

    def prepare(self) -> Write:
        with self._lock:
            if self._write is None:
                self._write = self._prepare()
            return self._write


class WriteBehind:
    """Thread-safe. `database` is asked for each time: a restore puts another in its place."""

    def __init__(self, database: Callable[[], Database], announce: Callable[[Changes], None]) -> None:
        self._database = database
        self._announce = announce
        self._waiting: deque[_Later] = deque()
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_busy = self._is_stopping = False

    def later(self, prepare: Callable[[], Write]) -> None:
        """Does what `prepare` returns soon; `prepare` holds up nobody but who needs the write."""
        self._waiting.append(_Later(prepare))
        with self._condition:
            if self._thread is None and not self._is_stopping:
                self._thread = threading.Thread(target=self._run, name="remanence-write-behind", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def settle(self) -> None:
        """Returns when all that was asked for before is in the store. At once inside a transaction: it was begun before."""
        if not self._waiting:
            return
        database = self._database()
        announced: list[Changes | None] = []
        with database.lock:
            if (
                self._is_busy or not database.is_open or database.is_writing
            ):  # closed: a restore that the disk broke off
                return
            self._is_busy = True
            try:
                while self._waiting:
                    announced.append(self._do(self._waiting[0]))
                    self._waiting.popleft()
            finally:
                self._is_busy = False
        for changes in announced:
            if changes is not None:
                self._announce(changes)

    @staticmethod
    def _do(later: _Later) -> Changes | None:
        try:
            return later.prepare()()
        except Exception as error:  # noqa: BLE001 (who only reads must not hear of it; the store reports a full disk)
            _log.warning("a record was not written: %s", error, exc_info=True)
            return None

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._is_stopping)
                if self._is_stopping:
                    return
            time.sleep(_LET_OUT_S)
            for later in list(self._waiting):
                self._prepare(later)
            self.settle()
            self._move_log()

    def _move_log(self) -> None:
        """Before it is full: a dozen receipts of large contexts fill it, and whoever reads then would wait until all is moved."""
        try:
            self._database().move_log_if_large()
        except Exception as error:  # noqa: BLE001 (this thread must outlive everything; the store's own thread tries again)
            _log.debug("the log was not moved: %s", error)

    @staticmethod
    def _prepare(later: _Later) -> None:
        try:
            later.prepare()
        except Exception:  # noqa: BLE001 (it fails again, and is reported, when it is written)
            return

    def stop(self) -> None:
        """Does what waits; nothing may be asked for afterwards."""
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.settle()
