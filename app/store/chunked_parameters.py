"""Long lists of numbers in pieces, each of which one statement takes: a database binds only that many values. Knows no table."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
SLICE = 500  # far below what SQLite and PostgreSQL bind


def slices(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in their order, at most `SLICE` at a time.

    >>> [len(some) for some in slices(range(1_100))]
    [500, 500, 100]
    """
    for start in range(0, len(values), SLICE):
        yield values[start : start + SLICE]
