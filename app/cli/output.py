"""How commands show what they found: one JSON document, or aligned plain text. Knows nothing of where it came from."""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime

# C0 but tab and line feed, DEL, C1; marks, embeddings and isolates of bidirectional text; separators of lines.
# Joiners stay: scripts and signs are made of them. Source: CVE-2021-42574, ECMA-48.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
UNDO_HINT = "Undo it with: remanence undo"
_NARROWEST = 12  # characters; a column is not wrapped to less


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


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "") -> None:
    """Columns as wide as their widest cell; in a terminal they are wrapped to its width. Without rows, `empty` instead.

    >>> print_table(("name", "state"), [("codex", "paused"), ("claude-code", "on")])
    name         state
    codex        paused
    claude-code  on
    """
    table = [tuple(heads), *(tuple(_cell(value) for value in row) for row in rows)]
    if empty and len(table) == 1:
        print_line(empty)
        return
    natural = [max(len(row[column]) for row in table) for column in range(len(heads))]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    widths = fit_widths(natural, room) if room else natural
    for row in table:
        for line in wrap_row(row, widths):
            print_line(line)


def fit_widths(natural: Sequence[int], room: int) -> list[int]:
    """Widths of columns that fit into `room` characters, two between each: the widest give way first.

    >>> fit_widths([3, 8, 90], 40), fit_widths([3, 40, 90], 60), fit_widths([3, 8], 40)
    ([3, 8, 25], [3, 26, 27], [3, 8])
    """
    widths = list(natural)
    while sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def wrap_row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """A row as the lines that it takes at these widths; a word that is longer than its column is cut in two.

    >>> wrap_row(("1", "staging runs on port 8080"), (2, 12))
    ['1   staging runs', '    on port 8080']
    """
    cells = [
        [cell] if len(cell) <= width else textwrap.wrap(cell, width) for cell, width in zip(row, widths, strict=True)
    ]
    height = max(len(cell) for cell in cells)
    lines = [[cell[line] if line < len(cell) else "" for cell in cells] for line in range(height)]
    return ["  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def shown_at(instant: str) -> str:
    """An instant of an answer, in this machine's time, to the minute; what is no instant stays."""
    try:
        return f"{datetime.fromisoformat(instant).astimezone():%Y-%m-%d %H:%M}"
    except (TypeError, ValueError, OverflowError):
        return str(instant or "")


def shown_bytes(count: int) -> str:
    """
    >>> shown_bytes(700), shown_bytes(626_688), shown_bytes(41_000_000)
    ('0.7 kB', '627 kB', '41.0 MB')
    """
    if count < 1_000_000:
        return f"{count / 1_000:.1f} kB" if count < 10_000 else f"{count / 1_000:.0f} kB"
    return f"{count / 1_000_000:.1f} MB"


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value) or "-"
    return "".join(char if char.isprintable() else " " for char in str(value))
