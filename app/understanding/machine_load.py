"""Whether work that can wait should: the machine runs from its battery, or is busy with the person's own work.

A battery puts off all that nobody asked for, a busy machine only what has time.

Reads what the operating system tells without a program; where it tells nothing, the answer is no. Source: JUDGE "The meter".
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

_BUSY_PER_CORE = 3.0  # processes that want to run, over a minute
_SUPPLIES = Path("/sys/class/power_supply")


def is_busy() -> bool:
    """Whether far more wants to run than can."""
    with contextlib.suppress(OSError, AttributeError):  # not on Windows
        return os.getloadavg()[0] > _BUSY_PER_CORE * (os.cpu_count() or 1)
    return False


def is_on_battery(supplies: Path = _SUPPLIES) -> bool:
    """Whether a battery feeds the machine; that of a mouse feeds none."""
    if sys.platform == "win32":
        status = (ctypes.c_ubyte * 12)()
        return bool(ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status))) and status[0] == 0
    with contextlib.suppress(OSError):
        return any(
            _read(place / "type") == "Battery"
            and _read(place / "scope") != "Device"
            and _read(place / "status") == "Discharging"
            for place in supplies.iterdir()
        )
    return False


def _read(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip()
    return ""
