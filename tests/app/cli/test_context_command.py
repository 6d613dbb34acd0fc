"""`remanence context`: a preview of what would be told, as a table, as the text itself, as JSON."""

from pathlib import Path

from tests.app.cli.conftest import Remanence


def test_what_would_be_told_is_shown_and_nothing_is_kept(remanence: Remanence, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    assert remanence("context", "--project", str(project), "--prompt", "orders").out.strip() == "Nothing fits."
    assert remanence("memories", "add", "Orders are stored in PostgreSQL.", "--project", str(project)).code == 0

    wanted = ("context", "--project", str(project), "--prompt", "where are orders stored?", "--budget", "1000")
    table = remanence(*wanted).out
    assert "PostgreSQL" in table
    assert "of 1000 tokens" in table
    text = remanence(*wanted, "--text").out
    assert text.startswith("<remanence-memory id=")
    found = remanence(*wanted, "--activity", "debugging", "--json").value
    assert found["activity"] == "debugging"
    assert found["receipt_id"] is None
    assert [item["memory_id"] for item in found["items"] if item["memory_id"]] == [1]


def test_a_budget_out_of_range_is_refused(remanence: Remanence) -> None:
    assert remanence("context", "--budget", "5").code == 2
