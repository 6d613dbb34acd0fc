"""How commands show what they found: one JSON document, or aligned plain text. Knows nothing of where it came from."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# C0 but tab and line feed, DEL, C1; marks, embeddings and isolates of bidirectional text; separators of lines.
# Joiners stay: scripts and signs are made of them. Source: CVE-2021-42574, ECMA-48.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
UNDO_HINT = "remanence undo undoes it."


def harmless(text: str) -> str:
    """`text` without what steers a terminal or turns the order of its letters round: a space for each.

    >>> harmless("a\\x1b[2Jb\\u202ec\\x9b1m\\nd")
    'a [2Jb c 1m\\nd'
    """
    return _STEERING.sub(" ", text)


def print_json(value: object) -> None:
    """`value` as one JSON document on stdout."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    sys.stdout.write(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def print_line(text: str = "", *, is_flushed: bool = False) -> None:
    sys.stdout.write(harmless(text) + "\n")
    if is_flushed:
        sys.stdout.flush()


def print_problem(text: str) -> None:
    sys.stderr.write(harmless(text) + "\n")


def print_result(value: object, text: str, *, as_json: bool) -> None:
    """What was found or done: `value` for a program, `text` for a person."""
    if as_json:
        print_json(value)
    else:
        print_line(text)


def print_done(value: object, text: str, *, as_json: bool) -> None:
    """What was changed, and how it is taken back."""
    print_result(value, f"{text} {UNDO_HINT}", as_json=as_json)


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
