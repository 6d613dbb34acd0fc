"""Capturing, and the inbox: what waits, what failed, what may be tried again.

The one noun that is there when the socket opens: what its rarer methods read with is imported by them. Source: QUALITY P5.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.assistants.codex.turn import read_turn
from app.assistants.hook_payload import parse_hook_payload
from app.assistants.live_notes import read_notes
from app.capture.spool import SpooledEvent, SpoolTake, take_spool
from app.errors import DiskProblem, InvalidError, NotFoundError, UserError
from app.store.journal import Write
from app.store.rows.inbox import find_event
from app.store.tables.core import EventRow
from app.understanding.understood_event import UnderstoodEvent
from app.values import (
    CaptureRequest,
    CaptureResult,
    Changes,
    Clarification,
    DataKind,
    EventState,
    InboxEvent,
    Operation,
    Origin,
)
from app.values.fast_values import value_of

_log = logging.getLogger(__name__)
_SPOOL_BATCH = 100


def _completing(use: CaptureRequest) -> CaptureRequest:
    """The same use as an event of its own, which adds to what is known of it."""
    return replace(use, key=f"{use.key}:end", payload={**use.payload, "completes": True})


@cleans_arguments
class Events:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._spool_lock = threading.Lock()

    def note_reading(self, event: CaptureRequest) -> bool:
        """Whether an assistant's tool only read a file: it counts as the current file then, and nothing of it is stored."""
        return self._core.at_hand.note(event)

    def capture(self, requests: Sequence[CaptureRequest], *, wait_s: float | None = None) -> tuple[CaptureResult, ...]:
        """One result per request. All are on disk when this returns.

        Understanding is in the result when it is done within `wait_s` (None: as the settings say, 0: do not wait).
        Raises InvalidError (too large, no app), DiskProblem (nothing was acknowledged then).
        """
        core = self._core
        is_paused, paused_apps = self._pauses()
        self._hear(requests)
        taken = core.inbox.take_in(requests, core.current, is_paused=is_paused, paused_apps=paused_apps)
        if any(result.state is EventState.PENDING for result in taken):
            core.worker.wake()
        patience_s = core.current.understand_wait_s if wait_s is None else wait_s
        if patience_s <= 0:
            return tuple(taken)
        return tuple(self._with_understanding(result, patience_s) for result in taken)

    def ask_line(self, event_id: int, within_s: float) -> str:
        """What an assistant is asked to pass on of the question that this prompt raised; "" when nothing is asked, or not known in time.

        One of the three questions of the day, as those in the window are.
        """
        understood = self._core.worker.wait_for(event_id, within_s)
        if understood is None or understood.boundary is None or understood.boundary.is_new is not None:
            return ""
        from app.assistant_instructions import ask_line
        from app.upkeep.daily_questions import note_shown, todays_questions

        today = self._core.read(todays_questions, self._core.clock.now())
        asked = [one for one in today if one.message_id == understood.message_id]
        note_shown(self._core.store, asked)
        return ask_line(asked[0].message_text, asked[0].continue_title) if asked else ""

    def folder_of(self, project: str) -> str:
        """The folder of a project that was given by its name; a folder as it is.

        Raises InvalidError for a name that nobody knows, AmbiguousError for one that two projects have.
        """
        from app.capture.caller_project import resolve_folder

        return resolve_folder(self._core.store, project)

    def capture_if_free(self, requests: Sequence[CaptureRequest]) -> tuple[CaptureResult, ...] | None:
        """As `capture` without waiting for anything but the disk; None, and nothing done, while somebody else writes.

        Understanding begins with `understand_soon`, so that the caller can let its acknowledgement out first.
        """
        core = self._core
        is_paused, paused_apps = self._pauses()
        self._hear(requests)
        taken = core.inbox.take_in_if_free(requests, core.current, is_paused=is_paused, paused_apps=paused_apps)
        if taken is None:
            return None
        if any(result.state is EventState.PENDING for result in taken):
            core.worker.expect()
        return tuple(taken)

    def capture_turn(self, stop: CaptureRequest) -> None:
        """Takes in what the transcript holds of a turn that is over and no hook sent.

        Exit statuses, files patched in a command, the session's title, the plan.
        """
        found = (*read_turn(stop), *read_notes(stop))
        if not found:
            return
        inbox = self._core.inbox
        with self._core.store.read() as connection:
            known = inbox.known_keys(connection, stop.app, [inbox.clean_id(one.key) for one in found])
        new = [one for one in found if inbox.clean_id(one.key) not in known]
        again = [
            _completing(one) for one in found if inbox.clean_id(one.key) in known and one.payload.get("tool_response")
        ]
        self.capture([*new, *again], wait_s=0)

    def understand_soon(self) -> None:
        """Wakes the understanding of what `capture_if_free` took in."""
        self._core.worker.begin()

    def _hear(self, requests: Sequence[CaptureRequest]) -> None:
        now = self._core.clock.now()
        for request in requests:
            if not request.is_imported:
                self._core.last_request_at[request.app] = now

    def hear_tools(self, app: str) -> None:
        """That this assistant has our tools, `remember` among them: only then it makes sense to ask it to call one."""
        self._core.apps_with_tools.add(app)

    def _pauses(self) -> tuple[bool, frozenset[str]]:
        """Whether all capture is paused, and which apps are."""
        core, now = self._core, self._core.clock.now()
        is_paused = core.is_paused and (core.paused_until is None or core.paused_until > now)
        return is_paused, core.paused_apps.at(now)

    def inbox(self, *, state: EventState | None = None, limit: int = 100) -> tuple[InboxEvent, ...]:
        """Newest first."""
        from app.understanding.conversations.queries import list_inbox

        return self._core.read(list_inbox, state, limit)

    def retry(self, event_id: int) -> CaptureResult:
        """Tries a failed event again. Raises InvalidError when it has not failed."""
        with self._core.store.write(origin=Origin.PERSON, kind="retry", label="Tried again") as write:
            event = _failed(write, event_id)
            self._core.worker.forget_result(event_id)
            write.unjournalled(EventRow, event_id, {"state": "pending", "attempt_count": 0, "error": ""})
        self._core.worker.wake()
        waiting = CaptureResult(event_id, event, EventState.PENDING)
        return self._with_understanding(waiting, max(1.0, self._core.current.understand_wait_s))

    def discard(self, event_id: int) -> None:
        """Sets a failed event aside; its payload is let go with the undo."""
        with self._core.store.write(origin=Origin.PERSON, kind="discard", label="Discarded a failed event") as write:
            _failed(write, event_id)
            write.update(EventRow, event_id, {"state": EventState.IGNORED.value})

    def wait_idle(self, timeout_s: float) -> bool:
        """True once everything that was taken in has been understood."""
        return self._core.worker.wait_idle(timeout_s)

    def changes_since(self, seq: int, *, limit: int = 1000) -> tuple[Operation, ...]:
        """Operations after `seq`, oldest first."""
        from app.upkeep.undo import list_since

        return self._core.read(list_since, seq, limit)

    def pause(self, until: datetime | None) -> None:
        """Stops all capture; what arrives meanwhile is not kept. `until` None: until `resume`."""
        self._core.is_paused, self._core.paused_until = True, until
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))

    def resume(self) -> None:
        self._core.is_paused, self._core.paused_until = False, None
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))

    def take_spool(self, *, with_aside: bool = False) -> int:
        """Takes in what hooks wrote down while the app was closed, in order, once; returns how many.

        What is refused is kept aside; `with_aside` tries that again. A disk that fails keeps nobody from starting and
        reading: what is spooled stays there for the next try.
        """
        with self._spool_lock:
            try:
                return self._take_spool(with_aside=with_aside)
            except (OSError, DiskProblem) as error:
                _log.warning("the spool cannot be taken in: %s", error)
                return 0

    def retry_spooled(self) -> int:
        """Tries what was kept aside again; returns how many were taken in."""
        count = self.take_spool(with_aside=True)
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.STATE})))
        return count

    def _take_spool(self, *, with_aside: bool) -> int:
        take = take_spool(self._core.places.spool_dir, with_aside=with_aside)
        if take.is_empty:
            return 0
        count = 0
        batch: list[tuple[SpooledEvent, CaptureRequest]] = []
        for spooled in take:
            try:
                request = _read_spooled(spooled)
            except UserError as error:
                self._set_aside(take, spooled, error)
                continue
            if request is not None:
                batch.append((spooled, request))
            if len(batch) >= _SPOOL_BATCH:
                count += self._capture_spooled(take, batch)
                batch = []
        count += self._capture_spooled(take, batch)
        take.finish()
        if count:
            _log.info("took in %d events that were spooled while the app was closed", count)
        return count

    def _capture_spooled(self, take: SpoolTake, batch: Sequence[tuple[SpooledEvent, CaptureRequest]]) -> int:
        """How many were taken in. One that is refused takes neither its neighbours nor the start with it."""
        try:
            count = len(self.capture([request for _, request in batch], wait_s=0)) if batch else 0
            for _, request in batch:
                self.capture_turn(request)
            return count
        except UserError as error:
            if len(batch) == 1:
                self._set_aside(take, batch[0][0], error)
                return 0
        return sum(self._capture_spooled(take, [one]) for one in batch)

    def _set_aside(self, take: SpoolTake, spooled: SpooledEvent, error: UserError) -> None:
        """A prompt is never dropped: it waits beside the spool until it can be read."""
        _log.warning("a spooled event of %s is kept aside: %s", spooled.app, error)
        self._core.aside_reason = str(error)
        take.set_aside(spooled)

    def _with_understanding(self, result: CaptureResult, patience_s: float) -> CaptureResult:
        if result.state is not EventState.PENDING:
            return result
        understood = self._core.worker.wait_for(result.event_id, patience_s)
        if understood is None:
            return result
        return self._joined(result, understood)

    def _joined(self, result: CaptureResult, understood: UnderstoodEvent) -> CaptureResult:
        boundary = understood.boundary
        return value_of(
            CaptureResult,
            understood,
            event_id=result.event_id,
            key=result.key,
            is_duplicate=result.is_duplicate,
            is_new_conversation=None if boundary is None else boundary.is_new,
            boundary_confidence=None if boundary is None else boundary.confidence,
            boundary_reason="" if boundary is None else boundary.reason,
            clarification=self._clarification(understood),
            error=understood.note,
        )

    def _clarification(self, understood: UnderstoodEvent) -> Clarification | None:
        if understood.boundary is None or understood.boundary.is_new is not None:
            return None
        from app.understanding.conversations.queries import list_clarifications

        asked = self._core.read(list_clarifications)
        return next((one for one in asked if one.message_id == understood.message_id), None)


def _read_spooled(spooled: SpooledEvent) -> CaptureRequest | None:
    return parse_hook_payload(spooled.app, spooled.event, spooled.raw, key=spooled.key, cwd=spooled.cwd, at=spooled.at)


def _failed(write: Write, event_id: int) -> str:
    row = find_event(write.connection, event_id)
    if row is None:
        raise NotFoundError(f"There is no event number {event_id}.", hint="The failed ones are in Activity, Failed.")
    if row.state != EventState.FAILED.value:
        raise InvalidError(
            f"Event {event_id} has not failed: it is {row.state}.", hint="Only failed events are retried or discarded."
        )
    return row.key
