"""Learns the intent model from labelled examples and a person's corrections.

`python -m app.deciders.conversation.intents.training` rewrites resources/intents/weights.json after the examples in
resources/intents/*.txt changed; with `-` it learns the corrections on its standard input too and prints the weights. One example a line: `[also TEST] [after QUESTION] text`; a line that starts with `| `
continues the one before; `## ` starts a comment. Deterministic: same examples, same bytes.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.deciders.conversation.authorship import wanted_words
from app.deciders.conversation.intents.features import feature_names, hash_feature, shape_message
from app.deciders.conversation.intents.model import NORM_FEATURES, SCALE, IntentModel
from app.deciders.logistic import SparseRows, fit_logistic
from app.errors import InvalidError
from app.resources import resource_path
from app.values import Intent

CORRECTION_WEIGHT = 5.0  # one correction by the person counts like five shipped examples
SECONDARY_WEIGHT = 0.5  # of the further intents of an example, beside its first
REGULARISATION_C = 12.0  # weakest regularisation before k-fold accuracy stops rising
SMALLEST_COUNT = 2  # a feature seen once teaches nothing
SMALLEST_WEIGHT = 2  # hundredths; smaller ones are dropped from the file

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
    intents = tuple(intent for intent in Intent if any(intent in example.intents for example, _ in weighted))
    if len(intents) < 2:
        raise InvalidError(
            "Intents can only be learned from examples of at least two intents.",
            hint="Correct messages of another intent as well.",
        )
    rows = [_buckets(example) for example, _ in weighted]
    counts = Counter(bucket for row, (_, weight) in zip(rows, weighted, strict=True) for bucket in row * round(weight))
    kept = sorted(bucket for bucket, count in counts.items() if count >= SMALLEST_COUNT)
    return IntentModel(intents, _fit(rows, weighted, kept, intents), hash_examples((*shipped, *own)))


def _buckets(example: LabelledExample) -> list[int]:
    previous = (example.previous,) if example.previous is not None else ()
    return sorted({hash_feature(name) for name in feature_names(shape_message(wanted_words(example.text)), previous)})


def _fit(
    rows: Sequence[Sequence[int]],
    weighted: Sequence[tuple[LabelledExample, float]],
    kept: Sequence[int],
    intents: Sequence[Intent],
) -> dict[int, tuple[int, ...]]:
    """One yes-or-no learner per intent, because a message may have several; whole weights per bucket."""
    import numpy as np

    position = {bucket: index for index, bucket in enumerate(kept)}
    cells = [(row, position[bucket]) for row, buckets in enumerate(rows) for bucket in buckets if bucket in position]
    values = [max(len(rows[row]), 1) ** -0.5 for row, _ in cells]
    matrix = SparseRows(cells, values, row_count=len(rows), column_count=len(kept))
    whole = np.zeros((len(kept), len(intents)), dtype=int)
    for index, intent in enumerate(intents):
        wanted = [intent in example.intents for example, _ in weighted]
        if all(wanted):
            continue
        row_weights = [_weight(example, intent) * weight for example, weight in weighted]
        learned = fit_logistic(matrix, wanted, row_weights, REGULARISATION_C)
        # the learner saw rows of length 1; the model divides by sqrt(count / NORM_FEATURES)
        whole[:, index] = np.rint(learned * SCALE / NORM_FEATURES**0.5)
    return {
        bucket: tuple(int(value) for value in row)
        for bucket, row in zip(kept, whole, strict=True)
        if int(np.abs(row).max()) >= SMALLEST_WEIGHT
    }


def _weight(example: LabelledExample, intent: Intent) -> float:
    return SECONDARY_WEIGHT if intent in example.intents[1:] else 1.0


def _parse_examples(content: str, intent: Intent, name: str) -> Iterable[LabelledExample]:
    lines: list[str] = []
    for line in content.split("\n"):
        if line.startswith("## ") or not line.strip():
            continue
        if line.startswith("| ") or line == "|":
            if not lines:
                raise InvalidError(
                    f"{name} starts with a continuation line.", hint="A line “| …” follows the line it continues."
                )
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
    """Rewrites the shipped weights from the shipped examples; for `-` see above."""
    folder = resource_path("intents")
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(train_intent_model(load_examples(folder), _read_corrections(sys.stdin.buffer.read())).dump())
        return
    train_intent_model(load_examples(folder)).save(folder / "weights.json")


def dump_corrections(corrections: Iterable[LabelledExample]) -> bytes:
    """Corrections as `-` reads them."""
    return json.dumps([[one.text, list(one.intents), one.previous] for one in corrections]).encode()


def _read_corrections(data: bytes) -> list[LabelledExample]:
    return [
        LabelledExample(text, tuple(map(Intent, intents)), Intent(previous) if previous else None)
        for text, intents, previous in json.loads(data)
    ]


if __name__ == "__main__":
    main()
