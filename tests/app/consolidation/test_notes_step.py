"""Notes in a run: what a newer note says goes, what is too many goes, each shown before, and all of it taken back."""

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.store.journal import Write
from app.store.tables.core import NoteRow
from app.values import Origin
from app.values.consolidation import ActionState, Habit
from tests.app.consolidation.memories import project_of
from tests.dump import dump_store


def note(
    engine: Engine, content: str, *, path: str = "/w/app", app: str = "claude-code", worded_by: str = "rules"
) -> int:
    project_id = project_of(engine, path)
    core = engine._core
    with core.store.write(origin=Origin.ENGINE, kind="note", label="") as write:
        app_id = core.streams.ensure_app(write, app)
        return insert(write, app_id, project_id, content, worded_by)


def insert(write: Write, app_id: int, project_id: int, content: str, worded_by: str) -> int:
    values = {
        "app_id": app_id, "project_id": project_id, "content": content, "created_at": write.at, "updated_at": write.at,
        "conversation_id": None, "importance": 0.5, "tags": [], "related_ids": [], "worded_by": worded_by, "memory_id": None,
    }  # fmt: skip
    return write.insert(NoteRow, values)


def kept(engine: Engine) -> set[int]:
    return {one.id for one in engine.notes.list()}


SHORT, LONG = "Exports are CSV.", "Exports are CSV, with a header line."


def test_what_a_newer_note_says_too_goes_and_comes_back_with_an_undo(engine: Engine, places: Places) -> None:
    older, newer = note(engine, SHORT), note(engine, LONG)
    before = dump_store(places.store_path, without=frozenset())
    card = engine.consolidation.preview()
    (action,) = engine.consolidation.actions(card.id)
    assert (action.before, action.after) == ((SHORT, LONG), (LONG,))
    assert action.why == "a newer note says what this one says"
    assert (card.report.notes_compacted, kept(engine)) == (1, {older, newer})
    assert engine.consolidation.apply(card.id).report.notes_compacted == 1
    assert kept(engine) == {newer}
    assert engine.consolidation.run().action_count == 0
    engine.consolidation.undo(card.id)
    assert dump_store(places.store_path, without=frozenset()) == before
    assert engine.consolidation.run().action_count == 0, "what was taken back is not proposed again"


@pytest.mark.parametrize(
    ("first", "second", "how"),
    [
        (SHORT, LONG, {"path": "/w/other"}),
        (SHORT, LONG, {"app": "codex"}),
        ("Exports are CSV and XML.", "Exports are CSV, with a header line.", {}),
    ],
    ids=["another project", "another app", "says more"],
)
def test_what_is_not_said_again_stays(engine: Engine, first: str, second: str, how: dict[str, str]) -> None:
    note(engine, first)
    note(engine, second, **how)
    assert engine.consolidation.preview().action_count == 0


@pytest.mark.seed("S5", "later.conflicts")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("About: Rework the login. Sessions expire after 30 minutes.", "Sessions expire after 2 hours."),
        ("Releases go out on Mondays.", "About: Rework the export. Releases never go out on Mondays."),
    ],
    ids=["number", "denied"],
)
def test_of_two_that_cannot_both_hold_the_older_waits_for_a_yes(engine: Engine, first: str, second: str) -> None:
    older, newer = note(engine, first), note(engine, second)
    note(engine, "Releases never go out on Mondays. Sessions expire after 3 hours.", path="/w/other")
    card = engine.consolidation.run()
    assert (card.waiting_count, card.report.notes_compacted) == (1, 0)
    assert {older, newer} <= kept(engine)
    (action,) = engine.consolidation.actions(card.id)
    assert action.why == "a newer note says otherwise"
    engine.consolidation.decide([action.id], is_accepted=True)
    assert engine.consolidation.apply(card.id).report.notes_compacted == 1
    assert older not in kept(engine)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "About: Round the totals. Tests passed.",
            "About: Read the ledger. Open at the end: The date test fails, fix that.",
        ),
        ("About: Show the banner.", "The banner is never shown."),
        ("Committed: Send reports on Fridays. Implemented.", "About: Mails. Reports are never sent on Fridays."),
    ],
    ids=["tests of another day", "an order", "a commit"],
)
def test_what_was_done_or_open_at_one_time_denies_nothing(engine: Engine, first: str, second: str) -> None:
    older, newer = note(engine, first), note(engine, second)
    assert engine.consolidation.preview().action_count == 0
    assert {older, newer} <= kept(engine)


def test_the_persons_own_words_stay_also_where_a_newer_note_says_them(engine: Engine) -> None:
    note(engine, SHORT, worded_by="person")
    note(engine, LONG)
    assert engine.consolidation.preview().action_count == 0


def test_of_three_that_say_the_same_the_newest_stays(engine: Engine) -> None:
    note(engine, SHORT)
    note(engine, "Exports are CSV, always.")
    last = note(engine, "Exports are CSV, always, with a header.")
    engine.consolidation.run()
    assert kept(engine) == {last}


def test_where_fewer_are_allowed_than_there_are_the_least_important_oldest_go(engine: Engine) -> None:
    ids = [
        note(engine, text) for text in ("Dates are ISO.", "Mails are queued.", "Tests run nightly.", "Logs are JSON.")
    ]
    engine.notes.edit(ids[0], importance=9)
    engine.settings.set("notes_per_app", value=2)
    assert engine.consolidation.run().report.notes_compacted == 2
    assert kept(engine) == {ids[0], ids[3]}


def test_a_note_changed_after_the_preview_stays(engine: Engine) -> None:
    older, newer = note(engine, SHORT), note(engine, LONG)
    card = engine.consolidation.preview()
    engine.notes.edit(older, content="Exports are CSV, for the accountants.")
    assert engine.consolidation.apply(card.id).report.notes_compacted == 0
    (action,) = engine.consolidation.actions(card.id)
    assert (action.state, action.note) == (ActionState.REJECTED, "The note was changed since.")
    assert kept(engine) == {older, newer}


def test_what_stays_must_still_be_there(engine: Engine) -> None:
    older, newer = note(engine, SHORT), note(engine, LONG)
    card = engine.consolidation.preview()
    engine.notes.delete(newer)
    assert engine.consolidation.apply(card.id).report.notes_compacted == 0
    assert kept(engine) == {older}


def test_never_so_holds_for_notes(engine: Engine) -> None:
    note(engine, SHORT)
    note(engine, LONG)
    engine.consolidation.set_habit("notes", "compact_note", Habit.NEVER)
    assert engine.consolidation.preview().action_count == 0


def test_an_erased_note_is_in_no_action_of_a_run(engine: Engine) -> None:
    note(engine, "The quagga export is CSV.")
    note(engine, "The quagga export is CSV, with a header line.")
    engine.consolidation.run()
    engine.memories.erase_everything_of(app="claude-code", includes_backups=True)
    files = [one for one in engine.places.data_dir.rglob("*") if one.is_file()]
    assert [one.name for one in files if b"quagga" in one.read_bytes()] == []


def test_what_a_newer_memory_denies_is_taken_out_of_the_note_after_a_yes(
    engine: Engine, places: Places, clock: FrozenClock
) -> None:
    stale = note(engine, "About: Rework the login. Sessions expire after 30 minutes.")
    note(engine, "Sessions expire after 30 minutes.", path="/w/other")
    clock.advance(minutes=1)
    engine.memories.create(MemoryDraft("Sessions expire after 2 hours.", project_path="/w/app"))
    before = dump_store(places.store_path, without=frozenset())
    card = engine.consolidation.run()
    assert (card.waiting_count, card.report.notes_compacted) == (1, 0)
    (action,) = engine.consolidation.actions(card.id)
    assert action.why == "a newer memory says otherwise"
    assert action.after == ("About: Rework the login.", "Sessions expire after 2 hours.")
    engine.consolidation.decide([action.id], is_accepted=True)
    assert engine.consolidation.apply(card.id).report.notes_compacted == 1
    assert engine.notes.get(stale).content == "About: Rework the login."
    engine.consolidation.undo(card.id)
    assert dump_store(places.store_path, without=frozenset()) == before


def test_a_memory_older_than_the_note_denies_nothing(engine: Engine, clock: FrozenClock) -> None:
    engine.memories.create(MemoryDraft("Sessions expire after 2 hours.", project_path="/w/app"))
    clock.advance(minutes=1)
    note(engine, "Sessions expire after 30 minutes.")
    assert engine.consolidation.preview().action_count == 0
