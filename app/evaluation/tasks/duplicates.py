"""Scores which pairs would be merged: developer memories, and Stack Exchange sentences with human similarity.

Each text is read as a memory written by hand, so that slots take part as in the app. With REMANENCE_JUDGE set, what the judge calls
the same counts too, as in a run of consolidation. A merge of a pair that only
contradicts or resembles loses a memory: precision comes before recall. Source: eval/README, duplicates.
"""

from typing import Any

from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.statements.statements import guess_statement
from app.evaluation.tasks.judged_pairs import find_environment_judge, judge_pairs
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.judge.tasks import Verdict

_SAME_SIMILARITY = 4.5  # eval/README: 4.5 and up = same
_DUPLICATE = "duplicate"
_MAX_ERROR_CHARS = 200


def evaluate(rows: list[dict[str, Any]]) -> Evaluation:
    """Precision, recall and F1 of merging."""
    rules = load_memory_rules()
    merged = same = both = 0
    errors: list[EvaluationError] = []
    adapter = find_environment_judge()
    pairs = [(str(row["a"]), str(row["b"])) for row in rows]
    verdicts = judge_pairs(pairs, adapter) if adapter is not None else [None] * len(rows)
    for row, verdict in zip(rows, verdicts, strict=True):
        is_same = _is_same(row)
        older, newer = as_statement(str(row["a"]), rules), as_statement(str(row["b"]), rules)
        likeness = compare_statements(older, newer, rules)
        is_judged = verdict is not None and verdict.verdict is Verdict.DUPLICATE
        is_merged = likeness.relation == _DUPLICATE or (is_judged and likeness.relation == "compatible")
        merged, same, both = merged + is_merged, same + is_same, both + (is_merged and is_same)
        if is_merged != is_same:
            expected = _DUPLICATE if is_same else str(row.get("label", row.get("similarity")))
            error = EvaluationError(expected, likeness.relation, f"{row['a']} | {row['b']}"[:_MAX_ERROR_CHARS])
            errors.insert(0 if is_merged else len(errors), error)  # wrong merges are the ones that hurt
    precision = both / merged if merged else 1.0
    recall = both / same if same else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    metrics = {"precision": precision, "recall": recall, "f1": f1}
    return Evaluation("duplicates", len(rows), metrics, tuple(errors[:MAX_ERROR_COUNT]))


def as_statement(text: str, rules: MemoryRules) -> Statement:
    """The text as it would be compared if a person had written it as a memory."""
    guess = guess_statement(text, rules)
    return Statement(text, guess.slot, guess.value, guess.is_negated, guess.type, guess.replaces)


def _is_same(row: dict[str, Any]) -> bool:
    if "similarity" in row:
        return float(row["similarity"]) >= _SAME_SIMILARITY
    return str(row["label"]) == _DUPLICATE
