"""The intent classifier as it runs: linear weights over hashed features, pure Python, no numpy, no scikit-learn.

Owns reading and writing of the weights file and the scoring. How weights are learned is intent_training's business;
what a message is made of is intent_features' business. The file names the examples it was learned from by hash, and
the feature version, so that a stale file is noticed.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.deciders.conversation.intents.features import FEATURE_VERSION, MessageShape, feature_names, hash_feature
from app.deciders.feature_weights import PackedRows
from app.errors import InvalidError
from app.values import Intent

NORM_FEATURES = 60.0  # a message of this many features is scored at face value; longer ones are toned down
SCALE = 100  # weights are kept as whole hundredths: small file, equal sums on every machine


@dataclass(frozen=True, slots=True)
class IntentModel:
    """Weights per bucket, one whole number (hundredths) per intent in the order of `intents`."""

    intents: tuple[Intent, ...]
    weights: Mapping[int, tuple[int, ...]] | PackedRows  # packed where it was read from a file
    examples_hash: str
    feature_version: int = FEATURE_VERSION

    @classmethod
    def load(cls, path: Path) -> "IntentModel":
        """The model in a weights file. Raises InvalidError when the file is damaged or of another feature version."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            model = cls(
                intents=tuple(Intent(name) for name in raw["intents"]),
                weights=PackedRows({int(bucket): values for bucket, values in raw["weights"].items()}),
                examples_hash=str(raw["examples_hash"]),
                feature_version=int(raw["feature_version"]),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidError(
                f"The intent weights {path} cannot be read: {error}",
                hint="Delete the file; it is rebuilt from the examples and your corrections.",
            ) from error
        if model.feature_version != FEATURE_VERSION:
            raise InvalidError(
                f"The intent weights {path} belong to another version of the app.",
                hint="Delete the file; it is rebuilt from the examples and your corrections.",
            )
        return model

    def save(self, path: Path) -> None:
        """Writes the weights file; the same model gives the same bytes."""
        path.write_text(self.dump(), encoding="utf-8")

    def dump(self) -> str:
        """What stands in a weights file. Only of a model that was learned: one that was read does not know its features any more."""
        assert not isinstance(self.weights, PackedRows)
        weights = self.weights
        head = {
            "examples_hash": self.examples_hash,
            "feature_version": self.feature_version,
            "intents": [str(intent) for intent in self.intents],
        }
        rows = ",\n".join(f'"{bucket}":[{",".join(map(str, weights[bucket]))}]' for bucket in sorted(weights))
        return json.dumps(head)[:-1] + ', "weights": {\n' + rows + "\n}}\n"

    def score(self, shape: MessageShape, previous: Sequence[Intent] = ()) -> dict[Intent, float]:
        """The share of each intent; they add up to 1."""
        buckets = {hash_feature(name) for name in feature_names(shape, previous)}
        rows = [row for bucket in buckets if (row := self.weights.get(bucket)) is not None]
        sums = [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * len(self.intents)
        scale = SCALE * math.sqrt(max(len(buckets), 1)) / math.sqrt(NORM_FEATURES)
        return _shares(self.intents, [value / scale for value in sums])


def _shares(intents: Sequence[Intent], logits: Sequence[float]) -> dict[Intent, float]:
    """Each intent's own yes-or-no probability, as a share of their sum."""
    chances = [1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, logit)))) for logit in logits]
    total = math.fsum(chances)
    return {intent: chance / total for intent, chance in zip(intents, chances, strict=True)}
