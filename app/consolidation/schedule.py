"""When the next run is due: after so many events, after so many hours, at night when nothing goes on. Pure.

A clock that goes back makes nothing due; one that jumps ahead makes one run due, in which nothing is forgotten for it.
Source: S1 "every 50 events", S4 "nightly", DESIGN section 5.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.settings import Settings
from app.values.consolidation import RunTrigger

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
