"""Scores the intents decider on labelled messages: strict and lenient accuracy and macro-F1.

Rows are messages of one stream, oldest first: `text`, `intent`, optionally `intent_ok`, `conv`, `id`. Each message sees
those before it with the intents the decider gave them, as in the app. Source: eval/README, metrics.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.deciders.conversation.authorship import wanted_words
from app.deciders.conversation.intents.intents import classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.rules import IntentRules
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.resources import load_rules, resource_path
from app.values import Intent, IntentScore, PriorMessage

_HISTORY_COUNT = 10


def evaluate(rows: Sequence[Mapping[str, Any]]) -> Evaluation:
    """Strict and lenient accuracy, macro-F1, and the surest of the wrong answers."""
    predictions = _predict(rows)
    pairs = [(str(row["intent"]), scores[0].intent.value) for row, scores in zip(rows, predictions, strict=True)]
    accepted = [{str(row["intent"]), *map(str, row.get("intent_ok", ()))} for row in rows]
    count = max(len(rows), 1)
    metrics = {
        "strict": sum(gold == got for gold, got in pairs) / count,
        "lenient": sum(got in ok for (_, got), ok in zip(pairs, accepted, strict=True)) / count,
        "macro_f1": _macro_f1(pairs),
    }
    return Evaluation("intent", len(rows), metrics, _errors(rows, predictions, accepted))


def _predict(rows: Sequence[Mapping[str, Any]]) -> list[tuple[IntentScore, ...]]:
    rules = IntentRules.parse(load_rules("intents"))
    model = IntentModel.load(resource_path("intents", "weights.json"))
    history: list[PriorMessage] = []
    predictions: list[tuple[IntentScore, ...]] = []
    conversation: object = None
    for number, row in enumerate(rows):
        if row.get("conv") != conversation:
            conversation, history = row.get("conv"), []
        scores = classify_intents(wanted_words(str(row["text"])), history[-_HISTORY_COUNT:], rules, model)
        predictions.append(scores)
        history.append(
            PriorMessage(id=number, at=None, text=str(row["text"]), intents=tuple(score.intent for score in scores))
        )
    return predictions


def _macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    """The mean F1 of the labels that occur in the gold."""
    golds, answers, right = Counter(g for g, _ in pairs), Counter(p for _, p in pairs), Counter[str]()
    for gold, got in pairs:
        right[gold] += gold == got
    scores = [
        2 * right[label.value] / (golds[label.value] + answers[label.value]) for label in Intent if golds[label.value]
    ]
    return sum(scores) / len(scores) if scores else 0.0


def _errors(
    rows: Sequence[Mapping[str, Any]], predictions: Sequence[tuple[IntentScore, ...]], accepted: Sequence[set[str]]
) -> tuple[EvaluationError, ...]:
    """Answers that no careful reader gives first, then those that are merely not the best; the surest of each first."""
    wrong: list[tuple[bool, float, EvaluationError]] = []
    for row, scores, ok in zip(rows, predictions, accepted, strict=True):
        best = scores[0]
        if best.intent.value != row["intent"]:
            error = EvaluationError(str(row["intent"]), best.intent.value, str(row["text"])[:200], best.reason)
            wrong.append((best.intent.value in ok, -best.confidence, error))
    wrong.sort(key=lambda entry: entry[:2])
    return tuple(error for _, _, error in wrong[:MAX_ERROR_COUNT])
