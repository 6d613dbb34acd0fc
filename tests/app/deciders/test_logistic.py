"""Logistic regression of our own: the weights that scikit-learn finds, without scikit-learn."""

import random

import numpy as np

from app.deciders.logistic import SparseRows, fit_logistic
from tests.table import table


def made_up(
    seed: int, row_count: int, column_count: int
) -> tuple[list[tuple[int, int]], list[float], list[bool], list[float]]:
    """Cells, values, labels, weights of rows: few positive ones, and one column that tells them apart mostly."""
    rng = random.Random(seed)
    cells, values, labels, weights = [], [], [], []
    for row in range(row_count):
        labels.append(rng.random() < 0.2)
        weights.append(rng.choice([0.5, 1.0, 5.0]))
        columns = set(rng.sample(range(1, column_count), min(5, column_count - 1)))
        if labels[-1] is (rng.random() < 0.9):
            columns.add(0)
        for column in sorted(columns):
            cells.append((row, column))
            values.append(rng.uniform(0.1, 1.0))
    return cells, values, labels, weights


@table(("row_count", "column_count"), [(40, 3), (300, 40), (200, 900)])
@table("strength", [0.1, 12.0])
def test_the_weights_are_those_of_scikit_learn(row_count: int, column_count: int, strength: float) -> None:
    from scipy.sparse import csr_matrix  # late: seconds, and every worker imports every file
    from sklearn.linear_model import LogisticRegression

    cells, values, labels, weights = made_up(row_count, row_count, column_count)
    ours = fit_logistic(
        SparseRows(cells, values, row_count=row_count, column_count=column_count), labels, weights, strength
    )
    rows, columns = np.asarray(cells).T
    learner = LogisticRegression(
        C=strength, solver="liblinear", class_weight="balanced", fit_intercept=False, random_state=0, tol=1e-8
    )
    learner.fit(csr_matrix((values, (rows, columns)), shape=(row_count, column_count)), labels, sample_weight=weights)
    assert np.abs(ours - learner.coef_[0]).max() < 2e-3


def test_no_cell_and_no_positive_row_give_no_weight() -> None:
    nothing = fit_logistic(SparseRows([], [], row_count=3, column_count=2), [True, False, False], [1, 1, 1], 12.0)
    assert nothing.tolist() == [0.0, 0.0]
    one_class = fit_logistic(SparseRows([(0, 0)], [1.0], row_count=1, column_count=1), [False], [1.0], 1.0)
    assert one_class[0] < 0
