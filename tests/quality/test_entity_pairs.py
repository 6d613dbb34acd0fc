"""Which names mean one thing, on 318 pairs of the four streams that a reader labelled without seeing the engine."""

from pathlib import Path

from app.api.evaluation import run_evaluation


def test_names_of_one_thing_are_proposed_and_few_others() -> None:
    found = run_evaluation("entities", Path(__file__).with_name("entity_pairs.jsonl")).metrics
    print(dict(found))
    assert found["precision"] >= 0.95
    assert found["recall"] >= 0.7
    assert found["same"] + found["unsure"] < 0.5 * 318, "more than half are near misses"
