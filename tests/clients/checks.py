"""What was looked at and what came of it: the list of checks of one client, and the tables printed at the end.

Owns the form of the report. Knows neither clients nor the app.
"""

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

WIDTH = 118


@dataclass(frozen=True)
class Check:
    """One promise that was looked at."""

    step: str
    promise: str
    is_kept: bool
    found: str


@dataclass
class Checks:
    """The checks of one client, printed as they come."""

    client: str
    all: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # parts of the play that this client does not offer
    started_s: float = field(default_factory=time.monotonic)

    def add(self, step: str, promise: str, is_kept: object, found: object = "") -> bool:
        check = Check(step, promise, bool(is_kept), str(found))
        self.all.append(check)
        mark = "kept  " if check.is_kept else "BROKEN"
        say(f"  {mark} {step}: {promise}" + (f" [{check.found}]" if check.found else ""))
        return check.is_kept

    def note(self, text: str) -> None:
        self.notes.append(text)
        say(f"  –      {text}")

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.all if not check.is_kept]


def say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def table(title: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Rows in columns, the last one free."""
    found = list(rows)
    say(f"\n{title}")
    if not found:
        say("  nothing")
        return
    widths = [max(len(row[index]) for row in found) for index in range(len(found[0]) - 1)]
    for row in found:
        head = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        say(f"  {head}  {row[-1]}"[: WIDTH * 3])
