"""How often the intents decider is right on messages it has not seen: every fourth of the shipped examples is held out.

With REMANENCE_EVAL_DIR set, also on labelled real messages (A1 of QUALITY.md). Figures are printed: `pytest -s`.
"""

import json
import os
from pathlib import Path
from statistics import mean

import pytest

from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.training import LabelledExample, load_examples, train_intent_model
from app.evaluation.tasks.intent import evaluate
from app.resources import load_rules, resource_path
from app.values import IntentScore, PriorMessage

FOLD_COUNT = 4
EVAL_DIR = os.environ.get("REMANENCE_EVAL_DIR", "")


def classify(example: LabelledExample, rules: IntentRules, model: IntentModel) -> tuple[IntentScore, ...]:
    before = () if example.previous is None else (PriorMessage(id=1, at=None, text="", intents=(example.previous,)),)
    return classify_intents(example.text, before, rules, model)


@pytest.fixture(scope="module")
def held_out() -> list[tuple[LabelledExample, tuple[IntentScore, ...]]]:
    """A fourth of the shipped examples with the scores of a model that has not seen them; learning takes ten seconds."""
    rules = IntentRules.parse(load_rules("intents"))
    examples = load_examples(resource_path("intents"))
    model = train_intent_model([e for index, e in enumerate(examples) if index % FOLD_COUNT])
    return [(e, classify(e, rules, model)) for e in examples[::FOLD_COUNT]]


def test_unseen_examples_get_their_intent(held_out: list[tuple[LabelledExample, tuple[IntentScore, ...]]]) -> None:
    strict = mean(scores[0].intent is example.intents[0] for example, scores in held_out)
    lenient = mean(scores[0].intent in example.intents for example, scores in held_out)
    print(f"\n{len(held_out)} examples held out: strict {strict:.3f}, lenient {lenient:.3f}")
    assert strict >= 0.73
    assert lenient >= 0.74  # the last six hundred are those that fresh messages confused: harder than the rest


def test_second_intents_are_found(held_out: list[tuple[LabelledExample, tuple[IntentScore, ...]]]) -> None:
    double = [(set(e.intents), {s.intent for s in scores}) for e, scores in held_out if len(e.intents) > 1]
    found = mean(len(wanted & got) / len(wanted) for wanted, got in double)
    print(f"\n{len(double)} messages with several intents: {found:.3f} of their intents named")
    assert found >= 0.62


def test_confidence_says_how_often_it_is_right(
    held_out: list[tuple[LabelledExample, tuple[IntentScore, ...]]],
) -> None:
    """Expected calibration error over ten equal groups by confidence."""
    ranked = sorted((scores[0].confidence, scores[0].intent is example.intents[0]) for example, scores in held_out)
    size = len(ranked) // 10
    groups = [ranked[start : start + size] for start in range(0, size * 10, size)]
    error = mean(abs(mean(c for c, _ in group) - mean(right for _, right in group)) for group in groups)
    print(f"\nexpected calibration error {error:.3f}")
    assert error <= 0.10


if EVAL_DIR:

    def test_dev_domain_messages_reach_the_goal() -> None:
        path = Path(EVAL_DIR) / "dev-domain" / "messages.jsonl"
        result = evaluate([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
        print(f"\n{path.name}: {result.metrics}")
        assert result.metrics["strict"] >= 0.78
        assert result.metrics["lenient"] >= 0.95
