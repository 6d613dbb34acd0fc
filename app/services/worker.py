"""The thread that understands what the inbox holds: in order, one event a transaction, failures kept and shown.

When many wait (a backfill) several share a transaction, each behind its own savepoint. Gives way to callers
that wait for their acknowledgement. Source: DESIGN section 5 "capture", QUALITY P3, P10.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from app.errors import EnvironmentProblem, RemanenceError
from app.services.inbox import Inbox
from app.services.streams import Streams
from app.services.talks import Talks
from app.services.understanding import Understanding, Understood
from app.settings import Settings
from app.store.journal import Write, table_of
from app.store.store import Store
from app.store.tables import AppRow, EventRow
from app.values import EventState, Origin

_log = logging.getLogger(__name__)
_RESULTS_KEPT = 4_096
_BATCH = 64
_ALONE = 4  # so few get a transaction each: each can be undone by itself
_PROBLEM_PAUSE_S = 1.0


class Worker:
    """Starts with `start`, ends with `stop`; `wait_for` gives what became of one event."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        understanding: Understanding,
        streams: Streams,
        talks: Talks,
        settings: Callable[[], Settings],
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._understanding = understanding
        self._streams = streams
        self._talks = talks
        self._settings = settings
        self._condition = threading.Condition()
        self._results: dict[int, Understood] = {}
        self._wanted = 0  # bumped for every wish to run
        self._served = 0
        self._is_stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._is_stopping = False
        self._results.clear()  # after a restore the same numbers stand for other events
        self._thread = threading.Thread(target=self._run, name="remanence-understanding")
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
        with self._condition:
            self._wanted += 1
            self._condition.notify_all()

    def wait_for(self, event_id: int, timeout_s: float) -> Understood | None:
        """What became of the event; None when it is not done within `timeout_s`."""
        with self._condition:
            self._condition.wait_for(lambda: event_id in self._results or self._is_stopping, timeout_s)
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
        table = table_of(EventRow)
        with self._store.read() as connection:
            waiting = (
                connection.execute(
                    select(table.c.id).where(table.c.state == "pending").order_by(table.c.id).limit(_BATCH)
                )
                .scalars()
                .all()
            )
        if len(waiting) <= _ALONE:
            are_done = [self._understand([event_id]) for event_id in waiting]
        else:
            are_done = [self._understand(list(waiting))]
        return all(are_done) and len(waiting) < _BATCH

    def _understand(self, event_ids: list[int]) -> bool:
        """False when some of them must be looked at again. One transaction for these events; a single one gets an operation of its own, so that it can be undone."""
        done: dict[int, Understood] = {}
        with self._store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
            for event_id in event_ids:
                if self._inbox.has_waiting and done:
                    break  # somebody waits for an acknowledgement: commit what is done and let them in
                done[event_id] = self._one(write, event_id)
            if len(done) > 1:
                write.label = f"Captured {len(done)} events"
                write.conversation_id = write.message_id = None
        final = {event_id: one for event_id, one in done.items() if one.state is not EventState.PENDING}
        with self._condition:
            self._results.update(final)
            while len(self._results) > _RESULTS_KEPT:
                self._results.pop(next(iter(self._results)))
            self._condition.notify_all()
        return len(final) == len(event_ids)

    def _one(self, write: Write, event_id: int) -> Understood:
        table = table_of(EventRow)
        event = write.connection.execute(select(table).where(table.c.id == event_id)).one()
        if event.state != "pending":
            return Understood(EventState(event.state))
        savepoint = write.connection.begin_nested()
        mark = write.mark()
        try:
            result = self._understanding.understand(write, event, self._settings())
            savepoint.commit()
        except (EnvironmentProblem, OperationalError):  # the disk, not the message: SQLite has rolled back already
            self._forget()
            raise
        except Exception as error:  # noqa: BLE001 (whatever a decider trips over: the event is kept and shown)
            savepoint.rollback()
            write.rewind(mark)
            self._forget()
            return self._note_failure(write, event, error)
        values: dict[str, Any] = {"state": result.state.value, "error": result.note, "payload": None}
        write.connection.execute(
            update(table).where(table.c.id == event_id).values(**values, message_id=result.message_id)
        )
        app = table_of(AppRow)
        write.connection.execute(update(app).where(app.c.id == event.app_id).values(last_seen_at=event.received_at))
        return result

    def _note_failure(self, write: Write, event: Any, error: Exception) -> Understood:
        """Counts the attempt; after the last one the event is shown as failed and waits for a person."""
        attempts = event.attempt_count + 1
        is_final = attempts >= self._settings().max_attempts or isinstance(error, RemanenceError)
        state = EventState.FAILED if is_final else EventState.PENDING
        _log.error("event %d was not understood (attempt %d)", event.id, attempts, exc_info=error)
        write.unjournalled(
            EventRow,
            event.id,
            {"attempt_count": attempts, "state": state.value, "error": f"{type(error).__name__}: {error}"[:500]},
        )
        return Understood(state, note=str(error))

    def _forget(self) -> None:
        self._streams.forget()
        self._talks.forget()
