"""Evidence inside a budget is counted as the scorer's docstring says: by level, by words, beside plain whole texts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.api.evaluation import run_evaluation
from app.evaluation.tasks.context import content_stems, evaluate, fill_plainly, given_places
from app.evaluation.tasks.temporary_store import Statement, open_pool
from app.values import Activity, Context, ContextItem, Level, Tier

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TEXTS = ("Ana: I bought a violin in Lisbon.", "Ben: My brother repairs old tractors.")


def context_of(*items: tuple[int, Level, str]) -> Context:
    told = tuple(ContextItem(key, Tier.RELEVANT, level, text, 5, 0.5, "") for key, level, text in items)
    return Context("", 0, 500, (), told, (), Activity.GENERAL)


@pytest.mark.parametrize(
    ("level", "text", "counts", "counts_whole"),
    [
        (Level.FULL, "- [1] whatever", True, True),
        (Level.SUMMARY, "- [1] Ana; violin", True, False),
        (Level.COMPRESSED, "- [1] Ana violin", False, False),
        (Level.COMPRESSED, "- [1] Ana bought violin Lisbon", True, True),
        (Level.INDEX, "- [1] Ana bought violin Lisbon", False, False),
    ],
)
def test_a_turn_counts_by_its_level_or_by_nearly_all_of_its_words(
    level: Level, text: str, *, counts: bool, counts_whole: bool
) -> None:
    context = context_of((1, level, text))
    assert (given_places(context, {1: 0}, TEXTS) == {0}) is counts
    assert (given_places(context, {1: 0}, TEXTS, has_summaries=False) == {0}) is counts_whole


def test_plain_retrieval_ends_with_the_first_that_does_not_fit() -> None:
    assert fill_plainly([0, 1], TEXTS, 12) == [0]
    assert fill_plainly([0, 1], TEXTS, 5) == []
    assert fill_plainly([1, 0], TEXTS, 100) == [1, 0]


def test_stop_words_are_no_content() -> None:
    assert content_stems("it was the violin") == content_stems("violin")


def test_a_small_chat_is_measured_and_the_file_is_known(tmp_path: Path) -> None:
    when = "4:04 pm on 20 January, 2023"
    rows = [
        {"kind": "turn", "conv": "c", "id": f"t{at}", "session": 1, "when": when, "speaker": name, "text": text}
        for at, (name, text) in enumerate(one.split(": ") for one in TEXTS)
    ] + [
        {"kind": "query", "conv": "c", "id": "q", "category": "single", "text": "What did Ana buy in Lisbon?",
         "evidence": ["t0"], "answer": "a violin"}
    ]  # fmt: skip
    found = evaluate(rows)
    assert found.n == 1
    assert found.metrics["evidence_500"] == found.metrics["topk_500"] == found.metrics["answer_500"] == 1.0
    assert found.metrics["over_500"] == 0
    assert 0 < found.metrics["per_1000_500"] < found.metrics["topk_per_1000_500"], "the frame costs"
    assert found.metrics["topk_per_1000_500"] == found.metrics["full_per_1000"] == 1_000 / found.metrics["full_tokens"]
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "no chat"}\n')
    with pytest.raises(Exception, match="does not fit the task context"):
        run_evaluation("context", path)


def test_a_budget_is_used_where_there_is_more_to_say() -> None:
    """Some 240 statements fit into 8,000 tokens; a context that is asked for is not cut off before (QUALITY A11)."""
    said = [
        f"The orders of region {number} are kept in the table {word}{number}, which the {word} job of that region fills every night after the totals of the day."
        for number, word in enumerate(("ledger", "parcel", "refund", "coupon") * 75)
    ]
    with open_pool(Statement(text, NOW) for text in said) as pool:
        made = pool.tell("where are the orders of a region kept?", budget_tokens=8_000)
    assert 0.95 * 8_000 <= made.token_count <= 8_000
