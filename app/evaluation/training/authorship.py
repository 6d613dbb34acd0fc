"""Learns from labelled messages which sentences somebody else wrote.

`python -m app.evaluation.training.authorship` rewrites resources/voices/weights.json after the examples changed: messages with
`own` and `foreign` stretches, and the examples of the intents that have several lines, all typed. Deterministic.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.deciders.conversation.authorship import split_authors
from app.deciders.conversation.authorship_model import SentenceAt, features_of
from app.deciders.feature_weights import SCALE, FeatureWeights
from app.deciders.logistic import SparseRows, fit_logistic
from app.language.sentences import split_sentences
from app.resources import resource_path

_STRENGTH = 0.1  # by cross-validation over foreign texts flat from 0.03 to 0.3
_SMALLEST_COUNT = 3
_TAG = re.compile(r"^(?:\[(?:also|after) [A-Z ,]+\]\s*)+")
_Example = tuple[frozenset[str], bool]


def examples_of(message: Mapping[str, Any]) -> Iterator[_Example]:
    """Each sentence of one labelled message, and whether somebody else wrote it. What is neither is left out."""
    text = message["text"]
    spans = [
        (text.index(part), len(part), whose == "foreign") for whose in ("own", "foreign") for part in message[whose]
    ]
    spans = spans if message["foreign"] else [(0, len(text), False)]
    places = [SentenceAt(one.start, one.end) for one in split_sentences(text)]
    foreign = [(one.start, one.end) for one in split_authors(text) if not one.is_own]
    for place, names in zip(places, features_of(text, places, foreign), strict=True):
        whose = {is_foreign for start, size, is_foreign in spans if start < place.end and start + size > place.start}
        if len(whose) == 1:
            yield names, whose.pop()


def train_voice_model(examples: list[_Example], examples_hash: str = "") -> FeatureWeights:
    """A model learned from the examples."""
    counts = Counter(name for names, _ in examples for name in names)
    kept = sorted(name for name, count in counts.items() if count >= _SMALLEST_COUNT)
    position = {name: index for index, name in enumerate(kept)}
    cells: list[tuple[int, int]] = []
    for number, (names, _) in enumerate(examples):
        cells += [(number, position[name]) for name in sorted(names) if name in position] + [(number, len(kept))]
    filled = SparseRows(cells, [1.0] * len(cells), row_count=len(examples), column_count=len(kept) + 1)
    labels = [is_foreign for _, is_foreign in examples]
    fitted = [round(float(one) * SCALE) for one in fit_logistic(filled, labels, [1.0] * len(examples), _STRENGTH)]
    return FeatureWeights(
        {name: one for name, one in zip(kept, fitted, strict=False) if one}, fitted[-1], examples_hash
    )


def load_messages(folder: Path, intents: Path) -> list[dict[str, Any]]:
    """The labelled messages, then the typed ones of several lines."""
    lines = (folder / "messages.jsonl").read_text(encoding="utf-8").splitlines()
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for path in sorted(intents.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").replace("\n| ", "\v").split("\n")
        typed = (_TAG.sub("", line).replace("\v", "\n") for line in lines if "\v" in line)
        found.extend({"text": text, "own": [], "foreign": []} for text in typed)
    return found


def hash_messages(folder: Path) -> str:
    """A short hash that changes when the labelled messages do."""
    return hashlib.sha256((folder / "messages.jsonl").read_bytes()).hexdigest()[:16]


def main() -> None:
    """Rewrites the shipped weights from the shipped examples."""
    folder = resource_path("voices")
    messages = load_messages(folder, resource_path("intents"))
    examples = [one for message in messages for one in examples_of(message)]
    (folder / "weights.json").write_text(train_voice_model(examples, hash_messages(folder)).dump(), encoding="utf-8")


if __name__ == "__main__":
    main()
