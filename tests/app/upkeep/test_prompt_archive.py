"""The prompt archive: off by default; in the transaction of the eviction; found, undone, expired, switched off, erased, never given."""

import contextlib
import errno
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pysqlite3
import pytest

from app.actor import Actor, acting_as
from app.api import CaptureRequest, Engine, EventKind, FrozenClock, InvalidError, NotFoundError, Places
from app.store.rows.archived_prompts import load_archived_prompts
from app.values import ExclusionKind, FoundHit, MemoryFilter, Origin, RecallQuery
from tests.conftest import Say
from tests.patience import PATIENCE_S

HERON = "why does the heron export stop after the third page?"


@pytest.fixture
def engine(places: Places, clock: FrozenClock) -> Iterator[Engine]:
    """A queue of three and an archive for ever."""
    opened = Engine.open(places, clock=clock, flags={"queue_size": 3})
    opened.archive.choose("forever")
    yield opened
    opened.close()


Fill = Callable[..., None]


@pytest.fixture
def fill(say: Say) -> Fill:
    """Pushes what is in the queue out."""
    numbers = iter(range(1_000))

    def push(count: int = 4, **where: str) -> None:
        for _ in range(count):
            number = next(numbers)
            say(f"Add a sidebar to page number{number}", session=f"fill{number}", minutes=600, **where)

    return push


def find(engine: Engine, text: str, **filters: object) -> list[FoundHit]:
    return list(engine.search.find(RecallQuery(text, filters=MemoryFilter(**filters))).hits)  # type: ignore[arg-type]


def kept(engine: Engine) -> list[str]:
    return [one.text for one in engine.archive.list()]


def test_an_index_of_another_store_is_written_anew_also_where_its_manifest_cannot_be_removed(
    engine: Engine, say: Say, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(HERON, session="heron")
    fill()
    engine.search.rebuild()
    unlink = Path.unlink

    def fail(path: Path, missing_ok: bool = False) -> None:
        if path.name == "manifest.json":
            raise OSError(errno.EIO, "Input/output error")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", fail)
    prompts = engine._core.indexing.prompts
    prompts.invalidate()
    prompts.catch_up()
    assert not prompts._is_outdated
    assert [hit.text for hit in find(engine, "heron export")] == [HERON]


@pytest.mark.seed("S1", "queue.deleted")
def test_off_by_default_and_what_leaves_is_deleted(places: Places, clock: FrozenClock) -> None:
    with contextlib.closing(Engine.open(places, clock=clock, flags={"queue_size": 3})) as engine:
        assert engine.archive.status().choice == "off"
        for number in range(6):
            clock.advance(minutes=600)
            engine.events.capture(
                [CaptureRequest("codex", EventKind.PROMPT, f"k{number}", f"s{number}", HERON, cwd="/w/app")],
                wait_s=PATIENCE_S,
            )
        assert engine.archive.status().prompt_count == 0


def test_a_prompt_that_left_is_found_with_its_day_and_opens_at_its_place(engine: Engine, say: Say, fill: Fill) -> None:
    message_id = say(HERON, session="heron").message_id
    fill()
    (hit,) = find(engine, "heron export")
    assert (hit.kind, hit.card, hit.message_id, hit.is_archived) == ("message", None, message_id, True)
    assert hit.text == HERON
    assert hit.reason.startswith("you typed this on ")
    assert [one.text for one in engine.archive.conversation(hit.conversation_id or 0)] == [HERON]
    assert engine.archive.get(message_id or 0).title


def test_the_index_and_what_waits_beside_it_find_the_same(engine: Engine, say: Say, fill: Fill) -> None:
    say(HERON, session="heron")
    fill()
    engine.search.rebuild()
    assert [hit.text for hit in find(engine, "heron export")] == [HERON]
    assert find(engine, "heron export", projects=("/w/app",))
    assert not find(engine, "heron export", projects=("/w/other",))


@pytest.mark.seed("S2", "privacy.no-code")
def test_code_that_was_pasted_stays_only_as_long_as_its_conversation(engine: Engine, say: Say, fill: Fill) -> None:
    say("why does this not work?\n```python\nqzarrow = 1\nprint(qzarrow)\n```\nit should print 2", session="code")
    assert find(engine, "work print")
    fill()
    assert "why does this not work?\n[code, 4 lines]\nit should print 2" in kept(engine)


def test_undo_of_the_eviction_takes_the_prompts_out_and_redo_brings_them_back(
    engine: Engine, say: Say, fill: Fill
) -> None:
    say(HERON, session="heron")
    fill(2)
    assert HERON not in kept(engine)
    fill(1)
    assert HERON in kept(engine)
    evicting = next(one for one in engine.journal.list() if one.kind == "capture")  # a note may be newer by now
    engine.journal.undo(evicting.id)
    assert HERON not in kept(engine)
    assert [one.is_archived for one in find(engine, "heron export")] == [False]
    engine.journal.redo()
    assert HERON in kept(engine)


def test_it_is_compressed_and_no_image_of_it_is_journalled(
    engine: Engine, places: Places, say: Say, fill: Fill
) -> None:
    text = "please explain the heron exporter once more, page by page. " * 40
    say(text, session="heron")
    fill()
    status = engine.archive.status()
    assert 0 < status.byte_count < len(text)
    with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
        images = connection.execute("SELECT before, after FROM change WHERE table_name = 'archived_prompt'").fetchall()
    assert images
    assert set(images) == {(None, None)}


def test_switching_off_asks_with_the_number_and_deletes_for_good(
    engine: Engine, places: Places, say: Say, fill: Fill
) -> None:
    say("the qzheronword export stops", session="heron")
    fill()
    count = engine.archive.status().prompt_count
    with pytest.raises(InvalidError, match=str(count)):
        engine.settings.set("archive", "off")
    with pytest.raises(InvalidError, match=str(count)):
        engine.settings.reset("archive")
    with pytest.raises(InvalidError, match=str(count)):
        engine.archive.choose("off", confirmed_count=count - 1)
    assert engine.archive.choose("off", confirmed_count=count) == count
    assert engine.archive.status().prompt_count == 0
    assert [one for one in find(engine, "qzheronword") if one.kind != "note"] == []  # notes are deleted by themselves
    for path in (places.index_dir / "prompts").rglob("*"):
        assert not path.is_file() or b"qzheronword" not in path.read_bytes()


def test_what_is_older_than_the_choice_goes_by_and_by_and_a_jump_of_the_clock_takes_two_days(
    engine: Engine, clock: FrozenClock, say: Say, fill: Fill
) -> None:
    engine.archive.choose("90d")
    say(HERON, session="heron")
    clock.advance(minutes=4 * 24 * 60)
    fill()
    count = engine.archive.status().prompt_count
    assert count > 1
    clock.advance(minutes=10 * 365 * 24 * 60)
    engine._core.archive.begin_day()
    assert count - 1 <= engine.archive.status().prompt_count <= count, "a jump lets go of two days at most"
    clock.advance(minutes=-10 * 365 * 24 * 60)
    engine._core.archive.begin_day()
    assert engine.archive.status().prompt_count >= count - 1
    for _ in range(95):
        clock.advance(minutes=24 * 60)
        engine._core.archive.begin_day()
    assert HERON not in kept(engine)


def test_a_shorter_time_deletes_at_once_after_asking(engine: Engine, clock: FrozenClock, say: Say, fill: Fill) -> None:
    say(HERON, session="heron")
    fill()
    clock.advance(minutes=200 * 24 * 60)
    count = engine.archive.count_lost("90d")
    assert count == engine.archive.status().prompt_count
    with pytest.raises(InvalidError):
        engine.archive.choose("90d")
    assert engine.archive.choose("90d", confirmed_count=count) == count


def test_an_exclusion_keeps_out_of_the_archive_and_out_of_answers(engine: Engine, say: Say, fill: Fill) -> None:
    say(HERON, session="heron")
    say("the pelican import is slow too", session="pelican")
    engine.rules.exclude(ExclusionKind.WORDS, "pelican")
    fill()
    assert not any("pelican" in one for one in kept(engine))
    engine.rules.exclude(ExclusionKind.WORDS, "heron")
    assert find(engine, "heron export") == []
    (hit,) = engine.search.find_messages(RecallQuery("heron export"))
    assert hit.is_withheld


def test_a_token_bound_to_projects_finds_only_their_prompts(engine: Engine, say: Say, fill: Fill) -> None:
    say(HERON, session="heron", cwd="/w/ledger")
    say("the heron import is slow", session="shop", cwd="/w/shop")
    fill(cwd="/w/ledger")
    engine.search.rebuild()
    with acting_as(Actor("codex", projects=("/w/shop",))):
        assert [hit.text for hit in find(engine, "heron")] == ["the heron import is slow"]
        secret = next(one for one in range(1, 50) if _is_archived_in(engine, one, "/w/ledger"))
        with pytest.raises(NotFoundError):
            engine.archive.get(secret)
        assert {one.project for one in engine.archive.list()} <= {"/w/shop"}


def _is_archived_in(engine: Engine, message_id: int, project: str) -> bool:
    with acting_as(None):
        return any(one.id == message_id and one.project == project for one in engine.archive.list())


def test_programs_may_not_choose(engine: Engine) -> None:
    with acting_as(Actor("codex")), pytest.raises(Exception, match="Only the person"):
        engine.archive.choose("off")


def test_the_past_is_read_again(engine: Engine, say: Say, fill: Fill) -> None:
    say(HERON, session="heron", cwd="/w/shop")
    fill()
    with engine._core.store.read() as connection:
        (past,) = (one for one in load_archived_prompts(connection) if one.text == HERON)
        assert (past.text, past.session, past.project, past.app) == (HERON, "heron", "/w/shop", "claude-code")
        assert past.id not in {one.id for one in load_archived_prompts(connection, before_id=past.id)}


def test_the_same_number_is_never_given_to_another_message(
    places: Places, clock: FrozenClock, engine: Engine, say: Say
) -> None:
    say("hello there")
    with engine._core.store.write(origin=Origin.IMPORT, kind="import", label="x") as write:
        stream_id = int(write.connection.exec_driver_sql("SELECT max(id) FROM stream").scalar_one())
        engine._core.archive.keep_past(write, [(1, stream_id, clock.now(), "an old prompt")])
    number = engine.archive.list()[0].id
    engine.close()
    with contextlib.closing(Engine.open(places, clock=clock)) as again:
        made = again.events.capture(
            [CaptureRequest("codex", EventKind.PROMPT, "new", "new", "a new prompt", cwd="/w/app")], wait_s=PATIENCE_S
        )
        assert (made[0].message_id or 0) > number


@pytest.mark.seed("S1", "record.no-code")
def test_what_is_pasted_can_be_dropped_at_capture_and_is_known_again_all_the_same(
    places: Places, clock: FrozenClock
) -> None:
    text = "why?\n```python\nqzarrow = 1\n```"
    flags = {"is_keeping_pastes": False}
    with contextlib.closing(Engine.open(places, clock=clock, flags=flags)) as engine:
        request = CaptureRequest("codex", EventKind.PROMPT, "k", "s", text, cwd="/w/app")
        (done,) = engine.events.capture([request], wait_s=PATIENCE_S)
        assert engine.messages.get(done.message_id or 0).text == "why?\n[code, 3 lines]"
        assert engine.events.capture([request], wait_s=PATIENCE_S)[0].is_duplicate
    for path in places.data_dir.rglob("*"):
        assert not path.is_file() or b"qzarrow" not in path.read_bytes(), path


def test_an_imported_history_beyond_the_queue_is_kept_and_its_undo_takes_it_out(
    engine: Engine, clock: FrozenClock, tmp_path: Path
) -> None:
    lines = []
    for session in range(8):
        for number in range(2):
            at = clock.now() - timedelta(days=30 - session, minutes=-number)
            said = {"role": "user", "content": f"look at the heron{session} export, part {number}\n```\nqzcode\n```"}
            lines.append(
                {"type": "user", "uuid": f"u{session}-{number}", "sessionId": f"i{session}", "cwd": "/w/shop",
                 "timestamp": at.isoformat().replace("+00:00", "Z"), "message": said}
            )  # fmt: skip
        path = tmp_path / f"i{session}.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)) + "\n")
        lines = []
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert report.message_count == 16
    texts = kept(engine)
    assert len(texts) == 10, texts
    assert all(text.endswith("[code, 3 lines]") for text in texts)
    assert [hit.is_archived for hit in find(engine, "heron0 export")][:1] == [True]
    again = engine.transfer.import_history("claude-code", tmp_path)
    assert (again.message_count, len(kept(engine))) == (0, 10)
    engine.journal.undo(report.operation_id)
    assert kept(engine) == []


def test_undo_of_an_erase_is_none_and_nothing_is_left(engine: Engine, say: Say, fill: Fill) -> None:
    said = say("the qzheronword export stops", session="heron")
    fill()
    conversation_id = engine.archive.get(said.message_id or 0).conversation_id
    engine.memories.erase_everything_of(conversation_id=conversation_id)
    assert not any("qzheronword" in text for text in kept(engine))
    assert [one for one in find(engine, "qzheronword") if one.kind != "note"] == []  # notes are deleted by themselves


def test_a_secret_that_the_rules_learn_of_later_is_taken_out(places: Places, clock: FrozenClock) -> None:
    flags = {"queue_size": 3, "archive": "forever", "is_redacting": False}
    with contextlib.closing(Engine.open(places, clock=clock, flags=flags)) as engine:
        for number in range(6):
            clock.advance(minutes=600)
            text = f"use AKIAIOSFODNN7EXAMPLQ as key, number{number}" if not number else f"Add page number{number}"
            engine.events.capture(
                [CaptureRequest("codex", EventKind.PROMPT, f"k{number}", f"s{number}", text, cwd="/w/app")],
                wait_s=PATIENCE_S,
            )
        assert any("AKIA" in text for text in kept(engine))
        assert any(one.table == "archived_prompt" for one in engine.memories.scan_secrets())
        engine.memories.scan_secrets(purge=True)
        assert not any("AKIA" in text for text in kept(engine))


def test_a_backup_brings_it_back_and_the_index_follows(engine: Engine, say: Say, fill: Fill) -> None:
    say(HERON, session="heron")
    fill()
    backup = engine.backups.create()
    engine.archive.choose("off", confirmed_count=engine.archive.status().prompt_count)
    assert kept(engine) == []
    engine.backups.restore(backup.path)
    assert HERON in kept(engine)
    engine.search.rebuild()
    engine.archive.choose("forever")
    assert [hit.text for hit in find(engine, "heron export")] == [HERON]


def test_a_damaged_index_is_written_anew(
    places: Places, clock: FrozenClock, engine: Engine, say: Say, fill: Fill
) -> None:
    say(HERON, session="heron")
    fill()
    engine.search.rebuild()
    engine.close()
    for path in (places.index_dir / "prompts").rglob("*"):
        if path.is_file():
            path.write_bytes(b"nonsense")
    with contextlib.closing(Engine.open(places, clock=clock)) as again:
        again.search.rebuild()
        assert [hit.text for hit in find(again, "heron export")] == [HERON]
