"""Rows of `memory` grouped by what they have in common: each combination of a few columns that occurs is one cell.

Lists filter and count by cells instead of rows. Source: QUALITY P9.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_TABLE_MOST = 1 << 20  # numbers up to here are looked up in a table, larger ones are sorted


class MemoryCells:
    """`code_all` once, then `code` for what changed. The numbers of `names` are never below 0."""

    def __init__(self, np: Any, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._np = np
        self._known: dict[tuple[int, ...], int] = {}
        self._values: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._known)

    def code_all(self, columns: Mapping[str, Any]) -> "Numbers":
        """The cell of every row; what was known of cells before is forgotten."""
        np = self._np
        self._known, self._values = {}, {}
        count = len(columns[self.names[0]])
        if not count:
            return np.zeros(0, np.int64)  # type: ignore[no-any-return]
        keys = np.zeros(count, np.int64)
        for name in self.names:
            size, places = self._dense(columns[name])
            keys = keys * size + places
        size, cells = self._dense(keys)
        example = np.zeros(size, np.int64)
        example[cells] = np.arange(count)  # any row of each cell tells what it is
        self.code(zip(*(columns[name][example].tolist() for name in self.names), strict=True))
        return cells  # type: ignore[no-any-return]

    def code(self, rows: Iterable[tuple[int, ...]]) -> list[int]:
        """The cell of each row, given as its numbers in the order of `names`; a new combination gets the next."""
        before = len(self._known)
        found = [self._known.setdefault(row, len(self._known)) for row in rows]
        if len(self._known) != before:
            self._values = {}
        return found

    def values(self, name: str) -> "Numbers":
        """What a column is in each cell."""
        if not self._values:
            table = self._np.array(list(self._known), self._np.int64).reshape(-1, len(self.names))
            self._values = {one: table[:, place] for place, one in enumerate(self.names)}
        return self._values[name]  # type: ignore[no-any-return]

    def _dense(self, column: Any) -> tuple[int, Any]:
        """How many different numbers there are, and of each row the place of its number among them."""
        np = self._np
        top = int(column.max())
        if top >= _TABLE_MOST:
            values, places = np.unique(column, return_inverse=True)
            return len(values), places.astype(np.int64, copy=False)
        occurs = np.bincount(column) > 0
        place_of = np.cumsum(occurs) - 1
        return int(occurs.sum()), place_of[column]
