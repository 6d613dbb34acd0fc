"""R3, R4 (a part), R6, R14: full disk, damaged and newer stores, two starts, migration all or nothing."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pysqlite3
import pytest
from sqlalchemy import text

from app.api import (
    CaptureRequest,
    DiskProblem,
    Engine,
    EventKind,
    EventState,
    FrozenClock,
    Places,
    StoreCorruptError,
    StoreLockedError,
    StoreNewerError,
)
from app.store.backups import Backups
from app.store.database import Database
from app.store.migrations import migrate_if_old, read_version
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S


def request(key: str) -> CaptureRequest:
    return CaptureRequest(
        app="claude-code", kind=EventKind.PROMPT, key=key, session="s1", text="Add a map", cwd="/w/app"
    )


def test_a_full_disk_gives_no_false_acknowledgement_and_recovers(engine: Engine, say: Say) -> None:
    say("Add a login page")
    connection = engine._core.store.database.writer_connection
    pages = int(connection.execute(text("PRAGMA page_count")).scalar_one())
    connection.execute(text(f"PRAGMA max_page_count={pages}"))
    connection.rollback()
    many = [request(f"big{number}") for number in range(400)]

    def is_said() -> bool:
        with pytest.raises(DiskProblem, match="cannot be written"):
            engine.events.capture(many, wait_s=0)
        health = engine.stats.health()
        return "Free some space" in health.disk_problem and not health.is_capturing

    assert any(is_said() for _ in range(20))  # a small write behind that still finds room takes the sign away again
    assert engine.conversations.list()[-1].title, "reading goes on"
    connection.execute(text("PRAGMA max_page_count=1073741823"))
    connection.rollback()
    assert engine.events.wait_idle(PATIENCE_S)
    assert engine.events.capture([request("after")], wait_s=PATIENCE_S)[0].state is EventState.DONE
    assert engine.stats.health().disk_problem == ""


def test_a_newer_store_is_refused_and_left_untouched(places: Places, clock: FrozenClock) -> None:
    Engine.open(places, clock=clock).close()
    with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
        connection.execute("PRAGMA user_version=99")
    before = places.store_path.read_bytes()
    with pytest.raises(StoreNewerError, match="newer Remanence"):
        Engine.open(places, clock=clock)
    assert places.store_path.read_bytes() == before


def older_header(data: bytes) -> bytes:
    """A header that names version 3: one flipped bit of it is enough, and the steps from there meet today's tables."""
    return data[:60] + (3).to_bytes(4, "big") + data[64:]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "garbage": lambda data: b"\x55" * len(data),
    "truncated": lambda data: data[: len(data) // 2],
    "a column of another name": lambda data: data.replace(b"outcome VARCHAR", b"outcomf VARCHAR"),
    "a name that is no text": lambda data: data.replace(b"outcome VARCHAR", b"out\xe9ome VARCHAR").replace(
        b"CREATE", b"CR\xc9ATE"
    ),
    "a header of an older version": older_header,
    "a header of an unknown format": lambda data: data[:47] + b"\x09" + data[48:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_store_is_said_and_restored_from_a_backup(places: Places, clock: FrozenClock, damage: str) -> None:
    engine = Engine.open(places, clock=clock)
    engine.events.capture([request("k1")], wait_s=PATIENCE_S)
    backup = engine.backups.create()
    engine.close()
    whole = dump_store(places.store_path)
    data = places.store_path.read_bytes()
    damaged = DAMAGE[damage](data)
    assert damaged != data
    places.store_path.write_bytes(damaged)
    with pytest.raises(StoreCorruptError, match="damaged"):
        Engine.open(places, clock=clock)
    kept = Backups(places, clock).restore(backup.path)
    assert kept.exists(), "the damaged file is kept"
    Engine.open(places, clock=clock).close()
    assert dump_store(places.store_path) == whole


def test_exactly_one_owner(places: Places, engine: Engine) -> None:
    for _ in range(5):
        with pytest.raises(StoreLockedError, match="is using the store"):
            Engine.open(places)


def test_restore_while_running_brings_the_old_content_and_keeps_the_new(engine: Engine, say: Say) -> None:
    say("Add a login page")
    backup = engine.backups.create("before the change")
    engine.conversations.rename(1, "Changed")
    engine.backups.restore(backup.path)
    assert engine.conversations.list()[0].title != "Changed"
    assert [one.reason for one in engine.backups.list()] == ["before restore", "before the change"]
    assert say("and a logout page").state is EventState.DONE


@pytest.mark.parametrize("is_failing", [False, True], ids=["succeeds", "fails in the middle"])
def test_a_migration_is_all_or_nothing(
    places: Places, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_failing: bool
) -> None:
    engine = Engine.open(places, clock=clock)
    engine.events.capture([request("k1")], wait_s=PATIENCE_S)
    engine.close()
    before = dump_store(places.store_path)
    version = read_version(places.store_path)

    steps = tmp_path / f"steps_{is_failing}"
    steps.mkdir()
    (steps / "__init__.py").touch()
    (steps / f"m{version + 1:04d}.py").write_text(
        f"def upgrade_{version + 1}(op):\n"
        "    op.execute('ALTER TABLE conversation ADD COLUMN mood TEXT')\n"
        f"    1 / {int(not is_failing)}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with contextlib.suppress(ZeroDivisionError):
        migrate_if_old(places.store_path, Backups(places, clock), package=steps.name, newest=version + 1)
    with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(conversation)")}
    assert ("mood" in columns) is not is_failing
    assert read_version(places.store_path) == version + (not is_failing)
    assert [one.reason for one in Backups(places, clock).list()] == ["before migration"]
    if is_failing:
        assert dump_store(places.store_path) == before


def test_folders_and_files_are_private(engine: Engine, say: Say) -> None:
    say("Add a login page")
    for path in (engine.places.data_dir, engine.places.state_dir, engine.places.config_dir):
        assert path.stat().st_mode & 0o777 == 0o700
    for path in engine.places.data_dir.iterdir():
        assert path.is_dir() or path.stat().st_mode & 0o077 == 0, path


def test_a_planted_link_is_refused(places: Places, tmp_path: Path) -> None:
    places.data_dir.mkdir(parents=True, mode=0o700)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    places.store_path.symlink_to(victim)
    with pytest.raises(Exception, match="is a link"):
        Engine.open(places)
    assert victim.read_text() == "precious"


def test_half_a_backup_that_cannot_be_removed_is_told_as_the_disks_fault(engine: Engine, clock: FrozenClock) -> None:
    half = engine.places.backups_dir / f"remanence-{clock.now():%Y%m%dT%H%M%S%f}Z-by-hand.partial"
    half.mkdir(parents=True)  # a file system that takes back nothing: a folder is not removed as a file
    with pytest.raises(DiskProblem, match="could not be made"):
        engine.backups.create("by hand")
    half.rmdir()
    assert engine.backups.create("by hand").path.exists()


def test_a_start_that_cannot_write_for_the_hook_goes_on_and_says_so(places: Places, clock: FrozenClock) -> None:
    Engine.open(places, clock=clock).close()
    rules = places.hook_dir / "rules.marshal"
    rules.unlink()
    rules.mkdir()  # cannot be written to, whoever one is
    with contextlib.closing(Engine.open(places, clock=clock)) as engine:
        assert "could not be written down for the hooks" in engine.stats.health().store_notice
    rules.rmdir()
    with contextlib.closing(Engine.open(places, clock=clock)) as engine:
        assert "hooks" not in engine.stats.health().store_notice
    assert rules.is_file()


def test_what_is_written_behind_waits_while_the_store_is_closed(engine: Engine, say: Say) -> None:
    say("Add a login page")
    store = engine._core.store
    store.database.close()
    written: list[None] = []
    store.behind.later(lambda: lambda: written.append(None))
    store.behind.settle()
    assert not written
    store.database.open()
    store.behind.settle()
    assert written


def test_a_name_that_is_damaged_while_the_store_is_open_is_said_in_words(tmp_path: Path) -> None:
    """SQLite quotes it, and the driver cannot put the quotation into text."""
    database = Database(tmp_path / "store.db")
    database.open()
    with contextlib.closing(pysqlite3.connect(str(database.path))) as other:
        version = other.execute("PRAGMA schema_version").fetchone()[0]
        other.execute("PRAGMA writable_schema=ON")
        other.execute("UPDATE sqlite_master SET name = CAST(x'6da06d' AS TEXT), sql = 'CREATE' WHERE name = 'memory'")
        other.execute(f"PRAGMA schema_version={version + 1}")
        other.commit()
    with pytest.raises(StoreCorruptError, match="a name that is no text"), database.read() as connection:
        connection.execute(text("SELECT count(*) FROM event"))
    with contextlib.suppress(StoreCorruptError):
        database.close()
