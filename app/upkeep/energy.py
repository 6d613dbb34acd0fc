"""The energy of background work: every piece books what it took, and below a fifth of the whole what can wait does.

A store of units that refills with time, as S5 has it. The processor's seconds and a judge's tokens become units by one scale, so that
a note that a model writes takes 10 to 15 of them and a compaction 20 to 30. Owns the level and the ledger; knows no kind of work:
whoever works books here and asks first. Source: S5 "Energy Consumption", "Energy Budget Impact".
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.settings import ENERGY_TOKENS_PER_UNIT, ENERGY_UNITS_PER_CPU_S, Settings
from app.store.journal import Record
from app.store.rows import energy as rows
from app.store.store import Store
from app.understanding.machine_load import is_busy, is_on_battery
from app.values import Changes, DataKind
from app.values.energy import EnergyState, EnergyUse, PutOff, Work

_DAY = timedelta(days=1)
_KEPT = timedelta(days=90)
_SAME_AGAIN = timedelta(hours=1)  # a reason that holds on is written down so often
_SMALL_UNITS = 1.0  # less is gathered before it becomes an entry
_PUT_OFF_SHOWN = 20
REASONS: Mapping[str, str] = {
    "battery": "The machine runs from its battery.",
    "load": "The machine is busy.",
    "energy": "Energy is low.",
}


@dataclass(slots=True)
class Spent:
    """What a piece of work takes besides this thread's processor time: children's, and a judge's tokens."""

    cpu_s: float = 0.0
    token_count: int = 0


class Energy:
    """Thread-safe. Cheap: what is booked is written behind, what it takes to ask is one comparison."""

    def __init__(self, store: Store, settings: Callable[[], Settings]) -> None:
        self._store = store
        self._settings = settings
        self._lock = threading.Lock()
        self._known: tuple[datetime, float] | None = None  # the level when it was last worked out
        self._small: dict[Work, Spent] = {}
        self._said: dict[tuple[Work, str], datetime] = {}
        self._consumed = 0.0
        self._pruned_at: datetime | None = None

    # booking -------------------------------------------------------------------------------------

    @contextmanager
    def spends(self, work: Work) -> Iterator[Spent]:
        """Books what is done inside, also when it fails: this thread's processor time, and what is added to the value."""
        spent, started_s = Spent(), time.thread_time()
        try:
            yield spent
        finally:
            self.book(work, cpu_s=spent.cpu_s + time.thread_time() - started_s, token_count=spent.token_count)

    def book(self, work: Work, *, cpu_s: float = 0.0, token_count: int = 0) -> None:
        """Takes what a piece of work took from the level. Never raises for want of energy: what runs is not stopped."""
        with self._lock:
            small = self._small.setdefault(work, Spent())
            small.cpu_s += cpu_s
            small.token_count += token_count
            units = units_of(small.cpu_s, small.token_count)
            if units < _SMALL_UNITS:
                return
            del self._small[work]
            self._take(work, small, units)

    def flush(self) -> None:
        """Books what was gathered."""
        with self._lock:
            gathered, self._small = self._small, {}
            for work, spent in gathered.items():
                self._take(work, spent, units_of(spent.cpu_s, spent.token_count))

    def consumed_since_last_poll(self) -> float:
        """Units that all work took since this was asked last, or since the start (S5 `getEnergyConsumedSinceLastPoll`)."""
        with self._lock:
            consumed, self._consumed = self._consumed, 0.0
            return consumed + self._take_small()

    def _take_small(self) -> float:
        gathered, self._small = self._small, {}
        before = self._consumed
        for work, spent in gathered.items():
            self._take(work, spent, units_of(spent.cpu_s, spent.token_count))
        small, self._consumed = self._consumed - before, before
        return small

    def _take(self, work: Work, spent: Spent, units: float) -> None:
        now = self._store.clock.now()
        level = max(0.0, self._level(now) - units)
        self._known = (now, level)
        self._consumed += units
        self._write(
            {
                "at": now, "work": work.value, "units": round(units, 3), "level": round(level, 3),
                "cpu_s": round(spent.cpu_s, 4), "token_count": spent.token_count,
            }
        )  # fmt: skip

    def _write(self, values: Record) -> None:
        is_prune_due = self._pruned_at is None or values["at"] - self._pruned_at > _DAY
        if is_prune_due:
            self._pruned_at = values["at"]

        def write() -> Changes:
            with self._store.database.transaction(is_durable=False) as connection:
                rows.add_entry(connection, values)
                if is_prune_due:
                    rows.delete_before(connection, values["at"] - _KEPT)
            return Changes(seq=0, kinds=frozenset({DataKind.ENERGY}))

        self._store.behind.later(lambda: write)

    # the level -----------------------------------------------------------------------------------

    @property
    def is_low(self) -> bool:
        """Whether work that can wait should."""
        with self._lock:
            return self._level(self._store.clock.now()) < self._low_below()

    def _level(self, now: datetime) -> float:
        settings = self._settings()
        if self._known is None:
            with self._store.database.read() as connection:
                newest = rows.newest_entry(connection)
            self._known = (now, settings.energy_capacity) if newest is None else (newest.at, newest.level)
        at, level = self._known
        hours = max(0.0, (now - at) / timedelta(hours=1))  # a clock that went back brings nothing and takes nothing
        return min(float(settings.energy_capacity), level + hours * settings.energy_refill_per_hour)

    def _low_below(self) -> float:
        settings = self._settings()
        return settings.energy_capacity * settings.energy_low_percent / 100

    # putting off ---------------------------------------------------------------------------------

    def why_wait(self, work: Work, *, heeds_load: bool = True, is_tiny: bool = False) -> str:
        """Why a piece of work that nobody asked for should wait: "" or battery, load, energy; noted in the ledger.

        `is_tiny`: it takes some milliseconds, so that only want of energy puts it off.
        """
        if is_tiny:
            reason = "energy" if self.is_low else ""
        elif is_on_battery():
            reason = "battery"
        elif self.is_low:
            reason = "energy"
        else:
            reason = "load" if heeds_load and is_busy() else ""
        self.note_put_off(work, reason)
        return reason

    def note_put_off(self, work: Work, reason: str) -> None:
        """Writes down that a piece of work waits, once an hour for each reason. "" forgets why it waited."""
        now = self._store.clock.now()
        with self._lock:
            if not reason:
                self._said = {key: at for key, at in self._said.items() if key[0] is not work}
                return
            last = self._said.get((work, reason))
            if last is not None and abs(now - last) < _SAME_AGAIN:
                return
            self._said[work, reason] = now
            level = self._level(now)
            self._known = (now, level)
            self._write({"at": now, "work": work.value, "level": round(level, 3), "put_off": reason})

    # showing -------------------------------------------------------------------------------------

    def state(self, connection: Connection) -> EnergyState:
        """Level, refill, what used it in the last day, what was put off."""
        now, settings = self._store.clock.now(), self._settings()
        with self._lock:
            level = self._level(now)
            gathered = {work: Spent(one.cpu_s, one.token_count) for work, one in self._small.items()}
        missing = settings.energy_capacity - level
        is_filling = missing > 0 and settings.energy_refill_per_hour > 0
        booked = (
            EnergyUse(Work(row.work), row.units, row.cpu_s, int(row.token_count), row.work_count, row.put_off_count)
            for row in rows.units_by_work(connection, now - _DAY)
        )
        uses = _with_gathered(booked, gathered)
        return EnergyState(
            level=level,
            capacity=float(settings.energy_capacity),
            refill_per_hour=float(settings.energy_refill_per_hour),
            low_below=self._low_below(),
            is_low=level < self._low_below(),
            full_at=now + timedelta(hours=missing / settings.energy_refill_per_hour) if is_filling else None,
            used_today=sum(one.units for one in uses),
            uses=uses,
            put_off=tuple(
                PutOff(row.at, Work(row.work), REASONS[row.put_off])
                for row in rows.newest_put_off(connection, _PUT_OFF_SHOWN)
            ),
            per_hour=_per_hour(rows.entries_since(connection, now - _DAY), now),
        )


def units_of(cpu_s: float, token_count: int) -> float:
    """Units for processor seconds and a judge's tokens.

    >>> units_of(1.5, 0), units_of(0.0, 360)
    (15.0, 12.0)
    """
    return cpu_s * ENERGY_UNITS_PER_CPU_S + token_count / ENERGY_TOKENS_PER_UNIT


def _with_gathered(booked: Iterable[EnergyUse], gathered: Mapping[Work, Spent]) -> tuple[EnergyUse, ...]:
    """What each work used, with what is too little yet to be an entry; what is gathered counts as one piece of work."""
    uses = {one.work: one for one in booked}
    for work, spent in gathered.items():
        one = uses.get(work, EnergyUse(work, 0.0, 0.0, 0, 0, 0))
        uses[work] = replace(
            one,
            units=one.units + units_of(spent.cpu_s, spent.token_count),
            cpu_s=one.cpu_s + spent.cpu_s,
            token_count=one.token_count + spent.token_count,
            work_count=one.work_count + 1,
        )
    return tuple(sorted(uses.values(), key=lambda one: -one.units))


def _per_hour(entries: Sequence[Any], now: datetime) -> tuple[tuple[datetime, float], ...]:
    hours = [now - timedelta(hours=back) for back in range(24, 0, -1)]
    sums = [0.0] * len(hours)
    for row in entries:
        place = min(int((row.at - hours[0]) / timedelta(hours=1)), len(sums) - 1)
        sums[max(0, place)] += row.units
    return tuple(zip(hours, (round(one, 3) for one in sums), strict=True))
