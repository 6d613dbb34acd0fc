"""Runs a scorer on a file of labelled data: recognises the file by its fields and refuses one that does not fit.

Owns reading and recognising; the measuring is in `app.evaluation.tasks`, one module per task. It opens no store; whole sessions,
which need one, are played by `app.evaluation`.
Source: DESIGN section 6 "eval", eval/README.
"""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from app.errors import InvalidError, NotFoundError
from app.evaluation.tasks.values import Evaluation, EvaluationError

__all__ = ["TASKS", "Evaluation", "EvaluationError", "read_rows", "run_evaluation"]

# Per task the sets of fields by which a row of a fitting file is known.
_SHAPES: Mapping[str, tuple[frozenset[str], ...]] = {
    "intent": (frozenset({"text", "intent"}),), "entities": (frozenset({"text", "entities"}), frozenset({"a", "b", "same"})),
    "references": (frozenset({"history", "message", "mention", "gold"}), frozenset({"history", "message", "complete"})),
    "boundary": (frozenset({"text", "boundary"}), frozenset({"id", "messages"}), frozenset({"texts", "boundary"})),
    "facts": (frozenset({"text", "facts"}),), "decisions": (frozenset({"text", "label", "repo"}),),
    "contradictions": (frozenset({"a", "b", "label"}), frozenset({"old", "new", "label"}),
        frozenset({"id", "text", "session", "answer", "tools"})),
    "duplicates": (frozenset({"a", "b", "label", "source"}), frozenset({"a", "b", "similarity"})),
    "compression": (frozenset({"text", "facts"}), frozenset({"text", "label", "repo"})),
    "retrieval": (frozenset({"kind", "conv", "speaker", "when", "text"}),
        frozenset({"kind", "conv", "evidence", "text"}), frozenset({"query", "relevant", "current"})),
    "context": (frozenset({"kind", "conv", "speaker", "when", "text"}), frozenset({"kind", "conv", "evidence", "text"})),
    "forgetting": (frozenset({"kind", "conv", "speaker", "when", "text"}),
        frozenset({"kind", "conv", "evidence", "text"}), frozenset({"old", "new", "label"})),
    "abstention": (frozenset({"kind", "conv", "speaker", "when", "text"}),
        frozenset({"kind", "conv", "evidence", "text"})),
}  # fmt: skip
TASKS = tuple(_SHAPES)
_ONE_PER_LINE = "One JSON object per line is expected."

_Row = dict[str, Any]


def run_evaluation(task: str, path: Path) -> Evaluation:
    """The metrics of `task` on the rows of `path`.

    Raises InvalidError for an unknown task and for a file that is not JSON lines or has other fields.
    """
    if task not in _SHAPES:
        raise InvalidError(f"There is no task called {task!r}.", hint=f"Choose one of: {', '.join(TASKS)}.")
    rows = read_rows(path)
    for number, row in enumerate(rows, 1):
        if not _fits(task, row):
            raise InvalidError(
                f"Line {number} of {path.name} has the fields {', '.join(sorted(row)) or '(none)'}: "
                f"that does not fit the task {task}.",
                hint=_suggest(row),
            )
    scorer = import_module(f"..evaluation.tasks.{task}", __package__)
    evaluate = cast(Callable[..., Evaluation], scorer.evaluate)
    try:
        return evaluate(rows, *_read_beside(path, getattr(scorer, "BESIDE", None), rows))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidError(
            f"A row of {path.name} holds a value that the task {task} cannot read ({type(error).__name__}: {error}).",
            hint="The formats are described in the README of the labelled data.",
        ) from error


def _read_beside(path: Path, names: tuple[str, str] | None, rows: list[_Row]) -> tuple[list[_Row], ...]:
    """Rows of the file that a task needs beside its own: the pool of queries is in the file of pairs."""
    if names is None or not all("query" in row for row in rows):
        return ()
    return (read_rows(path.with_name(path.name.replace(*names))),)


def _fits(task: str, row: _Row) -> bool:
    return any(shape <= row.keys() for shape in _SHAPES[task])


def _suggest(row: _Row) -> str:
    fitting = [task for task in TASKS if _fits(task, row)]
    return f"It fits: {', '.join(fitting)}." if fitting else "It fits none of the tasks."


def read_rows(path: Path) -> list[_Row]:
    """The rows of a file of JSON lines. Raises NotFoundError, InvalidError: not text, not JSON, empty."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.", hint="Give a file of labelled data.") from error
    except (OSError, UnicodeDecodeError) as error:
        what = (error.strerror or "no reason was given").lower() if isinstance(error, OSError) else "it is not text"
        raise InvalidError(
            f"The file {path} cannot be read: {what}.", hint="It must be a text file in UTF-8."
        ) from error
    rows = [_read_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InvalidError(f"The file {path.name} is empty.", hint=_ONE_PER_LINE)
    return rows


def _read_row(path: Path, number: int, line: str) -> _Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"Line {number} of {path.name} is not JSON: {error}.", hint=_ONE_PER_LINE) from error
    if not isinstance(row, dict):
        raise InvalidError(f"Line {number} of {path.name} is not a JSON object.", hint=_ONE_PER_LINE)
    return row
