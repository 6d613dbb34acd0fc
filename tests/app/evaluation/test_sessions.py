"""A small history of our own, played through the routes of the app into a store that is gone afterwards."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.app.cli.conftest import Remanence, remanence

__all__ = ["remanence"]  # the fixture

_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
_RULE = "From now on always run the linter before you commit."


def prompt(number: int, text: str, *, session: str = "one", **labels: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"act": "order", "durable": [], "changes": [], "refs": [], "starts_topic": number == 1}
    return {
        "id": f"shop-{number}",
        "when": (_BEGIN + timedelta(minutes=5 * number)).isoformat(),
        "session": session,
        "text": text,
        "answer": "Done.",
        "tools": [{"name": "Bash", "input": {"command": "ls"}, "result": "shop.py"}],
        **empty,
        **labels,
    }


def history() -> list[dict[str, Any]]:
    label = {
        "start": 0,
        "end": len(_RULE),
        "statement": "The linter is always run before a commit",
        "type": "constraint",
        "scope": "project",
        "worth": 3,
    }
    return [
        prompt(1, "Add a filter to the orders page"),
        prompt(2, _RULE, act="rule", durable=[label]),
        prompt(3, "Rename the button to Apply", session="two"),
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_a_history_is_played_and_scored(remanence: Remanence, tmp_path: Path) -> None:
    stream = tmp_path / "shop.mine.jsonl"
    write(stream, history())
    start = {"stream": "shop", "session": "two", "tell_at_start": ["shop-2#0"]}
    write(tmp_path / "starts.mine.jsonl", [start, {"stream": "other", "session": "x", "tell_at_start": []}])
    question = {"stream": "shop", "question": "What is run before a commit?", "ids": ["shop-2"], "answer": "the linter"}
    write(tmp_path / "questions.mine.jsonl", [question])

    found = json.loads(remanence("eval", "sessions", str(stream), "--json").out)

    assert (found["n"], found["active_precision"], found["active_recall"], found["empty_kept"]) == (3, 1.0, 1.0, 1.0)
    assert (found["told"], found["questions_answered"]) == (1.0, 1.0)


def test_what_is_no_history_is_refused_in_a_sentence(remanence: Remanence, tmp_path: Path) -> None:
    stream = tmp_path / "other.jsonl"
    write(stream, [{"text": "Add a filter", "intent": "PLAN"}])

    found = remanence("eval", "sessions", str(stream))

    assert found.code != 0
    assert "cannot be played as sessions" in found.err
