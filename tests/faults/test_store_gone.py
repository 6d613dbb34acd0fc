"""R4, issue 15: a store that is missing, empty, half restored, without its log, or taken away while it is open.

Never a new empty one in silence, nothing that was confirmed lost, and always a way out.
"""

import shutil
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.api import (
    CaptureRequest,
    DiskProblem,
    Engine,
    EventKind,
    FrozenClock,
    Places,
    RemanenceError,
    StoreBehindError,
    StoreMissingError,
)
from app.api.doctor import accept_store, examine, restore_closed_store, start_empty_store
from tests.dump import dump_store
from tests.patience import PATIENCE_S


def prompt(key: str, text: str = "Add a map") -> CaptureRequest:
    return CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=key, session="s1", text=text, cwd="/w/app")


def texts(engine: Engine) -> list[str]:
    assert engine.events.wait_idle(PATIENCE_S)
    return sorted(message.text for one in engine.conversations.list() for message in messages_of(engine, one.id))


def messages_of(engine: Engine, conversation_id: int) -> list[object]:
    return list(engine.conversations.get(conversation_id).messages)


def is_well(places: Places) -> bool:
    return all(finding.is_ok for finding in examine(places) if finding.check == "store")


@pytest.fixture
def lived(places: Places, clock: FrozenClock) -> Places:
    """A home with one message, one backup of it, and a second message since."""
    engine = Engine.open(places, clock=clock)
    engine.events.capture([prompt("k1", "Add a map")], wait_s=PATIENCE_S)
    engine.backups.create()
    engine.events.capture([prompt("k2", "Add a legend")], wait_s=PATIENCE_S)
    engine.close()
    return places


def remove(places: Places) -> None:
    places.store_path.unlink()


def empty(places: Places) -> None:
    places.store_path.write_bytes(b"")


def without_backups(places: Places) -> None:
    shutil.rmtree(places.data_dir)


def without_record(places: Places) -> None:
    places.store_path.unlink()
    places.record_path.unlink()


def only_a_log(places: Places) -> None:
    without_record(places)
    shutil.rmtree(places.backups_dir)
    places.store_path.with_name("remanence.db-wal").write_bytes(b"x" * 5_000)


def empty_beside_a_log(places: Places) -> None:
    only_a_log(places)
    empty(places)


def a_head_and_no_tables(places: Places) -> None:
    import pysqlite3

    remove(places)
    connection = pysqlite3.connect(str(places.store_path))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()


LOST: dict[str, Callable[[Places], None]] = {
    "missing": remove,
    "empty": empty,
    "a database without tables": a_head_and_no_tables,
    "missing, and the record too": without_record,
    "the whole data folder": without_backups,
    "missing beside its log alone": only_a_log,
    "empty beside its log alone": empty_beside_a_log,
}


@pytest.mark.parametrize("how", LOST)
def test_a_store_that_is_gone_is_said_and_nothing_is_made_in_its_place(
    lived: Places, clock: FrozenClock, how: str
) -> None:
    LOST[how](lived)
    lay_there = {path: path.read_bytes() for path in lived.data_dir.glob("remanence.db*")}
    assert not is_well(lived)
    for _ in range(2):
        with pytest.raises(StoreMissingError) as refused:
            Engine.open(lived, clock=clock)
        assert "remanence restore" in refused.value.hint
    if how != "a database without tables":  # looking into it makes its log
        assert {path: path.read_bytes() for path in lived.data_dir.glob("remanence.db*")} == lay_there


def test_a_first_start_is_none_of_these(places: Places, clock: FrozenClock) -> None:
    assert is_well(places)
    Engine.open(places, clock=clock).close()
    assert is_well(places)
    Engine.open(places, clock=clock).close()


def test_a_lost_store_comes_back_from_its_backup(lived: Places, clock: FrozenClock) -> None:
    lived.store_path.unlink()
    backup = next(lived.backups_dir.glob("*.db"))
    assert restore_closed_store(lived, backup) is None, "there was nothing to keep"
    assert is_well(lived)
    with closing(Engine.open(lived, clock=clock)) as engine:
        assert texts(engine) == ["Add a map"]
    assert is_well(lived)


@pytest.mark.parametrize("how", [name for name in LOST if "log" not in name])
def test_one_may_begin_anew_on_purpose(lived: Places, clock: FrozenClock, how: str) -> None:
    LOST[how](lived)
    start_empty_store(lived)
    assert is_well(lived)
    with closing(Engine.open(lived, clock=clock)) as engine:
        assert texts(engine) == []
        engine.events.capture([prompt("k9")], wait_s=PATIENCE_S)
    Engine.open(lived, clock=clock).close()


def test_beginning_anew_keeps_what_lay_there(lived: Places) -> None:
    before = dump_store(lived.store_path)
    kept = start_empty_store(lived)
    assert kept is not None
    assert dump_store(kept) == before


def killed_with_its_log(places: Places, clock: FrozenClock, copy: Path) -> Places:
    """A home as a kill leaves it: what was captured last is in the log alone, because somebody was reading."""
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.events.capture([prompt("k1", "Add a map")], wait_s=PATIENCE_S)
        killed = Places.under(copy)
        killed.prepare()
        with engine._core.store.read():
            engine.events.capture([prompt("k2", "Add a legend")], wait_s=0)
            shutil.copyfile(places.record_path, killed.record_path)
            for path in places.data_dir.glob("remanence.db*"):
                shutil.copyfile(path, killed.data_dir / path.name)
    return killed


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_log_that_is_gone_is_noticed(places: Places, clock: FrozenClock, tmp_path: Path, how: str) -> None:
    killed = killed_with_its_log(places, clock, tmp_path / "killed")
    log = killed.store_path.with_name("remanence.db-wal")
    assert log.stat().st_size
    if how == "deleted":
        log.unlink()
    else:
        log.write_bytes(b"")
    assert not is_well(killed)
    with pytest.raises(StoreBehindError, match="confirmed") as refused:
        Engine.open(killed, clock=clock)
    assert "--as-it-is" in refused.value.hint
    accept_store(killed)
    assert is_well(killed)
    with closing(Engine.open(killed, clock=clock)) as engine:
        assert "Add a legend" not in texts(engine)


def test_a_killed_store_with_its_log_is_whole(places: Places, clock: FrozenClock, tmp_path: Path) -> None:
    killed = killed_with_its_log(places, clock, tmp_path / "killed")
    assert is_well(killed)
    with closing(Engine.open(killed, clock=clock)) as engine:
        assert texts(engine) == ["Add a legend", "Add a map"]


def test_an_older_copy_in_its_place_is_noticed(lived: Places, clock: FrozenClock) -> None:
    backup = next(lived.backups_dir.glob("*.db"))
    shutil.copyfile(backup, lived.store_path)
    assert not is_well(lived)
    with pytest.raises(StoreBehindError, match="older copy"):
        Engine.open(lived, clock=clock)
    restore_closed_store(lived, backup)  # the way to say that one means it
    Engine.open(lived, clock=clock).close()


def test_what_is_erased_or_undone_last_is_not_missed(places: Places, clock: FrozenClock) -> None:
    engine = Engine.open(places, clock=clock)
    engine.events.capture([prompt("k1", "We decided to use PostgreSQL")], wait_s=PATIENCE_S)
    conversation = engine.conversations.list()[0]
    engine.conversations.rename(conversation.id, "Changed")
    engine.journal.undo()
    engine.memories.erase_everything_of(conversation_id=conversation.id, includes_backups=True)
    engine.close()
    Engine.open(places, clock=clock).close()


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def take_file(places: Places) -> None:
    places.store_path.unlink()


def take_all_files(places: Places) -> None:
    for path in places.data_dir.glob("remanence.db*"):
        path.unlink()


def take_log(places: Places) -> None:
    places.store_path.with_name("remanence.db-wal").unlink()


def rename(places: Places) -> None:
    places.store_path.rename(places.data_dir / "mine.db")


def replace(places: Places) -> None:
    other = places.data_dir / "other.db"
    other.write_bytes(b"somebody else's")
    other.replace(places.store_path)


def take_folder(places: Places) -> None:
    places.data_dir.rename(places.data_dir.with_name("data-moved"))


TAKEN: dict[str, Callable[[Places], None]] = {
    "the file": take_file,
    "file, log and its index": take_all_files,
    "the log": take_log,
    "renamed": rename,
    "replaced": replace,
    "the folder": take_folder,
}


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("who", ["a capture", "nobody"])
def test_a_store_taken_away_while_open_is_put_back_and_nothing_is_lost(
    places: Places, clock: FrozenClock, how: str, who: str
) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.events.capture([prompt("k1", "Add a map")], wait_s=PATIENCE_S)
        TAKEN[how](places)
        if who == "a capture":
            engine.events.capture([prompt("k2", "Add a legend")], wait_s=0)
            assert engine._core.store.database.is_in_place(), "confirmed only in a file that has its name"
        wait_for(lambda: bool(engine.stats.health().store_notice))
        assert "nothing is lost" in engine.stats.health().store_notice
        engine.events.capture([prompt("k3", "Add a scale")], wait_s=PATIENCE_S)
        expected = ["Add a map", "Add a scale"] + ["Add a legend"] * (who == "a capture")
        assert texts(engine) == sorted(expected)
    assert is_well(places)
    with closing(Engine.open(places, clock=clock)) as engine:
        assert texts(engine) == sorted(expected)
    if how == "replaced":
        kept = next(places.data_dir.glob("remanence-before-restore-*.db"))
        assert kept.read_bytes() == b"somebody else's"


def test_a_store_that_cannot_be_put_back_confirms_nothing_and_loses_nothing(places: Places, clock: FrozenClock) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.events.capture([prompt("k1", "Add a map")], wait_s=PATIENCE_S)
        places.store_path.unlink()
        places.store_path.mkdir()  # no file can take its place
        with pytest.raises(DiskProblem):
            engine.events.capture([prompt("k2", "Add a legend")], wait_s=0)
        assert not engine.stats.health().is_capturing
        places.store_path.rmdir()
        again = engine.events.capture([prompt("k2", "Add a legend")], wait_s=PATIENCE_S)
        assert again
        assert texts(engine) == ["Add a legend", "Add a map"]
    with closing(Engine.open(places, clock=clock)) as engine:
        assert texts(engine) == ["Add a legend", "Add a map"]


def test_a_short_history_does_not_live_in_the_log_alone(places: Places, clock: FrozenClock, tmp_path: Path) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.events.capture([prompt("k1", "Add a map")], wait_s=PATIENCE_S)
        database = engine._core.store.database
        wait_for(lambda: database._moved_count == database._commit_count)
        copy = Places.under(tmp_path / "copy")
        copy.prepare()
        shutil.copyfile(places.store_path, copy.store_path)
    with closing(Engine.open(copy, clock=clock)) as engine:
        assert texts(engine) == ["Add a map"]


@pytest.mark.parametrize("damage", ["flipped", "cut short", "not a database", "of another program"])
def test_a_damaged_backup_is_refused_and_nothing_changes(lived: Places, damage: str) -> None:
    import pysqlite3

    backup = next(lived.backups_dir.glob("*.db"))
    data = bytearray(backup.read_bytes())
    if damage == "flipped":
        data[8_192:40_000] = b"\x55" * (40_000 - 8_192)
    elif damage == "cut short":
        del data[len(data) // 2 :]
    elif damage == "not a database":
        data[:100] = b"x" * 100
    backup.write_bytes(data)
    if damage == "of another program":
        backup.unlink()
        connection = pysqlite3.connect(str(backup))
        connection.execute("CREATE TABLE t (a)")
        connection.close()
    before = dump_store(lived.store_path)
    with pytest.raises(RemanenceError) as refused:
        restore_closed_store(lived, backup)
    assert refused.value.hint
    assert dump_store(lived.store_path) == before
    assert {path.name for path in lived.data_dir.glob("remanence*")} >= {"remanence.db", "remanence.lock"}
    assert not list(lived.data_dir.glob("remanence.next*"))
