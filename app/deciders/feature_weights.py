"""A linear model over named features as it runs: whole weights, read from a file that is part of the app. Plain Python.

How the weights are learned is the business of `app.evaluation.training`; what the score means, of who asks for it.
"""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from app.errors import InvalidError
from app.language.hash_table import HashedNumbers

SCALE = 100  # weights are kept as whole hundredths: small file, equal sums on every machine


class PackedRows:
    """Rows of whole weights by the name or the bucket of a feature, looked up and never listed: a tenth of a dictionary's memory.

    Raises ValueError for rows of different lengths and for numbers that are no weights.

    >>> rows = PackedRows({"a": [1_000, -40], "b": [-40, 7]})
    >>> rows.get("b"), rows.get("c")
    (array('i', [-40, 7]), None)
    """

    __slots__ = ("_numbers", "_values", "_width")

    def __init__(self, rows: Mapping[str, Sequence[int]] | Mapping[int, Sequence[int]]) -> None:
        lengths = set(map(len, rows.values()))
        if len(lengths) > 1:
            raise ValueError(f"rows of {sorted(lengths)} weights")
        self._width = max(lengths, default=0)
        try:
            self._values = array("i", chain.from_iterable(rows.values()))
        except OverflowError as error:
            raise ValueError(f"no weight: {error}") from error
        self._numbers = HashedNumbers(1 << (2 * len(rows)).bit_length())
        self._numbers.add(rows)

    def get(self, name: str | int) -> Sequence[int] | None:
        number = self._numbers.number(name)
        if number is None:
            return None
        first = number * self._width
        return self._values[first : first + self._width]

    def __eq__(self, other: object) -> bool:
        """The same rows, packed or in a mapping."""
        if isinstance(other, Mapping):
            return len(self) == len(other) and all(
                (row := self.get(name)) is not None and list(row) == list(other[name]) for name in other
            )
        return isinstance(other, PackedRows) and (self._numbers, self._values) == (other._numbers, other._values)

    def __len__(self) -> int:
        return len(self._numbers)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """Whole weights (hundredths) by the name of a feature."""

    weights: Mapping[str, int]
    bias: int
    examples_hash: str

    @classmethod
    def load(cls, path: Path) -> "FeatureWeights":
        """The model in a weights file. Raises InvalidError when the file is damaged."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return cls(raw["weights"], int(raw["bias"]), str(raw["examples_hash"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidError(
                f"The weights {path} cannot be read: {error}", hint="Install the app again; the file is part of it."
            ) from error

    def dump(self) -> str:
        """What stands in a weights file; the same model gives the same text."""
        whole = {"examples_hash": self.examples_hash, "bias": self.bias, "weights": dict(sorted(self.weights.items()))}
        return json.dumps(whole, indent=0, ensure_ascii=False) + "\n"
