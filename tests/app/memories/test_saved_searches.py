"""Searches kept under a name: saved, changed, renamed, removed, each with its undo; and files with some memories only."""

import json
from pathlib import Path

import pytest

from app.api import Engine, InvalidError, NotFoundError
from app.values import MemoryDraft, SavedSearch

AUTH = SavedSearch(
    0, "Auth", text="token", choices=(("type", "decision"), ("tag", "auth")), sort="oldest", group="type"
)


def test_a_search_is_kept_as_it_was_and_by_name(engine: Engine) -> None:
    later = engine.saved_searches.save(SavedSearch(0, "zebra"))
    first = engine.saved_searches.save(AUTH)
    found = engine.saved_searches.list()
    assert [one.id for one in found] == [first, later]
    assert (found[0].name, found[0].text, found[0].choices, found[0].sort, found[0].group) == (
        "Auth", "token", (("type", "decision"), ("tag", "auth")), "oldest", "type",
    )  # fmt: skip


def test_the_same_name_takes_the_place_of_the_old_one(engine: Engine) -> None:
    first = engine.saved_searches.save(AUTH)
    assert engine.saved_searches.save(SavedSearch(0, " auth ", text="login")) == first
    assert [one.text for one in engine.saved_searches.list()] == ["login"]
    engine.journal.undo()
    assert [one.text for one in engine.saved_searches.list()] == ["token"]


def test_rename_remove_and_undo(engine: Engine) -> None:
    number = engine.saved_searches.save(AUTH)
    other = engine.saved_searches.save(SavedSearch(0, "Other"))
    engine.saved_searches.rename(number, "Sign in")
    with pytest.raises(InvalidError, match="already"):
        engine.saved_searches.rename(number, "other")
    engine.saved_searches.remove(number)
    assert [one.id for one in engine.saved_searches.list()] == [other]
    assert engine.journal.undo_label() == "Removed the search “Sign in”"
    engine.journal.undo()
    assert len(engine.saved_searches.list()) == 2


def test_what_is_no_search_says_why(engine: Engine) -> None:
    with pytest.raises(InvalidError, match="needs a name"):
        engine.saved_searches.save(SavedSearch(0, "  "))
    with pytest.raises(NotFoundError, match="no saved search"):
        engine.saved_searches.remove(99)


def test_some_memories_as_a_file_that_reads_back_and_as_markdown(engine: Engine, tmp_path: Path) -> None:
    ids = [
        engine.memories.create(MemoryDraft(text, tags=("x",))) for text in ("Tests run in CI.", "Logs go to syslog.")
    ]
    assert engine.transfer.export_some(ids[1:], tmp_path / "some.json") == 1
    assert [row["content"] for row in json.loads((tmp_path / "some.json").read_text())] == ["Logs go to syslog."]
    assert engine.transfer.export_some(reversed(ids), tmp_path / "some.md") == 2
    said = (tmp_path / "some.md").read_text()
    assert said.splitlines()[0] == "- Logs go to syslog."
    assert "#x" in said
