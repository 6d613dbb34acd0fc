"""What every scorer returns. Knows nothing of tasks, files or the command line.

Metrics are ratios 0..1 unless a unit is in the name; errors are the most telling ones, at most ten.
"""

from collections.abc import Iterable
from dataclasses import dataclass

MAX_ERROR_COUNT = 10


@dataclass(frozen=True, slots=True)
class EvaluationError:
    """One row that went wrong, short enough to be read in a table."""

    expected: str
    got: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    task: str
    n: int
    metrics: dict[str, float]
    errors: tuple[EvaluationError, ...]


def texts_of(value: object) -> list[str]:
    """The entries of a list in a row of labels; none where there is no list."""
    return [str(entry) for entry in value] if isinstance(value, list) else []


def mean_of(values: Iterable[float]) -> float:
    """0 of nothing.

    >>> mean_of([1.0, 0.0]), mean_of([])
    (0.5, 0.0)
    """
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
