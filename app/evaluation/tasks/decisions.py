"""Scores how well sentences of decisions are told from those of their background. Source: eval/README, decisions.

The labels are weak: they are the section that a sentence was in.
"""

from typing import Any

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statements import weigh_decision
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError

_DECISION = "decision"
_MAX_ERROR_CHARS = 160


def evaluate(rows: list[dict[str, Any]]) -> Evaluation:
    """Accuracy; precision and recall of `decision`."""
    rules = load_memory_rules()
    right = predicted = true = both = 0
    errors: list[tuple[float, EvaluationError]] = []
    for row in rows:
        weight = weigh_decision(str(row["text"]), rules)
        is_predicted, is_true = weight >= rules.decision_threshold, row["label"] == _DECISION
        predicted, true, both = predicted + is_predicted, true + is_true, both + (is_predicted and is_true)
        right += is_predicted == is_true
        if is_predicted != is_true:
            got = _DECISION if is_predicted else "context"
            error = EvaluationError(str(row["label"]), got, str(row["text"])[:_MAX_ERROR_CHARS], f"{weight:+.1f}")
            errors.append((abs(weight - rules.decision_threshold), error))
    errors.sort(key=lambda pair: -pair[0])
    metrics = {
        "accuracy": right / len(rows) if rows else 0.0,
        "precision": both / predicted if predicted else 0.0,
        "recall": both / true if true else 0.0,
    }
    return Evaluation("decisions", len(rows), metrics, tuple(error for _, error in errors[:MAX_ERROR_COUNT]))
