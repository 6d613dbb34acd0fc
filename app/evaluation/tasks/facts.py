"""Scores the extraction of statements against labelled messages: type and the words a fact must contain.

Runs entities, references and intents before it as the app does; each row is a message of its own. A predicted statement
counts when its type is allowed and it contains every word of `must`; each labelled fact counts once. Source: eval/README.
"""

from collections.abc import Sequence
from typing import Any

from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import ReferenceRules, resolve_references
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statements import extract_statements
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError
from app.resources import load_rules, resource_path
from app.values import FactCandidate

_MAX_ERROR_CHARS = 120
_Row = dict[str, Any]


class StatementReader:
    """Reads one message without history as capture does."""

    def __init__(self) -> None:
        self._entities = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))
        self._references = ReferenceRules.parse(load_rules("references"))
        self._intents = IntentRules.parse(load_rules("intents"))
        self._model = IntentModel.load(resource_path("intents", "weights.json"))
        self._memory = load_memory_rules()

    def read(self, text: str) -> tuple[FactCandidate, ...]:
        """The statements of the message."""
        text = own_words(text)
        entities = extract_entities(text, self._entities)
        references = resolve_references(text, entities, (), self._references)
        expanded = expand_text(text, references)
        intents = classify_intents(text, (), self._intents, self._model, expanded_text=expanded)
        return extract_statements(
            text, expanded=expanded, references=references, entities=entities, intents=intents, rules=self._memory
        )


def evaluate(rows: list[_Row]) -> Evaluation:
    """Precision, recall and F1 of statements, and the share of messages without facts that stay without."""
    reader = StatementReader()
    right = predicted = labelled = empty = kept = 0
    errors: list[EvaluationError] = []
    for row in rows:
        text, gold = str(row["text"]), list(row["facts"])
        found = reader.read(text)
        hits = _count_hits(found, gold)
        right, predicted, labelled = right + hits, predicted + len(found), labelled + len(gold)
        empty += not gold
        kept += not gold and not found
        if hits < max(len(found), len(gold)):
            errors.append(_error(text, gold, found))
    precision = right / predicted if predicted else 0.0
    recall = right / labelled if labelled else 0.0
    metrics = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "empty_kept": kept / empty if empty else 1.0,
    }
    return Evaluation("facts", len(rows), metrics, tuple(errors[:MAX_ERROR_COUNT]))


def _count_hits(found: Sequence[FactCandidate], gold: Sequence[_Row]) -> int:
    """How many labelled facts have a statement of their own."""
    left = list(found)
    hits = 0
    for fact in gold:
        match = next((one for one in left if _is_right(one, fact)), None)
        if match is not None:
            left.remove(match)
            hits += 1
    return hits


def _is_right(one: FactCandidate, fact: _Row) -> bool:
    text = one.text.lower()
    return one.type.value in {fact["type"], *fact["type_ok"]} and all(
        str(word).lower() in text for word in fact["must"]
    )


def _error(text: str, gold: Sequence[_Row], found: Sequence[FactCandidate]) -> EvaluationError:
    return EvaluationError(
        expected="; ".join(f"{fact['type']}: {fact['fact']}" for fact in gold) or "(nothing)",
        got="; ".join(f"{one.type.value}: {one.text}" for one in found)[:_MAX_ERROR_CHARS] or "(nothing)",
        text=text[:_MAX_ERROR_CHARS],
        note="; ".join(one.reason for one in found)[:_MAX_ERROR_CHARS],
    )
