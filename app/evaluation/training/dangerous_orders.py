"""Learns the model of dangerous orders from labelled sentences.

`python -m app.evaluation.training.dangerous_orders` rewrites resources/orders/weights.json after the examples beside it changed. What the
statements and the intents are learned from is harmless too. Deterministic: same examples, same bytes.
"""

from collections import Counter
from pathlib import Path

from app.deciders.feature_weights import SCALE, FeatureWeights
from app.deciders.logistic import SparseRows, fit_logistic
from app.deciders.memory.statements.dangerous_order_model import NORM_FEATURES, name_features
from app.deciders.memory.statements.dangerous_orders import split_orders
from app.evaluation.training.labelled_lines import hash_examples, labelled_lines
from app.resources import resource_path

_STRENGTH = 1.0  # recall by cross-validation is flat from 0.3 to 3
_SMALLEST_COUNT = 2  # a feature seen once teaches nothing
_SMALLEST_WEIGHT = 2  # hundredths
_ALIKE_WEIGHT, _OTHER_WEIGHT = 2.0, 0.5  # the look-alikes were written for this, the others come along


def train_order_model(dangerous: list[str], alike: list[str], others: list[str], examples_hash: str) -> FeatureWeights:
    """A model learned from dangerous orders, from harmless ones that look alike, and from other sentences."""
    texts = [*dangerous, *alike, *others]
    rows = [name_features(text) for text in texts]
    counts = Counter(name for row in rows for name in row)
    kept = sorted(name for name, count in counts.items() if count >= _SMALLEST_COUNT)
    position = {name: index for index, name in enumerate(kept)}
    cells: list[tuple[int, int]] = []
    values: list[float] = []
    for number, row in enumerate(rows):
        known = sorted(position[name] for name in row if name in position)
        cells += [(number, column) for column in known] + [(number, len(kept))]
        values += [(NORM_FEATURES / max(len(known), NORM_FEATURES)) ** 0.5] * len(known) + [1.0]
    filled = SparseRows(cells, values, row_count=len(texts), column_count=len(kept) + 1)
    labels = [number < len(dangerous) for number in range(len(texts))]
    costs = [1.0] * len(dangerous) + [_ALIKE_WEIGHT] * len(alike) + [_OTHER_WEIGHT] * len(others)
    fitted = [round(float(one) * SCALE) for one in fit_logistic(filled, labels, costs, _STRENGTH)]
    weights = {name: weight for name, weight in zip(kept, fitted, strict=False) if abs(weight) >= _SMALLEST_WEIGHT}
    return FeatureWeights(weights, fitted[-1], examples_hash)


def _sentences(folder: Path) -> set[str]:
    return {one for path in folder.glob("*.txt") for line in labelled_lines(path) for one in split_orders(line)}


def main() -> None:
    """Rewrites the shipped weights from the shipped examples."""
    folder = resource_path("orders")
    others = sorted(_sentences(resource_path("statements")) | _sentences(resource_path("intents")))
    dangerous, alike = labelled_lines(folder / "dangerous.txt"), labelled_lines(folder / "harmless.txt")
    model = train_order_model(dangerous, alike, others, hash_examples(folder))
    (folder / "weights.json").write_text(model.dump(), encoding="utf-8")


if __name__ == "__main__":
    main()
