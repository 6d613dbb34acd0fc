"""`remanence memories …`, `search`, `reindex`, `erase`, `scan-secrets`: alone and through the running app alike."""

from pathlib import Path

import pytest

from app.api import Places
from tests.app.cli.conftest import Remanence

TEXT = "We decided to use PostgreSQL because of its JSON support."


@pytest.mark.usefixtures("way")
def test_a_memory_is_added_listed_shown_edited_and_put_away(remanence: Remanence) -> None:
    made = remanence("memories", "add", TEXT, "--tag", "DB", "--project", "/w/app", "--json").value["id"]
    (card,) = remanence("memories", "list", "--type", "decision", "--tag", "db", "--project", "app", "--json").value[
        "cards"
    ]
    assert card["id"] == made
    assert "1 of 1" in remanence("memories", "list").out
    shown = remanence("memories", "show", str(made)).out
    assert TEXT in shown
    assert "database" in shown
    assert remanence("memories", "edit", str(made), "--text", "We decided to use MySQL.").code == 0
    assert "version 1" in remanence("memories", "show", str(made)).out
    assert "Archived 1 memory" in remanence("memories", "archive", str(made)).out
    assert remanence("memories", "list", "--json").value["total"] == 0
    assert remanence("memories", "list", "--status", "archived", "--json").value["total"] == 1
    assert remanence("memories", "unarchive", str(made)).code == 0
    assert remanence("undo").code == 0
    assert remanence("memories", "list", "--json").value["total"] == 0


@pytest.mark.usefixtures("way")
def test_what_was_replaced_is_no_longer_true(remanence: Remanence) -> None:
    old = remanence("memories", "add", "We use Yarn.", "--json").value["id"]
    new = remanence("memories", "add", "We moved from Yarn to pnpm.", "--json").value["id"]
    lines = [line for line in remanence("memories", "list").out.splitlines() if "In all:" not in line]
    states = {
        int(line.split()[0]): "no longer true" in line for line in lines if line.split()[:1] in ([str(old)], [str(new)])
    }
    assert states == {old: True, new: False}
    assert "no longer true" in remanence("memories", "show", str(old)).out
    assert "active" in remanence("memories", "show", str(new)).out


@pytest.mark.usefixtures("way")
def test_search_reindex_review_and_rules(remanence: Remanence) -> None:
    made = remanence("memories", "add", TEXT, "--json").value["id"]
    assert [hit["card"]["id"] for hit in remanence("search", "postgresql", "--json").value["hits"]] == [made]
    assert TEXT in remanence("search", "postgresql").out
    assert "search index: 1." in remanence("reindex").out
    assert remanence("memories", "review").out == "Nothing to review.\n"
    assert "Rejected 1" in remanence("memories", "reject", str(made), "--never", "tea").out
    assert "tea" in remanence("memories", "rules").out
    assert "Accepted 1" in remanence("memories", "accept", str(made)).out
    assert remanence("memories", "list", "--json").value["total"] == 1


@pytest.mark.usefixtures("way")
def test_erasing_asks_and_then_leaves_nothing(remanence: Remanence, places: Places) -> None:
    canary = "zanzibar-lighthouse-91"
    made = remanence("memories", "add", f"The port of {canary} is 8080.", "--json").value["id"]
    unasked = remanence("erase", str(made))
    assert (unasked.code, "--yes" in unasked.err) == (2, True)
    assert remanence("memories", "list", "--json").value["total"] == 1
    assert "Erased 1 memories" in remanence("erase", str(made), "--yes", "--backups").out
    files: list[Path] = [path for path in places.data_dir.rglob("*") if path.is_file()]
    assert files
    assert not any(canary.encode() in path.read_bytes() for path in files)
    for arguments in (("erase", "--yes"), ("erase", "1", "--project", "x", "--yes")):
        assert remanence(*arguments).code == 2
    assert remanence("erase", "--project", "nowhere", "--yes", "--json").value["memory_count"] == 0


@pytest.mark.usefixtures("way")
def test_secrets_are_looked_for(remanence: Remanence) -> None:
    assert "No secrets found" in remanence("scan-secrets").out
    assert remanence("scan-secrets", "--purge", "--yes", "--json").value == []
    assert remanence("scan-secrets", "--purge").code == 2
    assert remanence("memories", "show", "4711").code == 2
    assert remanence("memories", "edit", "1").code == 2


@pytest.mark.usefixtures("way")
def test_search_asks_of_another_time_and_of_the_surroundings(remanence: Remanence) -> None:
    remanence("memories", "add", "The lighthouse lamp turns every nine seconds.")
    assert "nine seconds" in remanence("search", "lighthouse lamp", "--context", "optics/lamp.c", "--chunks").out
    for name, at in (("--believed", "2020-01-01"), ("--valid", "2020-01-01T09:00+01:00")):
        assert "nine seconds" not in remanence("search", "lighthouse lamp", name, at).out
        assert remanence("memories", "list", name, at).out.startswith("No memories here.")
    assert "1 of 1" in remanence("memories", "list", "--believed", "2100-01-01").out
    refused = remanence("search", "lighthouse lamp", "--believed", "last winter")
    assert refused.code != 0
    assert "not a date" in refused.err


def test_a_memory_added_in_a_repository_belongs_to_it(
    remanence: Remanence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "src").mkdir()
    monkeypatch.chdir(shop / "src")
    assert "given in shop" in remanence("memories", "add", "Orders are stored in PostgreSQL.").out
    assert remanence("memories", "list", "--project", "shop", "--json").value["total"] == 1
    everywhere = remanence("memories", "add", "Replies are short.", "--everywhere")
    assert "given in every project" in everywhere.out
    assert remanence("memories", "add", "Tea.", "--everywhere", "--project", "shop").code == 2
