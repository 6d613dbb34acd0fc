"""Reading along waits for the mains."""

from pathlib import Path

import pytest

from app.understanding.machine_load import is_on_battery


@pytest.mark.parametrize(
    ("supply", "expected"),
    [
        ({"type": "Battery", "status": "Discharging"}, True),
        ({"type": "Battery", "status": "Charging"}, False),
        ({"type": "Battery", "status": "Discharging", "scope": "Device"}, False),
        ({"type": "Mains", "online": "1"}, False),
        ({}, False),
    ],
)
def test_a_battery_that_feeds_the_machine(tmp_path: Path, supply: dict[str, str], expected: bool) -> None:
    place = tmp_path / "BAT0"
    place.mkdir()
    for name, value in supply.items():
        (place / name).write_text(f"{value}\n")
    assert is_on_battery(tmp_path) is expected


def test_nothing_known_is_no_battery(tmp_path: Path) -> None:
    assert not is_on_battery(tmp_path / "none")
