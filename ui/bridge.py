"""The only module that knows threads: writes, reads and jobs go to workers, answers come back as signals.

`do` is the single write worker, in order, without a success callback: the answer is `changed`. `ask` is the read
worker: per tag the newest question wins. `start` is for long work with Progress and cancel. The engine is attached
when it is open; what was asked before waits. Source: STYLE, "Qt and the engine: one pattern"; STACK-UI section 4.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import RemanenceError
from app.values.changes import Changes, DataKind, Origin, Progress

if TYPE_CHECKING:
    from app.api import Engine

T = TypeVar("T")
THROTTLE_MS = 150
_log = logging.getLogger("remanence.ui")


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong. `error` outside the two families of RemanenceError is a bug of ours."""

    action_id: str
    error: BaseException

    @property
    def is_bug(self) -> bool:
        return not isinstance(self.error, RemanenceError)


@dataclass(frozen=True, slots=True)
class JobDone:
    """A job that `start` began and that came to its end; `value` is what its work returned."""

    job_id: str
    value: object


@dataclass(frozen=True, slots=True)
class Job:
    """What the work of a job gets: the engine, where to tell progress, and the flag that says stop."""

    engine: "Engine"
    progress: Callable[[Progress], None]
    cancel: threading.Event


@dataclass(frozen=True, slots=True)
class _Answer:
    tag: str
    number: int
    value: object


READ_WAIT_S = 0.5  # of the two seconds in which the window ends (R18); the first read waits for seconds of imports


class EngineBridge(QObject):
    """Built on the GUI thread, before any panel."""

    opened = Signal()
    changed = Signal(object)  # Changes, throttled; those of the person at once
    progressed = Signal(object)  # Progress
    finished = Signal(object)  # JobDone
    failed = Signal(object)  # Failure
    settled = Signal(str)  # action id of a write that came to its end, well or not: what says "working" may go

    _arrived = Signal(object)  # _Answer, from the read worker
    _heard = Signal(object)  # Changes, from whatever thread committed
    _ended = Signal(str)  # job id, from the job worker

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine: Engine | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ui-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="ui-read")
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="ui-job")
        self._waiting: list[Callable[[], None]] = []
        self._numbers: dict[str, int] = {}
        self._thens: dict[str, tuple[int, Callable[[Any], None]]] = {}
        self._cancels: dict[str, threading.Event] = {}
        self._pending: Changes | None = None
        self._is_closed = False
        self._throttle = QTimer(self)
        self._throttle.setSingleShot(True)
        self._throttle.setInterval(THROTTLE_MS)
        self._throttle.timeout.connect(self._flush)
        self._arrived.connect(self._on_arrived)
        self._heard.connect(self._on_changes)
        self._ended.connect(self._on_ended)
        self.failed.connect(self._on_failed)

    @property
    def is_open(self) -> bool:
        return self._engine is not None

    @property
    def is_busy(self) -> bool:
        """True while a job runs."""
        return bool(self._cancels)

    @property
    def is_waiting(self) -> bool:
        """True while an answer is still to come."""
        return bool(self._thens)

    def attach(self, engine: "Engine") -> None:
        """From now on work goes to `engine`; what waited is sent first. GUI thread."""
        self._engine = engine
        self._unsubscribe = engine.subscribe(self._heard.emit)
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()
        self.opened.emit()

    def detach(self) -> bool:
        """Stops listening and waits for the workers; what is queued behind is dropped. Idempotent.

        False when a read still computes: nobody waits for its answer any more, and the process should leave without it.
        """
        if self._is_closed:
            return True
        self._is_closed = True
        self._throttle.stop()
        self._waiting.clear()
        self._thens.clear()
        if self._unsubscribe is not None:
            self._unsubscribe()
        for cancel in self._cancels.values():
            cancel.set()
        ending = threading.Thread(target=self._reader.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        ending.start()
        self._worker.shutdown(cancel_futures=True)
        self._writer.shutdown()
        ending.join(READ_WAIT_S)
        self._engine = None
        return not ending.is_alive()

    # -- writes

    def do(self, action_id: str, write: "Callable[[Engine], object]") -> None:
        """Sends a write to the write worker. What it returns is dropped; its failure is `failed`."""
        if self._is_closed:
            return
        if self._engine is None:
            self._waiting.append(lambda: self.do(action_id, write))
            return

        def settle(engine: "Engine") -> None:
            try:
                write(engine)
            finally:
                self.settled.emit(action_id)

        self._submit(self._writer, action_id, settle, self._engine)

    # -- reads

    def ask(self, tag: str, read: "Callable[[Engine], T]", then: Callable[[T], None]) -> None:
        """Sends a read to the read worker; `then` gets its answer here, on the GUI thread.

        A newer question with the same tag makes older answers void, and so does the end of the object that
        `then` belongs to.
        """
        if self._is_closed:
            return
        number = self._numbers.get(tag, 0) + 1
        self._numbers[tag] = number
        self._thens[tag] = (number, then)
        self._send_question(tag, number, read)

    def _send_question(self, tag: str, number: int, read: "Callable[[Engine], object]") -> None:
        if self._engine is None:
            self._waiting.append(lambda: self._send_question(tag, number, read))
            return

        def work(engine: "Engine") -> None:
            if self._numbers.get(tag) == number:  # overtaken while it waited: not worth the disk
                self._arrived.emit(_Answer(tag, number, read(engine)))

        self._submit(self._reader, tag, work, self._engine)

    def _on_arrived(self, answer: _Answer) -> None:
        number, then = self._thens.get(answer.tag, (0, None))
        if then is None or number != answer.number:
            return
        del self._thens[answer.tag]
        owner = getattr(then, "__self__", None)
        if isinstance(owner, QObject) and not shiboken6.isValid(owner):
            return
        then(answer.value)

    def _on_failed(self, failure: Failure) -> None:
        self._thens.pop(failure.action_id, None)

    # -- jobs

    def start(self, job_id: str, work: Callable[[Job], object]) -> None:
        """Begins long work behind earlier jobs; ends in `finished` or `failed`. A running id is not begun twice."""
        if self._is_closed or job_id in self._cancels:
            return
        if self._engine is None:
            self._waiting.append(lambda: self.start(job_id, work))
            return
        cancel = threading.Event()
        self._cancels[job_id] = cancel

        def run(engine: "Engine") -> None:
            try:
                value = work(Job(engine, self.progressed.emit, cancel))
            finally:
                self._ended.emit(job_id)  # first: whoever hears that it is done may begin it again
            self.finished.emit(JobDone(job_id, value))

        self._submit(self._worker, job_id, run, self._engine)

    def cancel(self, job_id: str) -> None:
        """Asks a job to stop after what it is writing just now."""
        if job_id in self._cancels:
            self._cancels[job_id].set()

    def _on_ended(self, job_id: str) -> None:
        self._cancels.pop(job_id, None)

    # -- workers

    def _submit(
        self,
        executor: ThreadPoolExecutor,
        action_id: str,
        work: "Callable[[Engine], object]",
        engine: "Engine",
    ) -> None:
        def report(future: "Future[object]") -> None:
            error = None if future.cancelled() else future.exception()
            if error is None or self._is_closed:
                return
            failure = Failure(action_id, error)
            if failure.is_bug:
                _log.error("action %s failed", action_id, exc_info=error)
            self.failed.emit(failure)

        executor.submit(work, engine).add_done_callback(report)

    # -- announcements

    def _on_changes(self, changes: Changes) -> None:
        if self._is_closed:
            return
        if changes.origin is Origin.PERSON:  # each act of the person has its own notice, at once
            self._flush()
            self.changed.emit(changes)
            return
        self._pending = changes if self._pending is None else merge_changes(self._pending, changes)
        if not self._throttle.isActive():
            self._throttle.start()

    def _flush(self) -> None:
        self._throttle.stop()
        pending, self._pending = self._pending, None
        if pending is not None:
            self.changed.emit(pending)


def merge_changes(older: Changes, newer: Changes) -> Changes:
    """Both as one: kinds and ids together, everything else from the newer.

    >>> one = Changes(1, frozenset({DataKind.APPS}), {DataKind.APPS: (1,)})
    >>> merge_changes(one, Changes(2, frozenset({DataKind.APPS}), {DataKind.APPS: (1, 4)})).ids[DataKind.APPS]
    (1, 4)
    """
    ids: dict[DataKind, tuple[int, ...]] = dict(older.ids)
    for kind, found in newer.ids.items():
        ids[kind] = tuple(dict.fromkeys((*ids.get(kind, ()), *found)))
    return replace(newer, kinds=older.kinds | newer.kinds, ids=ids, seq=max(older.seq, newer.seq))
