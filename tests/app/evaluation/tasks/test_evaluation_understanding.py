"""The scorers of entities and references: each metric on rows whose result is known by hand."""

import pytest

from app.evaluation.tasks import entities, references


def test_entity_metrics_count_by_hand() -> None:
    rows: list[dict[str, object]] = [
        {"text": "I want to add a FAB button", "entities": ["the FAB button"]},
        {"text": "Make it purple", "entities": ["purple", "shade"]},
        {"text": "proceed", "entities": []},
    ]
    result = entities.evaluate(rows)
    assert result.n == 3
    assert result.metrics["precision"] == pytest.approx(1.0)
    assert result.metrics["recall"] == pytest.approx(2 / 3)
    assert [error.expected for error in result.errors] == ["shade"]


def test_each_gold_name_is_matched_once() -> None:
    result = entities.evaluate([{"text": "rename load_rows to read_rows", "entities": ["load_rows"]}])
    assert result.metrics == pytest.approx({"precision": 0.5, "recall": 1.0, "f1": 2 / 3})


@pytest.mark.parametrize(
    ("left", "right", "f1"), [("the FAB button", "`FAB button`", 1.0), ("button", "FAB button", 2 / 3), ("a", "b", 0.0)]
)
def test_word_f1(left: str, right: str, f1: float) -> None:
    assert entities.word_f1(left, right) == pytest.approx(f1)


def row(message: str, mention: str, gold: list[str], *history: str, start: int | None = None) -> dict[str, object]:
    turns = [{"speaker": "user", "text": text} for text in history]
    place = message.index(mention) if start is None and not mention.startswith("(") else start or 0
    return {"message": message, "mention": mention, "start": place, "gold": gold, "history": turns}


def test_reference_metrics_count_by_hand() -> None:
    rows = [
        row("Make it purple", "it", ["FAB button"], "I want to add a FAB button"),
        row("Make it purple", "it", ["the big FAB button"], "I want to add a FAB button"),
        row("Make it purple", "it", ["header"], "I want to add a FAB button"),
        row("make it smaller", "it", ["header"], "add a header and a footer"),
        row("ok go with the second one", "the second one", [], "which queue is best?"),
    ]
    metrics = references.evaluate(rows).metrics
    assert metrics["exact"] == pytest.approx(1 / 4)
    assert metrics["loose"] == pytest.approx(2 / 4)
    assert metrics["answered"] == pytest.approx(3 / 4)
    assert metrics["asked"] == 0.0, "what is not sure is left alone"
    assert metrics["right_of_answered"] == pytest.approx(2 / 3)
    assert metrics["left_alone"] == 1.0


def test_a_bracketed_mention_is_a_left_out_object() -> None:
    rows = [row("Change the color", "(of what)", ["FAB button"], "I want to add a FAB button", start=3)]
    assert references.evaluate(rows).metrics["exact"] == 1.0


def test_a_wrong_place_falls_back_to_the_words() -> None:
    rows = [row("bit by bit, make it purple", "it", ["FAB button"], "add a FAB button", start=1)]
    assert references.evaluate(rows).metrics["exact"] == 1.0


def test_ellipsis_is_scored_by_the_expanded_text() -> None:
    item = row("Change the color", "", [], "I want to add a FAB button", start=0)
    item |= {"kind": "ellipsis", "complete": "Change the color of the FAB button"}
    metrics = references.evaluate([item]).metrics
    assert metrics["ellipsis_f1"] == pytest.approx(1.0)
    assert metrics["answered"] == 0.0
