"""`remanence context`: a preview of what would be told, as a table, as the text itself, as JSON."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Remanence


def test_what_would_be_told_is_shown_and_nothing_is_kept(remanence: Remanence, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    assert (
        remanence("context", "--project", str(project), "--prompt", "orders").out.strip()
        == "Nothing relevant, so nothing would be given."
    )
    assert remanence("memories", "add", "Orders are stored in PostgreSQL.", "--project", str(project)).code == 0

    wanted = ("context", "--project", str(project), "--prompt", "where are orders stored?", "--budget", "1000")
    table = remanence(*wanted).out
    assert "PostgreSQL" in table
    assert "of 1000 tokens (critical " in table, "the tiers by their names"
    text = remanence(*wanted, "--text").out
    assert text.startswith("<remanence-memory id=")
    found = remanence(*wanted, "--activity", "debugging", "--json").value
    assert remanence("context", "--project", "shop", *wanted[3:], "--text").out == text
    assert "Known are: shop" in remanence("context", "--project", "barn").err
    assert found["activity"] == "debugging"
    assert found["receipt_id"] is None
    assert [item["memory_id"] for item in found["items"] if item["memory_id"]] == [1]


def test_a_budget_out_of_range_is_refused(remanence: Remanence) -> None:
    assert remanence("context", "--budget", "5").code == 2


def test_how_a_memory_is_told_is_chosen_shown_and_taken_back(remanence: Remanence, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    project = str(tmp_path / "shop")
    remanence("memories", "add", "Orders are stored in PostgreSQL.", "--project", project)
    assert remanence("context", "placements").out.strip() == "No choices yet: every memory is given as it fits best."
    made = remanence("context", "place", "1", "--level", "summary", "--tier", "critical").out
    assert made.split("\n")[1].split() == ["1", "summary", "critical", "when", "it", "fits"]
    wanted = ("context", "--project", project, "--prompt", "where are orders stored?", "--json")
    (item,) = [one for one in remanence(*wanted).value["items"] if one["memory_id"]]
    assert (item["level"], item["tier"]) == ("summary", "critical")
    assert remanence("context", "place", "1", "--level", "automatic", "--tier", "automatic").code == 0
    assert remanence("context", "placements", "--json").value == []
    assert "never" in remanence("context", "place", "1", "--never").out
    assert remanence(*wanted).value["items"] == []
    assert remanence("context", "place", "1", "--again").code == 0
    assert remanence(*wanted).value["items"] != []


def test_what_is_no_level_or_nothing_at_all_is_refused(remanence: Remanence) -> None:
    remanence("memories", "add", "Orders are stored in PostgreSQL.")
    assert remanence("context", "place", "1", "--level", "huge").code != 0
    nothing = remanence("context", "place", "1")
    assert "Add --level, --tier or both;" in nothing.err
    assert nothing.code != 0


@pytest.mark.seed("S3", "window.call")
def test_a_whole_window_by_parts_and_as_text(remanence: Remanence, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    system = tmp_path / "system.txt"
    system.write_text("Answer in French.")
    project = str(tmp_path / "shop")
    remanence("memories", "add", "Orders are stored in PostgreSQL.", "--project", project)
    wanted = ("context", "--window", "--project", project, "--prompt", "where are orders stored?", "--file", "a.py")
    table = remanence(*wanted, "--system", f"@{system}", "--total", "16000").out.splitlines()
    assert [line.split()[0] for line in table[:6]] == ["part", "system", "working", "recent", "memories", "chunks"]
    assert "of 16,000 tokens used" in table[-1]
    text = remanence(*wanted, "--system", "Answer in French.", "--active", "Branch: main", "--text").out
    assert text.startswith("Answer in French.\n\nOpen file: a.py\nBranch: main\nwhere are orders stored?")
    assert "PostgreSQL" in text
    assert remanence(*wanted, "--json").value["budget"]["total"] == 128_000
    gone = remanence(*wanted, "--system", "@nowhere.txt")
    assert gone.code != 0
    assert "Give a text file" in gone.err


@pytest.mark.seed("S2", "router.hand-over", "operation.log")
def test_a_message_is_handed_over_from_the_command_line(remanence: Remanence) -> None:
    remanence("window", "log", "I want to add a FAB button", "--session-id", "fab", "--intent", "PLAN")
    done = remanence("window", "hand-over", "Make it purple", "--session-id", "fab", "--json").value
    assert (done["expanded"], done["context_refs"]) == ("Make the FAB button purple", ["FAB button"])
    said = remanence("window", "log", "Make it round", "--session", "fab", "--context-ref", "save icon").out
    assert said.strip() == "Make the save icon round"
    table = remanence("window", "hand-over", "Test it", "--session", "fab", "--intent", "TEST").out
    assert "original" in table
    assert "messages before" in table
