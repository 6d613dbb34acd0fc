"""Scores entities against labelled messages, and which names mean one thing against labelled pairs. Source: eval/README, entities; issue 18.

A predicted entity and a gold string match when they are equal after dropping determiners, backticks, quotes and
case, or when the F1 of their words is at least 0.5; each gold string is matched once, best pair first.
Precision counts every predicted entity. Of pairs, those that a reader was unsure of count neither for nor against; all names of a
project are known at once, as in a store.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.graph.same_thing import Named, find_same
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError, texts_of
from app.language.token_counts import is_word
from app.resources import load_rules

MATCH_F1 = 0.5
_DETERMINERS = frozenset(
    [
        "a", "an", "the", "my", "your", "our", "his", "her", "its", "their", "this", "that", "these", "those",
        "some", "any",
    ]
)  # fmt: skip
_WORD = re.compile(r"\w+")


def normalise(name: str) -> str:
    """The name in lower case without determiner, backticks, quotes and outer punctuation."""
    words = name.lower().replace("`", " ").strip(" \"'.,;:!?").split()
    while len(words) > 1 and words[0] in _DETERMINERS:
        words.pop(0)
    return " ".join(words)


def word_f1(left: str, right: str) -> float:
    """F1 of the words of two names, 0..1."""
    a, b = Counter(_WORD.findall(normalise(left))), Counter(_WORD.findall(normalise(right)))
    common = sum((a & b).values())
    return 2 * common / (a.total() + b.total()) if common else float(normalise(left) == normalise(right))


def evaluate(rows: list[dict[str, object]]) -> Evaluation:
    """Precision, recall and F1 of the entities of `rows` (fields `text`, `entities`), or of pairs (`a`, `b`, `a_kind`, `b_kind`, `same`)."""
    if rows and "same" in rows[0]:
        return _evaluate_pairs(rows)
    rules = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
    matched = predicted_count = gold_count = 0
    errors: list[EvaluationError] = []
    for row in rows:
        text, gold = str(row.get("text", "")), texts_of(row.get("entities"))
        predicted = list(dict.fromkeys(entity.text for entity in extract_entities(text, rules)))
        pairs = _match(predicted, gold)
        matched, predicted_count, gold_count = (
            matched + len(pairs),
            predicted_count + len(predicted),
            gold_count + len(gold),
        )
        missed = [name for index, name in enumerate(gold) if index not in pairs.values()]
        extra = [name for index, name in enumerate(predicted) if index not in pairs]
        if missed or extra:
            errors.append(EvaluationError(", ".join(missed), ", ".join(extra), text[:160], "missed | extra"))
    errors.sort(key=lambda error: -(2 * len(error.expected) + len(error.got)))
    precision = matched / predicted_count if predicted_count else 0.0
    recall = matched / gold_count if gold_count else 0.0
    f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
    metrics = {"precision": precision, "recall": recall, "f1": f1}
    return Evaluation("entities", len(rows), metrics, tuple(errors[:MAX_ERROR_COUNT]))


def _evaluate_pairs(rows: Sequence[Mapping[str, object]]) -> Evaluation:
    by_project: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for row in rows:
        numbers = by_project[str(row.get("project", ""))]
        for name in _names(row):
            numbers.setdefault(name, len(numbers) + 1)
    found = {
        (project, frozenset((one.keep_id, one.gone_id)))
        for project, numbers in by_project.items()
        for one in find_same([Named(number, *name) for name, number in numbers.items()], is_word)
    }
    outcomes: Counter[tuple[object, bool]] = Counter()
    errors = []
    for row in rows:
        project, same = str(row.get("project", "")), row["same"]
        a, b = (by_project[project][name] for name in _names(row))
        is_proposed = (project, frozenset((a, b))) in found
        outcomes[same if isinstance(same, bool) else None, is_proposed] += 1
        if isinstance(same, bool) and same is not is_proposed:
            said = ("two things", "one thing")
            errors.append(EvaluationError(said[same], said[is_proposed], f"{row['a']} | {row['b']}", project))
    right, proposed = outcomes[True, True], outcomes[True, True] + outcomes[False, True]
    same_count = right + outcomes[True, False]
    metrics = {
        "precision": right / proposed if proposed else 0.0,
        "recall": right / same_count if same_count else 0.0,
        "proposed": float(proposed),
        "same": float(same_count),
        "unsure": float(outcomes[None, True] + outcomes[None, False]),
    }
    return Evaluation("entities", len(rows), metrics, tuple(errors[:MAX_ERROR_COUNT]))


def _names(row: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(str(row[side]), str(row.get(f"{side}_kind", "thing"))) for side in ("a", "b")]


def _match(predicted: list[str], gold: list[str]) -> dict[int, int]:
    scored = sorted(
        ((word_f1(p, g), i, j) for i, p in enumerate(predicted) for j, g in enumerate(gold)),
        key=lambda s: (-s[0], s[1], s[2]),
    )
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for score, i, j in scored:
        if score >= MATCH_F1 and i not in pairs and j not in used:
            pairs[i] = j
            used.add(j)
    return pairs
