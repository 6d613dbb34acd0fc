"""The thread that understands what the inbox holds: in order, one event a transaction, failures kept and shown.

Analyzes before it takes the write lock, so that the lock is held for the saving only; when something else was
written meanwhile it analyzes again. Stands aside for callers that wait for their acknowledgement. Its commits need
not reach the disk at once: the event has, and would be read again. Source: DESIGN 5 "capture", QUALITY P3.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import OperationalError

from app.capture.priority import PriorityGates
from app.capture.streams import Streams
from app.errors import EnvironmentProblem, RemanenceError
from app.settings import Settings
from app.store.journal import Write, set_columns, table_of
from app.store.rows.conversation import find_waiting, note_done
from app.store.store import Store
from app.store.table_queries import rows_with
from app.store.tables.core import AppRow, EventRow
from app.understanding.understood_event import UnderstoodEvent
from app.values import EventState, Origin

if TYPE_CHECKING:
    from app.understanding.conversations.recent_messages import ConversationCache
    from app.understanding.pipeline import MessagePipeline

_log = logging.getLogger(__name__)
_RESULTS_KEPT = 512  # for whoever waits, and who waits does so at once; each is some 5 kB
_BATCH = 64
_SEEN_EVERY = timedelta(seconds=30)  # how exactly "last seen" is told
_PROBLEM_PAUSE_S = 1.0
_LET_OUT_S = 0.004  # so long after a capture its acknowledgement has left, and its sender would have asked again
_PUT_OFF_COUNT = 5  # times captures that never pause may put understanding off, when nobody waits for it


class Worker:
    """Starts with `start`, ends with `stop`; `wait_for` gives what became of one event.

    What understands is asked for when there is something to be understood: events are taken in before it is loaded.
    """

    def __init__(
        self,
        store: Store,
        understanding: Callable[[], "MessagePipeline"],
        streams: Streams,
        conversations: Callable[[], "ConversationCache"],
        settings: Callable[[], Settings],
        gates: PriorityGates,
    ) -> None:
        self._store = store
        self._understanding = understanding
        self._streams = streams
        self._conversations = conversations
        self._settings = settings
        self._gate = gates.capture
        self._import_gate = gates.understanding
        self._turn = gates.turn
        self._seen: dict[int, datetime] = {}
        self._condition = threading.Condition()
        self._results: dict[int, UnderstoodEvent] = {}
        self._wanted = 0  # bumped for every wish to run
        self._served = 0
        self._waiting_count = 0  # callers that wait for what became of their event
        self._is_stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._is_stopping = False
        self._seen.clear()
        self._results.clear()  # after a restore the same numbers stand for other events
        self._thread = threading.Thread(target=self._run, name="remanence-understanding", daemon=True)
        self._thread.start()
        self.wake()

    def stop(self) -> None:
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def wake(self) -> None:
        self.expect()
        self.begin()

    def expect(self) -> None:
        """Something waits to be understood; whoever says so also says when to `begin`."""
        with self._condition:
            self._wanted += 1

    def begin(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def wait_for(self, event_id: int, timeout_s: float) -> UnderstoodEvent | None:
        """What became of the event; None when it is not done within `timeout_s`."""
        with self._condition:
            self._waiting_count += 1
            try:
                self._condition.wait_for(lambda: event_id in self._results or self._is_stopping, timeout_s)
            finally:
                self._waiting_count -= 1
            return self._results.get(event_id)

    def forget_result(self, event_id: int) -> None:
        with self._condition:
            self._results.pop(event_id, None)

    def wait_idle(self, timeout_s: float) -> bool:
        with self._condition:
            return self._condition.wait_for(lambda: self._served >= self._wanted, timeout_s)

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._wanted > self._served or self._is_stopping)
                if self._is_stopping:
                    return
                wanted = self._wanted
            try:
                is_empty = self._take_some()
            except Exception as problem:  # noqa: BLE001 (this thread must outlive everything; the events are kept)
                _log.warning("understanding waits: %s", problem, exc_info=not isinstance(problem, EnvironmentProblem))
                self._forget()
                with self._condition:
                    self._condition.wait_for(lambda: self._is_stopping, _PROBLEM_PAUSE_S)
                continue
            if is_empty:
                with self._condition:
                    self._served = wanted
                    self._condition.notify_all()

    def _take_some(self) -> bool:
        """Understands the next waiting events; True when none is left."""
        with self._store.read() as connection:
            waiting = find_waiting(connection, _BATCH)
        for event_id in waiting:
            if self._is_stopping:
                return False
            self._let_captures_go()
            with self._import_gate.foreground(), self._turn:
                result = self._understand(event_id)
            self._store.database.move_log_if_long()
            if result.state is EventState.PENDING:
                return False
            with self._condition:
                self._results[event_id] = result
                while len(self._results) > _RESULTS_KEPT:
                    self._results.pop(next(iter(self._results)))
                self._condition.notify_all()
        return len(waiting) < _BATCH

    def _let_captures_go(self) -> None:
        """Whoever sends without a pause waits for one understanding in a hundred of its captures, not in twenty."""
        for _ in range(_PUT_OFF_COUNT):
            if self._gate.wait_for_quiet(_LET_OUT_S) or self._waiting_count or self._is_stopping:
                return

    def _understand(self, event_id: int) -> UnderstoodEvent:
        """What became of one event; an operation of its own, so that it can be undone."""
        try:
            seq = self._store.last_seq
            settings = self._settings()
            with self._store.read() as connection:
                event = rows_with(connection, EventRow, id=event_id)[0]
                if event.state != "pending":
                    return UnderstoodEvent(EventState(event.state))
                analysis = self._understanding().analyze(connection, event, settings, self._gate.yield_to_foreground)
            self._gate.yield_to_foreground()
            with self._store.write(origin=Origin.CAPTURE, kind="capture", label="", is_durable=False) as write:
                if seq != self._store.last_seq:
                    self._conversations().forget()
                    analysis = None
                result = self._understanding().understand(write, event, settings, analysis)
                self._note_done(write, event, result)
            return result
        except (EnvironmentProblem, OperationalError):  # the disk, not the message: it is tried again
            self._forget()
            raise
        except Exception as error:  # noqa: BLE001 (whatever a decider trips over: the event is kept and shown)
            self._forget()
            with self._store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
                return self._note_failure(write, event_id, error)

    def _note_done(self, write: Write, event: Any, result: UnderstoodEvent) -> None:
        note_done(write.connection, event.id, result.state.value, result.note, result.message_id)
        seen = self._seen.get(event.app_id)
        if seen is None or abs(event.received_at - seen) >= _SEEN_EVERY:
            self._seen[event.app_id] = event.received_at
            set_columns(write.connection, table_of(AppRow), event.app_id, {"last_seen_at": event.received_at})

    def _note_failure(self, write: Write, event_id: int, error: Exception) -> UnderstoodEvent:
        """Counts the attempt; after the last one the event is shown as failed and waits for a person."""
        event = write.get(EventRow, event_id)
        attempts = event.attempt_count + 1
        is_final = attempts >= self._settings().max_attempts or isinstance(error, RemanenceError)
        state = EventState.FAILED if is_final else EventState.PENDING
        _log.error("event %d was not understood (attempt %d)", event.id, attempts, exc_info=error)
        write.unjournalled(
            EventRow,
            event.id,
            {"attempt_count": attempts, "state": state.value, "error": f"{type(error).__name__}: {error}"[:500]},
        )
        return UnderstoodEvent(state, note=str(error))

    def _forget(self) -> None:
        self._streams.forget()
        self._conversations().forget()
