"""When a run comes by itself: fifty events, a day, the night; and that a clock which jumps or a machine without time starts none."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.api import Engine, FrozenClock
from app.consolidation.automatic_runs import Situation, due, next_at
from app.settings import Settings
from app.values.consolidation import RunTrigger
from tests.app.consolidation.memories import remember
from tests.conftest import Say

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
RESTING = Situation(
    now=NOON, local_hour=12, last_run_at=NOON - timedelta(hours=2), first_at=NOON - timedelta(days=9), event_count=49,
    quiet_since=NOON - timedelta(minutes=20),
)  # fmt: skip
NIGHT = {"local_hour": 3, "last_run_at": NOON - timedelta(hours=13)}


@pytest.mark.seed("S1", "con.trigger-50")
@pytest.mark.seed("S1", "con.trigger-24")
@pytest.mark.parametrize(
    ("here", "why"),
    [
        ({}, None),
        ({"event_count": 50}, RunTrigger.EVENTS),
        ({"last_run_at": NOON - timedelta(hours=24)}, RunTrigger.HOURS),
        ({"last_run_at": NOON - timedelta(hours=24), "event_count": 0}, None),
        ({"last_run_at": None, "first_at": NOON - timedelta(hours=23)}, None),
        ({"last_run_at": None}, RunTrigger.HOURS),
        (NIGHT, RunTrigger.NIGHT),
        ({**NIGHT, "event_count": 0}, None),
        ({**NIGHT, "quiet_since": NOON - timedelta(minutes=14)}, None),
        ({**NIGHT, "last_run_at": NOON - timedelta(hours=11)}, None),
        ({**NIGHT, "local_hour": 5}, None),
        ({"last_run_at": NOON + timedelta(days=400)}, None),  # the clock went back
    ],
)
def test_when_a_run_is_due(here: dict[str, object], why: RunTrigger | None) -> None:
    assert due(Settings(), replace(RESTING, **here)) is why  # type: ignore[arg-type]
    assert due(Settings(is_consolidating=False), replace(RESTING, **here)) is None  # type: ignore[arg-type]


def test_the_thresholds_are_the_persons() -> None:
    assert due(Settings(consolidation_events=7), replace(RESTING, event_count=7)) is RunTrigger.EVENTS
    assert due(Settings(consolidation_hours=2), RESTING) is RunTrigger.HOURS
    assert due(Settings(is_consolidating_at_night=False), replace(RESTING, **NIGHT)) is None
    assert next_at(Settings(), RESTING) == NOON + timedelta(hours=22)
    assert next_at(Settings(is_consolidating=False), RESTING) is None


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    for cause in ("is_busy", "is_on_battery"):
        monkeypatch.setattr(f"app.upkeep.energy.{cause}", lambda: False)


@pytest.mark.seed("S1", "con.trigger-50")
@pytest.mark.usefixtures("calm")
def test_fifty_prompts_start_one_run_that_merges(engine: Engine, say: Say) -> None:
    for _ in range(2):
        remember(engine, "We deploy on Fridays with the blue script.")
    for number in range(49):
        say(f"look at part {number}", session="a")
    assert engine._core.clockwork.look() is None
    say("look at the last part", session="a")
    assert engine._core.clockwork.look() is RunTrigger.EVENTS
    engine.consolidation.preview()  # waits behind it
    run = next(one for one in engine.consolidation.runs() if one.trigger is RunTrigger.EVENTS)
    assert run.report.deduped == 1
    assert engine.consolidation.state().events_since == 0
    assert engine._core.clockwork.look() is None


@pytest.mark.seed("S1", "con.trigger-24")
@pytest.mark.usefixtures("calm")
def test_a_clock_that_jumps_starts_one_run_which_forgets_nothing(engine: Engine, clock: FrozenClock, say: Say) -> None:
    say("Staging runs on the host lighthouse.", session="a")
    ids = [remember(engine, "The staging host is called lighthouse.", importance=0.3)]
    clock.advance(days=900)
    assert engine._core.clockwork.look() is RunTrigger.HOURS
    engine.consolidation.preview()
    run = next(one for one in engine.consolidation.runs() if one.trigger is RunTrigger.HOURS)
    assert (run.report.forgotten, run.report.memories_archived) == (0, 0)
    assert engine.memories.get(ids[0]).memory.status == "active"
    assert engine._core.clockwork.look() is None, "nothing happened since"


def test_a_run_that_is_due_waits_for_the_mains_and_says_so(
    engine: Engine, clock: FrozenClock, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    say("Staging runs on the host lighthouse.", session="a")
    clock.advance(days=2)
    monkeypatch.setattr("app.upkeep.energy.is_on_battery", lambda: True)
    assert engine._core.clockwork.look() is None
    assert "battery" in engine.consolidation.state().deferred
    assert engine.consolidation.runs() == ()
