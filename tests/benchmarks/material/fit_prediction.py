"""Fits the weights of `resources/rules/recall/prediction.yaml` on real histories and says how well they do on one they were not fitted on.

Run with `python -m tests.benchmarks.material.fit_prediction HISTORY…` (see `work_logs`; three at least). Logistic regression over the signs of
`app.deciders.recall.context.work_history` in sessions (`bench_prediction.walk`), with and without the words of the task, each history as heavy as the
others; `fit_sessions` goes on from there. A ceiling and a slope are then fitted on histories that were held out, so that what is said with 30 % is needed 3 times of 10.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from app.deciders.recall.context.work_history import SIGNS
from tests.benchmarks.bench_prediction import walk
from tests.benchmarks.material.work_logs import read_history

_NEWEST = 2_500
_STEPS_MOST = 8  # of a commit
_TOLD = 40
_CLIP = 1e-6
Numbers = NDArray[np.float64]


@dataclass(slots=True)
class Sample:
    """All candidates of one moment: their signs, whether they were needed."""

    signs: Numbers  # (n_files, n_signs)
    is_needed: Numbers  # (n_files,)
    next_at: int  # row of the file that was opened next; -1: not among them


def sample(path: Path) -> list[Sample]:
    found = []
    for asked in walk(read_history(path)[-_NEWEST:]):
        for at in range(1, min(len(asked.files), _STEPS_MOST)):
            signs = asked.history.find_signs(asked.files[:at], asked.work.words)
            paths = sorted(signs.keys() - set(asked.files[:at]))  # a commit holds each file once
            needed = set(asked.files[at:])
            next_at = paths.index(asked.files[at]) if asked.files[at] in paths else -1
            found.append(
                Sample(
                    np.array([signs[one] for one in paths]), np.array([float(one in needed) for one in paths]), next_at
                )
            )
    return found


def fit(histories: Sequence[Sequence[Sample]]) -> tuple[Numbers, float]:
    """Weights and bias; every history weighs the same."""
    rows = [(one, 1.0 / len(history)) for history in histories for one in history]
    signs = np.concatenate([one.signs for one, _ in rows])
    needed = np.concatenate([one.is_needed for one, _ in rows])
    heavy = np.concatenate([np.full(len(one.is_needed), share) for one, share in rows])
    scaler = StandardScaler().fit(signs)
    model = LogisticRegression(max_iter=300, C=0.5).fit(scaler.transform(signs), needed, heavy * 1_000)
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def calibrate(scores: Numbers, needed: Numbers, heavy: Numbers) -> tuple[float, float, float]:
    """Slope, shift and ceiling that make the said likely come true."""

    def loss(given: Numbers) -> float:
        said = np.clip(_said(scores, *given), _CLIP, 1 - _CLIP)
        return float(-(heavy * (needed * np.log(said) + (1 - needed) * np.log(1 - said))).sum() / heavy.sum())

    slope, shift, ceiling = minimize(loss, [0.8, -0.2, 2.0], method="Nelder-Mead").x
    return float(slope), float(shift), float(1 / (1 + np.exp(-ceiling)))


def _said(scores: Numbers, slope: float, shift: float, ceiling: float) -> Numbers:
    return 1 / (1 + np.exp(-ceiling)) / (1 + np.exp(-(slope * scores + shift)))


def main(paths: Sequence[Path]) -> None:
    histories = [sample(path) for path in paths]
    scores, needed, heavy = [], [], []
    for number, (path, held_out) in enumerate(zip(paths, histories, strict=True)):
        weights, bias = fit([one for at, one in enumerate(histories) if at != number])
        hits = 0
        for one in held_out:
            score = one.signs @ weights + bias
            best = np.argsort(-score, kind="stable")[:_TOLD]
            hits += one.next_at in best
            scores.append(score[best])
            needed.append(one.is_needed[best])
            heavy.append(np.full(len(best), 1.0 / len(held_out)))
        print(f"# {path.parent.name if path.is_file() else path.name}: held out, next file among {_TOLD}: "
              f"{hits / len(held_out):.3f}")  # fmt: skip
    weights, bias = fit(histories)
    slope, shift, ceiling = calibrate(np.concatenate(scores), np.concatenate(needed), np.concatenate(heavy))
    print(f"work:\n  surest: {ceiling:.2f}\n  most: 1.0\n  bias: {slope * bias + shift:.2f}\n  slope: 1.0\nweights:")
    for sign, weight in zip(SIGNS, weights, strict=True):
        print(f"  {sign}: {slope * weight:.2f}")


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]])
