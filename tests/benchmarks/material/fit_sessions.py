"""Goes on from the weights of `fit_prediction` on histories of sessions, where the next turn is asked for, not the next file of a commit.

Run with `python -m tests.benchmarks.material.fit_sessions FITTED… -- JUDGED…` (files as `remanence eval prediction` takes them). The weights of
commits stay: all fitted anew on two histories they did as well on a third, and a quarter worse on commits. Prints the lines of
`resources/rules/recall/prediction.yaml` and, for every history, how much of what a turn changed stood among the first 5, 10, 20.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from app.deciders.recall.context.prediction import load_weights
from app.deciders.recall.context.work_history import SIGNS, Work, WorkHistory, find_task_words
from app.evaluation.prediction import files_of

_SUREST, _MOST = 0.9, 0.45
_OPENED_MOST, _LAST_MOST = 6, 20
_AT_HAND = SIGNS.index("at_hand")
Numbers = NDArray[np.float64]


class Turn(NamedTuple):
    signs: Numbers  # (n_files, n_signs)
    is_needed: Numbers  # (n_files,)
    needed_count: int


def read_turns(path: Path) -> list[Turn]:
    turns: list[Turn] = []
    opened: defaultdict[str, list[str]] = defaultdict(list)  # newest first
    last: list[str] = []
    works: list[tuple[str, set[str], frozenset[str]]] = []
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        needed, words = files_of(row), find_task_words(row["text"][:2_000])
        if needed:
            history = WorkHistory(Work(frozenset(files), said) for _, files, said in works if files)
            at_hand = opened[row["session"]][:_OPENED_MOST][::-1]
            signs = history.find_signs(at_hand, words, last[:_LAST_MOST])
            if signs:
                paths = sorted(signs)
                turns.append(
                    Turn(
                        np.array([signs[one] for one in paths]),
                        np.array([float(one in needed) for one in paths]),
                        len(needed),
                    )
                )
        if not works or works[-1][0] != row["session"]:
            works.append((row["session"], set(), words))
        for file in sorted(needed):
            works[-1][1].add(file)
            for listed in (opened[row["session"]], last):
                if file in listed:
                    listed.remove(file)
                listed.insert(0, file)
    return turns


def fit(turns: Sequence[Turn]) -> tuple[float, float, float]:
    """Slope and bias of what is said, and the weight of what is at hand."""
    signs = np.concatenate([one.signs for one in turns])
    needed = np.concatenate([one.is_needed for one in turns])
    commits = signs @ of_commits()

    def loss(given: Numbers) -> float:
        slope, bias, at_hand = given
        said = np.clip(_SUREST / (1 + np.exp(-bias - slope * (commits + at_hand * signs[:, _AT_HAND]))), 1e-6, 1 - 1e-6)
        return float(-(needed * np.log(said) + (1 - needed) * np.log(1 - said)).mean())

    slope, bias, at_hand = minimize(loss, [0.6, -6.0, 4.0], method="Nelder-Mead", options={"maxiter": 2_000}).x
    return float(slope), float(bias), float(at_hand)


def of_commits() -> Numbers:
    """What is shipped, without what is at hand."""
    return np.array([0.0 if at == _AT_HAND else one for at, one in enumerate(load_weights().of_signs)])


def with_hand(at_hand: float) -> Numbers:
    weights = of_commits()
    weights[_AT_HAND] = at_hand
    return weights


def hits(turns: Sequence[Turn], weights: Numbers) -> str:
    """The mean share among the first 5, 10, 20, over turns before which anything was known."""
    shares: defaultdict[int, list[float]] = defaultdict(list)
    for one in turns:
        best = np.argsort(-(one.signs @ weights), kind="stable")
        for depth in (5, 10, 20):
            shares[depth].append(float(one.is_needed[best[:depth]].sum()) / one.needed_count)
    return " ".join(f"{np.mean(found):.3f}" for found in shares.values())


def main(words: Sequence[str]) -> None:
    cut = words.index("--")
    fitted, judged = ([Path(word) for word in some] for some in (words[:cut], words[cut + 1 :]))
    turns = {path: read_turns(path) for path in (*fitted, *judged)}
    slope, bias, at_hand = fit([one for path in fitted for one in turns[path]])
    print(
        f"turn:\n  surest: {_SUREST}\n  most: {_MOST}\n  bias: {bias:.2f}\n  slope: {slope:.3f}\nweights:\n  at_hand: {at_hand:.2f}"
    )
    for path, own in turns.items():
        role = "fitted" if path in fitted else "judged"
        print(f"# {role} {path.name}, {len(own)} turns, among 5, 10, 20: commits {hits(own, of_commits())},"
              f" with what is at hand {hits(own, with_hand(at_hand))}")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
