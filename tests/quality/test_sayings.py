"""How often the learned weights are right on sentences they have not seen: a held-out part of the shipped examples.

Neighbouring examples say the same in other words, so whole blocks are held out; half of them teach. Figures are printed: `pytest -s`.
"""

from statistics import mean

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statement_features import name_features
from app.evaluation.training.statements import load_labelled_sentences, train_statement_model
from app.resources import resource_path

BLOCK, PARTS = 12, 6


def test_unseen_statements_are_known_and_the_rest_is_left_alone() -> None:
    rules = load_memory_rules()
    examples = load_labelled_sentences(resource_path("statements"), resource_path("intents"))
    parts = [place // BLOCK % PARTS for place in range(len(examples))]
    model = train_statement_model([one for one, part in zip(examples, parts, strict=True) if part % 2], rules)
    unseen = [one for one, part in zip(examples, parts, strict=True) if part == 0]
    judged = [(type_, model.judge(name_features(text, rules), rules.statement_model.least)) for text, type_ in unseen]
    kept = mean(found is not None for type_, found in judged if type_ is not None)
    junk = mean(found is not None for type_, found in judged if type_ is None)
    right = mean(found[1] is type_ for type_, found in judged if type_ is not None and found is not None)
    print(
        f"\n{len(unseen)} unseen sentences: {kept:.3f} of the statements kept, {junk:.3f} of the rest, type {right:.3f}"
    )
    assert kept >= 0.6
    assert junk <= 0.09  # before doubts, faults and orders are looked for
    assert right >= 0.62
