"""The time below the picture: an old thing does not press the rest into the end, and both ends are what they are called."""

from datetime import UTC, datetime, timedelta

import numpy as np
from pytestqt.qtbot import QtBot

from ui.screens.graph.time_slider import STEPS, TimeSlider

LAST = datetime(2026, 11, 20, 12, tzinfo=UTC)


def micro(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)


def slider_of(qtbot: QtBot, instants: list[datetime]) -> TimeSlider:
    made = TimeSlider()
    qtbot.addWidget(made)
    times = np.array([0, *map(micro, instants)], dtype=np.int64)
    made.set_times(times, times)
    return made


def test_the_last_days_have_room_beside_one_thing_of_last_spring(qtbot: QtBot) -> None:
    days = [LAST - timedelta(days=n) for n in range(14)]
    made = slider_of(qtbot, [datetime(2026, 4, 1, tzinfo=UTC), *days])
    made.slider.setValue(STEPS * 3 // 4)
    at = made.moment.at
    assert at is not None
    assert LAST - timedelta(days=14) < at < LAST - timedelta(days=2)
    assert sum(bar > 0 for bar in made.bars._counts) > 5


def test_the_ends_are_the_first_and_now_and_time_only_goes_on(qtbot: QtBot) -> None:
    first = LAST - timedelta(days=30)
    made = slider_of(qtbot, [first, LAST, LAST, LAST - timedelta(days=1)])
    seen = []
    for value in range(0, STEPS, 10):
        made.slider.setValue(value)
        seen.append(made.moment.at)
    assert seen[0] == first
    assert seen == sorted(set(seen), key=lambda at: at or LAST)
    made.slider.setValue(STEPS)
    assert made.moment.at is None


def test_one_instant_and_none_can_not_be_moved_through(qtbot: QtBot) -> None:
    for instants in ([], [LAST], [LAST, LAST]):
        made = slider_of(qtbot, instants)
        assert not made.isEnabled()
        assert made.moment.at is None
