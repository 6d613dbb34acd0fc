"""What a session's commands say of what went wrong: the line that names the error, what still fails, what an edit repaired.

The words and the forms of error lines are data. Knows no store and redacts nothing: whoever keeps a line does. Source: DESIGN
section 2 "errors and fixes", S4 "Tier 1".
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from app.language.search_words import split_stems
from app.resources import load_rules
from app.values.context import FAILED_PREFIX, FIXED_PREFIX

_READ_CHARS = 16_000  # of the beginning and of the end
_LINE_CHARS = 600
_FILES_NAMED, _COMMAND_CHARS = 3, 160
_WORD_CHARS, _WORDS_SHARED, _HINTS = 3, 2, 2


@dataclass(frozen=True, slots=True, eq=False)
class FailureRules:
    """`sure` and `hints` are stems."""

    passed_over: tuple[re.Pattern[str], ...]
    error_lines: tuple[re.Pattern[str], ...]
    sure: frozenset[str]
    hints: frozenset[str]

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> "FailureRules":
        """The rules of `failures.yaml`."""
        return cls(
            passed_over=tuple(map(re.compile, raw["passed_over"])),
            error_lines=tuple(map(re.compile, raw["error_lines"])),
            sure=frozenset(split_stems(" ".join(raw["sure_words"]))),
            hints=frozenset(split_stems(" ".join(raw["hint_words"]))),
        )


@cache
def load_failure_rules() -> FailureRules:
    return FailureRules.parse(load_rules("failures"))


def pick_error_line(output: str) -> str:
    """The line of a failed tool's output that names the error; its first line that says anything when none does.

    >>> pick_error_line("> shop@1 build\\nsrc/cart.ts(4,7): error TS2322: Type 'string' is not assignable.\\nExit code 2")
    "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable."
    >>> pick_error_line('Traceback (most recent call last):\\n  File "a.py", line 1\\nValueError: no such cart')
    'ValueError: no such cart'
    """
    rules = load_failure_rules()
    read = output if len(output) <= 2 * _READ_CHARS else f"{output[:_READ_CHARS]}\n{output[-_READ_CHARS:]}"
    lines = [line[:_LINE_CHARS] for line in read.splitlines()]
    said = [line for line in lines if not any(one.search(line) for one in rules.passed_over)]
    found = (line for pattern in rules.error_lines for line in said if pattern.search(line))
    return " ".join(next(found, said[0] if said else "").split())


class ToolUse(NamedTuple):
    """One use of a tool as it is kept."""

    id: int
    file: str
    command: str
    exit_status: int | None
    is_error: bool
    error: str


class Failed(NamedTuple):
    """A command that failed the last time it ran."""

    use: ToolUse


class Fixed(NamedTuple):
    """A command that failed and, after these files were edited, passed and has not failed since."""

    use: ToolUse  # that passed
    failed: ToolUse
    files: tuple[str, ...]


def find_failures(uses: Iterable[ToolUse]) -> tuple[list[Failed], list[Fixed]]:
    """What fails now and what was repaired, the newest first. `uses`: of one project, oldest first.

    >>> uses = [ToolUse(1, "", "make", 2, True, "no rule"), ToolUse(2, "Makefile", "", None, False, "")]
    >>> [one.use.id for one in find_failures(uses)[0]], find_failures(uses)[1]
    ([1], [])
    >>> [one.files for one in find_failures([*uses, ToolUse(3, "", "make", 0, False, "")])[1]]
    [('Makefile',)]
    """
    failing: dict[str, tuple[ToolUse, dict[str, None]]] = {}  # by command: the last failure and the files edited since
    fixed: dict[str, Fixed] = {}
    for one in uses:
        if one.file and not one.is_error:
            for _, files in failing.values():
                files.setdefault(one.file)
        if not one.command:
            continue
        if one.is_error:
            failing[one.command] = (one, {})
            fixed.pop(one.command, None)
        elif one.command in failing:
            failed, files = failing.pop(one.command)
            if files:
                fixed[one.command] = Fixed(one, failed, tuple(files)[-_FILES_NAMED:])
    return (
        sorted((Failed(one) for one, _ in failing.values()), key=lambda one: -one.use.id),
        sorted(fixed.values(), key=lambda one: -one.use.id),
    )


def describe_failed(one: Failed) -> str:
    """The line as the assistant reads it.

    >>> describe_failed(Failed(ToolUse(1, "", "npm run build", 2, True, "error TS2322: no")))
    'Failed lately: npm run build (exit 2): error TS2322: no'
    """
    return f"{FAILED_PREFIX}{_named(one.use)}{_status(one.use)}" + (f": {one.use.error}" if one.use.error else "")


def describe_fixed(one: Fixed) -> str:
    """The line as the assistant reads it.

    >>> failed, passed = ToolUse(1, "", "make", 2, True, "no rule"), ToolUse(3, "", "make", 0, False, "")
    >>> describe_fixed(Fixed(passed, failed, ("Makefile",)))
    'Fixed: make failed with “no rule”, passed after Makefile was edited'
    """
    how = f" with “{one.failed.error}”" if one.failed.error else _status(one.failed)
    files = ", ".join(one.files)
    return (
        f"{FIXED_PREFIX}{_named(one.use)} failed{how}, passed after {files} {'were' if one.files[1:] else 'was'} edited"
    )


def _named(use: ToolUse) -> str:
    line = " ".join(use.command[: 2 * _COMMAND_CHARS].split())
    return line if len(line) <= _COMMAND_CHARS else f"{line[: _COMMAND_CHARS - 1]}…"


def _status(use: ToolUse) -> str:
    return f" (exit {use.exit_status})" if use.exit_status is not None else ""


def is_about_failure(line: str, asked: frozenset[str]) -> bool:
    """Whether a prompt of these stems speaks of what the line says, or of failures in general.

    >>> line = "Failed lately: npm run build (exit 1)"
    >>> [is_about_failure(line, frozenset(split_stems(said))) for said in ("npm build", "fix the build", "paint it red")]
    [True, True, False]
    """
    rules = load_failure_rules()
    if asked & rules.sure:
        return True
    own = {one for one in split_stems(line) if len(one) >= _WORD_CHARS} & asked
    hints = asked & rules.hints
    return len(own) >= _WORDS_SHARED or len(hints) >= _HINTS or bool(hints and own - hints)
