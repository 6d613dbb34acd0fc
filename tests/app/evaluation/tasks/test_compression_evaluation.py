"""The scorer of compression counts what is kept as a reader would, and what it costs."""

import json
from pathlib import Path

import pytest

from app.api.evaluation import run_evaluation
from app.evaluation.tasks.compression import carrying_words, is_kept
from app.language.abbreviations import Abbreviations

SHORTER = Abbreviations.parse({"words": {"database": "db", "role based access control": "RBAC"}, "names": {}})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("We will call Ada about it.", {"ada"}, id="a name inside a sentence"),
        pytest.param("Grafana draws it. The rest is drawn by hand.", set(), id="the first word proves no name"),
        pytest.param("- The first\n- We second", set(), id="bullets"),
        pytest.param("never drop `old_rows` after 30 days", {"old_rows", "30", "not"}, id="identifier, number, not"),
        pytest.param("it must only run on AWS", {"must", "only", "aws"}, id="modals and capitals"),
        pytest.param("it doesn't matter", {"not"}, id="contracted"),
    ],
)
def test_words_that_carry_the_meaning(text: str, words: set[str]) -> None:
    assert set(carrying_words(text)) == words


@pytest.mark.parametrize(
    ("wanted", "source", "level", "kept"),
    [
        pytest.param("30", "after 30 days", "30 days", True, id="there"),
        pytest.param("30", "after 30 days", "300 days", False, id="part of another"),
        pytest.param("list()", "call list() first", "List() first", True, id="signs"),
        pytest.param("short names", "I like short names", "names short", True, id="several words, any order"),
        pytest.param("database", "the database", "db", True, id="short form"),
        pytest.param("access", "role based access control", "RBAC", True, id="part of a long form"),
        pytest.param("database", "the thing", "db", False, id="a short form of what was not said"),
        pytest.param("not", "do not", "never", True, id="any negation"),
        pytest.param("not", "do not", "do", False, id="no negation"),
    ],
)
def test_kept(wanted: str, source: str, level: str, kept: bool) -> None:
    assert is_kept(wanted, source, level, SHORTER) is kept


def test_both_kinds_of_files_are_scored_by_length(tmp_path: Path) -> None:
    rows = [
        {"text": "we export to parquet", "facts": [{"type": "decision", "must": ["parquet"]}]},
        {"text": "thanks, that is all for today", "facts": []},
        {
            "text": "Could you please see to it that the exporter of the reporting service never writes more than 500 rows "
            "into one parquet file, because the viewer of the customers gets slow?",
            "facts": [{"type": "constraint", "must": ["500", "never"]}],
        },
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run_evaluation("compression", path)
    assert result.n == 3
    assert result.metrics["summary_kept"] == 1.0
    assert 0 < result.metrics["index_ratio"] <= result.metrics["compressed_ratio"] < result.metrics["summary_ratio"] < 1
    assert result.metrics["compressed_ratio_long"] < 0.35
    assert {"summary_ratio_short", "summary_ratio_long"} <= result.metrics.keys()
    assert "summary_ratio_medium" not in result.metrics

    path.write_text(json.dumps({"text": "Use Falcon.", "label": "decision", "repo": "x/y"}), encoding="utf-8")
    assert run_evaluation("compression", path).metrics["summary_kept"] == 1.0
