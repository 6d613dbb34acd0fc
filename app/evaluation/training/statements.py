"""Learns the model of sayings from labelled sentences. The only user of scikit-learn in this package.

`python -m app.evaluation.training.statements` rewrites resources/statements/weights.json after the examples beside it changed. One
example a line in the file of its type; `nothing.txt` holds what states nothing, and so do the examples of the intents, but for
those in `apart.txt`. `## ` starts a comment. Deterministic: same examples, same bytes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.statements.phrasing import straighten, strip_edges
from app.deciders.memory.statements.statement_features import name_features
from app.deciders.memory.statements.statement_model import NORM_FEATURES, SCALE, TYPES, StatementModel
from app.evaluation.training.labelled_lines import hash_examples, labelled_lines
from app.language.sentences import split_sentences
from app.resources import resource_path
from app.values import FactType

REGULARISATION_C = 1.0  # k-fold recall is flat from 0.3 to 3
SMALLEST_COUNT = 2  # a feature seen once teaches nothing

_TAG = re.compile(r"^(?:\[(?:also|after) [A-Z ,]+\]\s*)+")
_Example = tuple[str, FactType | None]


def load_labelled_sentences(folder: Path, intents: Path | None = None) -> tuple[_Example, ...]:
    """The examples of each type, then what states nothing; each sentence once."""
    found: dict[str, FactType | None] = {}
    for type_ in TYPES:
        found.update((line, type_) for line in labelled_lines(folder / f"{type_}.txt") if line not in found)
    apart = {" ".join(line.split()) for line in labelled_lines(folder / "apart.txt")}
    others = [*labelled_lines(folder / "nothing.txt"), *(_orders_and_questions(intents) if intents is not None else ())]
    for line in others:
        if " ".join(line.split()) not in apart:
            found.setdefault(line, None)
    return tuple(found.items())


def train_statement_model(examples: Iterable[_Example], rules: MemoryRules, examples_hash: str = "") -> StatementModel:
    """A model learned from the examples."""
    listed = tuple(examples)
    rows = [name_features(_core(text, rules), rules) for text, _ in listed]
    counts = Counter(name for row in rows for name in row)
    kept = sorted(name for name, count in counts.items() if count >= SMALLEST_COUNT)
    weights, bias = _fit(rows, [type_ for _, type_ in listed], kept)
    return StatementModel(weights, bias, examples_hash)


def _core(text: str, rules: MemoryRules) -> str:
    return strip_edges(straighten(text), rules) or text


def _fit(
    rows: Sequence[frozenset[str]], types: Sequence[FactType | None], kept: Sequence[str]
) -> tuple[dict[str, tuple[int, ...]], tuple[int, ...]]:
    """Whole weights of one yes-or-no learner and of one that tells the types apart."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    position = {name: index for index, name in enumerate(kept)}
    cells = [(row, position[name]) for row, names in enumerate(rows) for name in sorted(names) if name in position]
    row_numbers, columns = np.asarray(cells).T
    lengths = np.maximum(np.bincount(row_numbers, minlength=len(rows)), 1)
    values = (NORM_FEATURES / lengths[row_numbers]) ** 0.5
    matrix = csr_matrix((values, (row_numbers, columns)), shape=(len(rows), len(kept)))
    states = np.asarray([type_ is not None for type_ in types])
    kinds = np.asarray([TYPES.index(type_) for type_ in types if type_ is not None])
    with threadpool_limits(limits=1):
        learner = LogisticRegression(C=REGULARISATION_C, max_iter=1000).fit(matrix, states)
        sorter = LogisticRegression(C=REGULARISATION_C, max_iter=1000).fit(matrix[states], kinds)
    coefficients = np.rint(np.vstack([learner.coef_, sorter.coef_]).T * SCALE).astype(int)
    biases = np.rint(np.concatenate([learner.intercept_, sorter.intercept_]) * SCALE).astype(int)
    weights = {name: tuple(map(int, row)) for name, row in zip(kept, coefficients, strict=True)}
    return weights, tuple(map(int, biases))


def _orders_and_questions(folder: Path) -> Iterable[str]:
    for path in sorted(folder.glob("*.txt")):
        joined = path.read_text(encoding="utf-8").replace("\n| ", "\v").split("\n")
        for line in joined:
            if line.strip() and not line.startswith("## "):
                sentences = split_sentences(_TAG.sub("", line).replace("\v", "\n"))
                yield from (one.text for one in sentences if "?" not in one.text[-3:] and not one.is_quoted)


def main() -> None:
    """Rewrites the shipped weights from the shipped examples."""
    folder = resource_path("statements")
    examples = load_labelled_sentences(folder, resource_path("intents"))
    model = train_statement_model(examples, load_memory_rules(), hash_examples(folder))
    (folder / "weights.json").write_text(model.dump(), encoding="utf-8")


if __name__ == "__main__":
    main()
