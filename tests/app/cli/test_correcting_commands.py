"""Corrections from the command line: conversations, messages, memories; and what an assistant that asks is told."""

from contextlib import closing
from datetime import timedelta

import pytest

from app.api import CaptureRequest, Engine, EventKind, Places
from tests.app.cli.conftest import Remanence, Shown
from tests.patience import PATIENCE_S

TEXT = "We decided to use PostgreSQL because of its JSON support."
UNDO = "Undo it with: remanence undo"


def said(shown: Shown) -> str:
    assert shown.code == 0, shown.err
    assert UNDO in shown.out
    return shown.out


@pytest.fixture
def talk(remanence: Remanence) -> tuple[int, int, int]:
    """A conversation with two messages; its number and theirs."""
    for text in ("Add a FAB button to the home screen", "Make it purple"):
        assert remanence("window", "log", text, "--session", "s").code == 0
    (conversation,) = remanence("conversations", "list", "--json").value
    first, second = remanence("messages", "list", str(conversation["id"]), "--json").value
    return conversation["id"], first["id"], second["id"]


@pytest.mark.usefixtures("way")
def test_conversations_are_renamed_split_moved_joined_and_ended(
    remanence: Remanence, talk: tuple[int, int, int]
) -> None:
    old, _, second = map(str, talk)
    said(remanence("conversations", "rename", old, "Round button"))
    assert "Round button" in remanence("conversations", "list").out
    assert f"Message {second} starts conversation" in said(remanence("conversations", "split", second))
    new = next(one["id"] for one in remanence("conversations", "list", "--json").value if one["id"] != talk[0])
    assert "Joined conversation" in said(remanence("conversations", "merge", str(new), "--into", old))
    assert remanence("undo").code == 0
    assert "Round button" in said(remanence("conversations", "move", second, "--into", old))
    assert "tested" in said(remanence("conversations", "outcome", old, "tested"))
    said(remanence("conversations", "end", old, "--outcome", "completed"))
    (card,) = remanence("conversations", "list", "--json").value
    assert (card["title"], card["state"], card["outcome"]) == ("Round button", "ended", "completed")
    said(remanence("conversations", "reopen", old))
    assert remanence("conversations", "list", "--json").value[0]["state"] == "active"


@pytest.mark.usefixtures("way")
def test_intents_and_references_are_corrected(remanence: Remanence, talk: tuple[int, int, int]) -> None:
    _, first, second = map(str, talk)
    ((reference, one),) = remanence("messages", "show", second, "--json").value["references"]
    assert (one["mention"], one["state"]) == ("it", "resolved")
    assert "FAB button" in remanence("messages", "show", second).out
    said(remanence("messages", "correct-reference", str(reference), "home screen", "--message", first))
    assert "Make the home screen purple" in remanence("messages", "show", second).out
    said(remanence("messages", "dismiss-reference", str(reference)))
    assert "dismissed" in remanence("messages", "show", second).out
    said(remanence("messages", "correct-intents", second, "test", "REVIEW"))
    assert "TEST, REVIEW" in remanence("messages", "list", str(talk[0])).out


def test_an_open_question_is_answered(remanence: Remanence, places: Places) -> None:
    assert remanence("conversations", "questions", "--json").value == []
    with closing(Engine.open(places)) as engine:
        hours_ago = engine.clock.now() - timedelta(hours=9)
        for key, text, at in (("a", "Add a FAB button", hours_ago), ("b", "Make it purple", None)):
            request = CaptureRequest(app="codex", kind=EventKind.PROMPT, key=key, session="s", text=text, at=at)
            engine.events.capture([request], wait_s=PATIENCE_S)
    shown = remanence("conversations", "questions")
    assert "Make it purple" in shown.out
    assert "--new (or --same)" in shown.out
    asked = str(remanence("conversations", "questions", "--json").value[0]["message_id"])
    assert remanence("conversations", "clarify", asked).code == 2
    assert "starts a new topic" in said(remanence("conversations", "clarify", asked, "--new"))
    again = remanence("conversations", "clarify", asked, "--same")
    assert (again.code, "Split or join" in again.err) == (2, True)


@pytest.mark.usefixtures("way")
def test_memories_are_pinned_tagged_edited_and_brought_back(remanence: Remanence) -> None:
    made = str(remanence("memories", "add", TEXT, "--json").value["id"])

    def memory() -> dict[str, object]:
        found: dict[str, object] = remanence("memories", "show", made, "--json").value["memory"]
        return found

    said(remanence("memories", "pin", made))
    said(remanence("memories", "tag", made, "--tag", "DB", "--tag", "store"))
    assert (memory()["is_pinned"], memory()["tags"]) == (True, ["db", "store"])
    said(remanence("memories", "unpin", made))
    said(remanence("memories", "untag", made, "--tag", "store"))
    assert (memory()["is_pinned"], memory()["tags"]) == (False, ["db"])
    said(remanence("memories", "edit", made, "--text", "We decided to use MySQL.", "--valid-to", "2100-01-01"))
    assert str(memory()["valid_to"]).startswith(("2100-01-01", "2099-12-31"))
    said(remanence("memories", "edit", made, "--valid-to", "open", "--told-in", "system"))
    assert (memory()["valid_to"], memory()["visibility"]) == (None, "system")
    assert "as in version 1" in said(remanence("memories", "restore", made, "1"))
    assert TEXT in remanence("memories", "show", made).out
    missing = remanence("memories", "restore", made, "9")
    assert (missing.code, "It has 1, 2" in missing.err) == (2, True)


@pytest.mark.usefixtures("way")
def test_memories_are_merged_and_undo_brings_them_back(remanence: Remanence) -> None:
    first, second = (str(remanence("memories", "add", one, "--json").value["id"]) for one in (TEXT, "Orders are kept."))
    merged = said(
        remanence("memories", "merge", first, second, "--keep", second, "--text", "Orders lie in PostgreSQL.")
    )
    assert f"Merged 2 memories into memory {second}." in merged
    assert "Orders lie in PostgreSQL." in remanence("memories", "show", second).out
    assert remanence("memories", "show", first, "--json").value["memory"]["status"] == "archived"
    assert remanence("memories", "merge", first, second).code == 2, "one of them is put away"
    assert remanence("undo").code == 0
    assert remanence("memories", "show", first, "--json").value["memory"]["status"] == "active"


@pytest.mark.usefixtures("way")
def test_whole_texts_and_the_timeline_are_told_within_the_walls(remanence: Remanence) -> None:
    here = str(remanence("memories", "add", TEXT, "--project", "/w/mill", "--json").value["id"])
    there = str(
        remanence("memories", "add", "Invoices are numbered per year.", "--project", "/w/x", "--json").value["id"]
    )
    told = remanence("expand", here, there, "--project", "/w/mill")
    assert TEXT in told.out
    assert f"Not given: {there}." in told.out
    assert "Invoices" not in told.out
    assert remanence("expand", here, "--project", "mill", "--json").value["memory_ids"] == [int(here)]
    assert TEXT in remanence("timeline", "postgresql", "--project", "mill").out, "short as it is, it stands whole"
    assert "No memory matches." in remanence("timeline", "--project", "/w/new").out
    assert "No memory" in remanence("timeline", "--project", "mill", "--as-of", "2020-01-01").out
    unknown = remanence("timeline", "--project", "nowhere")
    assert (unknown.code, "Known are:" in unknown.err) == (2, True)
