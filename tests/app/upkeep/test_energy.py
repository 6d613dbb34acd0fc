"""The ledger of background work: what it books, when it is low, what it says waits."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock
from app.settings import Settings
from app.store.journal import table_of
from app.store.tables.core import EnergyEntryRow
from app.upkeep.energy import Energy, units_of
from app.values.energy import Work


@pytest.fixture
def energy(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Energy]:
    """One over the engine's store, whose own threads book elsewhere; whatever the machine does that tests run on."""
    for cause in ("is_busy", "is_on_battery"):
        monkeypatch.setattr(f"app.upkeep.energy.{cause}", lambda: False)
    return Energy(engine._core.store, lambda: Settings(energy_capacity=100, energy_refill_per_hour=20))


def entries(engine: Engine) -> list[tuple[str, float, str]]:
    with engine._core.store.read() as connection:
        table = table_of(EnergyEntryRow)
        rows = connection.execute(table.select().order_by(table.c.id)).all()
    return [(row.work, row.units, row.put_off) for row in rows]


@pytest.mark.seed("S5", "energy.create", "energy.compact")
def test_tokens_and_processor_seconds_come_off_the_level_and_come_back(
    engine: Engine, energy: Energy, clock: FrozenClock
) -> None:
    energy.book(Work.NOTE, token_count=360)
    energy.book(Work.COMPACTION, cpu_s=2.5)
    with engine._core.store.read() as connection:
        found = energy.state(connection)
    assert (found.level, found.used_today, found.is_low) == (63.0, 37.0, False)
    assert [(one.work, one.units, one.work_count) for one in found.uses] == [
        (Work.COMPACTION, 25.0, 1),
        (Work.NOTE, 12.0, 1),
    ]
    assert found.full_at == clock.now() + timedelta(hours=37 / 20)
    assert sum(units for _, units in found.per_hour) == 37.0
    clock.advance(minutes=60)
    with engine._core.store.read() as connection:
        assert energy.state(connection).level == 83.0
    clock.advance(minutes=600)
    with engine._core.store.read() as connection:
        found = energy.state(connection)
    assert (found.level, found.full_at) == (100.0, None)


def test_below_a_fifth_what_can_wait_waits_and_it_is_written_down_once_an_hour(
    engine: Engine, energy: Energy, clock: FrozenClock
) -> None:
    assert energy.why_wait(Work.NOTE) == ""
    energy.book(Work.JUDGE, token_count=30 * 81)
    assert energy.is_low
    assert [energy.why_wait(Work.NOTE) for _ in range(5)] == ["energy"] * 5
    assert [one for one in entries(engine) if one[2]] == [("note", 0.0, "energy")]
    with engine._core.store.read() as connection:
        assert energy.state(connection).put_off[0].reason == "Energy is low."
    clock.advance(minutes=10)
    assert energy.why_wait(Work.NOTE) == ""  # 19 and a sixth of 20 came back


def test_a_level_never_falls_below_nothing_and_outlives_a_restart(
    engine: Engine, energy: Energy, clock: FrozenClock
) -> None:
    energy.book(Work.CONSOLIDATION, cpu_s=500)
    assert energy.is_low
    again = Energy(engine._core.store, lambda: Settings(energy_capacity=100, energy_refill_per_hour=20))
    engine._core.store.behind.settle()
    assert again.is_low
    clock.advance(minutes=90)
    assert not again.is_low  # 30


def test_a_clock_that_goes_back_takes_nothing(engine: Engine, energy: Energy, clock: FrozenClock) -> None:
    energy.book(Work.NOTE, cpu_s=5)
    clock.advance(minutes=-600)
    with engine._core.store.read() as connection:
        assert energy.state(connection).level == 50.0


@pytest.mark.parametrize(("cause", "reason"), [("is_busy", "load"), ("is_on_battery", "battery")])
def test_battery_and_load_put_off_too(
    engine: Engine, energy: Energy, monkeypatch: pytest.MonkeyPatch, cause: str, reason: str
) -> None:
    monkeypatch.setattr(f"app.upkeep.energy.{cause}", lambda: True)
    assert energy.why_wait(Work.CONSOLIDATION) == reason
    assert entries(engine)[-1] == ("consolidation", 0.0, reason)
    assert energy.why_wait(Work.CONSOLIDATION, heeds_load=False) == ("" if reason == "load" else "battery")


def test_little_is_gathered_until_it_is_a_unit(engine: Engine, energy: Energy) -> None:
    for _ in range(9):
        energy.book(Work.INDEX, cpu_s=0.01)
    assert [one for one in entries(engine) if one[0] == "index"] == []
    energy.book(Work.INDEX, cpu_s=0.02)
    assert [one for one in entries(engine) if one[0] == "index"] == [("index", 1.1, "")]


@pytest.mark.seed("S5", "agent.energy")
def test_a_poll_answers_what_was_used_since_the_last(energy: Energy) -> None:
    energy.book(Work.NOTE, token_count=300)
    energy.book(Work.NOTE, token_count=3)
    assert energy.consumed_since_last_poll() == pytest.approx(10.1)
    assert energy.consumed_since_last_poll() == 0.0
    energy.book(Work.COMPACTION, token_count=750)
    assert energy.consumed_since_last_poll() == 25.0


def test_work_that_fails_is_booked_all_the_same(energy: Energy) -> None:
    def fail() -> None:
        with energy.spends(Work.NOTE) as spent:
            spent.token_count = 120
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert energy.consumed_since_last_poll() == pytest.approx(units_of(0, 120), abs=0.5)


def test_threads_lose_nothing(energy: Energy) -> None:
    threads = [
        threading.Thread(target=lambda: [energy.book(Work.NOTE, token_count=3) for _ in range(100)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert energy.consumed_since_last_poll() == pytest.approx(40.0)
