"""R14: a store of an older version becomes what a fresh one is, rows kept; killed in between it is the old one."""

import contextlib
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest

from app.api import Engine, FrozenClock, Places
from app.clock import SystemClock
from app.store.backups import Backups
from app.store.database import Database
from app.store.migrations import migrate_if_old, read_version
from app.store.tables.core import SCHEMA_VERSION
from tests.flows.processes import ROOT, wait_for

VERSION_1 = Path(__file__).with_name("store_v1.sql")


@pytest.fixture
def old_store(places: Places) -> Path:
    """A store as version 1 wrote it: three messages of one conversation, renamed by hand."""
    places.prepare()
    with contextlib.closing(pysqlite3.connect(str(places.store_path))) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))
    return places.store_path


def schema(path: Path) -> dict[str, object]:
    """Each table with its columns, keys and indexes, each index with its columns, and the text that made them."""
    found: dict[str, object] = {}
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'")
        for kind, name, sql in rows.fetchall():
            pragmas = ("table_info", "foreign_key_list", "index_list") if kind == "table" else ("index_xinfo",)
            parts = [sorted(connection.execute(f'PRAGMA {pragma}("{name}")').fetchall()) for pragma in pragmas]
            if kind == "table":  # the order in which indexes were made says nothing
                parts[2] = sorted(row[1:] for row in parts[2])
            found[name] = (kind, re.sub(r"\s+", " ", sql or ""), parts)
    return found


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(pysqlite3.connect(str(path))) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        return {
            name: found
            for name in names
            if not name.startswith("sqlite_")
            and (found := connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall())
        }


def test_a_migrated_store_is_a_fresh_one(places: Places, old_store: Path, tmp_path: Path) -> None:
    before = rows(old_store)
    assert migrate_if_old(old_store, Backups(places, SystemClock())) == 1
    fresh = Database(tmp_path / "fresh.db")
    fresh.open()
    fresh.close()
    assert schema(old_store) == schema(tmp_path / "fresh.db")
    kept = {name: [row[: len(before[name][0])] for row in found] for name, found in rows(old_store).items()}
    assert kept == before, "columns that came since stand at the end"
    added = {row[12:] for row in rows(old_store)["operation"]}
    assert added == {("", "person"), ("", "admin")}, "who did it is not known: no program takes it back"
    assert read_version(old_store) == SCHEMA_VERSION
    assert len(list(places.backups_dir.glob("*before-migration.db"))) == 1


def test_what_was_worked_out_before_knows_its_place(places: Places, old_store: Path) -> None:
    backups = Backups(places, SystemClock())
    migrate_if_old(old_store, backups, newest=6)
    cuts = [(number, 3, 1, f"stem {number}", "", 5, 4, 3, 2) for number in (1, 2, 3)]
    said = [(4, 1, 12, 7), (5, 1, 11, 6), (6, 2, None, 8)]
    with contextlib.closing(pysqlite3.connect(str(old_store))) as connection:
        columns = connection.execute("PRAGMA table_info(memory)").fetchall()
        needed = [name for _, name, _, is_needed, *_ in columns if is_needed and name != "id"]
        memory = f"INSERT INTO memory (id, {', '.join(needed)}) VALUES (?{', 0' * len(needed)})"
        connection.executemany(memory, [(number,) for number in (1, 2, 3)])
        connection.executemany("INSERT INTO memory_source VALUES (?, ?, ?, ?, '', '', 0, '', 0, 0)", said)
        connection.executemany(f"INSERT INTO memory_cut VALUES ({', '.join('?' * 9)})", cuts)
        connection.commit()
    assert migrate_if_old(old_store, backups) == 6
    placed = [(*cuts[0], 7, 12), (*cuts[1], 8, None), (*cuts[2], None, None)]
    assert rows(old_store)["memory_cut"] == placed


def test_what_an_older_version_kept_opens_and_can_be_undone(
    places: Places, old_store: Path, clock: FrozenClock
) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        (one,) = engine.conversations.list()
        assert (one.title, one.message_count) == ("The round button", 3)
        engine.journal.undo()
        assert engine.conversations.list()[0].title == "FAB button"
    assert old_store.exists()


SLOW_STEP = """
import sys, time
from pathlib import Path
from app.clock import SystemClock
from app.places import Places
from app.store.backups import Backups
from app.store.migrations import m0002, migrate_if_old
def stop_here(op):
    Path(sys.argv[1]).touch()
    time.sleep(60)
m0002._derived = stop_here
places = Places.find()
migrate_if_old(places.store_path, Backups(places, SystemClock()))
"""


@pytest.mark.parametrize("has_erased", [True, False])
def test_where_anything_was_erased_an_imported_prompt_without_a_message_is_never_read_again(
    places: Places, old_store: Path, *, has_erased: bool
) -> None:
    migrate_if_old(old_store, Backups(places, SystemClock()), newest=14)
    with contextlib.closing(pysqlite3.connect(str(old_store))) as connection:
        app_id = connection.execute("SELECT min(id) FROM app").fetchone()[0]
        connection.execute(
            "INSERT INTO event (app_id, key, kind, state, session, text_hash, at, received_at, error, attempt_count, is_imported) "
            "VALUES (?, 'old', 'prompt', 'done', 's', '-', 1, 1, '', 0, 1)",
            (app_id,),
        )
        if has_erased:
            connection.execute(
                "INSERT INTO operation (at, origin, kind, label, is_undoable, change_count, app, need) "
                "VALUES (1, 'person', 'erase', 'Erased 1 message', 0, 0, '', 'person')"
            )
        connection.commit()
    migrate_if_old(old_store, Backups(places, SystemClock()), newest=15)
    assert ("judge_past" in rows(old_store)) is has_erased


def test_killed_before_the_last_tables_it_is_still_version_1(places: Places, old_store: Path, tmp_path: Path) -> None:
    before, old_schema = rows(old_store), schema(old_store)
    middle = tmp_path / "middle"
    with subprocess.Popen([sys.executable, "-c", SLOW_STEP, str(middle)], cwd=ROOT) as process:
        wait_for(middle.exists)
        process.send_signal(signal.SIGKILL)
    assert (read_version(old_store), rows(old_store), schema(old_store)) == (1, before, old_schema)
    assert migrate_if_old(old_store, Backups(places, SystemClock())) == 1
    kept = {name: [row[: len(before[name][0])] for row in found] for name, found in rows(old_store).items()}
    assert kept == before
    assert read_version(old_store) == SCHEMA_VERSION
