"""`remanence eval contradictions`: verdicts and candidates apart, by rules and by a judge that is named in the environment."""

import json
import sys
from pathlib import Path

import pytest

from app.api.evaluation import run_evaluation

ROWS = [
    {"a": "The cache is Redis.", "b": "The cache is Memcached.", "label": "contradict", "kind": "value"},
    {"a": "The flag is on for testers.", "b": "We will see about that.", "label": "contradict", "kind": "hidden"},
    {"a": "The owner of payments is Anna.", "b": "The owner of search is Ben.", "label": "compatible", "kind": "other"},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_the_rules_are_scored_by_kind(tmp_path: Path) -> None:
    found = run_evaluation("contradictions", write(tmp_path / "pairs.jsonl", ROWS))  # type: ignore[arg-type]
    assert (found.metrics["precision"], found.metrics["recall"]) == (1.0, 0.5)
    assert (found.metrics["recall_value"], found.metrics["recall_hidden"]) == (1.0, 0.0)
    assert 0.0 < found.metrics["candidates"] <= 1.0
    assert [error.expected for error in found.errors] == ["contradict"]


def test_a_judge_of_the_environment_is_asked_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "judge.py"
    script.write_text(
        "import json, sys\n"
        "pairs = json.load(sys.stdin)['pairs']\n"
        "said = [{'id': p['id'], 'verdict': 'contradict', 'why': 'so', 'holds': 'b'} for p in pairs]\n"
        "json.dump({'verdicts': said}, sys.stdout)\n"
    )
    monkeypatch.setenv("REMANENCE_JUDGE", "command")
    monkeypatch.setenv("REMANENCE_JUDGE_COMMAND", f"{sys.executable} {script}")
    found = run_evaluation("contradictions", write(tmp_path / "pairs.jsonl", ROWS))  # type: ignore[arg-type]
    assert found.metrics["recall"] == 1.0
    assert found.metrics["precision"] == pytest.approx(2 / 3)


def test_changes_of_a_stream_and_what_stands_beside_them_are_pairs(tmp_path: Path) -> None:
    prompt = {"id": "p1", "text": "drop Redis", "session": "s", "answer": "", "tools": []}
    stated = [{"statement": "The cache is Redis."}, {"statement": "Buttons are blue."}]
    changes = [{"how": "removes", "old": "The cache is Redis.", "new": ""}]
    rows: list[dict[str, object]] = [{**prompt, "durable": stated, "changes": changes}, {**prompt, "id": "p2"}]
    found = run_evaluation("contradictions", write(tmp_path / "stream.dev.jsonl", rows))
    assert found.n == 2
    assert found.metrics["recall_removes"] == 1.0
