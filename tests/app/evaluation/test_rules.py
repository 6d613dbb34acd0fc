"""A small history of our own, cut by time: what is learned in its first half is used in its second."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.evaluation.sessions import cut
from tests.app.cli.conftest import Remanence, remanence
from tests.app.evaluation.test_sessions import prompt, write

__all__ = ["remanence"]  # the fixture

_COUNT = 12


def history() -> list[dict[str, Any]]:
    """A session every second prompt, each ending with the same order."""
    return [
        prompt(
            number,
            "Make it purple" if number % 2 == 0 else f"Add a filter{number} to the orders page",
            session=f"s{number // 2}",
        )
        for number in range(1, _COUNT + 1)
    ]


def test_the_labelled_rows_are_cut_in_two_by_time() -> None:
    taught, judged = cut(history())
    assert (len(taught), len(judged)) == (_COUNT // 2, _COUNT // 2)
    assert taught[-1]["when"] < judged[0]["when"]
    with pytest.raises(ValueError, match="are needed"):
        cut(history()[:9])


def test_without_and_with_rules_and_where_a_person_corrects(remanence: Remanence, tmp_path: Path) -> None:
    stream = tmp_path / "shop.mine.jsonl"
    write(stream, history())

    found = json.loads(remanence("eval", "rules", str(stream), "--json").out)

    assert found["n"] == _COUNT // 2
    for name in ("without", "with", "corrected_without", "corrected_with"):
        assert 0 <= found[f"{name}_intent_accuracy"] <= 1
        assert found[f"{name}_phrase_rules"] >= 1
    assert found["without_judgements_changed"] == found["corrected_without_judgements_changed"] == 0
