"""Statements, decisions and duplicates are counted as the eval README says: own rows with known outcomes."""

from pathlib import Path
from typing import Any

from app.api.evaluation import run_evaluation
from app.evaluation.tasks import decisions, duplicates, facts


def fact_row(text: str, *gold: tuple[str, list[str]]) -> dict[str, Any]:
    return {"text": text, "facts": [{"type": kind, "type_ok": [], "fact": text, "must": must} for kind, must in gold]}


def test_a_statement_counts_by_type_and_words_and_once() -> None:
    rows = [
        fact_row("let's go with Caddy", ("decision", ["Caddy"])),  # right
        fact_row("never log tokens", ("goal", ["tokens"])),  # found, but of another type
        fact_row("the sky is blue", ("fact", ["blue"])),  # not found
        fact_row("we decided to use Caddy everywhere", ("decision", ["Caddy"]), ("decision", ["Caddy"])),  # one of two
    ]
    found = facts.evaluate(rows)
    assert found.metrics["precision"] == 2 / 3
    assert found.metrics["recall"] == 2 / 5
    assert [error.text for error in found.errors] == [row["text"] for row in rows[1:]]


def test_messages_without_facts_should_stay_without() -> None:
    found = facts.evaluate([fact_row("should we use Caddy?"), fact_row("let's go with Caddy")])
    assert found.metrics["empty_kept"] == 0.5
    assert found.metrics["f1"] == 0.0


def test_decisions_are_told_from_background() -> None:
    rows = [
        {"text": "We will use Caddy", "label": "decision"},
        {"text": "Currently there are two proxies", "label": "context"},
        {"text": "There were several proxies", "label": "decision"},
    ]
    found = decisions.evaluate(rows)
    assert found.metrics == {"accuracy": 2 / 3, "precision": 1.0, "recall": 0.5}
    assert [error.got for error in found.errors] == ["context"]


def test_merges_are_measured_and_wrong_ones_come_first() -> None:
    rows = [
        {"a": "Store prices in cents", "b": "We are storing the prices in cents", "similarity": 5.0},
        {"a": "The proxy is Caddy", "b": "Tests are slow", "similarity": 4.6},
        {"a": "The proxy is Caddy", "b": "The proxy is: Caddy", "label": "compatible", "source": "own"},
    ]
    found = duplicates.evaluate(rows)
    assert found.metrics == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert [error.got for error in found.errors] == ["duplicate", "compatible"]


def test_nothing_merged_is_nothing_lost() -> None:
    row = {"a": "Use tabs", "b": "Use spaces", "label": "contradict", "source": "own"}
    assert duplicates.evaluate([row]).metrics["precision"] == 1.0


def test_the_tasks_know_their_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": "Use tabs", "b": "use tabs.", "label": "duplicate", "source": "own"}\n')
    assert run_evaluation("duplicates", path).metrics["recall"] == 1.0
    path.write_text('{"text": "We will use Caddy", "label": "decision", "repo": "own"}\n')
    assert run_evaluation("decisions", path).metrics["accuracy"] == 1.0
    path.write_text('{"text": "let\'s go with Caddy", "facts": []}\n')
    assert run_evaluation("facts", path).metrics["empty_kept"] == 0.0
