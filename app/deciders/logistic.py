"""Logistic regression over sparse rows, with numpy alone: what a person's corrections are learned with.

Owns the fitting; knows nothing of intents. scikit-learn's solver finds the same weights (`tests/app/deciders` compares them), but it and
scipy take 200 MB on every desk for the one line that the app needs of them. Source: Lin, Weng, Keerthi 2008, "Trust Region Newton
Method for Large-Scale Logistic Regression" (the objective); Nocedal and Wright 2006, chapter 7.1 (Newton with conjugate gradients).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_STEPS_MAX = 60  # Newton steps; ten are usual
_INNER_STEPS_MAX = 250
_HALVINGS_MAX = 30
_GRADIENT_SHARE = 1e-5  # of the first gradient: what is left of it changes no weight's third digit


class SparseRows:
    """A matrix by its filled cells: (row, column, value), `shape` (n_rows, n_columns), float64."""

    def __init__(
        self, cells: Sequence[tuple[int, int]], values: Sequence[float], *, row_count: int, column_count: int
    ) -> None:
        import numpy as np

        places = np.asarray(cells, dtype=np.intp).reshape(-1, 2)
        self.rows, self.columns = places[:, 0], places[:, 1]
        self.values: Vector = np.asarray(values, dtype=np.float64)
        self.row_count, self.column_count = row_count, column_count

    def times(self, weights: "Vector") -> "Vector":
        """The matrix times `weights` (n_columns,): (n_rows,)."""
        import numpy as np

        return np.bincount(self.rows, self.values * weights[self.columns], minlength=self.row_count).astype(np.float64)

    def transposed_times(self, of_rows: "Vector") -> "Vector":
        """The transposed matrix times `of_rows` (n_rows,): (n_columns,)."""
        import numpy as np

        return np.bincount(self.columns, self.values * of_rows[self.rows], minlength=self.column_count).astype(
            np.float64
        )


def fit_logistic(rows: SparseRows, labels: Sequence[bool], row_weights: Sequence[float], strength: float) -> "Vector":
    """Weights (n_columns,) without a bias: the least of |w|²/2 + strength · Σ weight · log(1 + exp(-y · x·w)).

    Both classes count alike, however many rows each has. Deterministic. Cost: some hundred passes over the filled cells.
    """
    import numpy as np

    is_positive = np.asarray(labels, dtype=bool)
    costs = _balanced(is_positive, np.asarray(row_weights, dtype=np.float64)) * strength
    signs = np.where(is_positive, 1.0, -1.0)
    weights = np.zeros(rows.column_count)
    first = -1.0
    for _ in range(_STEPS_MAX):
        margins = signs * rows.times(weights)
        chances = 1.0 / (1.0 + np.exp(np.clip(margins, -700, 700)))  # of being wrong
        gradient = weights - rows.transposed_times(costs * signs * chances)
        size = _dot(gradient, gradient) ** 0.5
        first = size if first < 0 else first
        if size <= _GRADIENT_SHARE * first:
            break
        step = _newton_step(rows, costs * chances * (1.0 - chances), gradient)
        weights = _descend(rows, weights, step, gradient, signs, costs)
    return weights


def _balanced(is_positive: "NDArray[np.bool_]", row_weights: "Vector") -> "Vector":
    """Each row's cost, so that the positive rows weigh as much as the others together."""
    total = row_weights.sum()
    positive = row_weights[is_positive].sum()
    share = [total / (2 * max(total - positive, 1e-12)), total / (2 * max(positive, 1e-12))]
    costs: Vector = row_weights * (share[1] * is_positive + share[0] * ~is_positive)
    return costs


def _newton_step(rows: SparseRows, curvature: "Vector", gradient: "Vector") -> "Vector":
    """About the step to where the quadratic model has no gradient, by conjugate gradients."""
    import numpy as np

    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual.copy()
    left = _dot(residual, residual)
    enough = min(0.1, left**0.25) ** 2 * left
    for _ in range(_INNER_STEPS_MAX):
        bent = direction + rows.transposed_times(curvature * rows.times(direction))
        length = left / _dot(direction, bent)
        step += length * direction
        residual -= length * bent
        now = _dot(residual, residual)
        if now <= enough:
            break
        direction = residual + (now / left) * direction
        left = now
    return step


def _descend(
    rows: SparseRows, weights: "Vector", step: "Vector", gradient: "Vector", signs: "Vector", costs: "Vector"
) -> "Vector":
    """The weights after as much of the step as makes the objective less."""
    import numpy as np

    def objective(candidate: "Vector") -> float:
        return _dot(candidate, candidate) / 2 + _dot(costs, np.logaddexp(0, -signs * rows.times(candidate)))

    now, slope, share = objective(weights), _dot(gradient, step), 1.0
    for _ in range(_HALVINGS_MAX):
        if objective(weights + share * step) <= now + 1e-4 * share * slope:
            break
        share /= 2
    return weights + share * step


def _dot(one: "Vector", other: "Vector") -> float:
    """Without BLAS: its threads wait for each other by spinning, which took more than half of the whole fit, and their number
    decided the last digit."""
    import numpy as np

    return float(np.einsum("i,i->", one, other))
