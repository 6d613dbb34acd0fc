"""Time comes from a Clock that is passed in, so that tests can freeze it. Instants are aware UTC."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The current instant, timezone-aware UTC."""

    def monotonic_s(self) -> float:
        """Seconds that never go back, for durations."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


class FrozenClock:
    """A clock that moves only when it is told to.

    >>> clock = FrozenClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    >>> clock.advance(minutes=5).minute
    5
    """

    def __init__(self, at: datetime) -> None:
        self._at = at
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._at

    def monotonic_s(self) -> float:
        return self._elapsed_s

    def advance(self, **delta: float) -> datetime:
        step = timedelta(**delta)
        self._at += step
        self._elapsed_s += max(0.0, step.total_seconds())
        return self._at

    def set(self, at: datetime) -> None:
        self._at = at


class MovedClock:
    """Goes as the system's, and can be moved: for measuring what time does, and for an example that took two weeks."""

    def __init__(self) -> None:
        self._moved = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._moved

    def monotonic_s(self) -> float:
        return time.monotonic()

    def move_days(self, days: int) -> datetime:
        """The new time."""
        self._moved += timedelta(days=days)
        return self.now()

    def move_to(self, at: datetime) -> None:
        self._moved = at - datetime.now(UTC)

    def catch_up(self) -> None:
        """The system's time again."""
        self._moved = timedelta()
