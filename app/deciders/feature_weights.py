"""A linear model over named features as it runs: whole weights, read from a file that is part of the app. Plain Python.

How the weights are learned is the business of `app.evaluation.training`; what the score means, of who asks for it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import InvalidError

SCALE = 100  # weights are kept as whole hundredths: small file, equal sums on every machine


def share_rows(rows: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """The same rows of whole weights, each number once in memory: of a parsed file's hundred thousand few hundred are different.

    >>> found = share_rows({"a": [1_000, -40], "b": [-40, 1_000]})
    >>> found, found["a"][0] is found["b"][1]
    ({'a': (1000, -40), 'b': (-40, 1000)}, True)
    """
    known: dict[int, int] = {}
    return {name: tuple([known.setdefault(one, one) for one in row]) for name, row in rows.items()}


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
