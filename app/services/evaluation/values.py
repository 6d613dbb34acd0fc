"""What every scorer returns. Knows nothing of tasks, files or the command line.

Metrics are ratios 0..1 unless a unit is in the name; errors are the most telling ones, at most ten.
"""

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
