"""How much of the processors' time a virtual machine's host gave to others while something was measured.

A wall time from a machine that was taken away meanwhile says nothing about the program: every benchmark prints this share.
Source: /proc/stat, column "steal" (proc(5)); elsewhere the share is unknown and nothing is printed.
"""

import atexit
from pathlib import Path

_STEAL, _TOLD = 7, 8  # columns: user nice system idle iowait irq softirq steal; what follows is counted in them already
_SOURCE = Path("/proc/stat")


def read_ticks() -> tuple[int, int] | None:
    """Clock ticks stolen and in all since the machine started; None where the system doesn't tell."""
    if not _SOURCE.exists():
        return None
    ticks = [int(number) for number in _SOURCE.read_text("ascii").splitlines()[0].split()[1 : _TOLD + 1]]
    return ticks[_STEAL], sum(ticks)


def tell_stolen(since: tuple[int, int] | None) -> str:
    """A line with the share stolen since an earlier reading; empty where it is unknown."""
    now = read_ticks()
    if since is None or now is None or now[1] == since[1]:
        return ""
    return f"  taken by the machine's host meanwhile: {(now[0] - since[0]) / (now[1] - since[1]):.0%} of its processors' time"


def tell_stolen_at_exit() -> None:
    """Prints the share that was stolen from here to the end of the process."""
    since = read_ticks()
    atexit.register(lambda: print(tell_stolen(since)))
