"""`remanence stats`: a year in a few lines, as JSON, and a year that is none."""

import pytest

from tests.app.cli.conftest import Remanence


@pytest.mark.usefixtures("way")
def test_a_year_in_words_and_as_json(remanence: Remanence) -> None:
    assert "0 memories learned" in remanence("stats").out
    remanence("memories", "add", "Exports are CSV.")
    remanence("memories", "add", "Never deploy on Fridays.")
    told = remanence("stats").out
    assert "2 memories learned; 0 conversations" in told
    assert any(line.split()[1:] == ["2"] for line in told.splitlines()), "its project"
    assert next(line for line in told.splitlines() if line.startswith("month")).endswith("all")
    found = remanence("stats", "--json").value
    assert sum(day["learned_count"] for day in found["days"]) == 2
    assert {one["judgement"] for one in found["judgements"]} >= {"intent", "boundary", "memory-by-rules"}
    year = found["years"][0]
    assert remanence("stats", "--year", str(year), "--json").value["from_day"] == f"{year}-01-01"
    assert remanence("stats", "--year", str(year + 1)).code != 0
