"""Learns the intent model from labelled examples and a person's corrections. The only user of scikit-learn here.

`python -m app.conversation.intent_training` rewrites resources/intents/weights.json after the examples in
resources/intents/*.txt changed. One example a line: `[also TEST] [after QUESTION] text`; a line that starts with `| `
continues the one before; `## ` starts a comment. Deterministic: same examples, same bytes.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.conversation.intent_features import FEATURE_VERSION, feature_names, hash_feature, shape_message
from app.conversation.intent_model import NORM_FEATURES, SCALE, IntentModel
from app.errors import InvalidError
from app.resources import resource_path
from app.values import Intent

CORRECTION_WEIGHT = 5.0  # one correction by the person counts like five shipped examples
SECONDARY_WEIGHT = 0.35  # of the further intents of an example, beside its first
REGULARISATION_C = 6.0
SMALLEST_WEIGHT = 4  # hundredths; smaller ones are dropped from the file

_TAG = re.compile(r"\[(also|after) ([A-Z ,]+)\]\s*")


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """A message and what the person wanted; the first intent is the best one."""

    text: str
    intents: tuple[Intent, ...]
    previous: Intent | None = None


def load_examples(folder: Path) -> tuple[LabelledExample, ...]:
    """The examples in `<folder>/<LABEL>.txt`, in the order of the labels and of the lines."""
    found: list[LabelledExample] = []
    for intent in Intent:
        path = folder / f"{intent}.txt"
        if path.is_file():
            found.extend(_parse_examples(path.read_text(encoding="utf-8"), intent, path.name))
    return tuple(found)


def hash_examples(examples: Iterable[LabelledExample]) -> str:
    """A short hash that changes when any example changes."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(repr((example.text, [*map(str, example.intents)], str(example.previous))).encode())
    return digest.hexdigest()[:16]


def train_intent_model(examples: Iterable[LabelledExample], corrections: Iterable[LabelledExample] = ()) -> IntentModel:
    """A model learned from examples and corrections; corrections weigh CORRECTION_WEIGHT times as much.

    Raises InvalidError when fewer than two intents have an example.
    """
    shipped, own = tuple(examples), tuple(corrections)
    weighted = [(example, 1.0) for example in shipped] + [(example, CORRECTION_WEIGHT) for example in own]
    rows: list[list[int]] = []
    labels: list[str] = []
    weights: list[float] = []
    for example, weight in weighted:
        buckets = _buckets(example)
        for rank, intent in enumerate(example.intents):
            rows.append(buckets)
            labels.append(intent.value)
            weights.append(weight if rank == 0 else weight * SECONDARY_WEIGHT)
    if len(set(labels)) < 2:
        raise InvalidError("Intents can only be learned from examples of at least two intents.")
    return _fit(rows, labels, weights, hash_examples((*shipped, *own)))


def _buckets(example: LabelledExample) -> list[int]:
    previous = (example.previous,) if example.previous is not None else ()
    return sorted({hash_feature(name) for name in feature_names(shape_message(example.text), previous)})


def _fit(
    rows: Sequence[Sequence[int]], labels: Sequence[str], weights: Sequence[float], examples_hash: str
) -> IntentModel:
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    columns = sorted({bucket for row in rows for bucket in row})
    position = {bucket: index for index, bucket in enumerate(columns)}
    values = [len(row) ** -0.5 for row in rows for _ in row]
    indices = [position[bucket] for row in rows for bucket in row]
    starts = np.cumsum([0, *(len(row) for row in rows)])
    matrix = csr_matrix((values, indices, starts), shape=(len(rows), len(columns)))
    learner = LogisticRegression(
        C=REGULARISATION_C, class_weight="balanced", max_iter=300, random_state=0, fit_intercept=False
    )
    learner.fit(matrix, np.asarray(labels), sample_weight=np.asarray(weights))
    coefficients = learner.coef_ if len(learner.classes_) > 2 else np.vstack([-learner.coef_, learner.coef_])
    # the learner saw rows of length 1; the model divides by sqrt(count / NORM_FEATURES)
    whole = np.rint(coefficients * SCALE / NORM_FEATURES**0.5).astype(int)
    intents = tuple(Intent(str(name)) for name in learner.classes_)
    kept = {
        bucket: tuple(int(value) for value in whole[:, index])
        for bucket, index in position.items()
        if int(np.abs(whole[:, index]).max()) >= SMALLEST_WEIGHT
    }
    return IntentModel(intents, kept, examples_hash, FEATURE_VERSION)


def _parse_examples(content: str, intent: Intent, name: str) -> Iterable[LabelledExample]:
    lines: list[str] = []
    for line in content.split("\n"):
        if line.startswith("## ") or not line.strip():
            continue
        if line.startswith("| ") or line == "|":
            if not lines:
                raise InvalidError(f"{name} starts with a continuation line.")
            lines[-1] += "\n" + line[2:]
        else:
            lines.append(line)
    return [_parse_example(line, intent) for line in lines]


def _parse_example(line: str, intent: Intent) -> LabelledExample:
    also: list[Intent] = []
    previous: Intent | None = None
    while (tag := _TAG.match(line)) is not None:
        named = [Intent(word.strip()) for word in tag[2].split(",")]
        if tag[1] == "also":
            also.extend(named)
        else:
            previous = named[0]
        line = line[tag.end() :]
    return LabelledExample(line, (intent, *also), previous)


def main() -> None:
    """Rewrites the shipped weights from the shipped examples."""
    folder = resource_path("intents")
    train_intent_model(load_examples(folder)).save(folder / "weights.json")


if __name__ == "__main__":
    main()
