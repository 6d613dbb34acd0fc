"""Starts runs by itself: looks once a minute whether one is due, and whether the machine has time for it.

A run is due after a number of events, after a number of hours, or at night while nothing happens. A clock that is set back makes no
run due; one that jumps ahead makes one run due, in which nothing is forgotten because of the jump.

Source: S1 "every 50 events", S4 "nightly", DESIGN section 5 "trigger", S5 "Energy".
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.consolidation.runner import Consolidator
from app.errors import RemanenceError
from app.settings import Settings
from app.store.rows import consolidation as rows
from app.store.store import Store
from app.upkeep.energy import REASONS, Energy
from app.values.consolidation import RunState, RunTrigger
from app.values.energy import Work

_NIGHT_HOURS = range(1, 5)  # local
_NIGHT_APART = timedelta(hours=12)
_QUIET = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Situation:
    now: datetime
    local_hour: int
    last_run_at: datetime | None  # None: the store was never consolidated
    first_at: datetime | None  # of the first operation: a store's first hours begin there
    event_count: int  # since the last run
    quiet_since: datetime | None  # the newest event


def due(settings: Settings, here: Situation) -> RunTrigger | None:
    """Why a run is due now, or None."""
    if not settings.is_consolidating or here.event_count == 0:
        return None
    if here.event_count >= settings.consolidation_events:
        return RunTrigger.EVENTS
    began_at = here.last_run_at or here.first_at
    if began_at is not None and here.now - began_at >= timedelta(hours=settings.consolidation_hours):
        return RunTrigger.HOURS
    is_quiet = here.quiet_since is None or here.now - here.quiet_since >= _QUIET
    is_rested = here.last_run_at is None or here.now - here.last_run_at >= _NIGHT_APART
    if settings.is_consolidating_at_night and here.local_hour in _NIGHT_HOURS and is_quiet and is_rested:
        return RunTrigger.NIGHT
    return None


def next_at(settings: Settings, here: Situation) -> datetime | None:
    """When a run is due at the latest, if anything happens until then; None when none comes by itself."""
    began_at = here.last_run_at or here.first_at
    if not settings.is_consolidating or began_at is None:
        return None
    return began_at + timedelta(hours=settings.consolidation_hours)


_log = logging.getLogger(__name__)
_LOOK_EVERY_S = 60.0


class AutomaticRuns:
    def __init__(
        self, store: Store, settings: Callable[[], Settings], consolidator: Consolidator, energy: Energy
    ) -> None:
        self._energy = energy
        self._store = store
        self._settings = settings
        self._consolidator = consolidator
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.deferred = ""  # why a run that is due waits

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="remanence-clockwork", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_EVERY_S):
            try:
                self.look()
            except RemanenceError as error:
                _log.warning("consolidation: %s", error)
            except Exception:  # noqa: BLE001 (the thread must outlive everything; the next round tries again)
                _log.exception("consolidation")

    def look(self) -> RunTrigger | None:
        """Starts a run if one is due and nothing speaks against it; returns why."""
        if self._consolidator.is_busy:
            return None
        with self._store.read() as connection:
            if rows.load_runs(connection, states=(RunState.PAUSED.value,), limit=1):
                return None  # the person has one in hand
            trigger = due(self._settings(), self.situation(connection))
        reason = self._energy.why_wait(Work.CONSOLIDATION) if trigger is not None else ""
        self.deferred = REASONS.get(reason, "")
        if trigger is None or reason:
            return None
        self._consolidator.run(trigger, waits=False)
        return trigger

    def situation(self, connection: Connection) -> Situation:
        now = self._store.clock.now()
        since = rows.newest_figure(connection, "event")
        last = rows.load_runs(connection, states=("done", "stopped"), limit=1)
        return Situation(
            now=now,
            local_hour=now.astimezone().hour,
            last_run_at=last[0].started_at if last else None,
            first_at=rows.first_operation_at(connection),
            event_count=rows.count_events(connection, since),
            quiet_since=rows.newest_event_at(connection),
        )

    def next_at(self, connection: Connection) -> datetime | None:
        return next_at(self._settings(), self.situation(connection))
