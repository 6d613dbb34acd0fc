"""How commands show what they found: one JSON document, or aligned plain text. Knows nothing of where it came from."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

UNDO_HINT = "remanence undo takes it back."


def print_json(value: object) -> None:
    """`value` as one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def print_line(text: str = "", *, is_flushed: bool = False) -> None:
    sys.stdout.write(text + "\n")
    if is_flushed:
        sys.stdout.flush()


def print_problem(text: str) -> None:
    sys.stderr.write(text + "\n")


def print_done(value: object, text: str, *, as_json: bool) -> None:
    """What was changed, and how it is taken back."""
    if as_json:
        print_json(value)
    else:
        print_line(f"{text} {UNDO_HINT}")


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns as wide as their widest cell; the last one may be any length.

    >>> print_table(("name", "state"), [("codex", "paused"), ("claude-code", "on")])
    name         state
    codex        paused
    claude-code  on
    """
    table = [tuple(heads), *(tuple(_cell(value) for value in row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(heads))]
    for row in table:
        print_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def pick(value: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(value.get(name) for name in names)


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value) or "-"
    return "".join(char if char.isprintable() else " " for char in str(value))
